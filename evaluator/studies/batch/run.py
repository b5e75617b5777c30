"""score_many: many models on many test sets, results written as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from evaluator.errors import OutputError
from evaluator.execution.output_files import prepare_file
from evaluator.execution.processes import Lost
from evaluator.execution.remote_files import is_url
from evaluator.execution.tasks import run_each, threads_of_each
from evaluator.results.score_lines import ScoreLines
from evaluator.settings import Settings
from evaluator.studies.batch.lines import Lines
from evaluator.studies.batch.pairing import pairs
from evaluator.studies.batch.unit import Reading, Unit, failure, score_unit


@dataclass(frozen=True)
class Batch:
    """What came of a batch.

    Attributes:
        models: How many models were scored now.
        test_sets: How many times a test set was.
        categories: How many times a category, or another part of a test set, was by one measure.
        failed: How many results are a reason why there is none.
        before: How many models had been scored in earlier runs.
    """

    models: int
    test_sets: int
    categories: int
    failed: int
    before: int


def score_many(
    models: Sequence[str],
    tests: Sequence[str],
    output: Path,
    measures: Sequence[str] | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Batch:
    """Score models and write the results of each at once, a JSON object in a line; none is held in memory.

    The first line says what holds for all of them; the others are in the order in which models are finished.
    A model that cannot be scored has a line with `error`. Run again, it goes on where it stopped: with models
    that have no line, whose last line lacks one of their test sets, or a score. The last line of a model
    counts.

    Args:
        models: Places of vectors; see `pairs`.
        tests: Places of test sets.
        output: The file to write.
        measures: By what to score; what is usual for each test set if None.
        settings: What holds for the scores; `Settings()` if None.
        reading: How files are read.
        workers: How many models at a time.
        scheduler: The cluster to work on, as `run_each` takes it; None for this machine.
        progress: Called now and then with the share of the models that are done, from 0 to 1.

    Raises:
        VectorsError: There are no models at a place.
        TestSetError: There are no test sets at a place, or their languages are not known.
        OutputError: The file cannot be written, holds something else, is one that is read, or another
            process writes it.
        ClusterError: There are no workers, or the cluster cannot be used, or was lost; what was finished is
            kept.
    """
    settings, reading = settings or Settings(), reading or Reading()
    threads = threads_of_each(workers, scheduler)
    by = tuple(measures) if measures else None
    paired = pairs(models, tests)
    units = [Unit(model, own, by, settings, reading, threads) for model, own in paired.items()]
    head = ScoreLines(measures=by, settings=settings, reading=_told(reading))
    try:
        _prepare(output, paired)
        with FileLock(output.with_name(f".{output.name}.lock"), timeout=0):
            lines = Lines(output, head)
            return _run(units, lines, workers, scheduler, progress or (lambda _: None))
    except Timeout as error:
        raise OutputError(f"{output}: another process writes it; wait, or name another file") from error
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from error


def _told(reading: Reading) -> dict[str, str]:
    """How files are read, as far as results depend on it."""
    how = reading.vectors
    return {"vectors": how.format, "bad_rows": how.bad_rows, "encoding": how.encoding, "tests": reading.tests}


def _prepare(output: Path, paired: Mapping[str, Sequence[str]]) -> None:
    """Find out before work starts whether the file can be written, and is none of those that are read."""
    output.parent.mkdir(parents=True, exist_ok=True)
    inputs = dict.fromkeys([*paired, *(test for own in paired.values() for test in own)])
    prepare_file(output, (Path(each) for each in inputs if not is_url(each) and Path(each).exists()))
    if output.exists() and not output.is_file():
        raise OutputError(f"{output}: is no file that could be gone on with; name another one")


def _run(
    units: Sequence[Unit],
    lines: Lines,
    workers: int,
    scheduler: str | None,
    progress: Callable[[float], None],
) -> Batch:
    missing = list(_missing(units, lines.done))
    done = before = len(units) - len(missing)
    test_sets = categories = failed = 0
    progress(done / len(units))
    for unit, result in run_each(score_unit, missing, workers, scheduler):
        found = failure(unit, result) if isinstance(result, Lost) else result
        lines.add(found)
        failed += len(found.failures)
        test_sets += max(1, len(found.results))
        categories += sum(len(own.subscores) for each in found.results for own in each.scores)
        done += 1
        progress(done / len(units))
    return Batch(len(missing), test_sets, categories, failed, before)


def _missing(units: Sequence[Unit], done: Mapping[str, Sequence[str]]) -> Iterator[Unit]:
    """Models that lack a score; as their last line counts, it will have all that the one before had."""
    for unit in units:
        scored = done.get(unit.vectors, ())
        if not set(unit.tests) <= set(scored):
            yield replace(unit, tests=tuple(dict.fromkeys([*scored, *unit.tests])))
