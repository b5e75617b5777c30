"""A score: what one measure says of a model on a test set, and the verdict on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from evaluator.errors import EvaluatorError
from evaluator.measures import Measure, measure_of
from evaluator.measures.base import Count, ScoreValue, Subscore, refuse_no_number
from evaluator.results.base import Difference, Name
from evaluator.results.numbers import interval, rate, signed

HEADLINE = "Topk@3"
"""The measure of categories to report, and the default to choose by; `docs/evidence/validity.md` says why."""

KEYWORDS = "KeywordRank"
"""The measure of related words, which chooses between models if they know enough of them."""

PAIRS = "PairRank"
"""The measure of related pairs, which is shown beside others."""

COMBINED = "Combined"
ABOVE_CHANCE = "Above chance"

COMPUTED = {
    COMBINED: "The harmonic mean of the first Topk and the first OddOneOut.",
    ABOVE_CHANCE: "The mean of the same, each as the share of the way from its chance level to 1.",
}
"""What is computed from two measures."""

LEAST_KNOWN = 10
"""For fewer known words there is no interval of known words alone; see `Score.too_few`."""

LEAST_SCORED = 3
"""Nor is there one over fewer categories that have any, if the test set has several."""

_KINDS = {"words": "categories", "questions": "sections", "pairs": "pairs", "texts": "texts"}
Words = Literal["all", "known"]
_ROUNDING = 1e-6


@cache
def measure_named(text: str) -> Measure | None:
    """The measure of a score; None if it is not known here, or the score is computed from two others."""
    try:
        return None if text in COMPUTED else measure_of(text)
    except EvaluatorError:
        return None


@cache
def bounds(measure: str) -> tuple[float, float]:
    """The lowest and the highest value of a measure; those that are not known here can have any."""
    if measure in COMPUTED:
        return 0.0 if measure == COMBINED else -math.inf, 1.0
    found = measure_named(measure)
    return (-math.inf, math.inf) if found is None else (found.lowest, 1.0)


def _always(text: str) -> Any:  # noqa: ANN401  # what msgspec takes for a default
    return msgspec.field(default_factory=partial(str, text))


class Score(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one measure says of a model on a test set.

    Attributes:
        measure: The text of the measure; or `Combined`, the harmonic mean of the first Topk and the first
            OddOneOut; or `Above chance`, the mean of both, each as the share of the way from its chance level
            to 1.
        words: Whether `all` words were asked, and those without a vector were misses; or the `known` ones.
        value: The score.
        low: The lower end of the 95% confidence interval for other words of these categories, and for other
            seeds if there are several training runs.
        high: The upper end of the interval.
        categories_low: The lower end of that for other categories like these; null below four topics.
        categories_high: The upper end of that.
        chance: The chance level; null if it is not known.
        baseline: The score of a model that knows only how frequent words are; null if it was not asked for.
        over_baseline: How much better it is than that, with tests; null if it was not tested.
        spelling: The score of a model that knows only the letters of words; null where there is none.
        over_spelling: How much better it is than that, with tests; null if it was not tested.
        n: How many different items were scored, over all categories.
        known: How many of them have a vector.
        hits: What was counted, where the score is a share.
        trials: Out of how many.
        unit: What the size of a subscore counts: words, questions, pairs or texts.
        signature: All that is needed to get the score again from the same vectors.
        seeds: The score of each training run, if the value is the mean over several.
        subscores: The score on each category, section, list of pairs or group.
        of_known: The same on the known words alone; null if all are known.
        with_built: The same where words count as known whose vectors are built from subwords, of which
            nothing is decided; null if none are.
        reason: Why no word is known, if none is.
        verdict: Whether it is shown to be above chance, and above what frequency and spelling of words give,
            in the words of the screen; "" if it was scored without context.
    """

    measure: Name
    words: Words = _always("all")
    value: ScoreValue
    low: ScoreValue | None = None
    high: ScoreValue | None = None
    categories_low: ScoreValue | None = None
    categories_high: ScoreValue | None = None
    chance: ScoreValue | None = None
    baseline: ScoreValue | None = None
    over_baseline: Difference | None = None
    spelling: ScoreValue | None = None
    over_spelling: Difference | None = None
    n: Count | None = None
    known: Count | None = None
    hits: Count | None = None
    trials: Count | None = None
    unit: str = _always("words")
    signature: Name
    seeds: tuple[ScoreValue, ...] = ()
    subscores: tuple[Subscore, ...] = ()
    of_known: Score | None = None
    with_built: Score | None = None
    reason: str = ""
    verdict: str = ""

    def __post_init__(self) -> None:
        refuse_no_number(self, self.measure)
        low, high = bounds(self.measure)
        own: tuple[Score | Subscore, ...] = (self, *self.subscores)
        for each in own:  # 0 is possible of any measure
            for value in filter(None, (each.value, each.baseline, each.spelling, *each.seeds)):
                if value < low - _ROUNDING or value > high + _ROUNDING:
                    raise ValueError(f"value: {value:g} is impossible; {self.measure} is {low:g} to {high:g}")

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval for other words, and other seeds; None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def above_chance(self) -> bool:
        """Whether the whole interval is above the chance level."""
        return self.low is not None and self.low > (self.chance or 0.0)

    @property
    def baselines(self) -> dict[str, tuple[float, Difference | None]]:
        """The baselines other than chance that there are, and how much better it is than each."""
        every = {
            "frequency": (self.baseline, self.over_baseline),
            "spelling": (self.spelling, self.over_spelling),
        }
        return {name: (level, tested) for name, (level, tested) in every.items() if level is not None}

    @property
    def lift(self) -> float:
        """What it is above the highest of chance and the baselines."""
        levels = (level for level, _ in self.baselines.values())
        return self.value - max(self.chance or 0.0, *levels, 0.0)

    @property
    def is_baseline(self) -> bool:
        """Whether it is that of a baseline, as translations by spelling are: it says nothing of a model."""
        tests = (tested for _, tested in self.baselines.values())
        return self.above_chance and any(tested is not None and tested.is_none for tested in tests)

    @property
    def lacking(self) -> tuple[str, ...]:
        """What it is not shown to be above, on these categories: chance, frequency, spelling.

        Of a baseline this is a paired test over words, of chance the interval.
        """
        return (*(() if self.above_chance else ("chance",)), *self.not_above(of_words=True))

    def not_above(self, *, of_words: bool) -> Iterator[str]:
        """The baselines that it is not shown to be above, for other words, or for other categories.

        Without a test, the interval decides for other words; of other categories it says nothing.
        """
        for name, (level, tested) in self.baselines.items():
            if tested is None:
                above = of_words and self.low is not None and self.low > level
            else:
                above = tested.shows(tested.of_words if of_words else tested.of_categories)
            if not above:
                yield name

    @property
    def paired_tests(self) -> list[str]:
        """How much better it is than each baseline, by the paired test over words that its verdict tells."""
        return [
            f"{signed(tested.value)} ({interval(tested.of_words.low, tested.of_words.high, '+')}) over {name}"
            for name, (_, tested) in self.baselines.items()
            if tested is not None and not tested.is_none
        ]

    @property
    def too_few(self) -> str:
        """What there is too little of for an interval, and how much is needed; "" if there is an interval."""
        if self.low is not None:
            return ""
        found = [each.n or 0 for each in self.subscores if each.value is not None]
        if not found:
            return "too few known words or categories"
        if len(found) < LEAST_SCORED:
            kinds = "lists" if self.unit == "pairs" else _KINDS.get(self.unit, self.unit)
            return f"too few {kinds} ({len(found)} of the {LEAST_SCORED} that are needed)"
        items = "words" if self.unit == "words" else "items"
        return f"too few known {items} ({sum(found)} of the {LEAST_KNOWN} that are needed)"

    @property
    def answered(self) -> int:
        """How many words, questions or pairs of it are known, over all categories."""
        return sum(each.size - each.oov for each in self.subscores if each.value is not None)

    @property
    def is_contender(self) -> bool:
        """Whether it is shown to be above all of them; only such a score says which model is better."""
        return not self.lacking

    @property
    def category_interval(self) -> tuple[float, float] | None:
        """The same for other categories like these; None below four topics that share nothing."""
        low, high = self.categories_low, self.categories_high
        return None if low is None or high is None else (low, high)

    def __repr__(self) -> str:
        span = interval(self.low, self.high)
        why = f", {self.reason}" if self.reason else ""
        return f"<{self.measure}: {rate(self.value)} ({span}), chance {rate(self.chance)}{why}>"

    def without_observations(self) -> Score:
        """The same without what further tests and means are computed from."""
        return replace(
            self,
            subscores=tuple(replace(each, observations=None) for each in self.subscores),
            of_known=self.of_known and self.of_known.without_observations(),
            with_built=self.with_built and self.with_built.without_observations(),
        )


def verdict_of(score: Score) -> str:
    """Whether a score is above chance, and above what frequency and spelling of words give."""
    if score.low is None:
        return score.too_few
    if lacking := score.lacking:
        return f"not shown to be above {' or '.join(lacking[:1] if lacking[0] == 'chance' else lacking)}"
    if not score.baselines:
        return "above chance"
    kinds, least = _KINDS.get(score.unit, score.unit), score.categories_low
    others = least is not None and least > (score.chance or 0.0) and not [*score.not_above(of_words=False)]
    which = f"also for other {kinds} like these" if others else f"on these {kinds}"
    return f"above {' and '.join(score.baselines)}, {which}"


class Failure(msgspec.Struct, frozen=True):
    """A measure that could not be scored.

    Attributes:
        measure: The text of the measure.
        reason: Why there is no score.
    """

    measure: Name
    reason: str
