"""Models scored on the same test sets in any process, with everything that intervals need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError
from evaluator.execution.tasks import run_all, threads_per_worker
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, case_hint, score
from evaluator.vectors import Vectors
from evaluator.vectors.vectors_file import VectorsFile


@dataclass(frozen=True, eq=False)
class ModelToScore:
    """A model, and how it is scored.

    Attributes:
        file: The file of its vectors.
        tests: The test sets.
        measures: The texts of the measures; None for the usual ones.
        settings: For all measures.
        baseline: Whether its frequency baseline is scored, too.
        threads: How many threads the scores may use; one per core if None.
    """

    file: VectorsFile
    tests: tuple[TestSet, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    baseline: bool = False
    threads: int | None = None

    def __str__(self) -> str:
        """Its name in messages."""
        return self.file.name


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """The scores of a model.

    Attributes:
        scores: On each of the test sets.
        baseline: Those of its frequency baseline; empty if it was not asked for.
        dropped: The number of bad rows of the file that were left out.
        hints: Advice for test sets of which it knows many words in another case.
    """

    scores: tuple[Scores, ...]
    baseline: tuple[Scores, ...]
    dropped: int
    hints: tuple[str, ...]


def score_model(
    model: ModelToScore,
    progress: Callable[[float], None] = lambda _: None,
    announce: Callable[[int], None] = lambda _: None,
) -> ScoredModel:
    """Score a model.

    Args:
        model: The model.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        announce: Called before each part of the work with the number of comparisons it takes.

    Raises:
        VectorsError: It cannot be loaded.
        MeasureError: The text of a measure is wrong.
        ScoreError: A measure has nothing to score, or can score none of it.
    """
    vectors = model.file.load()
    try:
        return _scored(model, vectors, progress, announce)
    except ScoreError as error:
        if vectors.dropped:
            error.args = (f"{error}; bad rows left out: {vectors.dropped}",)
        raise


def _scored(
    model: ModelToScore, vectors: Vectors, progress: Callable[[float], None], announce: Callable[[int], None]
) -> ScoredModel:
    both = [vectors, frequency_baseline(vectors)] if model.baseline else [vectors]
    runs = [(each, test_set) for each in both for test_set in model.tests]
    scores = [
        score(
            each,
            test_set,
            model.measures,
            model.settings,
            lambda done, number=number: progress((number + done) / len(runs)),  # type: ignore[misc]  # of this run
            announce,
            model.threads,
        )
        for number, (each, test_set) in enumerate(runs)
    ]
    hints = ((test_set.name, case_hint(vectors, test_set, model.settings)) for test_set in model.tests)
    return ScoredModel(
        tuple(scores[: len(model.tests)]),
        tuple(scores[len(model.tests) :]),
        vectors.dropped,
        tuple(f"{name}: {hint}" for name, hint in hints if hint),
    )


def score_models(
    models: Sequence[ModelToScore],
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[ScoredModel]:
    """Score several models at a time; vectors are loaded where they are scored.

    Args:
        models: The models.
        workers: How many at a time.
        scheduler: The cluster, as in `run_each`; None for this machine.
        progress: Called now and then with the share of models that are done, from 0 to 1.

    Returns:
        The scores, in the order of the models.

    Raises:
        VectorsError: A model cannot be loaded.
        MeasureError: The text of a measure is wrong.
        ScoreError: A measure has nothing to score, or a worker process died.
        ClusterError: The cluster cannot be used, or was lost.
    """
    threads = threads_per_worker(workers, scheduler)
    tasks = [
        replace(model, file=model.file.for_others(), threads=model.threads or threads) for model in models
    ]
    return run_all(score_model, tasks, workers, scheduler, progress)
