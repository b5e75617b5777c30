"""The test set of one language, made of the words of all items."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from testgen.generation.collection import CollectedWords, WordsByItem, words_by_variable
from testgen.labels.policy import without_dictionary_marks
from testgen.queries import Query
from testgen.sources import Provenance, Row, id_order
from testgen.sources.hierarchy import members_query
from testgen.testset.types import (
    Category,
    ChosenFor,
    Corrected,
    Hierarchy,
    Item,
    Pair,
    Relation,
    TestSet,
    heading_of,
)

MOST_ITEMS = 3
"""A word of more items of a relation is ambiguous: it is left out."""


def assemble(language: str, named_in: str, collected: CollectedWords, provenance: Provenance) -> TestSet:
    """The test set of one language, without categories that have fewer words than the policy's minimum."""
    # Relations with fewer pairs are left out in the same way. One that would be left out has its words from
    # the language `named_in`, if this is another one.
    words, sections = collected.words(language), dict[Query, Category | Relation]()
    others = collected.words(named_in) if named_in != language else None
    for query, rows in sorted(collected.rows.items(), key=lambda answer: answer[0].name):
        if not rows:
            continue
        titled = collected.titled(query)
        section = _section(titled, rows, words_by_variable(query, words), language)
        if others is not None and section.size < collected.policy.fewest_words and query.has_stand_ins:
            section = _section(titled, rows, words_by_variable(query, others), named_in, stands_in=True)
        if section.size >= collected.policy.fewest_words:
            sections[query] = section
    found = {query: section for query, section in sections.items() if isinstance(section, Category)}
    times = Counter(word for category in found.values() for word in category.words)
    categories = {
        query: replace(category, shared=sum(times[word] > 1 for word in category.words))
        for query, category in found.items()
    }
    minimum = collected.request.minimum_items
    nested = list(categories.values())
    if minimum is not None:
        levels = (_with_levels(query, each, collected) for query, each in categories.items())
        nested = list(itertools.chain.from_iterable(levels))
    return TestSet(
        language=language,
        named_in=next((section.named_in for section in sections.values() if section.named_in), None),
        source=provenance,
        policy=collected.policy,
        chosen_for=convert(collected.request.vocabulary, ChosenFor | None, from_attributes=True),
        corrections=convert(collected.request.corrections, Corrected | None, from_attributes=True),
        known_in_its_wikipedia=collected.request.known_in_its_wikipedia or None,
        hierarchy=None if minimum is None else Hierarchy(minimum),
        categories=tuple(sorted(nested, key=lambda category: category.name)),
        relations=tuple(section for section in sections.values() if isinstance(section, Relation)),
    )


def _with_levels(query: Query, category: Category, collected: CollectedWords) -> Iterator[Category]:
    """A category, and the classes within it that have enough items in this language."""
    # Their items have the same words as in the category, so a class never has more words than the category.
    yield replace(category, level=0)
    for level in collected.levels.get(query, ()):
        items = tuple(item for item in category.items if item.id in level.items)
        if len(items) >= (collected.request.minimum_items or 0):
            title = f"{category.title}: {collected.class_titles.get(level.class_id) or level.class_id}"
            # No name of a query has a slash.
            members = members_query(query, level.class_id, f"{query.name}/{level.class_id}", title)
            yield Category(
                **heading_of(members),
                items=items,
                named_in=category.named_in,
                level=level.level,
                within=f"{query.name}/{level.within}" if level.within else query.name,
                class_id=level.class_id,
            )


def _section(
    query: Query,
    rows: Sequence[Row],
    words: Sequence[WordsByItem],
    language: str,
    *,
    stands_in: bool = False,
) -> Category | Relation:
    common: dict[str, Any] = {
        **heading_of(query),
        "named_in": language if stands_in else None,
        "other_script": sum(
            of_side[id_].other_script
            for of_side, column in zip(words, zip(*rows, strict=True), strict=True)
            for id_ in of_side.keys() & column
        ),
    }
    if query.kind == "category":
        return Category(**common, items=tuple(_without_repeats(rows, words[0], language)))
    words = _without_ambiguous(rows, words)
    pairs = [row for row in rows if _have_different_words(row, words)]
    named = {id_: of_side[id_] for pair in pairs for id_, of_side in zip(pair, words, strict=True)}
    items = (Item(id_, named[id_].words, named[id_].origin) for id_ in sorted(named, key=id_order))
    return Relation(**common, items=tuple(items), pairs=tuple(Pair(*pair) for pair in pairs))


def _without_repeats(rows: Iterable[Row], words: WordsByItem, language: str) -> Iterator[Item]:
    """Items with their words; of several with the same word, the first one with it as a label keeps it."""
    # If it is no item's label, the first item with it as an alias keeps it. Marks of
    # dictionaries make no other word.
    named = {id_: words[id_] for (id_,) in rows if id_ in words}
    spelled = {id_: without_dictionary_marks(named[id_].words, language) for id_ in named}
    owners: dict[str, str] = {}
    for is_label in (True, False):
        for id_, of_item in named.items():
            for word in spelled[id_][: of_item.own] if is_label else spelled[id_][of_item.own :]:
                owners.setdefault(word, id_)
    for id_, of_item in named.items():
        kept = [owners[word] == id_ for word in spelled[id_]]
        if all(kept):
            if kept:
                yield Item(id_, of_item.words, of_item.origin)
        elif any(kept):
            origin = of_item.origin if any(kept[: of_item.own]) else "alias"
            yield Item(id_, tuple(itertools.compress(of_item.words, kept)), origin)


def _without_ambiguous(rows: Sequence[Row], words: Sequence[WordsByItem]) -> list[WordsByItem]:
    """The words of the items of each side of a relation, without those of more than three items."""
    sides = [
        {id_: of_side[id_] for id_ in column if id_ in of_side}
        for of_side, column in zip(words, zip(*rows, strict=True), strict=True)
    ]
    items = {word: set[str]() for side in sides for named in side.values() for word in named.words}
    for side in sides:
        for id_, named in side.items():
            for word in named.words:
                items[word].add(id_)
    ambiguous = {word for word, of_word in items.items() if len(of_word) > MOST_ITEMS}
    if not ambiguous:
        return list(sides)
    return [
        {
            id_: dataclasses.replace(named, words=tuple(w for w in named.words if w not in ambiguous))
            for id_, named in side.items()
        }
        for side in sides
    ]


def _have_different_words(pair: Row, words: Sequence[WordsByItem]) -> bool:
    """Whether both items have words and none in common: Luxembourg, capital of Luxembourg, tests nothing."""
    item, of = words[0].get(pair[0]), words[1].get(pair[1])
    return bool(item and of and item.words and of.words and set(item.words).isdisjoint(of.words))
