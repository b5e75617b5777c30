"""Models scored on the same test sets in any process, with everything that intervals need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import EvaluatorError, ScoreError, VectorsError
from evaluator.execution.tasks import run_all, threads_per_worker
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, case_hint, score
from evaluator.vectors.reading import VectorsFile


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
        scores: On each of the test sets; None where it could not be scored.
        baseline: Those of its frequency baseline; empty if it was not asked for.
        dropped: The number of bad rows of the file that were left out.
        hints: Advice for test sets of which it knows many words in another case.
        errors: Why it could not be scored.
    """

    scores: tuple[Scores | None, ...]
    baseline: tuple[Scores | None, ...] = ()
    dropped: int = 0
    hints: tuple[str, ...] = ()
    errors: tuple[EvaluatorError, ...] = ()


def score_model(
    model: ModelToScore,
    progress: Callable[[float], None] = lambda _: None,
    announce: Callable[[int], None] = lambda _: None,
) -> ScoredModel:
    """Score a model; that it cannot be scored is a result, too.

    Args:
        model: The model.
        progress: Called now and then with the finished share of the work, from 0 to 1.
        announce: Called before each part of the work with the number of comparisons it takes.

    Raises:
        MeasureError: The text of a measure is wrong.
    """
    try:
        vectors = model.file.load()
    except VectorsError as error:
        return ScoredModel((None,) * len(model.tests), errors=(error,))
    both = [vectors, frequency_baseline(vectors)] if model.baseline else [vectors]
    number = len(both) * len(model.tests)
    found: list[Scores | None] = []
    errors: list[EvaluatorError] = []
    for each, test_set in product(both, model.tests):
        done = len(found)

        def of_all(share: float, done: int = done) -> None:
            progress((done + share) / number)

        try:
            found.append(
                score(each, test_set, model.measures, model.settings, of_all, announce, model.threads)
            )
        except ScoreError as error:
            found.append(None)
            errors.append(error)
    hints = ((test_set.name, case_hint(vectors, test_set, model.settings)) for test_set in model.tests)
    return ScoredModel(
        tuple(found[: len(model.tests)]),
        tuple(found[len(model.tests) :]),
        vectors.dropped,
        tuple(f"{name}: {hint}" for name, hint in hints if hint),
        tuple(errors),
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
        MeasureError: The text of a measure is wrong.
        ScoreError: A worker process died.
        ClusterError: The cluster cannot be used, or was lost.
    """
    threads = threads_per_worker(workers, scheduler)
    tasks = [
        replace(model, file=model.file.for_others(), threads=model.threads or threads) for model in models
    ]
    return run_all(score_model, tasks, workers, scheduler, progress)
