"""One model of a batch, scored on its test sets, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from evaluator.datasets import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, TestSetError, VectorsError
from evaluator.execution.remote_files import file_name, local_copy, place
from evaluator.results.score_lines import LineResult, LineScore, ModelLine
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, score
from evaluator.vectors import Vectors
from evaluator.vectors.vectors_file import Loading, VectorsFile


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes:
        vectors: How the vectors are.
        tests: The format of the test sets; see `read_testset`.
    """

    vectors: Loading = field(default_factory=lambda: Loading(cache=False))
    tests: str = "auto"


@dataclass(frozen=True)
class Unit:
    """A model and the test sets that it is scored on, all named by their places.

    Attributes:
        vectors: Where the model is.
        tests: Where the test sets are.
        measures: By what to score, as texts; None for what is usual.
        settings: What holds for the scores.
        reading: How files are read.
        threads: How many the scores may use.
    """

    vectors: str
    tests: tuple[str, ...]
    measures: tuple[str, ...] | None
    settings: Settings
    reading: Reading
    threads: int


def score_unit(unit: Unit) -> ModelLine:
    """Score a model on its test sets, in whatever process; that it cannot be scored is a result too."""
    try:
        vectors = VectorsFile(unit.vectors, unit.reading.vectors).load()
    except VectorsError as error:
        return failure(unit, error)
    return ModelLine(
        vectors=unit.vectors,
        tests=unit.tests,
        vocabulary=len(vectors),
        dimension=vectors.dimension,
        results=tuple(_scored(vectors, test, unit) for test in unit.tests),
    )


def _scored(vectors: Vectors, test: str, unit: Unit) -> LineResult:
    try:
        path = local_copy(place(test))
        test_set = _read(path, unit.reading.tests, _mark(path))
        return _result(score(vectors, test_set, unit.measures, unit.settings, threads=unit.threads))
    except (ScoreError, TestSetError, VectorsError) as error:  # the last of what is at a URL
        return LineResult(test_set=file_name(test), error=str(error))


@lru_cache(maxsize=4)
def _read(path: Path, test_format: str, _: tuple[int, int]) -> TestSet:
    """Once for models of the same language that come one after another, while the file is the same."""
    return read_testset(path, test_format)


def _mark(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        seen = path.stat()
    except OSError:  # whoever reads it says why
        return 0, 0
    return seen.st_mtime_ns, seen.st_size


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


def failure(unit: Unit, error: Exception) -> ModelLine:
    """The result of a model that cannot be scored."""
    return ModelLine(vectors=unit.vectors, tests=unit.tests, error=str(error))
