"""curve: models trained on nested subsets of a corpus, each twice as large as the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import groupby, pairwise, takewhile
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec import structs

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.errors import StudyError
from evaluator.execution.inputs import Input
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.results.curve import SIZES, CurveFile, CurveSize, Ratio
from evaluator.results.score import Score
from evaluator.results.scores import ModelFailure, Scores
from evaluator.studies.curves.points import (
    MEASURES,
    CurveOptions,
    CurveSetup,
    CurveTestSets,
    Point,
    PointTask,
    curve_test_sets,
    run_point,
)
from evaluator.studies.curves.subsets import Unit, doubling_sizes, remove_abandoned_subsets
from evaluator.studies.resumable import Study, run_study
from evaluator.studies.scoring import mean_of_runs
from evaluator.studies.trainers import trained_with
from evaluator.text.corpus import Corpus, Sentences
from evaluator.text.prepared_corpus import PreparedCorpus

SHARE = 0.1  # the share of its final value at which a measure is seen to rise


DEFINITIONS: Mapping[str, str] = {
    "above chance": "the lower end of the 95% interval is above chance",
    "above baseline": "the score is above chance, and by tests above its baselines of frequency and spelling",
    "tenth above chance": "the score less chance is a tenth of what it is at the largest size, or more",
    "tenth of score": "the score is a tenth of what it is at the largest size, or more",
}
"""What must be true at a size, and at all larger sizes, for it to be an onset.

A tenth of a score that is not above chance at the largest size is a tenth of nothing: there is no onset.
"""

ONE_SEED = "intervals do not contain how scores differ between training runs; --seeds 3 adds that"


def onsets(sizes: Sequence[int], scores: Sequence[Score | None]) -> dict[str, int | None]:
    """The onset of a measure by each definition, as a size; None if there is none."""
    values = [0.0 if each is None else each.value for each in scores]
    above = [0.0 if each is None else each.value - (each.chance or 0.0) for each in scores]
    rose = scores[-1] is not None and scores[-1].above_chance
    reached = {
        "above chance": [each is not None and each.above_chance for each in scores],
        "above baseline": [each is not None and each.is_contender for each in scores],
        "tenth above chance": [rose and each >= SHARE * above[-1] for each in above],
        "tenth of score": [rose and each >= SHARE * values[-1] for each in values],
    }
    return {name: first_lasting(sizes, reached[name]) for name in DEFINITIONS}


def first_lasting(sizes: Sequence[int], reached: Sequence[bool]) -> int | None:
    """The first size at which something is true that is also true at all larger sizes."""
    backwards = zip(reversed(sizes), reversed(reached), strict=True)
    return min((size for size, _ in takewhile(itemgetter(1), backwards)), default=None)


def ratio(definition: str, measure: str, over: str, found: Mapping[str, int | None]) -> Ratio:
    """The ratio of two onsets; there is none if one of them was not reached."""
    above, below = found[measure], found[over]
    return Ratio(definition, measure, over, None if above is None or below is None else above / below)


def _failures(corpus: str, points: Sequence[Point], unit: Unit) -> Iterator[ModelFailure]:
    for point in points:
        name, keys = f"{corpus}, {point.size:,} {unit}, seed {point.seed}", {"size": point.size}
        for measure, reason in point.reasons.items():
            yield ModelFailure(name, None, f"{measure}: {reason}", keys)


def _ratios(found: Mapping[str, Mapping[str, int | None]]) -> Iterator[Ratio]:
    """The onset of each measure of analogies divided by that of each measure of categories."""
    kinds = {measure: parse_measure(measure).scores for measure in found}
    pairs = [(a, b) for a in kinds for b in kinds if (kinds[a], kinds[b]) == ("sections", "categories")]
    for name in DEFINITIONS:
        yield from (ratio(name, a, b, {each: found[each][name] for each in (a, b)}) for a, b in pairs)


def _unscored(
    setup: CurveSetup,
    measures: Sequence[str],
    of_size: Mapping[int, Sequence[Point]],
    curves: Mapping[str, Sequence[Score | None]],
) -> Iterator[str]:
    for measure in measures:
        if measure not in setup.options.measures:
            yield f"{measure}: the test sets have nothing for it"
    size, points = list(of_size.items())[-1]
    for measure, scores in curves.items():
        if scores[-1] is None:
            most, why = f"{size:,} {setup.options.unit}", points[0].why(measure)
            yield f"{measure}: nothing was scored, not even at {most}: {why}"


def notes_on(
    of_size: Mapping[int, Sequence[Point]],
    found: Mapping[str, Mapping[str, int | None]],
    unit: Unit = "tokens",
) -> Iterator[str]:
    """Remarks for the user."""
    for size, points in of_size.items():
        failed = [point.reason for point in points if point.reason]
        if failed:
            yield (
                f"{size:,} {unit}: {len(failed)} of {len(points)} models could not be trained: {failed[0]}"
            )
    reached = [(measure, *each) for measure, own in found.items() for each in own.items()]
    for measure, name, at in reached:
        if at == next(iter(of_size)):
            yield f"{measure}: {name} at the smallest size already; its onset may be smaller still"
    if all(len(points) == 1 for points in of_size.values()):
        yield f"one seed at each size: {ONE_SEED}"
    # What a single seed leaves out: onsets that a narrower interval alone may explain.
    fewer = {size for one, size in pairwise(of_size) if len(of_size[one]) > len(of_size[size]) == 1}
    for measure, name, at in reached:
        if at in fewer and name in ("above chance", "above baseline"):
            yield (
                f"{measure}: {name} at {at:,} {unit}, where the interval of one seed is over the test "
                "words only; more seeds there (--seeds-up-to) may move the onset"
            )


def _means(points: Sequence[Point], corpus: str, unit: Unit) -> Iterator[Scores]:
    """The mean scores over models of one size; a model that could not be scored counts as 0."""
    size = points[0].size
    for kind in dict.fromkeys(kind for point in points for kind in point.scores):
        found = mean_of_runs(f"{corpus}, {size:,} {unit}", [point.on(kind) for point in points], "zero")
        yield structs.replace(found.scores, keys={"size": size})


def curve(
    corpus: Corpus,
    folder: str | Path,
    test_set: TestSetLike | None = None,
    analogies: TestSetLike | None = None,
    options: CurveOptions | None = None,
    machine: Machine = Machine(),
) -> CurveFile:
    """Train models on nested random subsets of a corpus and score them: Figure 1 of the paper.

    The paper is "Evaluating Word Embeddings on Low-Resource Languages". What has no vector is a miss, and a
    category or section with too few known words counts as 0, so that all sizes are scored on the same. An
    interrupted run is resumed, also with more sizes or seeds.

    Args:
        corpus: The training corpus.
        folder: For finished points and sentences.
        test_set: Its categories are used; anything that `read_testset` takes. None to make categories of the
            analogies.
        analogies: Its analogies are used; None for those of the test set, if it has any.
        options: Which models; `CurveOptions()` if None.
        machine: Where models are trained, each on one thread, and scored.

    Raises:
        CorpusError: The corpus cannot be read, or contains no word.
        TestSetError: A test set cannot be read.
        StudyError: There is nothing to score; the corpus is too small; the folder has a curve with other
            settings or versions, or another process is writing it; or all worker processes died.
        ClusterError: The cluster cannot be used, or was lost; finished points are kept.
        OutputError: The folder cannot be written to, or the corpus would be overwritten.
    """
    folder, options = Path(folder), options or CurveOptions()
    read = (None if each is None else read_testset(each) for each in (test_set, analogies))
    study = _Curve(corpus, folder, curve_test_sets(*read), options, machine)
    return run_study(study, folder, corpus, machine)


class _Curve(Study[PointTask, Point, CurveFile]):
    file = "points.jsonl"
    result = Point
    written = ("sentences.txt",)
    run = staticmethod(run_point)

    def __init__(
        self, corpus: Corpus, folder: Path, tests: CurveTestSets, options: CurveOptions, machine: Machine
    ) -> None:
        self._corpus, self._folder, self._tests = corpus, folder, tests
        self._options, self._machine = options, machine
        self._tasks: list[PointTask] = []
        self._lost: list[str] = []

    @cached_property
    def _setup(self) -> CurveSetup:
        options, corpus = self._options, self._corpus
        measures = tuple(each for each in options.measures if self._tests.of(parse_measure(each)) is not None)
        if not measures:
            listed = ", ".join(options.measures)
            raise StudyError(f"{self._tests.analogies.name}: has nothing for {listed}")
        settings = replace(options.settings, case=corpus.case, profile=corpus.profile)
        own = replace(options, measures=measures, settings=settings)
        return CurveSetup(PreparedCorpus.of(corpus, self._folder), self._tests, own, self._machine.for_task)

    @property
    def settings(self) -> dict[str, Any]:
        setup = self._setup
        settings = asdict(setup.options.settings)
        if not any(parse_measure(each).draws for each in setup.options.measures):
            del settings["seed"]  # it is only for intervals then
        return {
            "format": "points of a learning curve",
            "version": 5,
            "corpus": setup.corpus.sha256,
            "tokens": setup.corpus.corpus.tokens,
            **setup.tests.fingerprint,
            "parameters": setup.options.parameters.own,
            "trainer": repr(setup.options.trainer),
            "measures": list(setup.options.measures),
            "settings": settings,
            **({} if setup.options.unit == "tokens" else {"unit": setup.options.unit}),
        }

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        of_tests = (*self._tests.categories.inputs, *self._tests.analogies.inputs)
        return (*self._corpus.inputs, *self._options.trainer.inputs, *dict.fromkeys(of_tests))

    @cached_property
    def _sentences(self) -> Sentences:
        return self._setup.corpus.prepare(lemmas=False)

    def plan(self, finished: Sequence[Point]) -> Iterable[PointTask]:
        remove_abandoned_subsets(self._folder)
        options, known = self._options, {(point.size, point.seed) for point in finished}
        whole = self._sentences.tokens if options.unit == "tokens" else len(self._sentences.counts)
        most = options.seeds_up_to or whole
        self._tasks = [
            PointTask(size, options.settings.seed + number, self._setup)
            for size in doubling_sizes(options.first, options.last, whole, options.unit)
            for number in range(options.seeds if size <= most else 1)
        ]
        return [task for task in self._tasks if (task.size, task.seed) not in known]

    def died(self, task: PointTask, reason: str) -> None:
        self._lost.append(f"{task}: {reason}; run it again with fewer workers, or up to a smaller size")

    def share(self, finished: Sequence[Point]) -> float:
        done = sum(point.size for point in self._wanted(finished))
        return done / sum(task.size for task in self._tasks)

    def line(self, task: PointTask, result: Point | None) -> str:
        return f"{task}: {result or 'the worker process died'}"

    def _wanted(self, finished: Sequence[Point]) -> list[Point]:
        """The points of this curve, by size and seed; an earlier one may have had more."""
        points = {(point.size, point.seed): point for point in finished}
        return [points[at] for task in self._tasks if (at := (task.size, task.seed)) in points]

    def conclude(self, finished: Sequence[Point]) -> CurveFile:
        points = self._wanted(finished)
        if not points:
            raise StudyError(self._lost[0])
        setup, options, corpus = self._setup, self._setup.options, self._corpus.name
        asked = options.measures if self._options.measures == MEASURES else self._options.measures
        of_size = {size: list(own) for size, own in groupby(points, key=lambda point: point.size)}
        results = [mean.record() for own in of_size.values() for mean in _means(own, corpus, options.unit)]
        curves = {
            measure: [
                next(
                    (each[measure] for each in results if each.keys["size"] == size and measure in each), None
                )
                for size in of_size
            ]
            for measure in options.measures
        }
        found = {measure: onsets(list(of_size), scores) for measure, scores in curves.items()}
        trained = trained_with(options.trainer)
        return CurveFile(
            inputs=self.inputs,
            corpus=corpus,
            tokens=self._sentences.tokens,
            test_set=setup.tests.categories.name,
            analogies=setup.tests.analogies.name,
            parameters=options.parameters,
            settings={
                **options.settings.signature,
                "tokens": setup.corpus.corpus.tokens,
                **trained,
                **({} if options.unit == "tokens" else {SIZES: options.unit}),
            },
            measures=options.measures,
            sizes=tuple(
                CurveSize(size, len(own), fmean(point.vocabulary for point in own))
                for size, own in of_size.items()
            ),
            results=tuple(results),
            failures=tuple(_failures(corpus, points, options.unit)),
            definitions=DEFINITIONS,
            onsets=found,
            ratios=tuple(_ratios(found)),
            made_of=setup.tests.origin,
            failed=(*self._lost, *_unscored(setup, asked, of_size, curves)),
            notes=(*notes_on(of_size, found, options.unit), *map(": ".join, trained.items())),
        )
