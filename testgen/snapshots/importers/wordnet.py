"""Wordnets in the tab format of the Open Multilingual Wordnet, and the English WordNet, which orders them.

The first line is `# name<TAB>language<TAB>URL<TAB>licence`, others are `02084071-n<TAB>lat:lemma<TAB>canis`
(or `lemma` alone), with a synset of WordNet 3.0. What is a kind or a part of what, and which Wikidata items
synsets are, is in the English WordNet alone; other versions of it are joined by ids of the Collaborative
Interlingual Index (ILI).

Bond and Foster (2013), Linking and extending an open multilingual wordnet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import regex

from testgen.errors import SourceError
from testgen.languages.codes import from_iso639_3, from_tag
from testgen.snapshots.importers.content import PART_OF, Imported, categories, lines_of
from testgen.sources.hierarchy import reachable
from testgen.system import open_unpacked, reading

_PREFIX = "omw"
_SYNSET = regex.compile(r"[0-9]{8}-[nvasr]")
_LEMMA = regex.compile(r"(?:\*?[\w-]+:)?lemma")
_SYNSET_LINE = regex.compile(r"([0-9]{8}) ([0-9]{2}) n ([0-9a-f]{2}) (.+)")
_ILI_LINE = regex.compile(r"(i[0-9]+)\t([0-9]{8}-[nvasr])")
_WORDNET_30 = regex.compile(r"(?:omw-en-)?([0-9]{8}-[nvasr])")
_SENSE_KEY = regex.compile(r"(?:oewn-)?(.+?)(?:%|__)1[:.]([0-9]{2})[:.]([0-9]{2})\b.*")
_YAML_SYNSET = regex.compile(r"([0-9]{8}-[nvasr]):")
_YAML_VALUE = regex.compile(r"  (ili|wikidata): *['\"]?([iQ][0-9]+)['\"]?")
_VERSION_LINE = regex.compile(r"  [0-9]+ WordNet ([0-9.]+) Copyright .*")  # of the licence of data.noun
_NO_WORD = frozenset({"GAP!", "PSEUDOGAP!"})  # the language has no word for it, say some wordnets
_IDENTIFIER = regex.compile(r"\{.*\}identifier")


@dataclass
class EnglishWordnet:
    """Synsets of WordNet 3.0; while files are read, each with its own ids."""

    children: dict[str, set[str]] = field(default_factory=dict)  # by hypernym
    parts: dict[str, set[str]] = field(default_factory=dict)  # meronyms by the whole (`%p` and `#p`)
    roots: dict[str, set[str]] = field(default_factory=dict)  # those in `categories.tsv`, by sense key
    wikidata: dict[str, str] = field(default_factory=dict)  # of items that only one synset claims
    ili: dict[str, str] = field(default_factory=dict)  # ids of the ILI by synset

    def below(self, sense_keys: Iterable[str]) -> set[str]:
        """All synsets at any distance below those with the sense keys, without these."""
        roots = (synset for key in sense_keys for synset in self.roots.get(key, ()))
        return reachable(roots, self.children)

    def add(self, synset: str, above: Iterable[str]) -> None:
        """Note the hypernyms of a synset."""
        for each in above:
            self.children.setdefault(each, set()).add(synset)

    def add_part(self, part: str, whole: str) -> None:
        """Note that a synset is a part of another one."""
        self.parts.setdefault(whole, set()).add(part)

    def add_root(self, sense_key: str, synset: str) -> None:
        """Note where a root is, if it is one."""
        if sense_key in _root_keys():
            self.roots.setdefault(sense_key, set()).add(synset)


def read_english(files: Iterable[Path]) -> EnglishWordnet:
    """Read the English WordNet from one or several files, which are recognised by their content."""
    # These are `data.noun` of WordNet 3.0; WN-LMF of OMW's English wordnet or the Open English Wordnet; its
    # `noun.*.yaml` with Wikidata ids; and `ili-map-pwn30.tab`, which joins it to WordNet 3.0.
    read, paths = EnglishWordnet(), list(files)
    for path in paths:
        if path.name.endswith((".xml", ".xml.gz")):
            _read_lmf(path, read)
        elif path.name.endswith((".yaml", ".yml")):
            _read_yaml(path, read)
        else:
            _read_lines(path, read)
    names = ", ".join(path.name for path in paths) or "nothing"
    wordnet_30 = {ili: synset for synset, ili in read.ili.items() if _WORDNET_30.fullmatch(synset)}

    def synset_30(synset: str) -> str:
        return wordnet_30.get(read.ili.get(synset, ""), synset)

    children, parts = dict[str, set[str]](), dict[str, set[str]]()
    for known, pointers in ((children, read.children), (parts, read.parts)):
        for synset, others in pointers.items():
            known.setdefault(synset_30(synset), set()).update(map(synset_30, others))
    claims = Counter(read.wikidata.values())
    found = EnglishWordnet(
        children,
        parts,
        {key: {synset_30(each) for each in synsets} for key, synsets in read.roots.items()},
        {synset_30(each): item for each, item in read.wikidata.items() if claims[item] == 1},
    )
    if not found.roots:
        raise SourceError(
            f"the wordnets of other languages do not say what is a kind of what, and {names} does not "
            "either: give --english data.noun of WordNet 3.0, or the file of OMW's English wordnet (omw-en)"
        )
    return found


def _read_lines(path: Path, read: EnglishWordnet) -> None:
    understood = 0
    for number, line in enumerate(lines_of(path), 1):
        if match := _SYNSET_LINE.fullmatch(line):
            try:
                _read_synset(match[1], match[2], int(match[3], 16), match[4].split(" "), read)
            except ValueError as error:
                raise SourceError(
                    f"{path}, line {number}: not as many words as it says; fetch it again"
                ) from error
        elif match := _ILI_LINE.match(line):
            read.ili[match[2]] = match[1]
        elif (match := _VERSION_LINE.match(line)) and match[1] != "3.0":
            raise SourceError(
                f"{path}, line {number}: this is WordNet {match[1]}. The wordnets of other languages name "
                "synsets by numbers that are those of WordNet 3.0; give its data.noun"
            )
        else:
            continue
        understood += 1
    if not understood:
        raise SourceError(
            f"{path}: not a file of the English WordNet: give data.noun, WN-LMF (.xml), noun.*.yaml or "
            "ili-map-pwn30.tab"
        )


def _read_synset(offset: str, file: str, words: int, columns: list[str], read: EnglishWordnet) -> None:
    """Read a line of `data.noun`: words with their numbers, then pointers, four columns each."""
    # Instances (`@i`), such as names of single rivers, are not kinds of anything.
    for word, number in zip(columns[: 2 * words : 2], columns[1 : 2 * words : 2], strict=True):
        read.add_root(f"{word.lower()}%1:{file}:{int(number, 16):02}", f"{offset}-n")
    pointers = columns[2 * words + 1 :]
    targets = [
        (symbol, f"{target}-n")
        for symbol, target in zip(pointers[::4], pointers[1::4], strict=False)
        if target.isdigit()
    ]
    read.add(f"{offset}-n", (target for symbol, target in targets if symbol == "@"))
    for symbol, target in targets:
        if symbol == "%p":
            read.add_part(target, f"{offset}-n")
        elif symbol == "#p":
            read.add_part(f"{offset}-n", target)


def _read_lmf(path: Path, read: EnglishWordnet) -> None:
    try:
        with reading(path, SourceError), open_unpacked(path) as file:
            for _, element in ET.iterparse(file):  # noqa: S314  # no entities are fetched
                if element.tag == "Sense":
                    _read_sense(element, read)
                elif element.tag == "Synset":
                    _read_lmf_synset(element, read)
                if element.tag in ("LexicalEntry", "Synset"):
                    element.clear()
    except (ET.ParseError, LookupError, ValueError) as error:  # LookupError: encoding
        raise SourceError(f"{path}: not XML, or cut off: {error}") from error


def _read_sense(element: ET.Element, read: EnglishWordnet) -> None:
    """Note the synset of a sense: its key is in `dc:identifier` (OMW) or in the id (Open English Wordnet)."""
    stated = [value for key, value in element.items() if _IDENTIFIER.fullmatch(key)]
    match = _SENSE_KEY.fullmatch(stated[0] if stated else element.get("id", ""))
    if match:
        read.add_root(f"{match[1].lower()}%1:{match[2]}:{match[3]}", _lmf_id(element.get("synset", "")))


def _read_lmf_synset(element: ET.Element, read: EnglishWordnet) -> None:
    synset, ili = _lmf_id(element.get("id", "")), element.get("ili", "")
    if ili.startswith("i") and ili[1:].isdigit():
        read.ili[synset] = ili
    hypernyms = element.iterfind("SynsetRelation[@relType='hypernym']")
    read.add(synset, (_lmf_id(each.get("target", "")) for each in hypernyms))
    for each in element.iterfind("SynsetRelation[@relType='mero_part']"):
        read.add_part(_lmf_id(each.get("target", "")), synset)
    for each in element.iterfind("SynsetRelation[@relType='holo_part']"):
        read.add_part(synset, _lmf_id(each.get("target", "")))


def _lmf_id(text: str) -> str:
    match = _WORDNET_30.fullmatch(text)
    return match[1] if match else text


def _read_yaml(path: Path, read: EnglishWordnet) -> None:
    """Read ids, which stand on lines of their own; an item is left out if a synset has several."""
    synset = ""
    for line in lines_of(path):
        if match := _YAML_SYNSET.fullmatch(line):
            synset = f"oewn-{match[1]}"
        elif match := _YAML_VALUE.fullmatch(line):
            (read.ili if match[1] == "ili" else read.wikidata)[synset] = match[2]
    if not synset:
        raise SourceError(f"{path}: no synsets; give noun.*.yaml of the Open English Wordnet")


@cache
def _root_keys() -> frozenset[str]:
    return frozenset(key for category in categories().values() for key in category.wordnet)


class _Header(NamedTuple):
    name: str
    language: str
    url: str
    license: str


def read_wordnet(files: Sequence[Path], english: Iterable[Path]) -> Imported:
    """Read the words of wordnets in tab files, and their categories from the English one: `read_english`."""
    structure = read_english(english)
    found = Imported("Open Multilingual Wordnet", "", {})
    licenses: dict[str, None] = {}
    for path in files:
        header = _read_tab_file(path, structure, found)
        found.files[path] = ", ".join(filter(None, header))
        licenses[f"{header.license or 'no licence stated'} ({header.name})"] = None
    found.license = "; ".join(licenses)
    for category in categories().values():
        below = structure.below(category.wordnet)
        found.members[category] = {_item_id(synset, structure) for synset in below}
    _name_classes(structure, found)
    found.related = {
        (_item_id(part, structure), PART_OF, _item_id(whole, structure))
        for whole, parts in structure.parts.items()
        for part in parts
    }
    return found


def _name_classes(structure: EnglishWordnet, found: Imported) -> None:
    """Give classes the words of the synsets of which all their items are kinds."""
    named = [
        (category.class_id, code, words)
        for category in categories().values()
        for key in category.wordnet[:1]  # the first is the class itself
        for root in sorted(structure.roots.get(key, ()))
        for code, words in found.words.get(_item_id(root, structure), {}).items()
    ]
    for class_id, code, words in named:
        found.add(class_id, code, words)


def _read_tab_file(path: Path, structure: EnglishWordnet, found: Imported) -> _Header:
    lines = lines_of(path)
    header = _header(path, next(lines, ""))
    # Codes of Wiktionary that are not in ISO 639-3 have a star: `*zlw-opl` is Old Polish.
    tag = header.language[1:] if header.language.startswith("*") else ""
    code = from_iso639_3(header.language) or from_tag(tag)
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
            word = columns[2].replace("_", " ").strip()
            words.setdefault(columns[0], []).extend([word] if word not in _NO_WORD else [])
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
