"""The result of a learning curve: scores by size with intervals, onsets, and ratios of onsets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import structs

from evaluator.measures import parse_measure
from evaluator.results.curve import CurveFile, CurveSize, Ratio
from evaluator.results.scores import ModelFailure, Score, Scores, frame_of
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.scores import mean_over_runs
from evaluator.studies.curves.points import Point
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


def onsets(sizes: Sequence[int], scores: Sequence[Score | None]) -> dict[str, int | None]:
    """The onset of a measure by each definition, in tokens; None if there is none.

    Args:
        sizes: In tokens, the smallest first.
        scores: By size; None where nothing could be scored.
    """
    values = [0.0 if each is None else each.value for each in scores]
    above = [0.0 if each is None else each.value - (each.chance or 0.0) for each in scores]
    rose = scores[-1] is not None and scores[-1].above_chance
    reached = {
        "above chance": [each is not None and each.above_chance for each in scores],
        "above baseline": [each is not None and each.above_baseline for each in scores],
        "tenth above chance": [rose and each >= SHARE * above[-1] for each in above],
        "tenth of score": [rose and each >= SHARE * values[-1] for each in values],
    }
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
    def results(self) -> list[Scores]:
        """The scores of each size, the means over its seeds, with the key `size`."""
        return [mean for size in self.sizes for mean in _means(self.at(size), self.corpus)]

    @cached_property
    def curves(self) -> dict[str, list[Score | None]]:
        """The scores by each measure, by size; None where nothing could be scored."""
        by_size = [[each for each in self.results if each.keys["size"] == size] for size in self.sizes]
        return {
            measure: [
                next((each[measure] for each in of_size if measure in each), None) for of_size in by_size
            ]
            for measure in self.measures
        }

    @cached_property
    def onsets(self) -> dict[str, dict[str, int | None]]:
        """The onset of each measure by definition, in tokens."""
        return {measure: onsets(self.sizes, scores) for measure, scores in self.curves.items()}

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
        size = self.sizes[-1]
        return [*self.lost] + [
            f"{measure}: nothing was scored, not even at {size:,} tokens: {self.at(size)[0].why(measure)}"
            for measure, scores in self.curves.items()
            if scores[-1] is None
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
        """For notebooks."""
        return self.record()._repr_html_()

    def frame(self) -> pd.DataFrame:
        """A table of all scores of all models, as `Scores.frame`, with the further columns `size` and `seed`.

        Measures by which nothing could be scored have a row with the reason.
        """
        failures = [
            ModelFailure(
                f"{self.corpus}, {point.size:,} tokens, seed {point.seed}",
                None,
                f"{measure}: {reason}",
                {"size": point.size, "seed": point.seed},
            )
            for point in self.points
            for measure, reason in point.reasons.items()
        ]
        return frame_of((each for point in self.points for each in point.scores.values()), failures)

    def record(self) -> CurveFile:
        """What the result file holds."""
        return CurveFile(
            corpus=self.corpus,
            tokens=self.tokens,
            test_set=self.tests.categories.name,
            analogies=self.tests.analogies.name,
            parameters=self.parameters,
            settings={**self.settings.signature, **self.training},
            measures=self.measures,
            sizes=tuple(self._size(size) for size in self.sizes),
            results=tuple(each.record() for each in self.results),
            definitions=DEFINITIONS,
            onsets=self.onsets,
            ratios=tuple(self.ratios),
            made_of=self.tests.origin,
            failed=tuple(self.failed),
            notes=tuple(self.notes),
        )

    def _size(self, size: int) -> CurveSize:
        points = self.at(size)
        return CurveSize(size, len(points), fmean(point.vocabulary for point in points))


def _means(points: Sequence[Point], corpus: str) -> Iterator[Scores]:
    """The mean scores over models of one size; a model that could not be scored counts as 0."""
    size = points[0].size
    for kind in dict.fromkeys(kind for point in points for kind in point.scores):
        runs = [point.scores.get(kind) for point in points]
        model = f"{corpus}, {size:,} tokens"
        yield structs.replace(mean_over_runs(model, runs, "zero"), keys={"size": size})
