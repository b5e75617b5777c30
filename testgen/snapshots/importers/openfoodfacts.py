"""Taxonomies of Open Food Facts: `ingredients.txt`, `categories.txt`.

Blocks are separated by empty lines. In a block, `< en: fruit` names an entry above; `fr: pomme, pommes` has
the names in a language, the usual one first; `wikidata:en: Q89` is a property; `#` begins a comment.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import regex

from testgen.errors import SourceError
from testgen.languages.codes import NEUTRAL, from_tag
from testgen.snapshots.importers.content import Imported, categories, lines_of
from testgen.sources.hierarchy import reachable

_PREFIX = "off"
_LICENSE = "Open Database License (ODbL) 1.0; credit: Open Food Facts"
_LINE = regex.compile(r"(<?)\s*([a-z]{2,3}(?:[-_][A-Za-z]{2,8})?)\s*:\s*(.*\S)\s*")
_WIKIDATA = regex.compile(r"wikidata\s*:\s*[a-z]{2}\s*:\s*(Q[1-9][0-9]*)\s*")
_COMMA = regex.compile(r"(?<!\\),\s*")
_UNWANTED = regex.compile(r"[^\p{L}\p{M}\p{N}]+")


@dataclass
class _Entry:
    above: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    wikidata: str | None = None

    @property
    def keys(self) -> list[str]:
        """All keys by which other entries may name it, the usual one first."""
        return [_key(tag, name) for tag, names in self.names.items() for name in names]


def read_openfoodfacts(files: Sequence[Path]) -> Imported:
    """Read the names in taxonomies, and their categories."""
    found = Imported("Open Food Facts", _LICENSE, dict.fromkeys(files))
    entries: list[_Entry] = []
    for path in files:
        of_file = [entry for entry in _blocks(path) if entry.names]
        if not of_file:
            raise SourceError(f"{path}: not a taxonomy of Open Food Facts: no names such as `en: apple`")
        entries += of_file
    claims = Counter(entry.wikidata for entry in entries)
    ids = [_item_id(entry, sure=claims[entry.wikidata] == 1) for entry in entries]
    for entry, item in zip(entries, ids, strict=True):
        for tag, names in entry.names.items():
            found.add(item, NEUTRAL if tag == "xx" else from_tag(tag) or tag, names)
    item_of = {key: item for entry, item in reversed([*zip(entries, ids, strict=True)]) for key in entry.keys}
    children: dict[str, set[str]] = {}
    for entry, item in zip(entries, ids, strict=True):
        for key in entry.above:
            children.setdefault(item_of.get(key, ""), set()).add(item)
    for category in categories().values():
        roots = (item_of.get(f"en:{name}", "") for name in category.openfoodfacts)
        found.members[category] = reachable(filter(None, roots), children)
    return found


def _blocks(path: Path) -> Iterator[_Entry]:
    entry = _Entry()
    for line in (*lines_of(path), ""):
        if not line.strip():
            yield entry
            entry = _Entry()
        elif match := _WIKIDATA.fullmatch(line):
            entry.wikidata = match[1]
        elif (match := _LINE.fullmatch(line)) and match[1]:
            entry.above.append(_key(match[2], match[3]))
        elif match and (match[2] == "xx" or from_tag(match[2])):
            names = [each.replace("\\,", ",").strip() for each in _COMMA.split(match[3])]
            entry.names.setdefault(match[2], []).extend(filter(None, names))


def _item_id(entry: _Entry, *, sure: bool) -> str:
    if entry.wikidata and sure:
        return entry.wikidata
    return f"{_PREFIX}:{quote(entry.keys[0], safe=':')}"


def _key(tag: str, name: str) -> str:
    """The key of an entry, such as `en:olive-oil`: letters without marks, and hyphens."""
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(each)
    )
    return f"{tag}:{_UNWANTED.sub('-', plain).strip('-')}"
