"""One model of a batch, scored on its test sets, in whatever process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluator.datasets import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, TestSetError, VectorsError
from evaluator.execution.remote_files import file_name, local_copy, place
from evaluator.settings import Settings
from evaluator.studies.scoring import Scores, score
from evaluator.vectors import LoadOptions, Vectors
from evaluator.vectors.vectors_file import VectorsFile


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes:
        vectors: How the vectors are.
        tests: The format of the test sets; see `read_testset`.
    """

    vectors: LoadOptions = field(default_factory=LoadOptions)
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


def score_unit(unit: Unit) -> dict[str, Any]:
    """Score a model on its test sets, in whatever process; that it cannot be scored is a result too.

    Returns:
        JSON values: `vectors`, `tests`, and `vocabulary`, `dimension`, `results` (one for each of the
        tests), or `error`.
    """
    try:
        vectors = VectorsFile(unit.vectors, unit.reading.vectors).load()
    except VectorsError as error:
        return failure(unit, error)
    results = [_scored(vectors, test, unit) for test in unit.tests]
    return {
        "vectors": unit.vectors,
        "tests": list(unit.tests),
        "vocabulary": len(vectors),
        "dimension": vectors.dimension,
        "results": results,
    }


def _scored(vectors: Vectors, test: str, unit: Unit) -> dict[str, Any]:
    try:
        path = local_copy(place(test))
        test_set = _read(path, unit.reading.tests, _mark(path))
        return _result(score(vectors, test_set, unit.measures, unit.settings, threads=unit.threads))
    except (ScoreError, TestSetError, VectorsError) as error:  # the last of what is at a URL
        return {"test_set": file_name(test), "error": str(error)}


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


def _result(scores: Scores) -> dict[str, Any]:
    """A result: values and signatures, without intervals, which would take longer than the scores."""
    first = scores.scores[0]
    return {
        "test_set": first.test_set,
        "language": first.language,
        "sha256": first.sha256,
        "combined": scores.combined,
        "scores": [
            {
                "measure": str(each.measure),
                "value": each.value,
                "chance": each.chance,
                "oov": sum(part.oov for part in each.subscores),
                "words": sum(part.size for part in each.subscores),
                "signature": each.signature,
                "parts": {part.name: part.value for part in each.subscores},
            }
            for each in scores.values()
        ],
    }


def failure(unit: Unit, error: Exception) -> dict[str, Any]:
    """The result of a model that cannot be scored."""
    return {"vectors": unit.vectors, "tests": list(unit.tests), "error": str(error)}
