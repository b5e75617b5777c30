"""The result of a learning curve: scores by size with intervals, onsets, and ratios of onsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from msgspec import UNSET

from evaluator.measures import parse_measure
from evaluator.results.base import Estimate
from evaluator.results.curve import CategoryScores, CurveFile, Ratio, SizeScore, SizeVocabulary
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.inference import Influences, interval, spread_over_seeds
from evaluator.studies.curves.points import Point, PointSubscore
from evaluator.studies.curves.test_sets import CurveTestSets

if TYPE_CHECKING:
    import pandas as pd


SHARE = 0.1
"""The share of its final value at which a measure is seen to rise."""


DEFINITIONS: Mapping[str, str] = {
    "above chance": "the lower end of the 95% interval is above chance",
    "above baseline": "the lower end of the 95% interval is above chance and the frequency baseline",
    "tenth above chance": "the score less chance is a tenth of what it is at the largest size, or more",
    "tenth of score": "the score is a tenth of what it is at the largest size, or more",
}
"""What must be true at a size, and at all larger sizes, for it to be an onset.

A tenth of a score that is not above chance at the largest size is a tenth of nothing: there is no onset.
"""

ONE_SEED = "intervals do not contain how scores differ between training runs; --seeds 3 adds that"


def onsets(scores: Sequence[SizeScore]) -> dict[str, int | None]:
    """The onset of a measure by each definition, in tokens; None if there is none.

    Args:
        scores: By size, the smallest first.
    """
    last, values = scores[-1], [each.value or 0.0 for each in scores]
    above = [value - (each.chance or 0.0) for value, each in zip(values, scores, strict=True)]
    rose = last.above_chance
    reached = {
        "above chance": [each.above_chance for each in scores],
        "above baseline": [each.above_baseline for each in scores],
        "tenth above chance": [rose and each >= SHARE * above[-1] for each in above],
        "tenth of score": [rose and each >= SHARE * values[-1] for each in values],
    }
    sizes = [each.size for each in scores]
    return {name: first_lasting(sizes, reached[name]) for name in DEFINITIONS}


def first_lasting(sizes: Sequence[int], reached: Sequence[bool]) -> int | None:
    """The first size at which something is true that is also true at all larger sizes."""
    found = None
    for size, holds in zip(reversed(sizes), reversed(reached), strict=True):
        if not holds:
            break
        found = size
    return found


def ratio(definition: str, measure: str, over: str, found: Mapping[str, int | None]) -> Ratio:
    """The ratio of two onsets; there is none if one of them was not reached.

    Args:
        definition: The definition of both.
        measure: The measure of analogies.
        over: The measure of categories.
        found: The onset of each measure.
    """
    above, below = found[measure], found[over]
    return Ratio(definition, measure, over, None if above is None or below is None else above / below)


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """The scores of models of all sizes.

    Attributes:
        corpus: The name of the corpus.
        tokens: The number of its tokens.
        tests: The test sets.
        parameters: The hyper-parameters of all models.
        settings: For the scores.
        measures: The texts of the measures.
        points: All models, by size and then by seed.
        lost: Models whose worker process died, and measures that the test sets have nothing for.
        training: What the words of the corpus are, and what trained the models if not gensim.
        remarks: Further notes.
    """

    corpus: str
    tokens: int
    tests: CurveTestSets
    parameters: Hyperparameters
    settings: Settings
    measures: tuple[str, ...]
    points: Sequence[Point]
    lost: Sequence[str] = ()
    training: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    @property
    def sizes(self) -> list[int]:
        """In tokens, the smallest first."""
        return list(dict.fromkeys(point.size for point in self.points))

    def at(self, size: int) -> list[Point]:
        """The points of one size, by seed."""
        return [point for point in self.points if point.size == size]

    @cached_property
    def curves(self) -> dict[str, list[SizeScore]]:
        """The scores of each measure by size."""
        sizes = self.sizes
        return {name: [self._size_score(name, size) for size in sizes] for name in self.measures}

    @cached_property
    def onsets(self) -> dict[str, dict[str, int | None]]:
        """The onset of each measure by definition, in tokens."""
        return {measure: onsets(levels) for measure, levels in self.curves.items()}

    @property
    def ratios(self) -> list[Ratio]:
        """The onset of each measure of analogies divided by that of each measure of categories."""
        kinds = {measure: parse_measure(measure).scores for measure in self.measures}
        pairs = [(a, b) for a in kinds for b in kinds if (kinds[a], kinds[b]) == ("sections", "categories")]
        return [
            ratio(name, a, b, {each: self.onsets[each][name] for each in (a, b)})
            for name in DEFINITIONS
            for a, b in pairs
        ]

    @property
    def categories(self) -> list[CategoryScores]:
        """The categories at the largest size, in the order of the test set."""
        points = self.at(self.sizes[-1])
        by_name = {measure: _by_name(points, measure) for measure in self.measures}
        found: list[CategoryScores] = []
        for category in self.tests.categories.categories:
            section = self.tests.origin.get(category.name)
            names = {"categories": category.name, "sections": section}
            own = {
                measure: by_name[measure][name]
                for measure in self.measures
                if (name := names[parse_measure(measure).scores]) in by_name[measure] and name is not None
            }
            title = category.title if category.title != category.name else UNSET
            values = {measure: each.value for measure, each in own.items()}
            spans = {
                measure: (each.low, each.high)
                for measure, each in own.items()
                if each.low is not None and each.high is not None
            }
            chances = {measure: each.chance for measure, each in own.items() if each.chance is not None}
            found.append(CategoryScores(category.name, section, values, title, spans, chances))
        return found

    @property
    def notes(self) -> list[str]:
        """Remarks for the user."""
        notes = [
            f"{size:,} tokens: {len(failed)} of {len(points)} models could not be trained: {failed[0].reason}"
            for size in self.sizes
            if (points := self.at(size)) and (failed := [point for point in points if point.reason])
        ]
        first = self.sizes[0]
        notes += [
            f"{measure}: {name} at the smallest size already; its onset may be smaller still"
            for measure, found in self.onsets.items()
            for name, size in found.items()
            if size == first
        ]
        return [*notes, *self._seed_notes, *self.remarks]

    @property
    def failed(self) -> list[str]:
        """What could not be trained, and measures that score no model of the largest size, with reasons."""
        points = self.at(self.sizes[-1])
        scores = {measure: [point.scores[measure] for point in points] for measure in self.measures}
        return [*self.lost] + [
            f"{measure}: nothing was scored, not even at {self.sizes[-1]:,} tokens: {own[0].reason}"
            for measure, own in scores.items()
            if all(each.value is None for each in own)
        ]

    @property
    def _seed_notes(self) -> list[str]:
        """What a single seed leaves out: onsets that a narrower interval alone may explain."""
        pairs = list(pairwise(self.sizes))
        if all(len(self.at(size)) == 1 for size in self.sizes):
            return [f"one seed at each size: {ONE_SEED}"]
        fewer = {size for before, size in pairs if len(self.at(before)) > len(self.at(size)) == 1}
        return [
            f"{measure}: {name} at {size:,} tokens, where the interval of one seed is over the test "
            "words only; more seeds there (--seeds-up-to) may move the onset"
            for measure, found in self.onsets.items()
            for name, size in found.items()
            if size in fewer and name in ("above chance", "above baseline")
        ]

    def __repr__(self) -> str:
        """In a line."""
        return (
            f"<learning curve of {self.corpus}: {len(self.points)} models of {self.sizes[0]:,} to "
            f"{self.sizes[-1]:,} tokens, {', '.join(self.measures)}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: a row for each size and measure."""
        rows = [
            (
                *(f"{each.size:,}", measure, str(each.seeds), shown(each.value)),
                *(shown_interval((each.low, each.high)), shown(each.chance), shown(each.baseline)),
            )
            for measure, levels in self.curves.items()
            for each in levels
        ]
        columns = ("tokens", "measure", "seeds", "score", "95% interval", "chance", "baseline")
        return html_table(f"{self.corpus}: scores by size", columns, rows, self.notes)

    def frame(self) -> pd.DataFrame:
        """A table with a row for each size, seed and measure.

        The columns are size, seed, vocabulary, measure, value, chance, baseline, and reason, which says why
        there is no score.
        """
        import pandas as pd

        rows = [
            (p.size, p.seed, p.vocabulary, name, each.value, each.chance, each.baseline, each.reason)
            for p in self.points
            for name, each in p.scores.items()
        ]
        names = ["size", "seed", "vocabulary", "measure", "value", "chance", "baseline", "reason"]
        return pd.DataFrame(rows, columns=names)

    def record(self) -> CurveFile:
        """What the result file holds."""
        return CurveFile(
            corpus=self.corpus,
            tokens=self.tokens,
            test_set=self.tests.categories.name,
            analogies=self.tests.analogies.name,
            parameters=self.parameters,
            settings={**self.settings.signature, **self.training},
            sizes=tuple(SizeVocabulary(size, self.vocabulary(size)) for size in self.sizes),
            curves={name: tuple(levels) for name, levels in self.curves.items()},
            definitions=DEFINITIONS,
            onsets=self.onsets,
            ratios=tuple(self.ratios),
            categories=tuple(self.categories),
            failed=tuple(self.failed),
            notes=tuple(self.notes),
        )

    def vocabulary(self, size: int) -> float:
        """The number of words of models of a size, mean over seeds."""
        return float(np.mean([point.vocabulary for point in self.at(size)]))

    def _size_score(self, measure: str, size: int) -> SizeScore:
        scores = [point.scores[measure] for point in self.at(size)]
        if all(each.value is None for each in scores):
            return SizeScore(size, *(None,) * 7, len(scores))
        values, chances, baselines = (
            [getattr(each, what) or 0.0 for each in scores] for what in ("value", "chance", "baseline")
        )
        spread = spread_over_seeds([Influences(each.value or 0.0, each.influences) for each in scores])
        value, chance, baseline = (float(np.mean(each)) for each in (values, chances, baselines))
        low, high = interval(value, spread, parse_measure(measure).lowest)
        return SizeScore(size, value, low, high, min(values), max(values), chance, baseline, len(values))


def _by_name(points: Sequence[Point], measure: str) -> dict[str, Estimate]:
    """The mean over seeds of the score on each category or section; a point without a score counts as 0."""
    found: dict[str, list[PointSubscore]] = {}
    for point in points:
        for each in point.scores[measure].subscores:
            if each.value is not None:
                found.setdefault(each.name, []).append(each)
    return {name: _mean(own, len(points), measure) for name, own in found.items()}


def _mean(scored: Sequence[PointSubscore], seeds: int, measure: str) -> Estimate:
    """The mean over seeds, with its interval; none if a seed has too few words for one."""
    found = [Influences(each.value or 0.0, each.influences) for each in scored]
    found += [Influences(0.0)] * (seeds - len(scored))
    value, levels = float(np.mean([each.value for each in found])), [each.chance for each in scored]
    known = [each for each in levels if each is not None]
    chance = float(np.mean(known)) if known else None
    if not all(each.influences for each in scored):
        return Estimate(value, chance=chance)
    spread = spread_over_seeds(found, left=float(np.mean([each.left for each in scored])))
    return Estimate(value, *interval(value, spread, parse_measure(measure).lowest), chance)
