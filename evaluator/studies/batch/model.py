"""Models scored on the same test sets, one by one in whatever process, with all that makes intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError
from evaluator.execution.tasks import run_all, threads_of_each
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, case_hint, score
from evaluator.vectors import Vectors
from evaluator.vectors.vectors_file import VectorsFile


@dataclass(frozen=True, eq=False)
class Model:
    """A model to be scored.

    Attributes:
        file: Where it is.
        tests: What it is scored on.
        measures: By what, as texts; None for what is usual.
        settings: What holds for the scores.
        baseline: Whether its frequency baseline is scored, too.
        threads: How many the scores may use; as many as there are cores if None.
    """

    file: VectorsFile
    tests: tuple[TestSet, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    baseline: bool = False
    threads: int | None = None

    def __str__(self) -> str:
        """What errors call it."""
        return self.file.name


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """What is found of a model.

    Attributes:
        scores: On each of the test sets.
        baseline: The same of its frequency baseline; empty if that was not asked for.
        dropped: How many bad rows of the file were left out.
        hints: What to do where it knows many words in another case.
    """

    scores: tuple[Scores, ...]
    baseline: tuple[Scores, ...]
    dropped: int
    hints: tuple[str, ...]


def score_model(
    model: Model,
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
        MeasureError: A measure's text is wrong.
        ScoreError: There is nothing for a measure to score, or it can score none of it.
    """
    vectors = model.file.load()
    try:
        return _scored(model, vectors, progress, announce)
    except ScoreError as error:
        if vectors.dropped:
            error.args = (f"{error}; bad rows left out: {vectors.dropped}",)
        raise


def _scored(
    model: Model, vectors: Vectors, progress: Callable[[float], None], announce: Callable[[int], None]
) -> ScoredModel:
    both = [vectors, frequency_baseline(vectors)] if model.baseline else [vectors]
    number = len(both) * len(model.tests)

    def scored(each: Vectors, before: int) -> tuple[Scores, ...]:
        return tuple(
            score(
                each,
                test_set,
                model.measures,
                model.settings,
                lambda done, place=place: progress((place + done) / number),  # type: ignore[misc]  # of this turn
                announce,
                model.threads,
            )
            for place, test_set in enumerate(model.tests, before)
        )

    by_vectors = [scored(each, place * len(model.tests)) for place, each in enumerate(both)]
    hints = ((test_set.name, case_hint(vectors, test_set, model.settings)) for test_set in model.tests)
    return ScoredModel(
        by_vectors[0],
        by_vectors[1] if model.baseline else (),
        vectors.dropped,
        tuple(f"{name}: {hint}" for name, hint in hints if hint),
    )


def score_models(
    models: Sequence[Model],
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[ScoredModel]:
    """Score several models at a time; test sets travel to where they are scored, vectors are read there.

    Args:
        models: The models.
        workers: How many at a time.
        scheduler: The cluster to work on, as `run_each` takes it; None for this machine.
        progress: Called now and then with the share of the models that are done, from 0 to 1.

    Returns:
        What is found, in the order of the models.

    Raises:
        VectorsError: One cannot be loaded.
        MeasureError: A measure's text is wrong.
        ScoreError: There is nothing for a measure to score, or a process died.
        ClusterError: The cluster cannot be used, or was lost.
    """
    threads = threads_of_each(workers, scheduler)
    tasks = [
        replace(model, file=model.file.for_others(), threads=model.threads or threads) for model in models
    ]
    done = count(1)
    return run_all(score_model, tasks, workers, scheduler, lambda _: progress(next(done) / len(tasks)))
