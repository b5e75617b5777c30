"""The words of a test set in two dimensions, by category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec
import numpy as np
import pandas as pd

from evaluator.plugins import (
    Category,
    Count,
    NonEmpty,
    Number,
    ResultFile,
    ScoreError,
    Settings,
    TestSet,
    VectorsLike,
    VocabularyLookup,
    as_vectors,
    principal_plane,
    unit_rows,
)

LEAST = 3
"""Fewer words lie in a line on any map."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A word on the map.

    Attributes:
        word: As it stands in the test set.
        category: The name of its category; a word of two categories has a place in each.
        x: Along the direction in which the words differ most.
        y: Along the second one.
    """

    word: str
    category: str
    x: Number
    y: Number


class MappedCategory(msgspec.Struct, frozen=True, kw_only=True):
    """A category on the map.

    Attributes:
        name: Its name.
        title: The same for people.
        known: How many of its items have a word that the model knows.
        items: How many items it has.
    """

    name: str
    title: str
    known: Count
    items: Count


class MapFile(ResultFile, frozen=True, kw_only=True, tag="map"):
    """What `evaluator plot --json` writes.

    Attributes:
        model: The name of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        explained: The share of the variance of the words' vectors along x, and along y.
        categories: Those with at least one known word, in the order of the test set.
        places: The words, category by category.
    """

    command: ClassVar[str] = "evaluator plot --json"

    version: Literal[1] = 1
    model: str
    test_set: str
    language: str
    explained: tuple[Number, Number]
    categories: NonEmpty[MappedCategory]
    places: NonEmpty[Place]

    def frame(self) -> pd.DataFrame:
        """A table: a row for each word."""
        return pd.DataFrame([msgspec.structs.asdict(each) for each in self.places])


def map_of(
    vectors: VectorsLike,
    test_set: TestSet,
    categories: Sequence[str] = (),
    settings: Settings | None = None,
) -> MapFile:
    """The known words of categories in the two dimensions in which their vectors differ most.

    These are the first principal components of the unit vectors of the words. Two dimensions show a part of
    what many hold: words may be near on the map and far in the vectors.

    Args:
        vectors: Anything that `as_vectors` takes.
        test_set: The words, of each item the first one that is known.
        categories: The names of those to show; all by default.
        settings: How words are looked up; `Settings()` if None.

    Raises:
        VectorsError: There are no usable vectors.
        ScoreError: The test set lacks a category, or too few words are known.
    """
    chosen = _chosen(test_set, categories)
    model = as_vectors(vectors)
    lookup = VocabularyLookup(model, test_set.language, settings or Settings())
    found = [(category, _known(category, lookup)) for category in chosen]
    rows = np.array([row for _, known in found for _, row in known], dtype=np.intp)
    different = np.unique(rows)
    if len(different) < LEAST:
        of = "these categories" if categories else test_set.name
        raise ScoreError(f"{model.name}: knows {len(different)} words of {of}; a map needs {LEAST} or more")
    points, explained = principal_plane(unit_rows(lookup.queries[different]))
    places = points[np.searchsorted(different, rows)].tolist()
    words = [(category.name, word) for category, known in found for word, _ in known]
    return MapFile(
        model=model.name,
        test_set=test_set.name,
        language=test_set.language,
        explained=explained,
        categories=tuple(
            MappedCategory(
                name=each.name, title=each.title or each.name, known=len(known), items=len(each.items)
            )
            for each, known in found
            if known
        ),
        places=tuple(
            Place(word=word, category=name, x=x, y=y)
            for (name, word), (x, y) in zip(words, places, strict=True)
        ),
    )


def _chosen(test_set: TestSet, names: Sequence[str]) -> Sequence[Category]:
    there = [each.name for each in test_set.categories]
    missing = [each for each in names if each not in there]
    if missing or not there:
        what = f"no category {missing[0]!r}" if missing else "no category"
        raise ScoreError(f"{test_set.name}: has {what}; it has {', '.join(there) or 'none'}")
    return [each for each in test_set.categories if not names or each.name in names]


def _known(category: Category, lookup: VocabularyLookup) -> list[tuple[str, int]]:
    """The first known word of each item, and its row among the queries."""
    found = list[tuple[str, int]]()
    for item in category.items:
        for word in item.words:
            form = lookup.normalized(word)
            row = None if form is None else lookup.find(form)
            if row is not None:
                found.append((word, row))
                break
    return found


def most_known(found: MapFile, number: int) -> MapFile:
    """The map with the categories of which most words are known, in the order of the test set."""
    order = sorted(found.categories, key=lambda each: -each.known)[:number]
    names = {each.name for each in order}
    return msgspec.structs.replace(
        found,
        categories=tuple(each for each in found.categories if each.name in names),
        places=tuple(each for each in found.places if each.category in names),
    )
