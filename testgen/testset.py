"""Test sets: what the words of one language make, and the file that carries it.

The format is described in docs/testset.md and testgen/testset.v1.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from testgen.errors import OutputError
from testgen.files import written_whole
from testgen.hierarchy import members_query
from testgen.labels import LabelPolicy
from testgen.queries import Query
from testgen.sources import Provenance, Row, id_order
from testgen.store import ItemWords
from testgen.words import Harvest, Words, sides

FORMAT = "testset"
VERSION = 1


@dataclass(frozen=True)
class Category:
    """A category in one language, or one within another.

    Attributes:
        query: Its query.
        items: Its items by id, no word twice.
        level: How deep it lies within the category that was asked for, which is 0; None if nobody wants to
            know.
        within: The name of the category one level above, if there is one.
        class_id: The class whose members it holds, of one within another.
    """

    query: Query
    items: Mapping[str, ItemWords]
    level: int | None = None
    within: str | None = None
    class_id: str | None = None

    @property
    def kind(self) -> str:
        """`level` for a category within another."""
        return "level" if self.level else "category"

    @property
    def size(self) -> int:
        """The number of words."""
        return sum(len(item.words) for item in self.items.values())


@dataclass(frozen=True)
class Relation:
    """A relation in one language: pairs (item, of) of items that have words, and these words."""

    query: Query
    items: Mapping[str, ItemWords]
    pairs: tuple[Row, ...]
    kind: ClassVar[str] = "relation"

    @property
    def size(self) -> int:
        """The number of pairs."""
        return len(self.pairs)


@dataclass(frozen=True)
class TestSet:
    """All that is known in one language for some queries.

    Attributes:
        language: The language's code.
        named_in: The code of the language in which things are named: another one, if it stands in.
        provenance: Where items and names are from.
        policy: How labels became words.
        categories: In the order of their names.
        relations: In the order of their names.
        minimum_items: The fewest items of a category within another; None if there are none of these.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    language: str
    named_in: str
    provenance: Provenance
    policy: LabelPolicy
    categories: tuple[Category, ...]
    relations: tuple[Relation, ...]
    minimum_items: int | None = None

    @property
    def parts(self) -> tuple[Category | Relation, ...]:
        """Categories, then relations."""
        return (*self.categories, *self.relations)


def assemble(
    language: str, named_in: str, harvest: Harvest, provenance: Provenance, policy: LabelPolicy
) -> TestSet:
    """The test set of one language; what has fewer than `policy.minimum_words` words or pairs is left out."""
    words = harvest.words(named_in)
    parts = [_part(query, rows, sides(query, words)) for query, rows in harvest.rows.items()]
    kept = sorted((part for part in parts if part.size >= policy.minimum_words), key=lambda p: p.query.name)
    categories = [part for part in kept if isinstance(part, Category)]
    if harvest.minimum_items is not None:
        nested = (each for category in categories for each in _with_levels(category, harvest))
        categories = sorted(nested, key=lambda category: category.query.name)
    return TestSet(
        language,
        named_in,
        provenance,
        policy,
        tuple(categories),
        tuple(part for part in kept if isinstance(part, Relation)),
        harvest.minimum_items,
    )


def _with_levels(category: Category, harvest: Harvest) -> Iterator[Category]:
    """A category, and those within it that have enough items in this language.

    Their words are those that the items have in the category: what is within another never has more.
    """
    yield replace(category, level=0)
    top = category.query
    for level in harvest.levels.get(top, ()):
        items = {item: words for item, words in category.items.items() if item in level.items}
        if len(items) >= (harvest.minimum_items or 0):
            name = _name_within(top, level.class_id)
            title = f"{top.title}: {harvest.class_titles.get(level.class_id) or level.class_id}"
            query = members_query(top, level.class_id, name, title)
            within = _name_within(top, level.within) if level.within else top.name
            yield Category(query, items, level.level, within, level.class_id)


def _name_within(category: Query, class_id: str) -> str:
    """The name of a category within another: no name of a query holds the slash."""
    return f"{category.name}/{class_id}"


def _part(query: Query, rows: Iterable[Row], words: Sequence[Words]) -> Category | Relation:
    """The part of a query, from the words of what each of its variables binds."""
    if query.kind == "category":
        return Category(query, _without_repeats(rows, words[0]))
    pairs = tuple(row for row in rows if _tells_apart(row, words))
    items = {item: side[item] for pair in pairs for item, side in zip(pair, words, strict=True)}
    return Relation(query, {item: items[item] for item in sorted(items, key=id_order)}, pairs)


def _without_repeats(rows: Iterable[Row], words: Words) -> dict[str, ItemWords]:
    """Items with their words; a word that several items share stays with the first whose label it is.

    Where it is nobody's label, it stays with the first that has it as an alias.
    """
    named = {item: words[item] for (item,) in rows if item in words}
    seen: set[str] = set()
    labels: dict[str, tuple[str, ...]] = {}
    for item, each in named.items():
        labels[item] = tuple(word for word in each.words[: each.own] if word not in seen)
        seen.update(labels[item])
    items: dict[str, ItemWords] = {}
    for item, each in named.items():
        aliases = tuple(word for word in each.words[each.own :] if word not in seen)
        seen.update(aliases)
        if labels[item] or aliases:
            origin = each.origin if labels[item] else "alias"
            items[item] = ItemWords((*labels[item], *aliases), origin, len(labels[item]))
    return items


def _tells_apart(pair: Row, words: Sequence[Words]) -> bool:
    """Whether both items have words and none in common: Luxembourg, capital of Luxembourg, asks nothing."""
    item, of = (side.get(each) for each, side in zip(pair, words, strict=True))
    return item is not None and of is not None and not set(item.words) & set(of.words)


def serialize(test_set: TestSet) -> str:
    """The file's text: the same test set gives the same text, one item or pair a line, newline at the end."""
    return "\n".join(_lines(test_set)) + "\n"


def _lines(test_set: TestSet) -> Iterator[str]:
    yield "{"
    yield f'  "format": {_json(FORMAT)},'
    yield f'  "version": {VERSION},'
    yield f'  "language": {_json(test_set.language)},'
    if test_set.named_in != test_set.language:
        yield f'  "named_in": {_json(test_set.named_in)},'
    yield f'  "generator": {_json("testgen " + version("testgen-evaluator"))},'
    yield f'  "source": {_json(test_set.provenance.as_dict())},'
    yield f'  "policy": {_json(test_set.policy.as_dict())},'
    if test_set.minimum_items is not None:
        yield f'  "hierarchy": {_json({"minimum_items": test_set.minimum_items})},'
    yield '  "categories": ['
    yield from _joined(_category_lines(category) for category in test_set.categories)
    yield "  ],"
    yield '  "relations": ['
    yield from _joined(_relation_lines(relation) for relation in test_set.relations)
    yield "  ]"
    yield "}"


def _category_lines(category: Category) -> Iterator[str]:
    place = {"level": category.level, "within": category.within, "class": category.class_id}
    yield f'    {_head(category.query, place)}, "items": ['
    yield from _item_lines(category.items)
    yield "    ]}"


def _relation_lines(relation: Relation) -> Iterator[str]:
    yield f'    {_head(relation.query, {})}, "items": ['
    yield from _item_lines(relation.items)
    yield '    ], "pairs": ['
    yield from _joined([f"      {_json({'item': item, 'of': of})}"] for item, of in relation.pairs)
    yield "    ]}"


def _head(query: Query, place: Mapping[str, int | str | None]) -> str:
    head = {
        "name": query.name,
        "title": query.title,
        "topic": query.topic,
        **{key: value for key, value in place.items() if value is not None},
        "query": query.text,
        "sha256": query.sha256,
    }
    return _json(head).removesuffix("}")


def _item_lines(items: Mapping[str, ItemWords]) -> Iterator[str]:
    return _joined(
        [f"      {_json({'id': item, 'words': named.words, 'from': named.origin})}"]
        for item, named in items.items()
    )


def _joined(elements: Iterable[Iterable[str]]) -> Iterator[str]:
    """The lines of JSON values one after another, with a comma after each value but the last."""
    before: str | None = None
    for element in elements:
        if before is not None:
            yield f"{before},"
        *lines, before = element
        yield from lines
    if before is not None:
        yield before


_json = json.JSONEncoder(ensure_ascii=False).encode


def write(test_set: TestSet, directory: Path) -> Path:
    """Write `<language>.json`; an older file stays whole until the new one is complete.

    Raises:
        OutputError: It cannot be written.
    """
    path = directory / f"{test_set.language}.json"
    with written_whole(path) as beside:
        beside.write_text(serialize(test_set), encoding="utf-8", newline="\n")
    return path


def prepare(directory: Path) -> None:
    """Make the directory and see that files can be written there, before any work is done.

    Raises:
        OutputError: It cannot be made or written to.
    """
    probe = directory / ".testgen.part"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"{directory}: cannot write there: {error.strerror}; choose another --output"
        ) from error
