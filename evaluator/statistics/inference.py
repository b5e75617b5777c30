"""Confidence intervals and tests of all measures, from how much each word matters to a score.

*Other words*: what if the test set had had other words of the same categories? The observation is the
distinct item. *Other categories*: what if it had had other categories like these? There the category is the
observation (Clark 1973, "The language-as-fixed-effect fallacy"). docs/evidence/statistics.md has simulations.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import structs

from evaluator.engine.similarities import Doubles
from evaluator.errors import ScoreError
from evaluator.measures import Measure
from evaluator.measures.base import Observations, Subscore, joined
from evaluator.results.base import Difference, Tested
from evaluator.results.score import LEAST_KNOWN, LEAST_SCORED

LEVEL = 0.95

LEAST_OBSERVATIONS = 3
"""Fewer observations do not show how they vary."""

LEAST_CATEGORIES = 6
"""From so many categories on, the category is the observation of the test that is shown first."""

_LEAST_TOPICS = 4
"""Over fewer topics, there is no interval for other categories."""

_PRIOR = 20
"""As many words that are right, or wrong, have the same weight as the model of luck."""

_POOLED = 4
"""The share of words that are known in a category is mixed with that in all, which counts as 4 words."""

_CATEGORY_PRIOR = 0.2, 0.1
"""The variance of θ over categories, divided by θ(1-θ), where nothing is known of it; and its weight."""

_OBSERVED = {
    ("sections", "questions"): "pairs",
    ("outlier_groups", "outliers"): "groups",
    ("categories", "outliers"): "groups",
    ("categories", "items"): "items",
}
"""What the observations of a measure are, if not words, by what it scores and what it counts."""

_ROUNDING = 1e-20
"""A smaller variance than this is none."""

_LEAST_SEEDS = 1.25
"""See `Spread.with_seeds`; chosen in a model of normal distributions."""

Ends = Callable[[float], tuple[float, float]]
"""The ends of the interval that misses the truth with a given probability."""


@dataclass(frozen=True)
class Spread:
    """The variance of a value, of a rate divided by θ(1-θ) if it says so; and its degrees of freedom."""

    variance: float
    degrees: float

    def plus(self, other: Spread) -> Spread:
        """With an independent source of variance (degrees of freedom: Satterthwaite 1946)."""
        variance = self.variance + other.variance
        squares = self.variance**2 / self.degrees + other.variance**2 / other.degrees
        return Spread(variance, variance**2 / squares if squares > 0 else self.degrees)

    def with_seeds(self, *models: Sequence[float], scale: float = 1.0) -> Spread:
        """That of a mean over training runs, with the part of their seeds, which is divided by `scale`.

        Of a difference, the runs of both models are given. The variance over few runs is often far too small
        by luck, and its few degrees of freedom would then hardly count. So they count as if it were at least
        1.25/ν of the variance over words, with ν these degrees of freedom.
        """
        several = [of_model for of_model in models if len(of_model) > 1]
        if not several or scale <= 0:  # of one run, nothing is known of how they vary
            return self
        parts = [
            Spread(float(np.var(seeds, ddof=1)) / len(seeds) / scale, len(seeds) - 1) for seeds in several
        ]
        found = functools.reduce(Spread.plus, parts)
        if not found.variance:  # what trains them has no seed
            return self
        counted = max(found.variance, _LEAST_SEEDS / found.degrees * self.variance)
        degrees = self.plus(Spread(counted, found.degrees)).degrees
        return Spread(self.variance + found.variance, degrees)


@dataclass(frozen=True, eq=False)
class Luck:
    """The variance of a score by a model of luck, and how far it is trusted."""

    known: float  # because of which words have a vector
    right: float  # because of which of these are right
    trust: float  # the weight of the model; that of the jackknife is the rest to 1
    telling: float  # the share of the variance that the jackknife sees
    scale: float  # θ(1-θ); where θ is 0 or 1, of a rate that such a test set can hardly tell from it


@dataclass(frozen=True, eq=False)
class Variation:
    """A score, and how it varies with the words of its test set."""

    value: float
    single: Mapping[str, float]  # what it owes to each observation
    ends: Ends
    degrees: float  # of freedom, of the variance over words
    luck: Luck | None = None  # None of correlations
    known: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())  # and unknown observations
    decided_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of `Observations`


Varying = Callable[..., Variation]
"""`variation`, or what remembers its results."""


def of_independent(single: Mapping[str, float], squares: float, most: float) -> Spread:
    """The variance is the sum of squares; where few observations decide, its degrees of freedom are few.

    They are from fourth powers (Satterthwaite 1946), and no more than `most`.
    """
    if squares < _ROUNDING:
        return Spread(squares, most)
    fourth = math.fsum(v**4 for v in single.values()) / squares**2 - 1 / len(single)
    return Spread(squares, min(max(2 / fourth, 1.0), most) if fourth > 0 else most)


def of_dependent(single: Mapping[str, float], decided_by: Mapping[str, Sequence[str]]) -> Spread:
    """The same where other observations decide as well what a value owes to an observation.

    Let ψ_k be what it owes to k, and k~l if k is l or one observation decides both. The variance is
    `Σ_{k~l} ψ_k ψ_l` (of pairs that share a word: Fafchamps & Gubert 2007), and no less than `Σ_k ψ_k²`. Each
    product counts once, however many observations decide ψ_k: a jackknife would count it for each of them. n
    observations count as `G = n² / Σ_{k~l} 1` independent ones (Kish 1965), 2 or more. So the variance is
    multiplied by G/(G-1), and its degrees of freedom are from the squares of `q_k = ψ_k Σ_{l~k} ψ_l`, as they
    are from fourth powers of independent ones.
    """
    from scipy.sparse import csr_array

    others = [*itertools.chain.from_iterable(decided_by.values())]
    columns = {name: column for column, name in enumerate(dict.fromkeys((*decided_by, *others)))}
    rows = np.arange(len(decided_by))
    places = (
        np.append(rows, np.repeat(rows, [*map(len, decided_by.values())])),
        np.append(rows, np.array([*map(columns.__getitem__, others)], dtype=np.intp)),
    )
    decided = csr_array((np.ones(len(places[0])), places), shape=(len(rows), len(columns)))
    together = ((decided @ decided.T) > 0).astype(np.float64)
    own = np.array([*map(single.__getitem__, decided_by)])
    shares = own * (together @ own)
    number = max(len(own) ** 2 / float(together.sum()), 2.0)
    squares = max(math.fsum(shares), math.fsum(own * own))
    if squares < _ROUNDING:
        return Spread(squares, number - 1)
    fourth = float(shares @ (together @ shares)) / squares**2 - 1 / number
    degrees = min(max(2 / fourth, 1.0), number - 1) if fourth > 0 else number - 1
    return Spread(squares * number / (number - 1), degrees)


def having(subscores: Iterable[Subscore], attribute: str = "value") -> list[Subscore]:
    """The subscores that have an attribute: of those with a value, a score is the mean."""
    return [each for each in subscores if getattr(each, attribute) is not None]


def column(subscores: Iterable[Subscore], attribute: str) -> list[Any]:
    """An attribute of all subscores."""
    return [getattr(each, attribute) for each in subscores]


def weighted_mean(subscores: Sequence[Subscore], attribute: str = "value") -> float | None:
    """The weighted mean of an attribute of subscores; None if there are none, or one does not have it."""
    weights, values = column(subscores, "weight"), column(subscores, attribute)
    if not values or None in values:
        return None
    return _products(weights, values) / math.fsum(weights)


def paired(first: Iterable[Subscore], second: Iterable[Subscore]) -> tuple[list[Subscore], list[Subscore]]:
    """The subscores of two scores on the categories that both score."""
    of_first = {each.name: each for each in having(first)}
    before, after = list[Subscore](), list[Subscore]()
    for each in having(second):
        if each.name in of_first:
            before.append(of_first[each.name])
            after.append(each)
    return before, after


def _products(first: Iterable[float], second: Iterable[float]) -> float:
    """The sum of products, which is rounded once and so depends on no order."""
    return math.fsum(map(operator.mul, first, second))


def variation(
    measure: Measure, subscores: Iterable[Subscore], seeds: Sequence[float] = (), *, known: bool = False
) -> Variation:
    """How the weighted mean of subscores varies with their words, and with seeds of training.

    From 0 to 1: Wilson's interval (1927) with a quantile of Student's t. The variance is that of the
    delete-one jackknife, mixed with that of a model of luck: which words have a vector, and which of these
    are right; if only `known` words were asked, also which categories have enough of them to be scored
    (Horvitz & Thompson 1952). From -1 to 1, a correlation: Fisher's z, with the variance from the delta
    method.
    """
    scored = having(subscores)
    weights = _shares_of(scored)
    value = _products(weights.tolist(), column(scored, "value"))
    single, shares = defaultdict[str, float](float), defaultdict[str, float](float)
    for each, weight in zip(scored, weights.tolist(), strict=True):
        found = observations_of(each)
        for name, influence in (*found.influences.items(), *found.outside.items()):
            single[name] += weight * influence
        for name in found.influences:
            shares[name] += weight / len(found.influences)
    effective = 1 / _products(shares.values(), shares.values())  # Kish 1965
    squares = _products(single.values(), single.values())
    degrees = max(effective - 1, 1.0)
    if measure.lowest < 0:
        decided_by = _decided_by(scored)
        spread = of_dependent(single, decided_by) if decided_by else of_independent(single, squares, degrees)
        same = spread.variance < _ROUNDING  # without any word
        over = Spread(1 / effective**2 if same else spread.variance, spread.degrees).with_seeds(seeds)
        ends = functools.partial(_ends_of_no_variation if same else _correlation_ends, value, over)
        return Variation(value, single, ends, spread.degrees, decided_by=decided_by)
    value = min(max(value, 0.0), 1.0)
    luck = _luck(measure, scored, weights, value, squares, effective, known=known)
    # The jackknife and the model of luck are mixed; the variance of a rate is divided by θ(1-θ).
    model = luck.known + luck.right
    found_here = squares / luck.telling if luck.trust < 1 else model
    mixed = ((1 - luck.trust) * found_here + luck.trust * model) / luck.scale
    spread = Spread(mixed, degrees)
    if known and len(scored) > 1 and 0 < value < 1:
        spread = _with_luck_of_categories(measure, spread, scored, weights, value)
    spread = spread.with_seeds(seeds, scale=value * (1 - value))
    names, unknown = observed(scored)
    sets = frozenset(names - unknown), frozenset(unknown)
    return Variation(value, single, functools.partial(_rate_ends, value, spread), degrees, luck, sets)


def _decided_by(subscores: Iterable[Subscore]) -> dict[str, tuple[str, ...]]:
    """The other observations that decide each one, of all subscores."""
    every = [found for each in subscores if (found := observations_of(each).decided_by)]
    return joined(pair for found in every for pair in found.items()) if len(every) > 1 else dict(*every)


def _shares_of(subscores: Iterable[Subscore]) -> Doubles:
    """Their weights, of which the sum is 1."""
    weights = np.array(column(subscores, "weight"))
    return np.asarray(weights / weights.sum())


def _luck(
    measure: Measure,
    subscores: Sequence[Subscore],
    weights: Doubles,
    value: float,
    squares: float,
    effective: float,
    *,
    known: bool,
) -> Luck:
    """The variance if words have a vector by luck, and known words are right by luck.

    The number of words of a category that have a vector is binomial; a known word is right with the
    probability q = θ / the best that a model with this vocabulary can reach.
    """
    sizes = np.array(column(subscores, "n"))
    seen = sizes if known else np.array(column(subscores, "known"))
    total = max(float(seen.sum()), 0.25)  # that no word is known does not mean certainty
    shares = (seen + _POOLED * total / sizes.sum()) / (sizes + _POOLED)
    of_known = of_right = mean = ceiling = 0.0
    tells = np.ones(len(subscores), dtype=bool)
    of_each = zip(weights.tolist(), sizes.tolist(), seen.tolist(), shares.tolist(), strict=True)
    for place, (weight, n, number, share) in enumerate(of_each):
        counts = np.arange(n + 1)
        best, probability = measure.best(counts, n), _binomial(n, share)
        expected = float(probability @ best)
        of_known += weight**2 * max(float(probability @ best**2 - expected**2), 0.0)
        of_right += weight**2 * float(probability @ (best**2 / np.maximum(counts, 1)))
        mean += weight * expected
        ceiling += weight * float(best[number])
        # Without another subset, leaving a word out says nothing of how a category varies.
        tells[place] = best[n - 1] > 0
    least = 0.25 / max(total, 1)
    q = min(max(value / ceiling if ceiling > 0 else 0.5, least), 1 - least)
    rate = max(q * mean, _ROUNDING)  # a category of one word cannot score
    binomial, per_word = value * (1 - value), weights**2 / sizes
    scale = binomial or rate * (1 - rate)
    wider = _shared_items(subscores, weights, squares, 1 / (effective * float(per_word.sum())))
    wider *= scale / (rate * (1 - rate))
    telling = float(per_word[tells].sum() / per_word.sum())
    right = effective * min(value, 1 - value) * telling
    return Luck(
        q * q * of_known * wider,
        measure.trials_of_a_word * q * (1 - q) * of_right * wider,
        _PRIOR / (right + _PRIOR),
        telling,
        scale,
    )


def _shared_items(subscores: Sequence[Subscore], weights: Doubles, squares: float, at_most: float) -> float:
    """By how much items that are in several categories widen the variance; the model knows of none."""
    apart = math.fsum(
        (weight * influence) ** 2
        for weight, each in zip(weights.tolist(), subscores, strict=True)
        for influence in observations_of(each).influences.values()
    )
    return min(max(squares / apart, 1.0), at_most) if apart > 0 else at_most


def _binomial(n: int, share: float) -> Doubles:
    """The probability of each number of hits from 0 to n, shape (n + 1,)."""
    from scipy.special import gammaln, xlog1py, xlogy

    hits = np.arange(n + 1.0)
    ways = gammaln(n + 1) - gammaln(hits + 1) - gammaln(n - hits + 1)  # the logarithm of their number
    return np.asarray(np.exp(ways + xlogy(hits, share) + xlog1py(n - hits, -share)))


def _with_luck_of_categories(
    measure: Measure, spread: Spread, subscores: Sequence[Subscore], weights: Doubles, value: float
) -> Spread:
    """Where only known words are asked: with the luck of which categories have enough of them."""
    from scipy.special import bdtrc

    known, listed = np.array(column(subscores, "n")), np.array(column(subscores, "size"))
    least = getattr(measure, "needed", LEAST_OBSERVATIONS)
    if (listed < least).any():  # small categories are scored, too
        least = getattr(measure, "least_possible", 1)
    least = max(least, 1)
    sure = np.where(known >= listed, 1.0, bdtrc(least - 1, listed, (known + 1) / (listed + 2)))
    number, per_word = 1 / float(weights @ weights), weights**2 / known
    away = np.array(column(subscores, "value"), dtype=float) - value
    between = float((weights**2 * (1 - sure)) @ away**2) * number / (number - 1) / (value * (1 - value))
    within = spread.variance * float((per_word * sure).sum() / per_word.sum())
    return Spread(within, spread.degrees).plus(Spread(between, number - 1))


def _rate_ends(value: float, spread: Spread, p: float) -> tuple[float, float]:
    return wilson(value, spread.variance, _quantile(spread.degrees, p))


def _correlation_ends(value: float, spread: Spread, p: float) -> tuple[float, float]:
    inner = float(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    half = _quantile(spread.degrees, p) * math.sqrt(spread.variance) / (1 - inner**2)
    middle = np.arctanh(inner)
    return min(float(np.tanh(middle - half)), value), max(float(np.tanh(middle + half)), value)


def _ends_of_no_variation(value: float, spread: Spread, p: float) -> tuple[float, float]:
    """Fisher's z of a score of 1 is infinite, and says nothing of how near the truth is."""
    half = _quantile(spread.degrees, p) * math.sqrt(spread.variance)
    return max(value - half, min(value, -1.0)), min(value + half, max(value, 1.0))


def _quantile(degrees: float, p: float) -> float:
    """The quantile of Student's t for a two-sided interval."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 1 - p / 2))


def interval(
    measure: Measure,
    subscores: Sequence[Subscore],
    seeds: Sequence[float] = (),
    *,
    known: bool = False,
    varying: Varying = variation,
) -> tuple[float, float] | None:
    """The 95% confidence interval for other words; None if too few are known to say how they vary."""
    scored = having(subscores)
    few = len(scored) < LEAST_SCORED or sum(column(scored, "n")) < LEAST_KNOWN
    if known and few and len(subscores) > 1:
        return None
    return varying(measure, scored, seeds, known=known).ends(1 - LEVEL)


def wilson(share: float, each: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval of a share (1927); `each` is its variance divided by share·(1-share)."""
    weight = quantile**2 * each
    middle = (share + weight / 2) / (1 + weight)
    half = quantile * np.sqrt(share * (1 - share) * each + weight * each / 4) / (1 + weight)
    low = 0.0 if share <= 0 else max(middle - half, 0.0)
    high = 1.0 if share >= 1 else min(middle + half, 1.0)
    return float(low), float(high)


def observations_of(subscore: Subscore) -> Observations:
    """What a subscore varies with."""
    if subscore.observations is None:
        raise ScoreError(
            f"{subscore.name}: this score was read from a file, which does not say how it varies with its "
            "words; score the models again, in one run, to compare them"
        )
    return subscore.observations


def observed(subscores: Iterable[Subscore]) -> tuple[set[str], set[str]]:
    """The different items of all subscores, and those that have a vector in none."""
    names, known = set[str](), set[str]()
    for own in map(observations_of, subscores):
        names |= own.influences.keys()
        known |= own.influences.keys() - set(own.unknown)
    return names, names - known


def of_two(
    function: Callable[[float, float], float],
    first: Variation,
    second: Variation,
    correlation: float | None = None,
) -> Variation:
    """A function that rises with both of two scores of the same words.

    Each end of its interval lies as far towards the function of both ends as their correlation says (MOVER;
    Zou & Donner 2008). Without a correlation, it is that of their influences.
    """
    value = function(first.value, second.value)
    if correlation is None:
        correlation = correlation_of(first, second)

    def ends(p: float) -> tuple[float, float]:
        found = []
        for one, other in zip(first.ends(p), second.ends(p), strict=True):
            apart = abs(function(one, second.value) - value), abs(function(first.value, other) - value)
            squares = apart[0] ** 2 + apart[1] ** 2 + 2 * correlation * apart[0] * apart[1]
            way = math.sqrt(max(squares, 0.0)) / sum(apart) if sum(apart) > 0 else 0.0
            ways = way * (one - first.value), way * (other - second.value)
            found.append(function(first.value + ways[0], second.value + ways[1]))
        return found[0], found[1]

    single = {
        name: value - function(first.value - one, second.value - other)
        for name, one, other in _side_by_side(first, second)
    }
    return Variation(value, single, ends, min(first.degrees, second.degrees))


def _side_by_side(first: Variation, second: Variation) -> Iterator[tuple[str, float, float]]:
    """Each observation of either score, and what the two owe to it."""
    for name in dict.fromkeys((*first.single, *second.single)):
        yield name, first.single.get(name, 0.0), second.single.get(name, 0.0)


def correlation_of(first: Variation, second: Variation) -> float:
    """The correlation of influences; 0 where one of the scores does not show how it varies."""
    _, one, other = zip(*_side_by_side(first, second), strict=True)
    squares = _products(one, one), _products(other, other)
    if min(squares) < _ROUNDING:
        return 0.0
    return min(max(_products(one, other) / math.sqrt(math.prod(squares)), -1.0), 1.0)


def difference_spread(first: Variation, second: Variation) -> Spread:
    """How the difference of two scores of the same words varies with these.

    The variance is that of the jackknife of the difference, mixed with that of the model of luck. In the
    model, scores vary together because the same words have a vector, and because the same words are right as
    far as the jackknife says so. Where other observations decide as well what a score owes to one, those of
    both models decide the difference.
    """
    apart = {name: after - before for name, before, after in _side_by_side(first, second)}
    if first.decided_by or second.decided_by:
        return of_dependent(apart, joined((*first.decided_by.items(), *second.decided_by.items())))
    squares = math.fsum(each**2 for each in apart.values())
    degrees = min(first.degrees, second.degrees)
    one, other = first.luck, second.luck
    if one is None or other is None:
        together = correlation_of(first, second)
        return Spread(_of_difference(_variance(first), _variance(second), together), degrees)
    model = _of_difference(one.known, other.known, _same_known(first, second))
    trust, telling = math.sqrt(one.trust * other.trust), min(one.telling, other.telling)
    model += _of_difference(one.right, other.right, telling * correlation_of(first, second))
    found = squares / telling if telling > 0 else model
    return Spread((1 - trust) * found + trust * model, degrees)


def _variance(varying: Variation) -> float:
    """The variance with which the interval of a score is computed."""
    low, high = varying.ends(1 - LEVEL)
    return ((high - low) / 2 / _quantile(varying.degrees, 1 - LEVEL)) ** 2


def _of_difference(one: float, other: float, correlation: float) -> float:
    """The variance of the difference of two values, from theirs and their correlation."""
    return max(one + other - 2 * correlation * math.sqrt(one * other), 0.0)


def _same_known(first: Variation, second: Variation) -> float:
    """The correlation φ of having a vector in two models; 0 if one of them knows all words or none."""
    (known1, unknown1), (known2, unknown2) = first.known, second.known
    counts = [len(known1), len(unknown1), len(known2), len(unknown2)]
    if 0 in counts:
        return 0.0
    agree = len(known1 & known2) * len(unknown1 & unknown2)
    return (agree - len(known1 & unknown2) * len(unknown1 & known2)) / math.sqrt(math.prod(counts))


def category_spread(
    subscores: Sequence[Subscore], least: float = LEAST_CATEGORIES
) -> tuple[float, float, Spread] | None:
    """How the mean of subscores would vary with other categories like these.

    Categories of one topic count as one. Two that share words vary together as far as they share them (the
    Jaccard index of their observations), so that a category that is listed twice does not count as two. Given
    are the mean, the effective number of independent categories, and the spread; None if there are too few.
    """
    scored = having(subscores)
    weights, values = _shares_of(scored), np.array(column(scored, "value"), dtype=float)
    shared = _shared(scored)
    number = 1 / float(weights @ shared @ weights)
    if number < least - 1e-9:
        return None
    value = float(weights @ values)
    away = weights * (values - value)
    variance = max(float(away @ shared @ away), 0.0) * number / (number - 1)
    return value, number, Spread(variance, number - 1)


def category_interval(
    measure: Measure, subscores: Sequence[Subscore], seeds: Sequence[float] = ()
) -> tuple[float, float] | None:
    """The 95% confidence interval for other categories; None below four topics that share nothing."""
    found = category_spread(subscores, _LEAST_TOPICS)
    if found is None:
        return None
    value, number, spread = found
    if measure.lowest < 0:
        return _correlation_ends(value, spread.with_seeds(seeds), 1 - LEVEL)
    value = min(max(value, 0.0), 1.0)
    binomial, weight = value * (1 - value), number * min(value, 1 - value)
    prior, of_prior = _CATEGORY_PRIOR
    each = spread.variance / binomial if binomial > 0 else 0.0
    mixed = Spread((weight * each + of_prior * prior / number) / (weight + of_prior), spread.degrees)
    return _rate_ends(value, mixed.with_seeds(seeds, scale=binomial), 1 - LEVEL)


def _shared(subscores: Sequence[Subscore]) -> Doubles:
    """1 for two subscores of one topic, else the Jaccard index of their observations; shape (n, n)."""
    if len(subscores) == 1:
        return np.ones((1, 1))
    places, topics = defaultdict[str, list[int]](list), defaultdict[str | int, list[int]](list)
    sizes, both = np.empty(len(subscores)), np.zeros((len(subscores), len(subscores)))
    for place, each in enumerate(subscores):
        names = observations_of(each).influences
        sizes[place] = len(names)
        topics[each.topic or place].append(place)
        for name in names:
            places[name].append(place)
    for several in places.values():
        if len(several) > 1:
            both[np.ix_(several, several)] += 1
    found = np.asarray(both / (sizes[:, None] + sizes - both).clip(min=1))
    for several in topics.values():
        found[np.ix_(several, several)] = 1.0
    return found


def t_test(
    value: float, spread: Spread, observations: float, seeds: Iterable[Sequence[float]] = ()
) -> Tested:
    """The 95% confidence interval of a difference, and p of the two-sided t-test of the same distribution.

    `seeds` are the values of the training runs of each model, if there are several.

    The interval contains 0 if and only if p is 0.05 or more. Two models that differ in nothing could still
    differ in other words, so that the standard error is then one in the number of observations.
    """
    from scipy.special import stdtr

    spread = spread.with_seeds(*seeds)
    error = math.sqrt(spread.variance) if spread.variance > _ROUNDING else 1 / observations
    half = _quantile(spread.degrees, 1 - LEVEL) * error
    p = 2 * float(stdtr(spread.degrees, -abs(value) / error))
    low, high = max(value - half, min(value, -1.0)), min(value + half, max(value, 1.0))
    return Tested(low, high, p, error, spread.degrees)


def equivalence(value: float, tested: Tested, margin: float) -> float:
    """P of the hypothesis that two scores differ by the margin or more.

    The larger p of two one-sided t-tests (Schuirmann 1987, "A comparison of the two one-sided tests procedure
    and the power approach").
    """
    from scipy.special import stdtr

    return float(stdtr(tested.degrees, (abs(value) - margin) / tested.error))


def detectable(tested: Tested, level: float = 1 - LEVEL) -> float:
    """The smallest difference that such a test finds in four of five cases (Cohen 1988)."""
    return tested.error * (_quantile(tested.degrees, level) + _quantile(tested.degrees, 0.4))


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
    measure: Measure,
    first: Sequence[Subscore],
    second: Sequence[Subscore],
    *,
    seeds: tuple[Sequence[float], Sequence[float]] = ((), ()),
    floors: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {}),
    varying: Varying = variation,
) -> Difference | None:
    """Compare two models on the subscores that both have; None if there are none.

    The test over categories is a paired t-test of the differences in each category, as far as categories do
    not share topics or words; there is one from six categories on. The test over words is for exactly these
    categories.

    Args:
        measure: The measure.
        first: The subscores of one model, or the means over several training runs.
        second: Those of the other.
        seeds: The value of each training run of either, if there are several.
        floors: What is taken away from the scores of either on a category first, such as a baseline. It is
            taken to be fixed in the test over words.
        varying: What computes how scores vary.
    """
    before, after = paired(first, second)
    if not after:
        return None
    changes = [
        structs.replace(
            new,
            value=(new.value or 0.0)
            - floors[1].get(new.name, 0.0)
            - ((old.value or 0.0) - floors[0].get(new.name, 0.0)),
        )
        for old, new in zip(before, after, strict=True)
    ]
    value, observations = weighted_mean(changes) or 0.0, len(observed((*before, *after))[0])
    spread, of_categories = category_spread(changes), None
    if spread is not None:
        mean, number, own = spread
        of_categories = t_test(mean, own, number, seeds)
    of_words = difference_spread(varying(measure, before), varying(measure, after))
    return Difference(
        value,
        of_categories,
        t_test(value, of_words, observations, seeds),
        len(after),
        observations,
        _OBSERVED.get((measure.scores, measure.counted)),
    )
