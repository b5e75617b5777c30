"""Worlds of related pairs: do the intervals and tests of PairRank hold what they promise?

A population has 12 relations: in four, each first word has a second one of its own (as countries have
capitals); in four, first words share 12 second words (as things have classes); in four, each has one to four
of many (as things have parts). A second word is a point, and a first word lies near the mean of its partners
and a step that its relation has, in each model with noise of its own, of which rare words have more in all
models. A test set has each word with the same probability, and the pairs of which it has both.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.vectors import Vectors
from tools.keyword_worlds import MODELS, figures

MEASURE = "PairRank"
SIZES = (150, 300, 600, 1200)

_EACH = 400
"""First words of a relation in the population."""
_DIMENSION = 30
_STRENGTH = 0.25
"""How near first words are to their partners, in units of the noise."""


@cache
def population() -> list[list[tuple[int, int]]]:
    """The pairs of each relation: numbers of first and second words."""
    generator = np.random.default_rng(55)
    found = []
    for relation in range(12):
        kind, pairs = relation % 3, list[tuple[int, int]]()
        for first in range(_EACH):
            if kind == 0:
                pairs.append((first, first))
            elif kind == 1:
                pairs.append((first, int(12 * generator.random() ** 2)))
            else:
                seconds = generator.choice(_EACH // 2, 1 + generator.integers(4), replace=False)
                pairs += [(first, second) for second in seconds.tolist()]
        found.append(pairs)
    return found


def world(generator: np.random.Generator, size: int) -> tuple[list[Vectors], TestSet]:
    """Models that are equally good, and a test set of about so many pairs."""
    every = sum(map(len, population()))
    sections, names, points = list[AnalogySection](), list[str](), list[np.ndarray]()
    for number, pairs in enumerate(population()):
        share = np.sqrt(size / every)
        common = number % 3 == 1  # the class words are few, and all are known
        known = generator.random(_EACH) < (share**2 if common else share)
        seconds_known = generator.random(_EACH) < (1.0 if common else share)
        seconds = generator.normal(size=(_EACH, _DIMENSION))
        step = generator.normal(size=_DIMENSION)
        partners: dict[int, list[int]] = {}
        for first, second in pairs:
            if known[first] and seconds_known[second]:
                partners.setdefault(first, []).append(second)
        for first, own in partners.items():
            names.append(f"a{number}-{first}")
            points.append(_STRENGTH * (seconds[own].mean(axis=0) + step))
        for second in sorted({second for own in partners.values() for second in own}):
            names.append(f"b{number}-{second}")
            points.append(_STRENGTH * seconds[second])
        told = tuple(
            (f"a{number}-{first}", (f"b{number}-{second}",))
            for first, own in partners.items()
            for second in own
        )
        sections.append(AnalogySection(f"r{number}", f"r{number}", told))
    centre = np.array(points)
    noise = generator.lognormal(0, 0.4, size=(len(names), 1)) * 0.5
    models = [
        Vectors(
            names, (centre + noise * generator.normal(size=centre.shape)).astype(np.float32), f"model {each}"
        )
        for each in range(MODELS)
    ]
    return models, TestSet("world", "und", "", analogies=tuple(sections))


def of_pairs(size: int, worlds: int) -> list[dict[str, Any]]:
    """Intervals and tests of PairRank with so many pairs."""
    made = (world(np.random.default_rng([6, size, number]), size) for number in range(worlds))
    rounded = {name: round(value, 4) for name, value in figures(MEASURE, made).items()}
    return [{"pairs": size, "worlds": worlds, **rounded}]
