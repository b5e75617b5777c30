"""The types of a test set: what is written to its file, read from it, and described by its JSON Schema."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from testgen.labels import LabelPolicy
from testgen.labels.word_store import Origin
from testgen.queries import Query
from testgen.sources.base import ORIGIN, Provenance, Sha256, Text

FORMAT = "testset"
VERSION = 2

ItemId = Annotated[
    str,
    Meta(
        min_length=1,
        extra_json_schema={
            "description": "The id of an item, a lexeme, or a form; of an item with a suffix for one of its "
            "texts; code points; or the id of an item in another source, after the source's prefix and a "
            "colon.",
            "pattern": r"^([QL][1-9][0-9]*(-[A-Z][1-9][0-9]*)?|U\+[0-9A-F]{4,6}(-[0-9A-F]{4,6})*"
            r"|[a-z][a-z0-9]+:[A-Za-z0-9][A-Za-z0-9._:%-]*)$",
        },
    ),
]
ClassId = Annotated[str, Meta(extra_json_schema={"pattern": "^Q[1-9][0-9]*$"})]
Words = Annotated[tuple[Text, ...], Meta(min_length=1, extra_json_schema={"uniqueItems": True})]
GroupWords = Annotated[tuple[Text, ...], Meta(min_length=2, extra_json_schema={"uniqueItems": True})]
Count = Annotated[int, Meta(ge=1)]


@cache
def generator() -> str:
    """This program and its version, as files name them."""
    return f"testgen {version('testgen-evaluator')}"


class Item(Struct, frozen=True):
    """An item.

    Attributes:
        id: Its id.
        words: Its words; no word of a category occurs twice.
        origin: The origin of the first word.
    """

    id: ItemId
    words: Words
    origin: Origin = field(name="from")


class Pair(Struct, frozen=True):
    """The ids of the two items of a pair."""

    item: ItemId
    of: ItemId


class Heading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a file says about a category or relation.

    Attributes:
        name: Unique in the file.
        title: A heading for people.
        topic: The group it belongs to.
        query: The SPARQL text as it is sent, without comments; for emoji, which emoji of the file are in it.
        sha256: The digest of the query's text in UTF-8.
    """

    name: Text
    title: Text
    topic: Text
    query: Text
    sha256: Sha256


def heading_of(query: Query) -> dict[str, Any]:
    """The fields of the heading for a query."""
    same = {key: getattr(query, key) for key in ("name", "title", "topic", "sha256")}
    return {**same, "query": query.narrowed(None)}


class Section(Heading, frozen=True, kw_only=True, omit_defaults=True):
    """What a category and a relation have in common.

    Attributes:
        items: In the order of the ids.
        named_in: Language code of the words, if they are from another language.
        other_script: How many words were left out because of their script; 0 for a class within a category.
    """

    items: Annotated[tuple[Item, ...], Meta(min_length=1)]
    named_in: Text | None = None
    other_script: Count = 0

    @property
    def words_by_id(self) -> dict[str, tuple[str, ...]]:
        """The words of each item."""
        return {item.id: item.words for item in self.items}

    @property
    def words(self) -> set[str]:
        """The words of all items."""
        return {word for item in self.items for word in item.words}


class Category(Section, frozen=True, kw_only=True, omit_defaults=True):
    """A category in one language, or a class within such a category.

    Attributes:
        shared: How many of the words are in other categories too; classes within categories do not count.
        level: 0 for a category that was asked for; the depth of a class within it otherwise. Missing if
            levels are not wanted.
        within: Name of a category one level above that contains all its items.
        class_id: The id of the class, for a class within a category.
    """

    shared: Count = 0
    level: Annotated[int, Meta(ge=0)] | None = None
    within: Text | None = None
    class_id: ClassId | None = field(name="class", default=None)

    @property
    def kind(self) -> str:
        """`level` for a class within a category, else `category`."""
        return "level" if self.level else "category"

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.words)


class Relation(Section, frozen=True, kw_only=True, omit_defaults=True):
    """A relation in one language: pairs of items that have words, and their words.

    Attributes:
        pairs: The ids of the items of each pair.
    """

    pairs: Annotated[tuple[Pair, ...], Meta(min_length=1)]
    kind: ClassVar[str] = "relation"

    def __post_init__(self) -> None:
        if unknown := {id_ for pair in self.pairs for id_ in (pair.item, pair.of)} - self.words_by_id.keys():
            raise ValueError(f"the item {min(unknown)} of a pair is not among the items")

    @property
    def size(self) -> int:
        """The number of pairs."""
        return len(self.pairs)


class Group(Struct, frozen=True):
    """Words that are related: those of one symbol.

    Attributes:
        id: The symbol.
        words: Its words, sorted.
        origin: Always `keyword`.
    """

    id: Text
    words: GroupWords
    origin: Literal["keyword"] = field(name="from")


class GroupFamily(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Groups of related words of one kind.

    Attributes:
        name: Unique among the families of the file; `keywords`.
        title: A heading for people.
        source: The origin of the words.
        common: The words that were left out because more than 60 symbols have them, sorted.
        too_few: How many symbols were left out because fewer than two words are left.
        other_script: How many words were left out because of their script.
        items: The groups, in the order of their ids.
    """

    name: Text
    title: Text
    source: Annotated[Provenance, ORIGIN]
    common: tuple[Text, ...] = ()
    too_few: Count = 0
    other_script: Count = 0
    items: Annotated[tuple[Group, ...], Meta(min_length=1)]
    kind: ClassVar[str] = "groups"
    named_in: ClassVar[None] = None

    @property
    def words(self) -> set[str]:
        """The different words of all groups."""
        return {word for group in self.items for word in group.words}

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.words)


class Hierarchy(Struct, frozen=True):
    """The classes within categories.

    Attributes:
        minimum_items: How many items such a class has at least.
    """

    minimum_items: Annotated[int, Meta(ge=2)]


class ChosenFor(Struct, frozen=True):
    """The vocabulary by which words were chosen, and which alone the test set is for.

    Attributes:
        name: The name of the file of its words.
        words: How many there are.
        sha256: The digest of the file.
    """

    name: Text
    words: Count
    sha256: Sha256


class Corrected(Struct, frozen=True, omit_defaults=True):
    """What a test set has otherwise than its source.

    Attributes:
        without: The ids of items that were left out in all languages.
        name: The name of the table of words that replace those of the source.
        sha256: The digest of the table.
    """

    without: tuple[ItemId, ...] = ()
    name: Text | None = None
    sha256: Sha256 | None = None


_POLICY: dict[str, Any] = {
    "required": [
        *("normalization", "case", "several_words", "parentheses", "comma", "slash", "aliases", "mul"),
        "minimum_words",
    ],
    "properties": {
        "minimum_words": {"minimum": 1},
        "variation_selectors": {
            "description": "Only for emoji: whether U+FE0F was kept.",
            "enum": ["drop", "keep"],
        },
        "skin_tones": {
            "description": "Only for emoji: whether those with a skin tone are words.",
            "enum": ["drop", "keep"],
        },
    },
}
_LEVELS: dict[str, Any] = {
    "dependentRequired": {"within": ["level", "class"], "class": ["level", "within"]},
    "if": {"required": ["level"], "properties": {"level": {"minimum": 1}}},
    "then": {"required": ["within", "class"]},
    "else": {"properties": {"within": False, "class": False}},
}


class TestSet(Struct, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """Words of one language by category, relations between items, and groups of related words.

    Readers ignore keys that they do not know.

    Attributes:
        language: Wikimedia language code in use; und for emoji.
        named_in: Language code of the words of some categories or relations, if they are from another
            language.
        generator: Program and version that wrote the file.
        source: The origin of items and names.
        policy: How labels became words; docs/labels.md explains each choice.
        hierarchy: Only if there are levels.
        chosen_for: Only if words were chosen by a vocabulary.
        corrections: Only if words were corrected.
        known_in_its_wikipedia: Only if items without an article in the language's Wikipedia are left out.
        categories: In the order of their names.
        relations: In the order of their names.
        groups: Families of groups of related words, in the order of their names; none if the language has
            none.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    version: Literal[2] = 2
    language: Text
    named_in: Text | None = None
    generator: Text = field(default_factory=generator)
    source: Annotated[Provenance, ORIGIN]
    policy: Annotated[LabelPolicy, Meta(extra_json_schema=_POLICY)]
    hierarchy: Hierarchy | None = None
    chosen_for: ChosenFor | None = None
    corrections: Corrected | None = None
    known_in_its_wikipedia: Literal[True] | None = None
    categories: tuple[Annotated[Category, Meta(extra_json_schema=_LEVELS)], ...]
    relations: tuple[Relation, ...]
    groups: tuple[GroupFamily, ...] = ()

    @property
    def sections(self) -> tuple[Category | Relation, ...]:
        """Categories, then relations."""
        return (*self.categories, *self.relations)

    @property
    def words(self) -> set[str]:
        """The different words of all categories; of all relations, if there are no categories."""
        return {word for section in self.categories or self.relations for word in section.words}
