"""The result of a learning curve: scores by size with intervals, onsets, and ratios of onsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.measures import parse_measure
from evaluator.results.curve import CategoryScores, CurveFile, Ratio, SizeScore, SizeVocabulary
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.resampling import RESAMPLES, interval, mean_replicates
from evaluator.studies.curves.points import Point, PointScore
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
"""What must be true at a size, and at all larger sizes, for it to be an onset."""


def onsets(scores: Sequence[SizeScore]) -> dict[str, int | None]:
    """The onset of a measure by each definition, in tokens; None if there is none.

    Args:
        scores: By size, the smallest first.
    """
    last = scores[-1]
    gained = last.value - last.chance
    reached = {
        "above chance": [each.low > each.chance for each in scores],
        "above baseline": [each.low > max(each.chance, each.baseline) for each in scores],
        "tenth above chance": [gained > 0 and each.value - each.chance >= SHARE * gained for each in scores],
        "tenth of score": [last.value > 0 and each.value >= SHARE * last.value for each in scores],
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


def ratio(definition: str, measure: str, over: str, found: Mapping[str, int | None], largest: int) -> Ratio:
    """The ratio of two onsets.

    Args:
        definition: The definition of both.
        measure: The measure of analogies.
        over: The measure of categories.
        found: The onset of each measure.
        largest: The largest size of the curve.
    """
    above, below = found[measure], found[over]
    value = None if below is None else (largest if above is None else above) / below
    return Ratio(definition, measure, over, value, bound=above is None and below is not None)


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
    """

    corpus: str
    tokens: int
    tests: CurveTestSets
    parameters: Hyperparameters
    settings: Settings
    measures: tuple[str, ...]
    points: Sequence[Point]

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
            ratio(name, a, b, {each: self.onsets[each][name] for each in (a, b)}, self.sizes[-1])
            for name in DEFINITIONS
            for a, b in pairs
        ]

    @property
    def categories(self) -> list[CategoryScores]:
        """The categories at the largest size, in the order of the test set."""
        points = self.at(self.sizes[-1])
        by_name = {measure: _by_name(points, measure) for measure in self.measures}
        found = []
        for category in self.tests.categories.categories:
            section = self.tests.origin.get(category.name)
            names = {"categories": category.name, "sections": section}
            values = {
                measure: by_name[measure].get(name, 0.0)
                for measure in self.measures
                if (name := names[parse_measure(measure).scores]) is not None
            }
            found.append(CategoryScores(category.name, section, values))
        return found

    @property
    def notes(self) -> list[str]:
        """Remarks for the user."""
        notes = [
            f"{size:,} tokens: {len(failed)} of {len(points)} models could not be trained and count as 0: "
            f"{failed[0].reason}"
            for size in self.sizes
            if (points := self.at(size)) and (failed := [point for point in points if point.reason])
        ]
        notes += [
            f"{measure}: nothing was scored, not even at {self.sizes[-1]:,} tokens: {reason}"
            for measure in self.measures
            if (reason := self._reason(measure)) is not None
        ]
        first = self.sizes[0]
        notes += [
            f"{measure}: {name} at the smallest size already; its onset may be smaller still"
            for measure, found in self.onsets.items()
            for name, size in found.items()
            if size == first
        ]
        return notes + self._seed_notes

    def _reason(self, measure: str) -> str | None:
        """Why a measure scored no model of the largest size; None if it did, or none could be trained."""
        points = self.at(self.sizes[-1])
        reasons = [point.scores[measure].reason for point in points if not point.reason]
        return reasons[0] if all(reasons) and reasons else None

    @property
    def _seed_notes(self) -> list[str]:
        """Onsets that a narrower interval alone may explain."""
        pairs = list(pairwise(self.sizes))
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
            settings=self.settings.signature,
            sizes=tuple(SizeVocabulary(size, self.vocabulary(size)) for size in self.sizes),
            curves={name: tuple(levels) for name, levels in self.curves.items()},
            definitions=DEFINITIONS,
            onsets=self.onsets,
            ratios=tuple(self.ratios),
            categories=tuple(self.categories),
            notes=tuple(self.notes),
        )

    def vocabulary(self, size: int) -> float:
        """The number of words of models of a size, mean over seeds."""
        return float(np.mean([point.vocabulary for point in self.at(size)]))

    def _size_score(self, measure: str, size: int) -> SizeScore:
        scores = [point.scores[measure] for point in self.at(size)]
        values = [each.value for each in scores]
        drawn = np.array([_replicates(each, self.settings.seed) for each in scores])
        lowest = parse_measure(measure).lowest
        low, high = interval(crossed(drawn, self.settings.seed), lowest, 1.0)
        chance, baseline = (
            float(np.mean([getattr(each, what) for each in scores])) for what in ("chance", "baseline")
        )
        value = float(np.mean(values))
        return SizeScore(size, value, low, high, min(values), max(values), chance, baseline, len(values))


def crossed(drawn: Doubles, seed: int) -> Doubles:
    """Replicates of the mean over seeds, with test words and seeds both drawn again, shape (resamples,).

    This is the pigeonhole bootstrap (Owen 2007, "The pigeonhole bootstrap"): each replicate draws test words,
    the same for all seeds, and seeds, with replacement. Deviations of seeds are multiplied by √(S/(S-1)),
    because those of a sample are too small by this factor. With one seed, only test words are drawn again.

    Args:
        drawn: Replicates with test words drawn again, the same words in a column, shape (S, resamples).
        seed: For the draws of seeds.
    """
    number, resamples = drawn.shape
    if number == 1:
        return np.asarray(drawn[0])
    generator = np.random.default_rng([seed, number])
    chosen = generator.integers(number, size=(number, resamples))
    middle = drawn.mean(axis=0)
    found = np.take_along_axis(drawn, chosen, axis=0).mean(axis=0)
    return np.asarray(middle + (found - middle) * np.sqrt(number / (number - 1)))


def _replicates(score: PointScore, seed: int) -> Doubles:
    """Replicates with test words drawn again, shape (resamples,)."""
    if not score.subscores:
        return np.zeros(RESAMPLES)
    return mean_replicates([each.subscore for each in score.subscores], seed)


def _by_name(points: Sequence[Point], measure: str) -> dict[str, float]:
    """The mean over seeds of the score on each category or section; a point without a score counts as 0."""
    sums: dict[str, float] = {}
    for point in points:
        for each in point.scores[measure].subscores:
            sums[each.name] = sums.get(each.name, 0.0) + each.value / len(points)
    return sums
