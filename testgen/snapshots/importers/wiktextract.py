"""Wiktionary as wiktextract reads it and kaikki.org publishes it: one JSON object a line, plain or gzipped.

A category with the code of the language before it (`la:Body parts`) is a topic; in processed files it is an
object with the key `orig`. Translations are those of a sense, or in `sense` they repeat part of its
definition. Editions of the Wiktionary in other languages than English have no topics, nor ids of Wikidata.

Ylonen (2022), Wiktextract: Wiktionary as machine-readable structured data; fields: its `type_utils.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, get_args, get_origin
from urllib.parse import quote

import msgspec
import regex
from msgspec import UNSET, Struct

from testgen.errors import SourceError
from testgen.languages.codes import NEUTRAL, from_iso639_3, from_tag
from testgen.snapshots.importers.content import Category, Imported, categories, lines_of, own_category

_PREFIX = "wiktionary"
_LICENSE = "CC BY-SA 4.0; credit: Wiktionary"
_FEWEST = 10  # words of a topic in one language: others would make thousands of categories that nobody uses
_KINDS = {"noun": "", "name": "", "num": "", "verb": "verbs", "adj": "adjectives"}
_UNWANTED = frozenset({"alt-of", "derogatory", "form-of", "misspelling", "offensive", "slur", "vulgar"})
_QID = regex.compile(r"(?:[\w-]+:)?(Q[1-9][0-9]*)")
_OF_A_PLACE = regex.compile(r"\b(?:in|of)(?: the)? \p{Lu}")  # Villages in Wales
_WORD = regex.compile(r"\w+")


class _Translation(Struct):
    word: str = ""
    lang_code: str = ""
    code: str = ""  # in older files
    sense: str = ""


class _Topic(Struct):
    orig: str = ""


class _Sense(Struct):
    glosses: list[str] = []
    tags: list[str] = []
    form_of: list[Any] = []
    alt_of: list[Any] = []
    categories: list[str | _Topic] = []
    senseid: list[str] = []
    wikidata: list[str] = []
    translations: list[_Translation] = []

    @property
    def is_usable(self) -> bool:
        """Whether it is no inflected form or other spelling of a word, and not offensive."""
        return not self.form_of and not self.alt_of and _UNWANTED.isdisjoint(self.tags)


class _Entry(Struct):
    word: str = ""
    lang_code: str = ""
    pos: str = ""
    pos_title: Any = None  # the heading of the entry, which editions in other languages than English keep
    etymology_number: int | str = ""
    senses: list[_Sense] = []
    categories: list[str | _Topic] = []
    wikidata: list[str] = []
    translations: list[_Translation] = []


def read_wiktextract(files: Sequence[Path]) -> Imported:
    """Read, line by line, the words and translations of items, and the topics of their senses."""
    found = Imported("Wiktionary (wiktextract)", _LICENSE, dict.fromkeys(files))
    editions = Counter[bool]()
    for path in files:
        entries = 0
        for entry in _entries(path, found):
            entries += bool(entry.word and entry.lang_code)
            editions[entry.pos_title is not None] += 1
            _read_entry(entry, found)
        if not entries:
            raise SourceError(f"{path}: no line is an entry of wiktextract, with word, lang_code and senses")
    for category in [each for each in found.members if each.title]:
        words = Counter(code for item in found.members[category] for code in found.words[item])
        if max(words.values()) < _FEWEST:
            del found.members[category]
    if others := editions[True] if found.words else editions.total():
        found.reason = (
            f"{others:,} entries name neither topics (la:Mammals) nor items of Wikidata, as in editions "
            "of the Wiktionary in languages other than English: read the file of the English one (kaikki.org)"
        )
    return found


def _entries(path: Path, found: Imported) -> Iterator[_Entry]:
    """The entries of a file; lines that are none are counted."""
    decoder = msgspec.json.Decoder(_Entry)
    for number, line in enumerate(lines_of(path), 1):
        if line.strip():
            entry = _decoded(line, decoder, found)
            if entry is None:
                found.ignore(path, number)
            else:
                yield entry


def _decoded(line: str, decoder: msgspec.json.Decoder[_Entry], found: Imported) -> _Entry | None:
    """The entry of a line, without values that are null or of another kind, which are counted."""
    try:
        return decoder.decode(line)
    except msgspec.DecodeError:
        pass
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    kept = _kept(value, _Entry, "", found.left_out) if isinstance(value, dict) else None
    return kept if isinstance(kept, _Entry) else None


def _kept(value: object, type_: Any, kind: str, left_out: Counter[str]) -> object:  # noqa: ANN401  # any annotation
    """A value as one of a type, without those in it that are not of theirs; UNSET if it is none itself."""
    if isinstance(value, dict) and isinstance(type_, type) and issubclass(type_, Struct):
        fields = {each.name: each for each in msgspec.structs.fields(type_) if each.name in value}
        each_kept = {
            name: _kept(value[name], each.type, f"{kind}.{name}".strip("."), left_out)
            for name, each in fields.items()
        }
        return type_(**{name: each for name, each in each_kept.items() if each is not UNSET})
    if isinstance(value, list) and get_origin(type_) is list:
        (element,) = get_args(type_)
        every = (_kept(each, element, kind, left_out) for each in value)
        return [each for each in every if each is not UNSET]
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError:
        left_out[kind] += 1
        return UNSET


def _read_entry(entry: _Entry, found: Imported) -> None:
    kind = _KINDS.get(entry.pos)
    if kind is None or not entry.word or not _language(entry.lang_code, found):
        return
    of_entry = _categories(entry.categories, entry.lang_code, kind)
    usable = {number: sense for number, sense in enumerate(entry.senses, 1) if sense.is_usable}
    if len(entry.senses) > 1:
        if of_entry and usable:  # which of the senses these are of is not known
            _add(entry, _own_id(entry), of_entry, (), found)
        of_entry = []
    kept = []
    for number, sense in usable.items():
        chosen = [*of_entry, *_categories(sense.categories, entry.lang_code, kind)]
        item = _item_id(entry, number)
        if chosen or item.startswith("Q"):
            kept.append((number, item, chosen))
    placed = _placed(entry, found) if kept else {}
    for number, item, chosen in kept:
        _add(entry, item, chosen, [*usable[number].translations, *placed[number]], found)


def _add(
    entry: _Entry,
    item: str,
    chosen: Iterable[Category],
    translations: Iterable[_Translation],
    found: Imported,
) -> None:
    for category in chosen:
        found.members.setdefault(category, set()).add(item)
    translated = ((each.lang_code or each.code, each.word) for each in translations)
    for spelling, word in ((entry.lang_code, entry.word), *translated):
        if code := _language(spelling, found):
            found.add(item, code, [word])


def _placed(entry: _Entry, found: Imported) -> dict[int, list[_Translation]]:
    """The translations by sense: of the only one, or of the only one with all the words of their `sense`."""
    words = {number: set(_words(sense.glosses)) for number, sense in enumerate(entry.senses, 1)}
    placed: dict[int, list[_Translation]] = {number: [] for number in words}
    for each in entry.translations:
        wanted = set(_words([each.sense]))
        fitting = [number for number, of_sense in words.items() if wanted and wanted <= of_sense]
        if len(words) == 1 or len(fitting) == 1:
            placed[fitting[0] if fitting else 1].append(each)
        else:
            found.unplaced += 1
    return placed


def _words(texts: Iterable[str]) -> Iterator[str]:
    return (word for text in texts for word in _WORD.findall(text.lower()))


def _item_id(entry: _Entry, number: int) -> str:
    """The Wikidata id of a sense of a noun if it has one, else an id of its own: no verb names an item."""
    sense = entry.senses[number - 1]
    ids = sense.wikidata or sense.senseid or (entry.wikidata if len(entry.senses) == 1 else [])
    wikidata = {match[1] for each in ids if (match := _QID.fullmatch(each))}
    return wikidata.pop() if len(wikidata) == 1 and not _KINDS[entry.pos] else _own_id(entry, number)


def _own_id(entry: _Entry, number: int | None = None) -> str:
    parts = [entry.lang_code, entry.word, entry.pos, str(entry.etymology_number), str(number or "")]
    return ":".join((_PREFIX, *(quote(part, safe="").replace("~", "%7E") for part in parts if part)))


def _language(spelling: str, found: Imported) -> str | None:
    code = _code(spelling)
    if code is None and spelling not in ("", NEUTRAL):
        found.unknown_languages.add(spelling)
    return code


@cache
def _code(spelling: str) -> str | None:
    """The code in use for one of Wiktionary's: mostly of ISO 639, some for proto-languages are its own."""
    code = None if spelling in ("", NEUTRAL) else from_iso639_3(spelling) or from_tag(spelling)
    return None if code == NEUTRAL else code


def _categories(given: Iterable[str | _Topic], language: str, kind: str) -> list[Category]:
    names = (each if isinstance(each, str) else each.orig for each in given)
    return [category for name in names if (category := _category(name, language, kind))]


@lru_cache(maxsize=10_000)
def _category(name: str, language: str, kind: str) -> Category | None:
    prefix, _, topic = name.rpartition(":")
    shipped = None if kind else _shipped_topics().get(topic)
    if prefix != language or _OF_A_PLACE.search(topic):
        return shipped if not prefix else None  # older files name topics without the language
    title = f"{topic} ({kind})" if kind else topic
    slug = "-".join(regex.findall(r"[a-z0-9]+", title.lower()))
    return shipped or (own_category(_PREFIX, slug, title) if slug else None)


@cache
def _shipped_topics() -> dict[str, Category]:
    return {topic: category for category in categories().values() for topic in category.wiktionary}
