"""Test sets: the categories and relations of one language, and the file that holds them.

The format is described in docs/testset.md and testgen/testset.v1.schema.json.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from testgen.hierarchy import members_query
from testgen.labels import LabelPolicy
from testgen.labels.word_store import ItemWords
from testgen.labels.words import CollectedWords, WordsByItem, words_by_variable
from testgen.queries import Query
from testgen.sources import Provenance, Row, id_order
from testgen.system import atomic_write

FORMAT = "testset"
VERSION = 1


@dataclass(frozen=True)
class Category:
    """A category in one language, or a class within such a category.

    Attributes:
        query: Its query.
        items: The words of its items by id; no word occurs twice.
        level: 0 for a category that was asked for, 1 or more for a class within it; None if levels are not
            wanted.
        within: The name of the category one level above, if there is one.
        class_id: The id of the class, for a class within a category.
        other_script: How many words were left out because of their script; 0 for a class within a category.
        named_in: The code of the language of the words, if it stands in for the language of the test set.
        shared: How many of the words are in other categories too; classes within categories do not count.
    """

    query: Query
    items: Mapping[str, ItemWords]
    level: int | None = None
    within: str | None = None
    class_id: str | None = None
    other_script: int = 0
    named_in: str | None = None
    shared: int = 0

    @property
    def kind(self) -> str:
        """`level` for a class within a category, else `category`."""
        return "level" if self.level else "category"

    @property
    def words(self) -> set[str]:
        """The words of all items."""
        return {word for item in self.items.values() for word in item.words}

    @property
    def size(self) -> int:
        """The number of words."""
        return len(self.words)


@dataclass(frozen=True)
class Relation:
    """A relation in one language: pairs (item, of) of items that have words, and their words.

    `other_script` and `named_in` are those of a category.
    """

    query: Query
    items: Mapping[str, ItemWords]
    pairs: tuple[Row, ...]
    other_script: int
    named_in: str | None = None
    kind: ClassVar[str] = "relation"

    @property
    def size(self) -> int:
        """The number of pairs."""
        return len(self.pairs)


@dataclass(frozen=True)
class TestSet:
    """The categories and relations of one language.

    Attributes:
        language: The language's code.
        provenance: The origin of items and names.
        policy: How labels became words.
        categories: In the order of their names.
        relations: In the order of their names.
        minimum_items: How many items a class within a category has at least; None if classes are not wanted.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    language: str
    provenance: Provenance
    policy: LabelPolicy
    categories: tuple[Category, ...]
    relations: tuple[Relation, ...]
    minimum_items: int | None = None

    @property
    def sections(self) -> tuple[Category | Relation, ...]:
        """Categories, then relations."""
        return (*self.categories, *self.relations)

    @property
    def words(self) -> set[str]:
        """The different words of all categories; of all relations, if there are no categories."""
        return {
            word
            for section in self.categories or self.relations
            for item in section.items.values()
            for word in item.words
        }

    @property
    def named_in(self) -> str | None:
        """The code of the language that stands in for some of the categories and relations, if one does."""
        return next((each.named_in for each in self.sections if each.named_in), None)


def assemble(
    language: str, named_in: str, collected: CollectedWords, provenance: Provenance, policy: LabelPolicy
) -> TestSet:
    """The test set of one language, without categories that have fewer than `policy.minimum_words` words.

    Relations with fewer pairs are left out in the same way. One that would be left out has its words from the
    language `named_in`, if this is another one.
    """
    words, sections = collected.words(language), []
    others = collected.words(named_in) if named_in != language else None
    for query, rows in collected.rows.items():
        section = _section(query, rows, words_by_variable(query, words))
        if others is not None and section.size < policy.minimum_words and query.has_stand_ins:
            section = _section(query, rows, words_by_variable(query, others))
            section = replace(section, named_in=named_in)
        sections.append(section)
    large = [section for section in sections if section.size >= policy.minimum_words]
    large.sort(key=lambda section: section.query.name)
    categories = _with_shared([section for section in large if isinstance(section, Category)])
    if collected.minimum_items is not None:
        nested = (each for category in categories for each in _with_levels(category, collected))
        categories = sorted(nested, key=lambda category: category.query.name)
    return TestSet(
        language,
        provenance,
        policy,
        tuple(categories),
        tuple(section for section in large if isinstance(section, Relation)),
        collected.minimum_items,
    )


def _with_shared(categories: Sequence[Category]) -> list[Category]:
    times = Counter(word for category in categories for word in category.words)
    return [replace(each, shared=sum(times[word] > 1 for word in each.words)) for each in categories]


def _with_levels(category: Category, collected: CollectedWords) -> Iterator[Category]:
    """A category, and the classes within it that have enough items in this language.

    Their items have the same words as in the category, so a class never has more words than the category.
    """
    yield replace(category, level=0)
    top = category.query
    for level in collected.levels.get(top, ()):
        items = {item: words for item, words in category.items.items() if item in level.items}
        if len(items) >= (collected.minimum_items or 0):
            name = _class_category_name(top, level.class_id)
            title = f"{top.title}: {collected.class_titles.get(level.class_id) or level.class_id}"
            query = members_query(top, level.class_id, name, title)
            within = _class_category_name(top, level.within) if level.within else top.name
            named_in = category.named_in
            yield Category(query, items, level.level, within, level.class_id, named_in=named_in)


def _class_category_name(category: Query, class_id: str) -> str:
    """The name of a class within a category; no name of a query has a slash."""
    return f"{category.name}/{class_id}"


def _section(query: Query, rows: Sequence[Row], words: Sequence[WordsByItem]) -> Category | Relation:
    """The category or relation of a query, from the words for each of its variables."""
    other = _in_other_script(rows, words)
    if query.kind == "category":
        return Category(query, _without_repeats(rows, words[0]), other_script=other)
    pairs = tuple(row for row in rows if _have_different_words(row, words))
    items = {item: of_side[item] for pair in pairs for item, of_side in zip(pair, words, strict=True)}
    return Relation(query, {item: items[item] for item in sorted(items, key=id_order)}, pairs, other)


def _in_other_script(rows: Iterable[Row], words: Sequence[WordsByItem]) -> int:
    """How many words of the items in some rows were left out because of their script."""
    bound = {(item, side) for row in rows for side, item in enumerate(row)}
    return sum(words[side][item].other_script for item, side in bound if item in words[side])


def _without_repeats(rows: Iterable[Row], words: WordsByItem) -> dict[str, ItemWords]:
    """Items with their words; of several items with the same word, the first one with it as a label keeps it.

    If it is no item's label, the first item with it as an alias keeps it.
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


def _have_different_words(pair: Row, words: Sequence[WordsByItem]) -> bool:
    """Whether both items have words and none in common: Luxembourg, capital of Luxembourg, tests nothing."""
    item, of = (of_side.get(each) for each, of_side in zip(pair, words, strict=True))
    return item is not None and of is not None and _differ(item.words, of.words)


def _differ(some: Collection[str], others: Collection[str]) -> bool:
    return bool(some and others) and set(some).isdisjoint(others)


def serialize(test_set: TestSet) -> str:
    """The text of the file, with one item or pair per line; the same test set gives the same text."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "language": test_set.language,
        "named_in": test_set.named_in,
        "generator": f"testgen {version('testgen-evaluator')}",
        "source": test_set.provenance.as_dict(),
        "policy": test_set.policy.as_dict(),
        "hierarchy": {"minimum_items": test_set.minimum_items}
        if test_set.minimum_items is not None
        else None,
    }
    lines = [f"  {json_text(key)}: {json_text(value)},\n" for key, value in head.items() if value is not None]
    categories = json_array(map(_category_text, test_set.categories), "  ")
    relations = json_array(map(_relation_text, test_set.relations), "  ")
    return f'{{\n{"".join(lines)}  "categories": {categories},\n  "relations": {relations}\n}}\n'


def json_array(elements: Iterable[str], indent: str) -> str:
    """A JSON array with each element on lines of its own."""
    lines = ",\n".join(elements)
    return f"[\n{lines}\n{indent}]" if lines else f"[\n{indent}]"


def _category_text(category: Category) -> str:
    level = {
        "shared": category.shared or None,
        "level": category.level,
        "within": category.within,
        "class": category.class_id,
    }
    return f'    {_head(category, level)}, "items": {_items_text(category.items)}}}'


def _relation_text(relation: Relation) -> str:
    pairs = json_array(
        (f"      {json_text({'item': item, 'of': of})}" for item, of in relation.pairs), "    "
    )
    return f'    {_head(relation, {})}, "items": {_items_text(relation.items)}, "pairs": {pairs}}}'


def _head(section: Category | Relation, level: Mapping[str, int | str | None]) -> str:
    more = {**level, "named_in": section.named_in, "other_script": section.other_script or None}
    return query_text(section.query, more)


def query_text(query: Query, more: Mapping[str, int | str | None] | None = None) -> str:
    """The beginning of a JSON object about a category or relation: its query, and more that is not None."""
    head = {
        "name": query.name,
        "title": query.title,
        "topic": query.topic,
        **{key: value for key, value in (more or {}).items() if value is not None},
        "query": query.text,
        "sha256": query.sha256,
    }
    return json_text(head).removesuffix("}")


def _items_text(items: Mapping[str, ItemWords]) -> str:
    found = ({"id": item, "words": named.words, "from": named.origin} for item, named in items.items())
    return json_array((f"      {json_text(each)}" for each in found), "    ")


json_text = json.JSONEncoder(ensure_ascii=False).encode


def is_test_set(head: bytes) -> bool:
    """Whether testgen wrote the test set file that begins with these bytes."""
    return b'"format": "testset",' in head and b'"generator": "testgen ' in head


def write(test_set: TestSet, path: Path) -> None:
    """Write the file; an older one stays unchanged until the new one is complete."""
    with atomic_write(path) as temporary:
        temporary.write_text(serialize(test_set), encoding="utf-8", newline="\n")
