"""The tables that join what other sources distinguish to the shipped categories, or to ones of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from testgen.languages.table import rows_of

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Category:
    """A shipped category or one of the source's own, and what belongs to it in other sources."""

    name: str  # the name of its query
    statements: tuple[tuple[str, str], ...]  # property and class, by which the query finds an item
    within: str | None = None  # a category of whose class its class is a subclass
    wordnet: tuple[str, ...] = ()  # sense keys of the English synsets whose hyponyms belong to it
    openfoodfacts: tuple[str, ...] = ()  # English names of the entries whose descendants belong to it
    concepticon: tuple[str, ...] = ()  # the ids of the concepts that belong to it
    wiktionary: tuple[str, ...] = ()  # English Wiktionary's topics whose words belong to it
    title: str | None = None  # the heading of a category that is the source's own; None for a shipped one

    @property
    def class_id(self) -> str:
        """The class whose subclasses its items are: that of its last statement."""
        return self.statements[-1][1]


@cache
def categories() -> Mapping[str, Category]:
    """All rows of `categories.tsv` by the name of the category."""
    return {
        row["category"]: Category(
            row["category"],
            tuple((pair[0], pair[1]) for pair in (each.split("=") for each in row["statements"].split())),
            row["within"] or None,
            tuple(row["wordnet"].split()),
            tuple(row["openfoodfacts"].split()),
            tuple(row["concepticon"].split()),
            tuple(topic.replace("_", " ") for topic in row["wiktionary"].split()),
        )
        for row in rows_of(_FOLDER / "categories.tsv")
    }


def own_category(prefix: str, name: str, title: str) -> Category:
    """A category of the source itself: the instances of a class of its own, such as `concepticon:kinship`."""
    return Category(name, (("P31", f"{prefix}:{name}"),), title=title)


@cache
def semantic_fields() -> Mapping[tuple[str, str], Category]:
    """The categories of `semantic_fields.tsv` by Concepticon's semantic field and ontological category."""
    return {
        (row["field"], row["kind"]): own_category("concepticon", row["category"], row["title"])
        for row in rows_of(_FOLDER / "semantic_fields.tsv")
    }


@cache
def concepticon_items() -> Mapping[str, str]:
    """The Wikidata ids of concepts of Concepticon whose gloss is the English label of a shipped item."""
    return {row["concept"]: row["item"] for row in rows_of(_FOLDER / "concepticon_items.tsv")}
