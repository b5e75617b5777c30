"""Wordnets in the tab format of the Open Multilingual Wordnet: `wn-data-als.tab`, `wn-wikt-lat.tab`.

The first line is `# name<TAB>language<TAB>URL<TAB>licence`. The others are
`02084071-n<TAB>lat:lemma<TAB>canis` (or `lemma` alone), where the synset is one of WordNet 3.0; other kinds
of lines are definitions and examples. What is a kind of what is in the English WordNet alone.

Bond and Foster (2013), Linking and extending an open multilingual wordnet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import regex

from testgen.errors import SourceError
from testgen.languages.iso639 import from_iso639_3
from testgen.snapshots.importers.categories import categories
from testgen.snapshots.importers.content import Imported, lines_of
from testgen.snapshots.importers.english_wordnet import EnglishWordnet, read_english

_PREFIX = "omw"
_SYNSET = regex.compile(r"[0-9]{8}-[nvasr]")
_LEMMA = regex.compile(r"(?:[\w-]+:)?lemma")


class _Header(NamedTuple):
    name: str
    language: str
    url: str
    license: str


def read_wordnet(files: Sequence[Path], english: Iterable[Path]) -> Imported:
    """Read the words of wordnets, and their categories.

    Where several files are of one language, the words of the first stand first.

    Args:
        files: Tab files of the Open Multilingual Wordnet.
        english: Files of the English WordNet; see `read_english`.
    """
    structure = read_english(english)
    found = Imported("Open Multilingual Wordnet", "", {})
    licenses: dict[str, None] = {}
    for path in files:
        header = _read_file(path, structure, found)
        found.files[path] = ", ".join(filter(None, header))
        licenses[f"{header.license or 'no licence stated'} ({header.name})"] = None
    found.license = "; ".join(licenses)
    for category in categories().values():
        below = structure.below(category.wordnet)
        found.members[category] = {_item_id(synset, structure) for synset in below}
    return found


def _read_file(path: Path, structure: EnglishWordnet, found: Imported) -> _Header:
    lines = lines_of(path)
    header = _header(path, next(lines, ""))
    code = from_iso639_3(header.language)
    if code is None:
        found.unknown_languages.add(header.language)
        return header
    words: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 2):
        columns = line.split("\t")
        if line.startswith("#") or not line.strip():
            continue
        if len(columns) < 3 or not _SYNSET.fullmatch(columns[0]):
            found.ignore(path, number)
        elif _LEMMA.fullmatch(columns[1]) and columns[0].endswith("-n"):
            words.setdefault(columns[0], []).append(columns[2].replace("_", " ").strip())
    for synset, of_synset in words.items():
        found.add(_item_id(synset, structure), code, of_synset)
    return header


def _header(path: Path, line: str) -> _Header:
    columns = [each.strip() for each in line.lstrip("#").split("\t")]
    if not line.startswith("#") or len(columns) < 2:
        raise SourceError(
            f"{path}: not a tab file of the Open Multilingual Wordnet: its first line is "
            "`# name<TAB>language<TAB>URL<TAB>licence`"
        )
    return _Header(*(*columns, "", "")[:4])


def _item_id(synset: str, structure: EnglishWordnet) -> str:
    return structure.wikidata.get(synset) or f"{_PREFIX}:{synset}"
