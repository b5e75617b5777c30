"""Scores of vectors on a test set: one for each measure, with its subscores, interval and signature."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from msgspec.structs import replace

from evaluator.errors import EvaluatorError
from evaluator.measures import Measure, Subscore, parse_measure
from evaluator.results.base import Estimate
from evaluator.results.figures.forest import Mark, forest_axes
from evaluator.results.notebook import html_table, latex_of, shown, shown_interval
from evaluator.results.scores import Failure, ScoreRecord, ScoresRecord, SubscoreRecord
from evaluator.settings import Settings
from evaluator.statistics.combined import combined, combined_of, of_same_categories
from evaluator.statistics.inference import (
    LEAST_OBSERVATIONS,
    Influences,
    category_spread,
    influences,
    interval,
    with_seeds,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_NUMBERS = ("value", "low", "high", "chance", "baseline")
COLUMNS = ("model", "language", "test_set", "measure", "part", "title", *_NUMBERS, "n", "known", "reason")
"""The columns of `Scores.frame`."""


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """The score of vectors on a test set by one measure.

    Attributes:
        measure: The measure.
        settings: Of the run.
        vectors: The name of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        sha256: Of the test set's file.
        subscores: The score on each category, section, list of pairs or group, in the order of the test set.
        common: The digest of the words that were scored, if these are the ones that several models know.
        seeds: The value of each training run, if subscores are means over several.
        candidates: Where the words of the vocabulary are from, if the model has none of its own.
        alignment: How two sets of vectors were aligned, for a measure of two.
    """

    measure: Measure
    settings: Settings
    vectors: str
    test_set: str
    language: str
    sha256: str
    subscores: tuple[Subscore, ...]
    common: str | None = None
    seeds: tuple[float, ...] = ()
    candidates: str = ""
    alignment: Mapping[str, str] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The mean of the subscores that have a value, weighted if `Settings.levels` says so."""
        scored = [each for each in self.subscores if each.value is not None]
        weights = math.fsum(each.weight for each in scored)
        return math.fsum(each.weight * (each.value or 0.0) for each in scored) / weights

    @property
    def chance(self) -> float | None:
        """The chance level: the mean of those of the subscores; None if one is not known."""
        return mean_chance(self.subscores)

    @cached_property
    def influences(self) -> Influences:
        """The value, and how much it owes to each item of the test set."""
        return influences(self.subscores)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of `value` for other words of the same categories, and other seeds."""
        spread = with_seeds(self.influences.spread, self.seeds)
        return interval(self.value, spread, self.measure.lowest)

    @cached_property
    def category_interval(self) -> tuple[float, float] | None:
        """The same for other categories like these; None below six categories that share nothing."""
        spread = category_spread(self.subscores)
        if spread is None:
            return None
        return interval(self.value, with_seeds(spread, self.seeds), self.measure.lowest)

    def subscore_interval(self, subscore: Subscore) -> tuple[float, float] | None:
        """The same as `interval` for one subscore; None if it was skipped, or has too few observations."""
        if subscore.value is None or len(subscore.observations) < LEAST_OBSERVATIONS:
            return None
        return interval(subscore.value, influences([subscore]).spread, self.measure.lowest)

    @property
    def hits(self) -> int | None:
        """The sum of the numerators of all subscores; None if the score is not a share."""
        return self._sum("hits")

    @property
    def trials(self) -> int | None:
        """The sum of the denominators; None if the score is not a share."""
        return self._sum("trials")

    @property
    def signature(self) -> str:
        """All that is needed to get the score again from the same vectors."""
        fields = {
            **self.settings.signature,
            "seed": str(self.settings.seed) if self.measure.draws else None,
            "common": self.common,
            "vocabulary-from": self.candidates or None,
            **self.alignment,
            "test": f"{self.test_set}#{self.sha256[:12]}",
            "version": version("testgen-evaluator"),
        }
        return "|".join([str(self.measure), *(f"{k}:{v}" for k, v in fields.items() if v is not None)])

    def __repr__(self) -> str:
        """In one line."""
        low, high = self.interval
        return (
            f"<{self.measure} of {self.vectors} on {self.test_set}: {shown(self.value)} "
            f"({shown_interval((low, high))}), chance {shown(self.chance)}>"
        )

    def record(self) -> ScoreRecord:
        """What the result file holds."""
        (low, high), across = self.interval, self.category_interval
        return ScoreRecord(
            measure=str(self.measure),
            value=self.value,
            low=low,
            high=high,
            categories_low=None if across is None else across[0],
            categories_high=None if across is None else across[1],
            chance=self.chance,
            hits=self.hits,
            trials=self.trials,
            unit=self.measure.counted,
            signature=self.signature,
            seeds=self.seeds,
            subscores=tuple(self._subscore_record(each) for each in self.subscores),
        )

    def _sum(self, attribute: str) -> int | None:
        counts = [getattr(each, attribute) for each in self.subscores]
        known = [count for count in counts if count is not None]
        return sum(known) if known else None

    def _subscore_record(self, subscore: Subscore) -> SubscoreRecord:
        low, high = self.subscore_interval(subscore) or (None, None)
        return SubscoreRecord(
            name=subscore.name,
            title=subscore.title if subscore.title != subscore.name and subscore.title else UNSET,
            size=subscore.size,
            oov=subscore.oov,
            value=subscore.value,
            low=low,
            high=high,
            chance=subscore.chance,
            ceiling=subscore.ceiling,
            hits=subscore.hits,
            trials=subscore.trials,
            skipped=subscore.skipped,
            error=subscore.error or UNSET,
            extra=subscore.extra or UNSET,
        )


def mean_chance(subscores: Iterable[Subscore]) -> float | None:
    """The weighted mean of the chance levels of what is scored; None if one is not known."""
    levels = [(each.weight, each.chance) for each in subscores if each.value is not None]
    if any(level is None for _, level in levels):
        return None
    return float(
        math.fsum(weight * (level or 0.0) for weight, level in levels)
        / math.fsum(weight for weight, _ in levels)
    )


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, Score]):
    """The scores of vectors on one test set, by the texts of the measures.

    Attributes:
        scores: One for each measure that could be scored; at least one.
        shape: v and d of the vectors, as they were scored.
        words: How many different test words have a vector, and how many there are.
        multiword: How many different test words consist of several words, and how many were looked up.
        failures: Why there is no score, by the texts of the other measures.
        known: The scores on the words that have a vector alone, if `score` was asked for context.
        frequency: The scores of a model that knows only how frequent words are, likewise.
    """

    scores: tuple[Score, ...]
    shape: tuple[int, int]
    words: tuple[int, int] = (0, 0)
    multiword: tuple[int, int] = (0, 0)
    failures: Mapping[str, str] = field(default_factory=dict)
    known: Scores | None = None
    frequency: Scores | None = None

    def __getitem__(self, measure: str) -> Score:
        """The score of a measure, by its text; known measures may be spelled freely, as `Topk @ 3`."""
        if measure in self._by_text:
            return self._by_text[measure]
        try:
            return self._by_text[str(parse_measure(measure))]
        except EvaluatorError as error:
            raise KeyError(measure) from error

    def __iter__(self) -> Iterator[str]:
        """The texts of the measures."""
        return iter(self._by_text)

    def __len__(self) -> int:
        """How many measures there are."""
        return len(self.scores)

    @cached_property
    def _by_text(self) -> dict[str, Score]:
        return {str(score.measure): score for score in self.scores}

    @cached_property
    def _topk_and_oddoneout(self) -> tuple[Score, Score] | None:
        found = {type(score.measure).__name__: score for score in reversed(self.scores)}
        if not {"Topk", "OddOneOut"} <= found.keys():
            return None
        both = found["Topk"], found["OddOneOut"]
        return both if all(of_same_categories(*(each.subscores for each in both))) else None

    @property
    def combined(self) -> float | None:
        """The harmonic mean of the first Topk and the first OddOneOut score; None if one is missing."""
        found = self.combined_estimate
        return None if found is None else found.value

    @cached_property
    def combined_estimate(self) -> Estimate | None:
        """`combined`, with its interval and chance level."""
        return self._of_both(combined)

    @cached_property
    def above_chance(self) -> Estimate | None:
        """The mean of both, each as the share (s-c)/(1-c) of the way from its chance level c to 1.

        Unlike `combined` it does not follow the lower of the two, and its chance level is 0.
        """
        levels = [each or 0.0 for each in self._levels]

        def corrected(*scores: float) -> float:
            return sum((s - c) / (1 - c) for s, c in zip(scores, levels, strict=True)) / len(scores)

        return self._of_both(corrected)

    @property
    def _levels(self) -> list[float | None]:
        """The chance levels of Topk and OddOneOut on the categories that both score, if there are any."""
        if self._topk_and_oddoneout is None:
            return []
        both = of_same_categories(*(each.subscores for each in self._topk_and_oddoneout))
        return [mean_chance(each) for each in both]

    def _of_both(self, function: Callable[..., float]) -> Estimate | None:
        """A function of Topk and OddOneOut, with its interval for other words of the same categories."""
        both = self._topk_and_oddoneout
        if both is None:
            return None
        found = combined_of(*(each.subscores for each in both), function=function)
        seeds = [function(*values) for values in zip(*(each.seeds for each in both), strict=True)]
        lowest = function(0.0, 0.0) if function is not combined else 0.0
        spread = with_seeds(found.spread, seeds).scaled(1 / (1 - lowest))
        low, high = interval((found.value - lowest) / (1 - lowest), spread)
        levels = self._levels
        return Estimate(
            found.value,
            lowest + low * (1 - lowest),
            lowest + high * (1 - lowest),
            None if None in levels else function(*levels),
        )

    def frame(self) -> pd.DataFrame:
        """A table: a row for each measure, whose part is `all`, for each subscore, and for Combined.

        Columns are model, language, test_set, measure, part, title (of the part, for people), value, low,
        high (the 95% interval), chance, baseline (what a model scores that knows only how frequent words are,
        if `score` was asked for context), n (words, questions, pairs or texts), known (those that have a
        vector), and reason, which stands in place of a value where there is none.
        """
        import pandas as pd

        first = self.scores[0]
        which = first.vectors, first.language, first.test_set
        frame = pd.DataFrame([(*which, *row) for row in self._table()], columns=list(COLUMNS))
        return frame.astype(dict.fromkeys(_NUMBERS, float) | {"n": "Int64", "known": "Int64"})

    def _table(self) -> list[tuple[Any, ...]]:
        """The rows of `frame`, from the measure on."""
        rows = [row for text, score in self._by_text.items() for row in self._rows(text, score)]
        rows += self._combined_row()
        return rows + [(text, "all", "all", *[None] * 7, reason) for text, reason in self.failures.items()]

    def _rows(self, text: str, score: Score) -> Iterator[tuple[object, ...]]:
        baseline = None if self.frequency is None else self.frequency._by_text.get(text)
        levels = {} if baseline is None else {each.name: each.value for each in baseline.subscores}
        level = baseline and baseline.value
        yield text, "all", "all", score.value, *score.interval, score.chance, level, *_counts(score), None
        for each in score.subscores:
            ends = score.subscore_interval(each) or (None, None)
            counted = each.size, each.size - each.oov
            yield (
                text,
                each.name,
                each.heading,
                each.value,
                *ends,
                each.chance,
                levels.get(each.name),
                *counted,
                each.skipped,
            )

    def _combined_row(self) -> list[tuple[object, ...]]:
        both = self.combined_estimate
        if both is None or self._topk_and_oddoneout is None:
            return []
        level = self.frequency and self.frequency.combined
        counts = _counts(self._topk_and_oddoneout[0])
        return [
            ("Combined", "all", "all", both.value, both.low, both.high, both.chance, level, *counts, None)
        ]

    def __repr__(self) -> str:
        """One line for each measure."""
        lines = [repr(score) for score in self.scores]
        both = self.combined_estimate
        if both is not None:
            lines.append(f"<Combined: {shown(both.value)} ({shown_interval((both.low, both.high))})>")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: a row for each measure and subscore."""
        first = self.scores[0]
        rows = [row for text, score in self._by_text.items() for row in _html_rows(text, score)]
        for name, both in (("Combined", self.combined_estimate), ("above chance", self.above_chance)):
            if both is not None:
                ends = shown_interval((both.low, both.high))
                rows.append((name, "all", "", "", shown(both.value), ends, shown(both.chance)))
        caption = f"{first.vectors} on {first.test_set} ({first.language})"
        columns = ("measure", "subscore", first.measure.counted, "OOV", "score", "95% interval", "chance")
        return html_table(caption, columns, rows, [score.signature for score in self.scores])

    def plot(self, axes: Axes | None = None, measures: Iterable[str] | None = None) -> Axes:
        """A forest plot: a row for each category, with chance level and frequency baseline.

        For print, `evaluator score --figure` writes fonts that journals accept.

        Args:
            axes: matplotlib's axes to draw into; those of a new figure if None.
            measures: The texts of the measures to draw, and `Combined`; all if None.

        Raises:
            ExtraError: matplotlib is not installed.
            ScoreError: There are no such scores, or more than can be told apart.
        """
        return forest_axes(self.marks(measures), axes)

    def marks(self, measures: Iterable[str] | None = None, model: str = "") -> list[Mark]:
        """What a forest plot shows, the mean over all in the last row.

        Args:
            measures: The texts of the measures to draw, and `Combined`; all if None.
            model: What the names of series begin with, if there are several models.
        """
        wanted = None if measures is None else set(measures)
        found = [
            Mark("" if part == "all" else title, f"{model}{measure}", value, *others)
            for measure, part, title, value, *others, _n, _known, _reason in self._table()
            if value is not None and (wanted is None or measure in wanted)
        ]
        return sorted(found, key=lambda mark: not mark.row)

    def latex(self, part: str | None = None) -> str:
        """A table for LaTeX, with the interval; it needs the package booktabs.

        Args:
            part: Which rows of `frame()` it has, such as `all`; None for those of all parts.
        """
        frame = self.frame()
        return latex_of(frame if part is None else frame[frame["part"] == part])

    def record(self) -> ScoresRecord:
        """What the result file holds."""
        first = self.scores[0]
        return ScoresRecord(
            vectors=first.vectors,
            vocabulary=self.shape[0],
            dimension=self.shape[1],
            test_set=first.test_set,
            language=first.language,
            sha256=first.sha256,
            known_words=self.words[0],
            words=self.words[1],
            combined=self.combined_estimate,
            above_chance=self.above_chance,
            combined_frequency=_value(self.frequency.combined_estimate if self.frequency else None),
            above_chance_frequency=_value(self.frequency.above_chance if self.frequency else None),
            multiword=dict(zip(("several", "words"), self.multiword, strict=True)),
            scores=tuple(self._score_record(score) for score in self.scores),
            known=() if self.known is None else tuple(map(self.known._without_subscores, self.known.scores)),
            failures=tuple(Failure(measure, reason) for measure, reason in self.failures.items()),
        )

    def _score_record(self, score: Score) -> ScoreRecord:
        return replace(score.record(), frequency=self.frequency_level(str(score.measure)))

    def _without_subscores(self, score: Score) -> ScoreRecord:
        return replace(self._score_record(score), subscores=())

    def frequency_level(self, measure: str) -> float | None:
        """The score of the model that knows only how frequent words are; None if it has none."""
        found = None if self.frequency is None else self.frequency._by_text.get(measure)
        return None if found is None else found.value


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _counts(score: Score) -> tuple[int, int]:
    """How many words, questions, pairs or texts a score stands on, and how many of them have a vector."""
    size = sum(each.size for each in score.subscores)
    return size, size - sum(each.oov for each in score.subscores)


def _html_rows(text: str, score: Score) -> Iterator[tuple[str, ...]]:
    """The score first, because of many subscores not all are shown."""
    counts = [str(sum(getattr(each, name) for each in score.subscores)) for name in ("size", "oov")]
    yield text, "all", *counts, shown(score.value), shown_interval(score.interval), shown(score.chance)
    for each in score.subscores:
        span = shown_interval(score.subscore_interval(each))
        yield text, each.heading, str(each.size), str(each.oov), shown(each.value), span, shown(each.chance)
