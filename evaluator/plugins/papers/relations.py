"""Relation vectors in analogy space: do those of one relation lie together?

X. Che, N. Ring, W. Raschkowski, H. Yang, C. Meinel (2017), "Traversal-Free Word Vector Evaluation in Analogy
Space", takes b - a for each pair a : b as a point, expects relations of the same logic near each other, and
shows some projected by PCA (figure 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from evaluator.plugins import (
    Count,
    NonEmpty,
    Number,
    ResultFile,
    ScoreError,
    Settings,
    TestSet,
    Vectors,
    VocabularyLookup,
    principal_plane,
    unit_rows,
)

Doubles = npt.NDArray[np.float64]
LEAST_PAIRS = 2  # of a relation, which is left out with fewer


class Relation(msgspec.Struct, frozen=True, kw_only=True):
    """One pair as a point.

    Attributes:
        section: The relation.
        pair: Its two words.
        x: Its first principal component.
        y: Its second.
    """

    section: str
    pair: tuple[str, str]
    x: Number
    y: Number


class RelationGroup(msgspec.Struct, frozen=True, kw_only=True):
    """How near to each other the pairs of a relation are.

    Attributes:
        section: The relation.
        pairs: How many pairs it has.
        known: Of how many both words have vectors.
        within: The mean cosine of each two of its pairs.
        others: The mean cosine of its pairs and those of all other relations; null if there is one relation.
    """

    section: str
    pairs: Count
    known: Count
    within: Number
    others: Number | None


class RelationsFile(ResultFile, frozen=True, kw_only=True, tag="relations"):
    """What `evaluator relations --json` writes.

    Attributes:
        model: The name of the vectors.
        test_set: The name of the test set.
        explained: The share of the variance that the two components have.
        groups: Of each relation.
        relations: Of each pair.
    """

    command: ClassVar[str] = "evaluator relations --json"

    version: Literal[1] = 1
    model: str
    test_set: str
    explained: tuple[Number, Number]
    groups: NonEmpty[RelationGroup]
    relations: NonEmpty[Relation]


def relations(vectors: Vectors, test_set: TestSet, settings: Settings) -> RelationsFile:
    """Project the relation vectors b - a of all pairs of a test set's analogies to a plane.

    Vectors have length 1 first, as in N-Cos. The plane is that of the first two principal components of all
    relation vectors; cosines are of relation vectors of all dimensions.

    Raises:
        ScoreError: There are no analogies, or fewer than two pairs of a relation have vectors.
    """
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    found, sizes = _pairs(lookup, test_set)
    if not found:
        raise ScoreError(
            f"{test_set.name}: no relation has {LEAST_PAIRS} pairs of words with vectors; it has "
            f"{len(test_set.sections)} relations"
        )
    points = np.vstack([rows for _, _, rows in found])
    plane, explained = principal_plane(points)
    places = iter(plane.tolist())
    return RelationsFile(
        model=vectors.name,
        test_set=test_set.name,
        explained=explained,
        groups=tuple(_groups(found, sizes)),
        relations=tuple(
            Relation(section=name, pair=pair, x=x, y=y)
            for name, pairs, _ in found
            for pair, (x, y) in zip(pairs, places, strict=False)
        ),
    )


_Found = list[tuple[str, list[tuple[str, str]], Doubles]]


def _pairs(lookup: VocabularyLookup, test_set: TestSet) -> tuple[_Found, dict[str, int]]:
    """Of each relation its name, pairs and relation vectors; and how many pairs each has."""
    found: _Found = []
    sizes = {}
    for section in test_set.sections:
        pairs = dict.fromkeys((a, b) for a, answers in section.pairs for b in answers[:1])
        sizes[section.name] = len(pairs)
        words = [[lookup.normalized(word) or "" for word in side] for side in zip(*pairs, strict=True)]
        first, second = (lookup.query_rows(side) for side in words)
        known = (first >= 0) & (second >= 0) & (first != second)
        if known.sum() >= LEAST_PAIRS:
            unit = unit_rows(np.asarray(lookup.queries, np.float64))
            kept = [pair for pair, has in zip(pairs, known.tolist(), strict=True) if has]
            found.append((section.name, kept, unit[second[known]] - unit[first[known]]))
    return found, sizes


def _groups(found: _Found, sizes: dict[str, int]) -> Sequence[RelationGroup]:
    units = [unit_rows(rows) for _, _, rows in found]
    total = np.sum([rows.sum(axis=0) for rows in units], axis=0)
    every, groups = sum(map(len, units)), []
    for (name, pairs, _), rows in zip(found, units, strict=True):
        own, number = rows.sum(axis=0), len(rows)
        # The mean over pairs of pairs, from sums: that of a relation vector with itself is 1.
        within = (own @ own - number) / (number * (number - 1))
        others = own @ (total - own) / (number * (every - number)) if every > number else None
        groups.append(
            RelationGroup(
                section=name,
                pairs=sizes[name],
                known=len(pairs),
                within=float(within),
                others=None if others is None else float(others),
            )
        )
    return groups
