"""What a source answered: rows by the text of the query as it is sent, and names of items by language.

A file of it has JSON lines: the first says what it is, and where all of it is from; then there is a line for
each query that was sent, and for the names and the keywords in each language. docs/snapshots.md describes the
format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from testgen.errors import SourceError
from testgen.languages.codes import NEUTRAL, is_registered, languages
from testgen.queries import Query
from testgen.sources.base import Keywords, Names, Provenance, Solution, Term, id_order, is_id
from testgen.sources.lexemes import LEXEME_LANGUAGES, languages_with_lexemes
from testgen.system import gzip_writer, read_bytes, reading

FORMAT, VERSION = "snapshot", 2  # version 1 had no keywords
HEAD = f'{{"format":"{FORMAT}","version":'.encode()

T = TypeVar("T")

_Rows = list[dict[str, Term]]
_Names = dict[str, Annotated[list[str], Meta(min_length=1)]]  # by item: the label, or "", and the aliases


class _Head(Struct, forbid_unknown_fields=True):
    format: str
    version: int
    source: Provenance


class _Line(Struct, omit_defaults=True, forbid_unknown_fields=True):
    query: str | UnsetType = UNSET  # the name of the query
    sha256: str = ""  # the digest of its text
    text: str = ""
    rows: Raw = Raw()
    language: str | UnsetType = UNSET  # the code of the language of names
    names: Raw = Raw()
    keywords: Raw = Raw()
    source: Provenance | None = None  # the origin of the keywords


class Answers:
    """Rows by the text of a query, names by language; decoded when they are asked for."""

    def __init__(self, source: Provenance, lines: Iterable[_Line] = (), where: object = "") -> None:
        self.source, self._where = source, where  # where they were read, for messages
        self._rows: dict[str, _Line] = {}
        self._names: dict[str, Raw | _Names] = {}
        self._keywords: dict[str, _Line] = {}
        for line in lines:
            if isinstance(line.query, str):
                self._rows[line.text] = line
            elif isinstance(line.language, str) and line.source is not None:
                self._keywords[line.language] = line
            elif isinstance(line.language, str):
                self._names[line.language] = line.names

    def add(self, query: Query, language: str | None, rows: Sequence[Solution]) -> None:
        """Keep the rows of a query, or of one that is asked by language, in one."""
        # An engine gives the variables of a row in any order.
        content = Raw(msgspec.json.encode(rows, order="deterministic"))
        text = _text(query, language)
        self._rows[text] = _Line(query.name, _digest(text), text, content)

    def discard(self, name: str) -> None:
        """Forget the rows of a query, by its name."""
        self._rows = {text: line for text, line in self._rows.items() if line.query != name}

    def add_names(self, names: Names) -> None:
        """Keep the names of an item."""
        for code in {*names.labels, *names.aliases}:
            texts = [names.labels.get(code, ""), *names.aliases.get(code, ())]
            self._names_in(code)[names.item] = texts

    def add_keywords(self, language: str, keywords: Keywords) -> None:
        """Keep the keywords of symbols in a language."""
        by_symbol = {symbol: " ".join(words) for symbol, words in sorted(keywords.words.items())}
        content = Raw(msgspec.json.encode(by_symbol))
        self._keywords[language] = _Line(language=language, keywords=content, source=keywords.source)

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """The codes of the languages in which there are keywords."""
        return tuple(sorted(self._keywords))

    def keywords(self, language: str) -> Keywords | None:
        """The keywords of symbols in a language, or in that of which it is a variety."""
        codes = (language, *languages()[language].variants)
        line = next((self._keywords[code] for code in codes if code in self._keywords), None)
        if line is None or line.source is None:
            return None
        by_symbol = self._decoded(line.keywords, dict[str, str])
        return Keywords(line.source, {symbol: words.split() for symbol, words in by_symbol.items()})

    def rows(self, query: Query, language: str | None = None) -> _Rows | None:
        """The rows of a query, or of one that is asked by language, in one; None if they are not known."""
        text = _text(query, language)
        line = self._rows.get(text)
        if line is None:
            with_lexemes = None if language is None else self._languages_of(query)
            return None if with_lexemes is None or language in with_lexemes else []
        if line.sha256 != _digest(text):
            raise SourceError(f"{self._where}: the digest of {line.query!r} is not that of its text")
        return self._decoded(line.rows, _Rows)

    def holds(self, query: Query) -> bool:
        """Whether the answer to a query is known, in all languages that have any."""
        if not query.by_language:
            return _text(query, None) in self._rows
        with_lexemes = self._languages_of(query)
        return with_lexemes is not None and all(_text(query, code) in self._rows for code in with_lexemes)

    def _languages_of(self, query: Query) -> list[str] | None:
        rows = self.rows(LEXEME_LANGUAGES)
        return None if rows is None else languages_with_lexemes(rows, query.lexical_category)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each query, by its name."""
        found: dict[str, int] = {}
        for line in self._rows.values():
            name = str(line.query)
            found[name] = found.get(name, 0) + len(self._decoded(line.rows, list[Raw]))
        return dict(sorted(found.items()))

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages in which there are names."""
        return tuple(sorted(self._names))

    @property
    def named_items(self) -> list[str]:
        """The ids of all items that have a name, in order."""
        items = {item for code in self._names for item in self._names_in(code)}
        return sorted(filter(is_id, items), key=id_order)

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """See `Source.names`."""
        wanted = set(self._names) if languages is None else {*languages, "en", NEUTRAL}
        by_code = {code: self._names_in(code) for code in list(self._names) if code in wanted}
        for item in items:
            own = {code: of_code[item] for code, of_code in by_code.items() if item in of_code}
            if own:
                labels = {code: texts[0] for code, texts in own.items() if texts[0]}
                yield Names(item, labels, {code: texts[1:] for code, texts in own.items() if texts[1:]})

    def _names_in(self, code: str) -> _Names:
        of_code = self._names.setdefault(code, {})
        if isinstance(of_code, Raw):
            of_code = self._names[code] = self._decoded(of_code, _Names)
        return of_code

    def _decoded(self, content: Raw, type_: type[T]) -> T:
        try:
            return msgspec.json.decode(content, type=type_)
        except msgspec.MsgspecError as error:
            raise SourceError(f"{self._where}: not a snapshot, or damaged: {error}") from error

    def write(self, path: Path) -> None:
        """Write a file, gzipped if its name says so; the same content gives the same bytes."""
        with path.open("wb") as raw, gzip_writer(raw) if path.name.endswith(".gz") else raw as file:
            for each in chain([_Head(FORMAT, VERSION, self.source)], self._lines()):
                file.write(msgspec.json.encode(each) + b"\n")

    def _lines(self) -> Iterator[_Line]:
        yield from sorted(self._rows.values(), key=lambda line: (str(line.query), line.text))
        for code in self.languages:
            of_code = self._names_in(code)
            content = {item: of_code[item] for item in sorted(of_code, key=id_order)}
            yield _Line(language=code, names=Raw(msgspec.json.encode(content)))
        yield from (self._keywords[code] for code in self.keyword_languages)

    @classmethod
    def read(cls, path: Path) -> Answers:
        """Read a file.

        Raises:
            SourceError: It cannot be read, or is no snapshot.
        """
        try:
            with reading(path, SourceError):
                head, _, rest = read_bytes(path, unpacked=True).partition(b"\n")
            first = msgspec.json.decode(head, type=_Head)
            if first.format != FORMAT or not 1 <= first.version <= VERSION:
                raise SourceError(f"{path}: a {first.format} of version {first.version}, which is not known")
            lines = msgspec.json.Decoder(_Line).decode_lines(rest)
            for number, line in enumerate(lines, start=2):
                if isinstance(line.language, str) and not _is_language(line.language):
                    raise SourceError(f"{path}, line {number}: {line.language!r} is no language")
        except msgspec.MsgspecError as error:
            raise SourceError(f"{path}: not a snapshot, or cut off: {error}") from error
        return cls(first.source, lines, path)


def _is_language(code: str) -> bool:
    return code in languages() or is_registered(code)


def _text(query: Query, language: str | None) -> str:
    return query.narrowed(None if language is None else [language])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
