"""One model of a batch, scored on its test sets, in any process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evaluator.datasets import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, TestSetError, VectorsError
from evaluator.execution.remote_files import file_name, local_copy
from evaluator.results.score_lines import LineResult, LineScore, ModelLine
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, score
from evaluator.vectors import LoadOptions, Vectors
from evaluator.vectors.reading import VectorsFile


@dataclass(frozen=True)
class BatchTask:
    """A model and the test sets that it is scored on, all named by absolute paths or URLs.

    Attributes:
        vectors: The model.
        tests: The test sets.
        measures: The texts of the measures; None for the usual ones.
        settings: For all measures.
        loading: How vectors are loaded.
        test_format: The format of the test sets; see `read_testset`.
        threads: How many threads the scores may use.
    """

    vectors: str
    tests: tuple[str, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    loading: LoadOptions
    test_format: str
    threads: int

    def failure(self, reason: str) -> ModelLine:
        """The result if the model cannot be scored."""
        return ModelLine(vectors=self.vectors, tests=self.tests, error=reason)


def run_batch_task(task: BatchTask) -> ModelLine:
    """Score a model on its test sets; that it cannot be scored is a result too."""
    try:
        vectors = VectorsFile(task.vectors, task.loading).load()
    except VectorsError as error:
        return task.failure(str(error))
    return ModelLine(
        vectors=task.vectors,
        tests=task.tests,
        vocabulary=len(vectors),
        dimension=vectors.dimension,
        results=tuple(_score(vectors, test, task) for test in task.tests),
    )


def _score(vectors: Vectors, test: str, task: BatchTask) -> LineResult:
    try:
        path = local_copy(test)
        test_set = _test_set(path, task.test_format, _modified(path))
        return _result(score(vectors, test_set, task.measures, task.settings, threads=task.threads))
    except (ScoreError, TestSetError, VectorsError) as error:  # the last for test sets at URLs
        return LineResult(test_set=file_name(test), error=str(error))


@lru_cache(maxsize=4)
def _test_set(path: Path, test_format: str, _modified: tuple[int, int]) -> TestSet:
    """Read once for consecutive models of a language, as long as the file is unchanged."""
    return read_testset(path, test_format)


def _modified(path: Path) -> tuple[int, int]:
    """The time of change and the size of a file."""
    try:
        status = path.stat()
    except OSError:  # reading it gives the reason
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _result(scores: Scores) -> LineResult:
    """Values and signatures, without intervals, which would take longer than the scores."""
    first = scores.scores[0]
    return LineResult(
        test_set=first.test_set,
        language=first.language,
        sha256=first.sha256,
        combined=scores.combined,
        scores=tuple(
            LineScore(
                measure=str(each.measure),
                value=each.value,
                chance=each.chance,
                oov=sum(part.oov for part in each.subscores),
                words=sum(part.size for part in each.subscores),
                signature=each.signature,
                subscores={part.name: part.value for part in each.subscores},
            )
            for each in scores.values()
        ),
    )
