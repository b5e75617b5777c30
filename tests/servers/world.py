"""Synthetic worlds of any size: labels are made when asked for and always come out the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import regex
from pyoxigraph import NamedNode, Quad, Store

from testgen.languages.codes import languages
from tests.servers.entities import Entity, term_languages
from tests.servers.rdf import WD, WDT

FIRST_ITEM = 200_000_001
FIRST_CLASS = 300_000_001
_FIRST = ("en", "la", "de", "fr", "ru", "el", "te", "sr-ec", "sr-el", "zh-tw", "simple", "ar", "hi")
_CONSONANTS = "bdfghklmnprstvz"
_VOWELS = "aeiou"
_UNICODE = {"Hans": "Han", "Hant": "Han", "Hani": "Han", "Jpan": "Katakana", "Kore": "Hangul"}
_WITHOUT_LETTERS = ("mul", "ase")  # SignWriting has none
_LETTERS = "".join(regex.findall(r"\p{L}", "".join(map(chr, range(0x1F000)))))


@dataclass(frozen=True)
class World:
    """Items in classes, with labels in many languages. Every item is in one class, many in a second.

    The first languages have nearly all items, the last a few, as on Wikidata.
    """

    items: int
    categories: int
    languages: tuple[str, ...]
    seed: int

    @property
    def classes(self) -> list[str]:
        return [f"Q{FIRST_CLASS + number}" for number in range(self.categories)]

    @property
    def entities(self) -> Mapping[str, Entity]:
        """The items and classes by id, each made when it is looked up."""
        return _Entities(self)

    def classes_of(self, number: int) -> list[int]:
        """The classes of an item, by number."""
        first = number % self.categories
        second = (number * 7919 + self.seed) % (self.categories * 3)
        return [first, second] if second < self.categories and second != first else [first]

    def members(self, category: str) -> list[str]:
        """The ids of a class, as a query for them gives them."""
        wanted = int(category[1:]) - FIRST_CLASS
        numbers = (number for number in range(self.items) if wanted in self.classes_of(number))
        return sorted(f"Q{FIRST_ITEM + number}" for number in numbers)

    @cached_property
    def store(self) -> Store:
        """The statements alone: what the query service is asked for."""
        store = Store()
        instance_of = NamedNode(WDT + "P31")
        classes = [NamedNode(WD + category) for category in self.classes]
        store.bulk_extend(
            Quad(NamedNode(f"{WD}Q{FIRST_ITEM + number}"), instance_of, classes[category])
            for number in range(self.items)
            for category in self.classes_of(number)
        )
        return store

    def entity(self, key: str) -> Entity:
        """One item or class.

        Raises:
            KeyError: There is none with this id.
        """
        number = int(key[1:]) if key[1:].isdigit() else 0
        if FIRST_CLASS <= number < FIRST_CLASS + self.categories:
            label = {"language": "en", "value": f"class {number - FIRST_CLASS}"}
            return {"type": "item", "id": key, "labels": {"en": label}, "descriptions": {}, "aliases": {},
                    "claims": {}, "sitelinks": {}}  # fmt: skip
        if not (key[:1] == "Q" and FIRST_ITEM <= number < FIRST_ITEM + self.items):
            raise KeyError(key)
        return self._item(key, number - FIRST_ITEM)

    def _item(self, key: str, number: int) -> Entity:
        rng = random.Random(f"{self.seed}:{number}")
        stem = "".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(4))
        fame = rng.random()
        labels = {}
        for rank, code in enumerate(self.languages):
            if fame >= (rank / len(self.languages)) ** 2 * 0.97:
                name = _in_script(stem.capitalize() + _ending(rank), languages()[code].scripts)
                labels[code] = {"language": code, "value": name}
        aliases = {self.languages[0]: [{"language": self.languages[0], "value": f"{stem} {number}"}]}
        claims = {"P31": [statement(key, "P31", f"Q{FIRST_CLASS + c}") for c in self.classes_of(number)]}
        return {"type": "item", "id": key, "labels": labels, "descriptions": {}, "aliases": aliases,
                "claims": claims, "sitelinks": {}}  # fmt: skip


class _Entities(Mapping[str, Entity]):
    def __init__(self, world: World) -> None:
        self._world = world

    def __getitem__(self, key: str) -> Entity:
        return self._world.entity(key)

    def __len__(self) -> int:
        return self._world.items + self._world.categories

    def __iter__(self) -> Iterator[str]:
        yield from (f"Q{FIRST_ITEM + number}" for number in range(self._world.items))
        yield from self._world.classes


@cache
def _letters(script: str) -> dict[int, str]:
    """Letters of a script for those from a to z."""
    points = regex.finditer(rf"\p{{Script={_UNICODE.get(script, script)}}}", _LETTERS)
    found = [match[0] for match, _ in zip(points, range(26), strict=False)]
    return {ord("a") + number: found[number % len(found)] for number in range(26)}


def _in_script(text: str, scripts: tuple[str, ...]) -> str:
    return text if "Latn" in scripts else text.lower().translate(_letters(scripts[0]))


def big_world(items: int, categories: int, languages: int, seed: int = 1) -> World:
    """A world of this size in well-known languages and then those of the project's table in its order."""
    codes = list(
        dict.fromkeys([*_FIRST, *(code for code in term_languages() if code not in _WITHOUT_LETTERS)])
    )
    return World(items, categories, tuple(codes[:languages]), seed)


def statement(subject: str, property_id: str, target: str) -> Entity:
    """A statement of normal rank whose value is an item."""
    value = {"entity-type": "item", "numeric-id": int(target[1:]), "id": target}
    snak = {
        "snaktype": "value",
        "property": property_id,
        "datavalue": {"value": value, "type": "wikibase-entityid"},
        "datatype": "wikibase-item",
    }
    return {"mainsnak": snak, "type": "statement", "id": f"{subject}${property_id}{target}", "rank": "normal"}


def _ending(rank: int) -> str:
    """Letters that tell the languages apart."""
    letters = ""
    while True:
        rank, digit = divmod(rank, len(_CONSONANTS) * len(_VOWELS))
        letters += _CONSONANTS[digit % len(_CONSONANTS)] + _VOWELS[digit // len(_CONSONANTS)]
        if not rank:
            return letters
