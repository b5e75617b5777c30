"""Worlds of related words: do the intervals and tests of KeywordRank hold what they promise?

2,000 symbols have 4,000 words, as skewed as CLDR's keywords: most words stand under few symbols, some under
50. A symbol is a point near that of its topic, and a word lies around the mean of its symbols, in each model
with noise of its own, of which rare words have more in all models. A test set has so many keywords by one of
two ways of drawing:

- *words*: so many words, each with its part of the groups, while the symbols stay: other words of these
  groups, for which intervals and tests are;
- *symbols*: other symbols, each with all its words, which hang together.

Other populations have smaller or larger groups, a few words under very many symbols, better models, or models
of one text, which make the same mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import Item, RelatedWords, TestSet
from evaluator.execution.machine import Machine
from evaluator.results.base import SIGNIFICANT
from evaluator.results.scores import Scores
from evaluator.statistics.scores import differences
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors

MEASURE = "KeywordRank"
SIZES = (100, 200, 400, 1000, 2000)
Drawn = Literal["words", "symbols"]
DRAWN: tuple[Drawn, ...] = ("words", "symbols")
MODELS = 4
"""So many models that are equally good are compared in each world."""

NORMAL = 1.959964
"""The 97.5th percentile of the normal distribution."""

_TOPICS, _MOST, _DIMENSION = 80, 60, 30

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Population:
    """All symbols, and the words that stand under them."""

    symbols: int = 2000
    words: int = 4000
    more: float = 3.0  # words of a symbol beyond two, on average
    skew: float = 0.7  # how far a few words stand under most symbols
    strength: float = 1.3  # how far words of a symbol are from others, in units of the noise
    shared: float = 0.0  # the share of the noise that models have in common


LIKE_CLDR = Population()
"""Scores are about 0.2."""

POPULATIONS = {
    "pairs": Population(symbols=3000, more=0.0, skew=0.3),
    "large groups": Population(symbols=800, more=6.0, strength=0.9),
    "words of many symbols": Population(skew=1.0),
    "better models": Population(strength=2.5),
    "models of one text": Population(shared=0.7),
}


@cache
def groups(population: Population = LIKE_CLDR) -> list[list[int]]:
    """The words of each symbol, by number."""
    generator = np.random.default_rng(55)
    share = 1 / (np.arange(population.words) + 15) ** population.skew
    left = np.full(population.words, _MOST)
    found = []
    for _ in range(population.symbols):
        able = np.where(left > 0, share, 0)
        number = 2 + generator.poisson(population.more)
        own = generator.choice(population.words, number, replace=False, p=able / able.sum())
        left[own] -= 1
        found.append(own.tolist())
    return found


def centres(generator: np.random.Generator, population: Population = LIKE_CLDR) -> Floats:
    """A point for each word: the mean of those of its symbols, which are near that of their topic."""
    topics = generator.normal(size=(_TOPICS, _DIMENSION))
    symbols = 0.7 * topics[generator.integers(_TOPICS, size=population.symbols)]
    symbols += 0.7 * generator.normal(size=(population.symbols, _DIMENSION))
    sums, counts = np.zeros((population.words, _DIMENSION)), np.zeros(population.words)
    for symbol, own in enumerate(groups(population)):
        sums[own] += symbols[symbol]
        counts[own] += 1
    return np.asarray(sums / np.sqrt(np.maximum(counts, 1))[:, None])


def world(
    generator: np.random.Generator,
    size: int,
    drawn: Drawn,
    strengths: Sequence[float] = (1.0,) * MODELS,
    population: Population = LIKE_CLDR,
) -> tuple[list[Vectors], TestSet]:
    """Models that are equally good, unless they have other strengths, and a test set."""
    every = groups(population)
    points = centres(np.random.default_rng(1) if drawn == "words" else generator, population)
    if drawn == "words":
        asked = sorted({word for own in every for word in own})
        kept = {*generator.choice(asked, size, replace=False).tolist()}
        parts = [[word for word in own if word in kept] for own in every]
    else:
        kept, parts = set[int](), []
        for symbol in generator.permutation(population.symbols).tolist():
            if len(kept) >= size:
                break
            kept.update(every[symbol])
            parts.append(every[symbol])
    items = tuple(
        Item(f"s{number}", tuple(chr(0x4E00 + word) for word in own))
        for number, own in enumerate(parts)
        if own
    )
    words, mean = sorted(kept), generator.normal(size=_DIMENSION)
    # Rare words have more noise, in all models.
    noise = generator.lognormal(0, 0.4, size=(population.words, 1))[words]
    points = population.strength * points[words]
    same = np.sqrt(population.shared) * generator.normal(size=points.shape) if population.shared else 0.0
    own_part = np.sqrt(1 - population.shared)
    models = [
        Vectors(
            [chr(0x4E00 + word) for word in words],
            (
                strength * points + mean + noise * (same + own_part * generator.normal(size=points.shape))
            ).astype(np.float32),
            f"model {number}",
        )
        for number, strength in enumerate(strengths)
    ]
    return models, TestSet("world", "und", "", groups=(RelatedWords("keywords", "keywords", items),))


def figures(measure: str, worlds: Iterable[tuple[Sequence[Vectors], TestSet]]) -> dict[str, float]:
    """How often intervals contain the mean score, and tests find a difference where there is none.

    Args:
        measure: What the models are scored by.
        worlds: Models that are equally good, and a test set.
    """
    values, ends = list[float](), list[tuple[float, float]]()
    wrong, apart, stated = list[bool](), list[float](), list[float]()
    for models, test_set in worlds:
        found: list[Scores] = [
            score(each, test_set, measure, machine=Machine(threads=1), context=False) for each in models
        ]
        values += [each[measure].value for each in found]
        ends += [each[measure].interval or (-1.0, 1.0) for each in found]
        for first, second in combinations(found, 2):
            for each in differences(first, second):
                wrong.append(each.of_words.p < SIGNIFICANT)
                apart.append(each.value**2)
                stated.append(each.of_words.error**2)
    truth, deviation = float(np.mean(values)), float(np.std(values))
    low, high = np.array(ends).T
    return {
        "truth": truth,
        "coverage": float(((low <= truth) & (truth <= high)).mean()),
        "width": float((high - low).mean() / (2 * NORMAL * deviation)),
        "errors": float(np.mean(wrong)),
        "variance": float(np.mean(stated) / np.mean(apart)),
    }


def of_keywords(size: int, drawn: Drawn, worlds: int) -> list[dict[str, Any]]:
    """Intervals and tests of KeywordRank with so many keywords."""
    made = (
        world(np.random.default_rng([5, size, DRAWN.index(drawn), number]), size, drawn)
        for number in range(worlds)
    )
    return [{"keywords": size, "drawn": drawn, **_rounded(made, worlds)}]


def of_population(name: str, size: int, worlds: int) -> list[dict[str, Any]]:
    """The same for other words of the groups of a population."""
    population = POPULATIONS[name]
    made = (
        world(np.random.default_rng([7, size, number, *map(ord, name)]), size, "words", population=population)
        for number in range(worlds)
    )
    return [{"population": name, "keywords": size, **_rounded(made, worlds)}]


def _rounded(made: Iterable[tuple[Sequence[Vectors], TestSet]], worlds: int) -> dict[str, float]:
    rounded = {name: round(value, 4) for name, value in figures(MEASURE, made).items()}
    return {"worlds": worlds, "pairs": worlds * MODELS * (MODELS - 1) // 2, **rounded}


WEAKER = (0.9, 0.8, 0.6)
"""How strong the weaker model is, of a power."""


def power(size: int, weaker: float, worlds: int) -> list[dict[str, Any]]:
    """How often the test of KeywordRank finds which of two models is better, with so many keywords.

    Args:
        size: How many keywords there are.
        weaker: How far the words of a symbol are from others in the weaker model, of the better one's.
        worlds: How many to draw.
    """
    apart, said = list[float](), list[int]()
    for number in range(worlds):
        generator = np.random.default_rng([6, size, round(100 * weaker), number])
        models, test_set = world(generator, size, "words", (1.0, weaker))
        first, second = (
            score(each, test_set, MEASURE, machine=Machine(threads=1), context=False) for each in models
        )
        (found,) = differences(first, second)
        apart.append(first[MEASURE].value - second[MEASURE].value)
        said.append(int(np.sign(apart[-1])) if found.of_words.p < SIGNIFICANT else 0)
    return [
        {
            "keywords": size,
            "weaker": weaker,
            "worlds": worlds,
            "difference": round(float(np.mean(apart)), 4),
            "found": round(said.count(1) / worlds, 4),
            "reversed": round(said.count(-1) / worlds, 4),
        }
    ]
