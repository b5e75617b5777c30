"""Outlier groups made of categories: some words of a category, and near and far words of other categories."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from operator import attrgetter
from typing import Literal

from evaluator.datasets.testset import Category, Item, OutlierGroup, TestSet

Out = Literal["graded", "near", "far"]

SIZE = 8
OUTLIERS = 8  # As in the set 8-8-8 of Camacho-Collados & Navigli (2016)


def outlier_groups(
    test_set: TestSet, size: int = SIZE, outliers: int = OUTLIERS, seed: int = 0, out: Out = "graded"
) -> tuple[OutlierGroup, ...]:
    """A group for each category of a test set, with the category's name.

    Members are some of the category's items, drawn without replacement, each with its first word. They depend
    on the category and the seed alone. Outliers are drawn from the other categories in turn, so that they do
    not all come from a large one; no item or word of the category is among them. The order of the
    categories does not matter. `near` outliers are from
    categories of the same topic, `far` ones only from others; `graded` ones are half near and half far, near
    ones first, if there are enough of both. Nothing is near to a category without a topic.
    """
    by_topic: dict[str | None, list[Category]] = {}
    ordered = sorted(test_set.categories, key=attrgetter("name"))  # their order must not matter
    for each in ordered:
        by_topic.setdefault(each.topic, []).append(each)
    held = {about: _held(categories) for about, categories in by_topic.items()}

    def outliers_of(category: Category) -> tuple[str, ...]:
        about, own = category.topic, _held([category])
        siblings = [] if about is None else [each for each in by_topic[about] if each is not category]
        strangers = [
            each for each in ordered if each is not category and (about is None or each.topic != about)
        ]
        generator = random.Random(f"{seed} {category.name} outliers")  # noqa: S311
        near = _draw(siblings, own, outliers, generator)
        far = _draw(strangers, own if about is None else held[about], outliers, generator)
        return _graded(near, far, outliers) if out == "graded" else near if out == "near" else far

    def members_of(category: Category) -> tuple[str, ...]:
        generator = random.Random(f"{seed} {category.name}")  # noqa: S311
        return _first_words(_shuffled(category.items, generator), size)

    return tuple(
        OutlierGroup(each.name, each.title, members_of(each), outliers_of(each))
        for each in test_set.categories
    )


def _graded(near: tuple[str, ...], far: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Half near and half far outliers, or more of one kind if the other has too few; near ones first."""
    near = near[: max((number + 1) // 2, number - len(far))]
    return (*near, *far[: number - len(near)])


def _draw(
    sources: Sequence[Category], without: frozenset[str], number: int, generator: random.Random
) -> tuple[str, ...]:
    """Different words from some categories in turn, except for given items and words."""
    waiting = [
        (item for item in _shuffled(each.items, generator) if without.isdisjoint((item.id, *item.words)))
        for each in generator.sample(sources, len(sources))
    ]
    return _first_words(_in_turn(waiting), number)


def _in_turn(sources: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """The first item of each, then the second item of each, until all are empty."""
    left = iter(sources)
    for number in range(len(sources), 0, -1):  # as the recipe `roundrobin` of Python's itertools
        left = cycle(islice(left, number))
        yield from map(next, left)


def _shuffled(items: Iterable[Item], generator: random.Random) -> Iterator[Item]:
    """Items in random order; no more random numbers are used than items are taken."""
    left = list(items)
    while left:
        chosen = generator.randrange(len(left))
        left[chosen], left[-1] = left[-1], left[chosen]
        yield left.pop()


def _held(categories: Iterable[Category]) -> frozenset[str]:
    return frozenset(text for each in categories for item in each.items for text in (item.id, *item.words))


def _first_words(items: Iterable[Item], number: int) -> tuple[str, ...]:
    """The first words of a number of items whose first words differ."""
    found: dict[str, None] = {}
    for item in items:
        if len(found) == number:
            break
        found[item.words[0]] = None
    return tuple(found)
