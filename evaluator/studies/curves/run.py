"""curve: models trained on nested subsets of a corpus, each twice as large as the one before."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluator.datasets.testset import TestSet
from evaluator.errors import StudyError
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import prepare_folder, protect_inputs
from evaluator.execution.versions import mixed_notes
from evaluator.measures import parse_measure
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.points import CurveSetup, Point, PointTask, run_point
from evaluator.studies.curves.result import LearningCurve
from evaluator.studies.curves.subsets import doubling_sizes, remove_abandoned_subsets
from evaluator.studies.curves.test_sets import CurveTestSets, curve_test_sets
from evaluator.studies.resumable import ResumableFile, locked_output
from evaluator.studies.trainers import GensimTrainer, Trainer, check_trainer, trained_with
from evaluator.text.corpus import Corpus
from evaluator.text.prepared_corpus import PreparedCorpus

MEASURES = ("Topk@3", "OddOneOut@3", "Analogy@1")


@dataclass(frozen=True)
class CurveOptions:
    """Which models to train, and how to score them.

    Attributes:
        first: The smallest size, in tokens.
        last: The largest; None for the whole corpus.
        seeds: The number of models of each size, each with its own order of lines.
        seeds_up_to: Above this size there is one model only; None for no such limit.
        parameters: The hyper-parameters of all models; those of the paper by default.
        measures: Measures of categories, and of analogies.
        settings: For the scores; case and profile are those of the corpus, and the seed is the first seed.
        mixed_versions: Whether a curve of other versions of evaluator, gensim or numpy is resumed.
        trainer: What trains the models.
    """

    first: int = 2**10
    last: int | None = None
    seeds: int = 1
    seeds_up_to: int | None = None
    parameters: Hyperparameters = field(
        default_factory=lambda: Hyperparameters(architecture="skip-gram", epochs=1)
    )
    measures: tuple[str, ...] = MEASURES
    settings: Settings = field(default_factory=Settings)
    mixed_versions: bool = False
    trainer: Trainer = field(default_factory=GensimTrainer)

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            StudyError: Naming what is wrong.
            MeasureError: The text of a measure is wrong.
        """
        for name in ("first", "last", "seeds", "seeds_up_to"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise StudyError(f"{name} is {value}; it must be 1 or more")
        if self.settings.seed + self.seeds > 2**32:
            raise StudyError(f"seed is {self.settings.seed}; all seeds must be below 2^32")
        if self.settings.oov != "wrong":
            raise StudyError("oov is 'skip'; a curve needs 'wrong', because sizes differ in the known words")
        if not self.measures:
            raise StudyError("no measures given")
        texts = tuple(dict.fromkeys(str(parse_measure(each)) for each in self.measures))
        object.__setattr__(self, "measures", texts)
        check_trainer(self.trainer, self.seeds, {})

    def seeds_at(self, size: int) -> range:
        """The seeds of the models of one size."""
        many = self.seeds_up_to is None or size <= self.seeds_up_to
        return range(self.settings.seed, self.settings.seed + (self.seeds if many else 1))


def curve(
    corpus: Corpus,
    folder: Path,
    test_set: TestSet | None = None,
    analogies: TestSet | None = None,
    options: CurveOptions | None = None,
    machine: Machine = Machine(),
) -> LearningCurve:
    """Train models on nested random subsets of a corpus and score them: Figure 1 of the paper.

    The paper is "Evaluating Word Embeddings on Low-Resource Languages". What has no vector is a miss, and a
    category or section with too few known words counts as 0, so that all sizes are scored on the same. An
    interrupted run is resumed, also with more sizes or seeds.

    Args:
        corpus: The training corpus.
        folder: For finished points and sentences.
        test_set: Its categories are used; None to make categories of the analogies.
        analogies: Its analogies are used; None for those of the test set, if it has any.
        options: Which models; `CurveOptions()` if None.
        machine: Where models are trained, each on one thread, and scored.

    Raises:
        CorpusError: The corpus cannot be read, or contains no word.
        StudyError: There is nothing to score; the corpus is too small; the folder has a curve with other
            settings or versions, or another process is writing it; or all worker processes died.
        ClusterError: The cluster cannot be used, or was lost; finished points are kept.
        OutputError: The folder cannot be written to, or the corpus would be overwritten.
    """
    options = options or CurveOptions()
    tests = curve_test_sets(test_set, analogies)
    protect_inputs(corpus.local_paths, folder, ["sentences.txt"])
    prepare_folder(folder)
    points: dict[tuple[int, int], Point] = {}

    def read(point: Point) -> None:
        points[point.size, point.seed] = point

    with locked_output(folder):
        setup = _setup(corpus, folder, tests, options, machine)
        file = ResumableFile(
            *(folder / "points.jsonl", _file_settings(setup), Point, read),
            mixed_versions=options.mixed_versions,
        )
        remove_abandoned_subsets(folder)
        tokens = setup.corpus.prepare(lemmas=False).tokens
        sizes = doubling_sizes(options.first, options.last, tokens)
        tasks = [PointTask(size, seed, setup) for size in sizes for seed in options.seeds_at(size)]
        lost = _run(tasks, points, file, machine)
    done = [points[task.size, task.seed] for task in tasks if (task.size, task.seed) in points]
    if not done:
        raise StudyError(lost[0])
    lost += [f"{each}: the test sets have nothing for it" for each in _without_test_set(options, tests)]
    run = corpus.name, tokens, tests, setup.parameters, setup.settings, setup.measures
    trained = trained_with(setup.trainer)
    notes = [*map(": ".join, trained.items()), *mixed_notes(file.versions)]
    return LearningCurve(*run, done, lost, {"tokens": corpus.tokens, **trained}, notes)


def _without_test_set(options: CurveOptions, tests: CurveTestSets) -> list[str]:
    """The measures that were asked for and have nothing to score."""
    if options.measures == MEASURES:
        return []
    return [each for each in options.measures if tests.of(parse_measure(each)) is None]


def _setup(
    corpus: Corpus, folder: Path, tests: CurveTestSets, options: CurveOptions, machine: Machine
) -> CurveSetup:
    measures = tuple(each for each in options.measures if tests.of(parse_measure(each)) is not None)
    if not measures:
        raise StudyError(f"{tests.analogies.name}: has nothing for {', '.join(options.measures)}")
    return CurveSetup(
        PreparedCorpus.of(corpus, folder),
        tests,
        measures,
        options.parameters,
        replace(options.settings, case=corpus.case, profile=corpus.profile),  # type: ignore[arg-type]  # Settings checks
        machine.for_task,
        options.trainer,
    )


def _file_settings(setup: CurveSetup) -> dict[str, Any]:
    """Everything that a point depends on besides its size and seed."""
    settings = asdict(setup.settings)
    if not any(parse_measure(each).draws for each in setup.measures):
        del settings["seed"]  # it is only for intervals then
    return {
        "format": "points of a learning curve",
        "version": 3,
        "corpus": setup.corpus.sha256,
        "tokens": setup.corpus.corpus.tokens,
        **setup.tests.fingerprint,
        "parameters": asdict(setup.parameters),
        "trainer": repr(setup.trainer),
        "measures": list(setup.measures),
        "settings": settings,
    }


def _run(
    tasks: list[PointTask],
    points: dict[tuple[int, int], Point],
    file: ResumableFile[Point],
    machine: Machine,
) -> list[str]:
    """Make the points that are missing, the small ones first; returns which were lost, and why."""
    missing = [task for task in tasks if (task.size, task.seed) not in points]
    whole = sum(task.size for task in tasks)
    done = whole - sum(task.size for task in missing)
    lost: list[str] = []

    def died(task: PointTask, reason: str) -> None:
        lost.append(f"{task}: {reason}; run it again with fewer workers, or up to a smaller size")

    machine.progress(done / whole)
    for task, point in machine.run_each(run_point, missing, died):
        if point is not None:
            points[task.size, task.seed] = point
            file.add(point)
        done += task.size
        machine.progress(done / whole)
        machine.log(f"{task}: {point or 'the worker process died'}")
    return lost
