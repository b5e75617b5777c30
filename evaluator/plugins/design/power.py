"""How large a test set must be: the smallest difference that the tests of `score` find (power analysis)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

import numpy as np
from msgspec import structs

from evaluator.plugins import (
    LEAST_CATEGORIES,
    LEAST_OBSERVATIONS,
    LEAST_WORDS,
    LEVEL,
    Coverage,
    Measure,
    Observations,
    Score,
    ScoreError,
    Scores,
    Spread,
    Subscore,
    Variation,
    category_spread,
    correlation_of,
    difference_spread,
    listed,
    parse_measure,
    variation,
    weighted_mean,
)
from evaluator.plugins.design.result import Plan, PlanFile, PlannedSize

POWER = 0.8

CORRELATION = 0.3
"""How far two models are right on the same words, if only one of them is known; cautious: models of disjoint
parts of a corpus had 0.46."""

_LARGEST = 1000.0


@dataclass(frozen=True, eq=False)
class Pilot:
    """How two models, the worse one and the better one, vary with the words of a test set.

    `changes` are the variance of the difference over categories, as a mean over these; their effective
    number; and the variance of their scores, likewise, beside that of their words and divided by the squared
    score. They are None if there are not two models, or three categories. The second model is `assumed` if
    there is one, if they are right on the same words, or if files do not say on which ones they are.
    """

    models: tuple[Variation, Variation]
    assumed: bool
    most: float  # the best score that they can reach
    words: int
    categories: int
    changes: tuple[float, float, float] | None

    @property
    def value(self) -> float:
        """The score of the worse one."""
        return min(each.value for each in self.models)

    def over_words(self, times: float) -> float | None:
        """The smallest difference that a test over words finds in four of five cases.

        It is t·s + t'·σ (Cohen 1988), with s the standard error of the test, σ the true one, of which the
        jackknife is the best estimate, and quantiles of Student's t. As scores vary more the nearer they are
        to 1/2, it is found numerically. It is None if no model can be so much better.
        """

        def missing(change: float) -> float:
            found, true = self._spread(change, times), self._spread(change, times, by_jackknife=True)
            return change - _needed(found.degrees, math.sqrt(found.variance), math.sqrt(true.variance))

        return _where_zero(missing, 0.0, self.most - self.value)

    def over_categories(self, times: float) -> float | None:
        """The same of a test over categories.

        Categories vary in how much better a model is on them as they vary in their scores. It is None also if
        it is not known how differences vary, or below six categories.
        """
        if self.changes is None or self.categories * times < LEAST_CATEGORIES - 1e-9:
            return None
        variance, number, relative = self.changes
        pilot = difference_spread(*map(_by_jackknife, self.models)).variance
        if pilot <= 0:  # both are right on the same words
            return None

        def missing(change: float) -> float:
            larger = self._spread(change, 1.0, by_jackknife=True).variance / pilot
            error = math.sqrt((variance * larger + change**2 * relative) / times)
            return change - _needed(number * times - 1, error, error)

        return _where_zero(missing, 0.0, self.most - self.value)

    def _spread(self, change: float, times: float, *, by_jackknife: bool = False) -> Spread:
        """How a difference would vary, with so many times the words."""
        models = zip(self.models, (self.value, self.value + change), strict=True)
        first, second = (_of_size(model, value, times) for model, value in models)
        return difference_spread(*map(_by_jackknife, (first, second)) if by_jackknife else (first, second))


def _needed(degrees: float, of_test: float, true: float) -> float:
    """The difference that is found, from both standard errors."""
    from scipy.special import stdtrit

    found, power = (float(stdtrit(max(degrees, 1.0), p)) for p in ((1 + LEVEL) / 2, POWER))
    return found * of_test + power * true


def _of_size(model: Variation, value: float, times: float) -> Variation:
    """A model of another score, on so many times the words; the effective number of words grows with them."""
    luck = model.luck
    if luck is None:  # its variance does not depend on the score
        return replace(
            model,
            value=value,
            single={name: own / math.sqrt(times) for name, own in model.single.items()},
            degrees=(model.degrees + 1) * times - 1,
            ends=partial(_ends, value, model, times),
        )
    scale = value * (1 - value) / (model.value * (1 - model.value)) / times
    odds = (1 - luck.trust) / luck.trust * times * min(value, 1 - value) / min(model.value, 1 - model.value)
    return replace(
        model,
        value=value,
        single={name: own * math.sqrt(scale) for name, own in model.single.items()},
        degrees=(model.degrees + 1) * times - 1,
        luck=replace(luck, known=luck.known * scale, right=luck.right * scale, trust=1 / (1 + odds)),
    )


def _ends(value: float, model: Variation, times: float, p: float) -> tuple[float, float]:
    """An interval as wide as that of a model, on so many times the words."""
    low, high = model.ends(p)
    half = (high - low) / 2 / math.sqrt(times)
    return value - half, value + half


def _by_jackknife(model: Variation) -> Variation:
    return model if model.luck is None else replace(model, luck=replace(model.luck, trust=0.0))


def _where_zero(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a function that rises is 0, by Brent's method; None if it is not above 0 at the end.

    It is taken for negative where it is not a number, as for less than one degree of freedom.
    """
    from scipy.optimize import brentq

    def defined(argument: float) -> float:
        value = function(argument)
        return -1.0 if math.isnan(value) else value

    if high <= low or not defined(high) >= 0:
        return None
    return low if defined(low) >= 0 else float(brentq(defined, low, high, xtol=1e-12))


def plan(pilots: Scores | Iterable[Scores], difference: float | None = None) -> PlanFile:
    """What the tests of two models can show, on test sets of this size and on larger ones.

    Args:
        pilots: The scores of one or two models like those that will be compared, on each test set; also out
            of files, which say less of how scores vary.
        difference: What is aimed at; half of what can be found now if None.

    Raises:
        ScoreError: These are no scores; or there are more than two models; or no measure is a share that all
            of them have, above 0 and below 1; or the difference is not above 0, or larger than 1.
    """
    if difference is not None and not 0 < difference <= 1:
        raise ScoreError(f"the difference is {difference:g}; scores differ by more than 0, and at most by 1")
    together: dict[tuple[str, str], list[Scores]] = {}
    for each in listed(pilots):
        together.setdefault((each.test_set, each.language), []).append(each)
    most = max(map(len, together.values()), default=0)
    if most > 2:
        raise ScoreError(f"a plan is made from one pilot model or two, and not from {most}; name these")
    found = [each for models in together.values() for each in _plans(models, difference)]
    if not found:
        raise ScoreError("a plan needs pilot models with a score above 0 and below 1, by a measure of shares")
    return PlanFile(plans=tuple(found))


def _plans(pilots: Sequence[Scores], aim: float | None) -> Iterator[Plan]:
    for text in (each.measure for each in pilots[0].measured):
        measure, models = parse_measure(text), [score for own in pilots if (score := own.get(text))]
        above = all(0 < own.value < 1 for own in models)
        if not _is_planned(measure) or len(models) < len(pilots) or not above or _lacks(measure, models):
            continue
        pilot = pilot_of(measure, models)
        aimed = aim or (pilot.over_words(1) or pilot.most - pilot.value) / 2
        words, categories = (
            None
            if aimed > pilot.most - pilot.value
            else _where_zero(_reaches(over, aimed), 1 / _LARGEST, _LARGEST)
            for over in (pilot.over_words, pilot.over_categories)
        )
        yield Plan(
            test_set=pilots[0].test_set,
            language=pilots[0].language,
            measure=text,
            value=pilot.value,
            most=pilot.most,
            models=1 if pilot.assumed else 2,
            correlation=correlation_of(*pilot.models),
            sizes=tuple(_sizes(pilot)),
            difference=aimed,
            words=None if words is None else math.ceil(pilot.words * words),
            categories=None if categories is None else math.ceil(pilot.categories * categories),
        )


def _is_planned(measure: Measure) -> bool:
    """Whether a score is a share, or that of a measure that asks known words alone; no correlation."""
    return measure.lowest >= 0 or measure.known_only


def _lacks(measure: Measure, models: Sequence[Score]) -> bool:
    """Whether files do not say how scores vary, of a measure for which there is no model of luck."""
    parts = (each for own in models for each in own.subscores if each.value is not None)
    return measure.known_only and any(each.observations is None for each in parts)


def _reaches(smallest: Callable[[float], float | None], aim: float) -> Callable[[float], float]:
    def reached(times: float) -> float:
        found = smallest(times)
        return -1.0 if found is None else aim - found

    return reached


def _sizes(pilot: Pilot) -> Iterator[PlannedSize]:
    """As it is, and with more words in more categories."""
    for times in (1.0, 1.5, 2.0, 3.0, 4.0, 8.0):
        words, categories = round(pilot.words * times), round(pilot.categories * times)
        yield PlannedSize(words, categories, pilot.over_words(times), pilot.over_categories(times))


def pilot_of(measure: Measure, scores: Sequence[Score]) -> Pilot:
    """How one or two models vary, on the subscores that all of them have."""
    values = [{each.name: each for each in own.subscores if each.value is not None} for own in scores]
    names = [name for name in values[0] if all(name in own for own in values)]
    parts = [[_with_observations(own[name]) for name in names] for own in values]
    parts.sort(key=lambda own: weighted_mean(own, "value") or 0.0)
    models = [variation(measure, own) for own in parts]
    stored = any(each.observations is None for own in values for each in own.values())
    if stored:
        models = [_by_luck(each) for each in models]
    if assumed := stored or models[0].single == models[-1].single:
        models[1:] = [_another(models[-1])]
    changes = None
    if len(parts) == 2:
        apart = [
            structs.replace(new, value=(new.value or 0.0) - (old.value or 0.0))
            for old, new in zip(*parts, strict=True)
        ]
        found, own_spread = (category_spread(own, LEAST_OBSERVATIONS) for own in (apart, parts[-1]))
        if found is not None and own_spread is not None and found[2].variance > 0:
            of_words = math.fsum(own * own for own in models[-1].single.values())
            relative = max(own_spread[2].variance - of_words, 0.0) / own_spread[0] ** 2
            changes = found[2].variance, found[1], relative
    most = weighted_mean(parts[-1], "ceiling") or 1.0
    words = len({name for each in parts[0] for name in (each.observations or Observations()).influences})
    return Pilot((models[0], models[1]), assumed, most, words, len(names), changes)


def _another(model: Variation) -> Variation:
    """A second model that is right on the same words with a correlation of `CORRELATION`."""
    apart = math.sqrt(1 - CORRELATION**2)
    same = {name: own * CORRELATION for name, own in model.single.items()}
    return replace(model, single=same | {f"{name}, other": own * apart for name, own in model.single.items()})


def _with_observations(subscore: Subscore) -> Subscore:
    """A subscore out of a file, which does not say what it owes to each word: as much to each known one."""
    if subscore.observations is not None:
        return subscore
    names, known = [f"{subscore.name} {number}" for number in range(subscore.n or 0)], subscore.known or 0
    influences = {name: float(number < known) for number, name in enumerate(names)}
    return structs.replace(subscore, observations=Observations(influences, tuple(names[known:])))


def _by_luck(model: Variation) -> Variation:
    """A model whose words owe it as much as the model of luck says."""
    squares = math.fsum(own * own for own in model.single.values())
    scale = math.sqrt(model.luck.right / squares) if model.luck and squares else 0.0
    return replace(model, single={name: own * scale for name, own in model.single.items()})


def scores_of(coverage: Coverage, value: float, measures: Sequence[str] | None = None) -> Scores:
    """The scores that a model would have if it did equally well on all words that a vocabulary has."""
    found = []
    for measure in map(parse_measure, measures or ("Topk@3", "OddOneOut@3")):
        if measure.scores != "categories":
            raise ScoreError(
                f"{measure}: coverage does not say how it varies; give vectors of a model, with --test"
            )
        parts = [each for each in coverage.parts if each.kind == "category" and each.words >= LEAST_WORDS]
        best = [float(measure.best(np.array([each.found]), each.words)[0]) for each in parts]
        most = fmean(best) if best else 0.0
        if not 0 < value < most:
            raise ScoreError(
                f"{coverage.test_set}: with these known words, {measure} is above 0 and below {most:.4f}; "
                "name the --score that you expect, of one --measure"
            )
        subscores = tuple(
            Subscore(name=each.name, value=value * own / most, n=each.words, known=each.found, ceiling=own)
            for each, own in zip(parts, best, strict=True)
        )
        found.append(Score(measure=str(measure), value=value, signature=str(measure), subscores=subscores))
    model, test_set = coverage.vocabulary, coverage.test_set
    return Scores(model=model, test_set=test_set, language=coverage.language, scores=tuple(found))
