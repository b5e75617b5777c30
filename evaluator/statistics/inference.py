"""Confidence intervals and tests of all measures, from how much each word matters to a score.

Two questions are answered. *Other words*: what if the test set had had other words of the same categories?
The observation is the distinct item, over all categories in which it stands. *Other categories*: what if it
had had other categories like these? There the category is the observation (Clark 1973, "The
language-as-fixed-effect fallacy"). docs/statistics.md shows by simulation how often the intervals hold what
they promise.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from msgspec import structs

from evaluator.engine.similarities import Doubles
from evaluator.errors import ScoreError
from evaluator.measures.base import Observations, Subscore, summed
from evaluator.results.base import Difference, Tested

Name = TypeVar("Name")

LEVEL = 0.95

SIGNIFICANT = 0.05

LEAST_OBSERVATIONS = 3
"""Fewer observations do not show how they vary."""

LEAST_CATEGORIES = 6
"""From so many categories on, the category is the observation of the test that is shown first."""

_WORTH = 1.5
"""How many independent trials a word is worth where nothing else is known; found by simulation."""

_TRUST = 1.5
"""The power of the number of words that are right, or wrong, with which the variance found is trusted."""


@dataclass(frozen=True)
class Spread:
    """How a value varies.

    Attributes:
        variance: Of the value.
        degrees: Degrees of freedom of the variance.
        observations: How many independent observations there are, at most.
        left: The share of the jackknife's variance that is left when what it counts twice is subtracted. The
            less is left, the less certain the variance; tests, in the tails, have fewer degrees of freedom.
    """

    variance: float
    degrees: float
    observations: float
    left: float = 1.0

    @property
    def error(self) -> float:
        """The standard error."""
        return float(np.sqrt(self.variance))

    def scaled(self, factor: float) -> Spread:
        """Of the value times a number."""
        return replace(self, variance=self.variance * factor**2)

    def plus(self, other: Spread) -> Spread:
        """With an independent source of variance (degrees of freedom: Satterthwaite 1946)."""
        variance = self.variance + other.variance
        parts = self.variance**2 / self.degrees + other.variance**2 / other.degrees
        degrees = variance**2 / parts if parts > 0 else self.degrees
        return Spread(variance, degrees, self.observations)


@dataclass(frozen=True, eq=False)
class Influences:
    """A value, and how much it owes to each observation.

    Attributes:
        value: The value.
        single: Of each observation, by name; squares sum to the variance of the delete-one jackknife.
        pairs: What it owes to two observations together, beyond what it owes to each.
    """

    value: float
    single: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @cached_property
    def spread(self) -> Spread:
        """The variance of the jackknife, without what it counts twice (Efron & Stein 1981).

        What the value owes to a pair is in the influences of both, and so counts twice. It is at most half of
        the variance. Degrees of freedom follow from the fourth powers (Satterthwaite 1946): where few words
        decide, they are few.
        """
        values = np.fromiter(self.single.values(), float, len(self.single))
        number = max(len(values), 2)
        squares = float(values @ values)
        twice = math.fsum(value * value for value in self.pairs.values())
        fourth = float((values**4).sum()) / squares**2 - 1 / number if squares > 0 else 0.0
        degrees = min(max(2 / fourth, 1.0), number - 1.0) if fourth > 0 else number - 1.0
        variance = max(squares - twice, squares / 2)
        return Spread(variance, degrees, number, variance / squares if squares > 0 else 1.0)

    def __sub__(self, other: Influences) -> Influences:
        """The difference of two values that vary with the same observations."""
        return _sum((self, other), (1.0, -1.0))


def _sum(several: Iterable[Influences], weights: Iterable[float]) -> Influences:
    """The weighted sum of values: an observation counts once, over all of them."""
    value, single, pairs = 0.0, defaultdict[str, float](float), defaultdict[tuple[str, str], float](float)
    for each, weight in zip(several, weights, strict=True):
        value += weight * each.value
        for name, influence in each.single.items():
            single[name] += weight * influence
        for names, influence in each.pairs.items():
            pairs[names] += weight * influence
    return Influences(value, single, pairs)


def influences(subscores: Sequence[Subscore]) -> Influences:
    """The weighted mean of the subscores that have a value, as an observation of any of them changes it.

    Raises:
        ScoreError: They were read from a file that does not say what they vary with.
    """
    scored = [each for each in subscores if each.value is not None]
    weights = np.array([each.weight for each in scored])
    return _sum(map(_of_subscore, scored), (weights / weights.sum()).tolist())


def _of_subscore(subscore: Subscore) -> Influences:
    found = observations_of(subscore)
    pairs = {(one, other): influence for one, other, influence in found.pairs}
    return Influences(
        subscore.value or 0.0, summed([*found.influences.items(), *found.outside.items()]), pairs
    )


def observations_of(subscore: Subscore) -> Observations:
    """What a subscore varies with.

    Raises:
        ScoreError: It was read from a file that does not say.
    """
    if subscore.observations is None:
        raise ScoreError(
            f"{subscore.name}: this score was read from a file, which does not say how it varies with its "
            "words; score the models again, in one run, to compare them"
        )
    return subscore.observations


def observed(subscores: Iterable[Subscore]) -> tuple[set[str], set[str]]:
    """The different items of all subscores, and those without a vector."""
    several = [observations_of(each) for each in subscores]
    return {name for own in several for name in own.influences}, {
        name for own in several for name in own.unknown
    }


def transformed(function: Callable[..., float], several: Sequence[Influences]) -> Influences:
    """A function of values that vary with the same observations, as any of these changes it.

    Args:
        function: Takes the values.
        several: The values.
    """
    values = [each.value for each in several]
    value = function(*values)

    def change(of_each: Sequence[Mapping[Name, float]]) -> dict[Name, float]:
        names = dict.fromkeys(name for each in of_each for name in each)
        left = {
            name: [v - of.get(name, 0.0) for v, of in zip(values, of_each, strict=True)] for name in names
        }
        return {name: value - function(*without) for name, without in left.items()}

    single, pairs = [each.single for each in several], [each.pairs for each in several]
    return Influences(value, change(single), change(pairs))


def with_seeds(spread: Spread, seeds: Sequence[float]) -> Spread:
    """The spread of a mean over training runs, with the part of their seeds.

    Args:
        spread: With words, or with categories.
        seeds: The value of each run; of fewer than two, nothing is known of how they vary.
    """
    number = len(seeds)
    if number < 2:
        return spread
    return spread.plus(Spread(float(np.var(seeds, ddof=1)) / number, number - 1, spread.observations))


def category_spread(subscores: Sequence[Subscore]) -> Spread | None:
    """How the mean of subscores would vary with other categories like these.

    Two categories that share words vary together as far as they share them (the Jaccard index of their
    observations), so that a category that is listed twice does not count as two.

    Returns:
        None below six categories that share nothing.
    """
    scored = [each for each in subscores if each.value is not None]
    weights = np.array([each.weight for each in scored])
    weights = weights / weights.sum()
    values = np.array([each.value for each in scored], dtype=float)
    shared = _shared(scored)
    number = 1 / float(weights @ shared @ weights)
    if number < LEAST_CATEGORIES - 1e-9:
        return None
    away = weights * (values - weights @ values)
    variance = max(float(away @ shared @ away), 0.0) * number / (number - 1)
    return Spread(variance, number - 1, number)


def _shared(subscores: Sequence[Subscore]) -> Doubles:
    """The Jaccard index of the observations of each two subscores, shape (n, n)."""
    names = [frozenset(observations_of(each).influences) for each in subscores]
    found = np.eye(len(names))
    for i, one in enumerate(names):
        for j in range(i):
            both = len(one & names[j])
            if both:
                found[i, j] = found[j, i] = both / (len(one) + len(names[j]) - both)
    return found


def interval(value: float, spread: Spread, lowest: float = 0.0) -> tuple[float, float]:
    """The 95% confidence interval of a score.

    From 0 to 1: Wilson's interval (1927) with the effective number of words θ(1-θ)/variance (Kish 1965) and a
    quantile of Student's t. Where few words are right, or few wrong, the variance found says little, so that
    it is mixed with that of 1.5 n independent trials. From -1 to 1, a correlation: Fisher's z, with the
    variance from the delta method.

    Args:
        value: θ.
        spread: How it varies.
        lowest: The lowest possible value, 0 or -1; the highest is 1.
    """
    if lowest < 0:
        return _correlation_interval(value, spread)
    value = min(max(value, 0.0), 1.0)
    few = (spread.observations * min(value, 1 - value)) ** _TRUST
    binomial = value * (1 - value)
    found = spread.variance / binomial if binomial > 0 else 0.0
    each = (few * found + 1 / (_WORTH * spread.observations)) / (few + 1)
    degrees = (few * spread.degrees + spread.observations - 1) / (few + 1)
    quantile = _quantile(max(degrees, 1.0))
    return wilson(value, each, quantile)


def wilson(share: float, each: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share (1927), with 1/each trials.

    Args:
        share: From 0 to 1.
        each: The variance divided by share·(1-share): one in the number of trials.
        quantile: Of the normal distribution or of Student's t.
    """
    weight = quantile**2 * each
    middle = (share + weight / 2) / (1 + weight)
    half = quantile * np.sqrt(share * (1 - share) * each + weight * each / 4) / (1 + weight)
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return float(low), float(high)


def _correlation_interval(value: float, spread: Spread) -> tuple[float, float]:
    inner = float(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    error = spread.error or 1 / spread.observations  # that nothing varied does not mean certainty
    half = _quantile(spread.degrees) * error / (1 - inner**2)
    middle = np.arctanh(inner)
    return min(float(np.tanh(middle - half)), value), max(float(np.tanh(middle + half)), value)


def _quantile(degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + LEVEL) / 2))


def test(value: float, spread: Spread) -> tuple[float, float, float]:
    """The 95% confidence interval of a difference, and p of the two-sided t-test of the same distribution.

    The interval contains 0 if and only if p is 0.05 or more. Two models that differ in nothing could still
    differ in one of other words, so that the standard error is then one in the number of words.

    Returns:
        The ends of the interval, and p.
    """
    from scipy.special import stdtr

    error = spread.error or 1 / spread.observations
    degrees = max(spread.degrees * spread.left, 1.0)
    half = _quantile(degrees) * error
    p = 2 * float(stdtr(degrees, -abs(value) / error))
    return value - half, value + half, p


def detectable(tested: Tested, level: float = 1 - LEVEL) -> float:
    """The smallest difference that such a test finds in four of five cases (Cohen 1988).

    Args:
        tested: Its interval gives the standard error.
        level: Below which p must be.
    """
    from scipy.special import ndtri

    error = (tested.high - tested.low) / 2 / float(ndtri((1 + LEVEL) / 2))
    return error * float(ndtri(1 - level / 2) + ndtri(0.8))


def holm(values: Sequence[float]) -> list[float]:
    """P-values corrected for several tests (Holm 1979, "A Simple Sequentially Rejective … Procedure").

    The smallest of m is multiplied by m, the next by m-1 and so on; none becomes smaller than the one before
    it, or larger than 1.
    """
    corrected, largest = [0.0] * len(values), 0.0
    for rank, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[number]))
        corrected[number] = largest
    return corrected


def difference(
    first: Sequence[Subscore],
    second: Sequence[Subscore],
    *,
    seeds: tuple[Sequence[float], Sequence[float]] = ((), ()),
) -> Difference | None:
    """Compare two models on the subscores that both have; None if there are none.

    The test over categories is a paired t-test of the differences in each category, as far as categories do
    not share words; there is one from six categories on. The test over words is for exactly these categories.

    Args:
        first: The subscores of one model, or the means over several training runs.
        second: Those of the other.
        seeds: The value of each training run of either, if there are several.
    """
    of_first = {each.name: each for each in first if each.value is not None}
    after = [each for each in second if each.value is not None and each.name in of_first]
    if not after:
        return None
    before = [of_first[each.name] for each in after]
    change = influences(after) - influences(before)

    def of_models(spread: Spread) -> Tested:
        return Tested(*test(change.value, with_seeds(with_seeds(spread, seeds[0]), seeds[1])))

    spread = category_spread(
        [
            structs.replace(new, value=(new.value or 0.0) - (old.value or 0.0))
            for old, new in zip(before, after, strict=True)
        ]
    )
    of_categories = None if spread is None else of_models(spread)
    return Difference(change.value, of_categories, of_models(change.spread), len(after), len(change.single))
