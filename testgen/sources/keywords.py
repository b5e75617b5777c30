"""Files of the keywords of symbols, beside snapshots.

`cldr-48.keywords.zip` is beside `cldr-48.ttl.gz`: a list of contents, and JSON for each language, so that one
language can be read without the others.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from testgen.errors import SourceError
from testgen.languages.codes import from_tag, languages
from testgen.sources.base import Keywords, Provenance
from testgen.sources.shipped import in_full
from testgen.system import sha256_of

ENDING = ".keywords.zip"

T = TypeVar("T")
_BySymbol = dict[str, str]  # words with spaces between them


class _Contents(msgspec.Struct):
    name: str
    date: str
    license: str
    languages: dict[str, str]  # the file of each language tag


class KeywordFile:
    """A file of keywords, of which a language is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _contents(self) -> _Contents:
        return self._read("contents", _Contents)

    @cached_property
    def _files(self) -> Mapping[str, str]:
        """The file of each language, by its code."""
        tags = self._contents.languages.items()
        return {code: name for tag, name in tags if (code := from_tag(tag)) is not None}

    @cached_property
    def provenance(self) -> Provenance:
        """The origin of the keywords, with the licence in full if it demands it."""
        contents, digest = self._contents, sha256_of(self.path)
        license_ = in_full(contents.license)
        return Provenance("snapshot", contents.name, contents.date, digest, license=license_)

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that have keywords."""
        return tuple(sorted(self._files))

    def keywords(self, code: str) -> Keywords | None:
        """The keywords in a language, or in the language of which it is a variety; None if there are none."""
        known = (each for each in (code, *languages()[code].variants) if each in self._files)
        found = next(known, None)
        if found is None:
            return None
        by_symbol = self._read(self._files[found], _BySymbol)
        return Keywords(self.provenance, {symbol: words.split() for symbol, words in by_symbol.items()})

    def _read(self, name: str, kind: type[T]) -> T:
        try:
            with zipfile.ZipFile(self.path) as file:
                return msgspec.json.decode(file.read(f"{name}.json"), type=kind)
        except (OSError, zipfile.BadZipFile, zlib.error, KeyError, msgspec.MsgspecError) as error:
            raise SourceError(f"{self.path}: not a file of keywords, or damaged: {error}") from error


class KeywordFiles:
    """The files of keywords beside files of RDF."""

    def __init__(self, paths: Iterable[Path]) -> None:
        beside = (path.with_name(path.name.removesuffix(".gz").rpartition(".")[0] + ENDING) for path in paths)
        self._files = [KeywordFile(path) for path in beside if path.exists()]

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that have keywords in any of them."""
        return tuple(sorted({code for file in self._files for code in file.languages}))

    def keywords(self, code: str) -> Keywords | None:
        """The keywords in a language."""
        return united_keywords(file.keywords(code) for file in self._files)


def united_keywords(found: Iterable[Keywords | None]) -> Keywords | None:
    """The keywords of several sources, with the words of all for each symbol."""
    parts = [each for each in found if each is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    words: dict[str, list[str]] = {}
    for part in parts:
        for symbol, own in part.words.items():
            words.setdefault(symbol, []).extend(own)
    origins = tuple(dict.fromkeys(each for part in parts for each in (part.source.parts or (part.source,))))
    name = " + ".join(origin.name for origin in origins)
    source = origins[0] if len(origins) == 1 else Provenance("combined", name, None, parts=origins)
    return Keywords(source, {symbol: list(dict.fromkeys(own)) for symbol, own in words.items()})
