"""Scoring many models on many test sets; the results of each are written as soon as it is scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.errors import OutputError, ScoreError, TestSetError, VectorsError
from evaluator.execution.output_files import prepare_file
from evaluator.execution.remote_files import file_name, is_url, local_copy
from evaluator.execution.tasks import run_each, threads_per_worker
from evaluator.execution.versions import mixed_notes
from evaluator.results.base import builtins_of
from evaluator.results.score_lines import LineResult, LineScore, ModelLine, ScoreLines
from evaluator.results.scores import Failure
from evaluator.settings import Settings
from evaluator.studies.patterns import pairs
from evaluator.studies.resumable import ResumableFile, locked_output
from evaluator.studies.scores import Scores
from evaluator.studies.scoring import score
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


@dataclass(frozen=True)
class BatchSummary:
    """What a batch has done.

    Attributes:
        models: The number of models that were asked for and had not been scored before.
        results: The number of results for a model and a test set, or for a model that could not be loaded.
        failed: What could not be scored: models, models on a test set, and measures of these.
        values: The number of values of a measure on a category, or another part of a test set.
        before: The number of models that an earlier run had scored.
        notes: What else there is to know.
    """

    models: int
    results: int
    failed: int
    values: int
    before: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In a line."""
        before = _count(self.before, "model")
        if not self.models:
            return f"nothing to do: {before} had been scored before"
        done = (
            f"{_count(self.models, 'model')}, {_count(self.results, 'result')}, "
            f"{_count(self.failed, 'error')}, {_count(self.values, 'category score')}"
        )
        return f"{done}; {before} had been scored before" if self.before else done


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def batch(
    models: Sequence[str],
    tests: Sequence[str],
    output: Path,
    measures: Sequence[str] | None = None,
    settings: Settings | None = None,
    loading: LoadOptions | None = None,
    test_format: str = "auto",
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[float], None] | None = None,
    log: Callable[[str], None] | None = None,
    *,
    mixed_versions: bool = False,
) -> BatchSummary:
    """Score models, and write the results of each as soon as it is scored, one JSON object per line.

    The first line has the settings; the others are in the order in which models are finished. A model that
    cannot be scored has a line with `error`, and so has a test set on which it cannot; a measure that cannot
    is in `failures`, and the others are scored. An interrupted batch is resumed with the models that have no
    line yet, or whose last line lacks one of their test sets or has an error for it. The last line of a model
    counts. No results are kept in memory.

    Args:
        models: Paths or URLs of vectors; see `pairs`.
        tests: Paths or URLs of test sets.
        output: The file to write.
        measures: The texts of the measures; the usual ones for each test set if None.
        settings: For all measures; `Settings()` if None.
        loading: How vectors are loaded; `LoadOptions()` if None.
        test_format: The format of the test sets; see `read_testset`.
        workers: How many models are scored at a time.
        scheduler: The cluster, as in `run_each`; None for this machine.
        progress: Called now and then with the share of models that are done, from 0 to 1.
        log: Called with a line for each model.
        mixed_versions: Whether a batch of other versions of evaluator, gensim or numpy is resumed.

    Raises:
        VectorsError: A model does not exist.
        TestSetError: A test set does not exist, or its language is not known.
        ScoreError: With `oov=skip`, several models are to be scored on one test set: each on other words.
        StudyError: The file holds something else, was started with other settings or versions, or another
            process is writing it.
        OutputError: The file cannot be written, or is an input.
        ClusterError: There are no workers, or the cluster cannot be used, or was lost; finished results are
            kept.
    """
    settings, loading = settings or Settings(), loading or LoadOptions()
    threads = threads_per_worker(workers, scheduler)
    texts = tuple(measures) if measures else None
    paired = pairs(models, tests)
    if settings.oov == "skip":
        _refuse_shared(paired)
    _prepare(output, paired)
    tasks = [
        BatchTask(model, own, texts, settings, loading, test_format, threads) for model, own in paired.items()
    ]
    scored: dict[str, tuple[str, ...]] = {}

    def read(line: ModelLine) -> None:
        results = zip(line.tests, line.results, strict=False)
        scored[line.vectors] = tuple(test for test, result in results if result.error is None)

    with locked_output(output):
        file = ResumableFile(output, _file_settings(tasks[0]), ModelLine, read, mixed_versions=mixed_versions)
        done = _run(
            tasks, scored, file, workers, scheduler, progress or (lambda _: None), log or (lambda _: None)
        )
        return replace(done, notes=(*done.notes, *mixed_notes(file.versions)))


def _refuse_shared(paired: Mapping[str, Sequence[str]]) -> None:
    """One model after another is scored, so that nobody knows which words all of them know."""
    for test, models in Counter(test for own in paired.values() for test in own).items():
        if models > 1:
            raise ScoreError(
                f"{file_name(test)}: {models} models on one test set cannot be compared with --oov skip, as "
                "each would be asked the words that it knows itself; score them in one command of `evaluator "
                "score`, which asks the words that all know, or leave out --oov skip"
            )


def _file_settings(task: BatchTask) -> dict[str, Any]:
    """Everything that results depend on."""
    loading = task.loading
    reading = {
        "vectors": loading.format,
        "bad_rows": loading.bad_rows,
        "encoding": loading.encoding,
        "tests": task.test_format,
        **({} if loading.vocabulary is None else {"vocabulary from": str(loading.vocabulary)}),
    }
    content = builtins_of(ScoreLines(measures=task.measures, settings=task.settings, reading=reading))
    return {key: value for key, value in content.items() if key not in ("versions", "models")}


def _prepare(output: Path, paired: Mapping[str, Sequence[str]]) -> None:
    """Check before work starts that the file can be written, and is no input."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from error
    inputs = dict.fromkeys([*paired, *(test for own in paired.values() for test in own)])
    prepare_file(output, (Path(each) for each in inputs if not is_url(each) and Path(each).exists()))
    if output.exists() and not output.is_file():
        raise OutputError(f"{output}: is not a regular file; name another one")


def _run(
    tasks: Sequence[BatchTask],
    scored: Mapping[str, Sequence[str]],
    file: ResumableFile[ModelLine],
    workers: int,
    scheduler: str | None,
    progress: Callable[[float], None],
    log: Callable[[str], None],
) -> BatchSummary:
    missing = list(_missing(tasks, scored))
    before = len(tasks) - len(missing)
    number = failed = values = 0
    left_out: dict[str, None] = {}  # a line of a test set is named once, not for each model
    progress(before / len(tasks))
    lines = run_each(run_batch_task, missing, BatchTask.failure, workers, scheduler)
    for done, (_, line) in enumerate(lines, before + 1):
        file.add(line)
        number += max(1, len(line.results))
        failed += len(line.failures)
        left_out |= dict.fromkeys(line.left_out)
        values += sum(len(own.subscores) for each in line.results for own in each.scores)
        progress(done / len(tasks))
        log("; ".join(line.failures) or f"{line.vectors}: scored")
    return BatchSummary(len(missing), number, failed, values, before, tuple(left_out))


def _missing(tasks: Sequence[BatchTask], scored: Mapping[str, Sequence[str]]) -> Iterator[BatchTask]:
    """Models that lack a score; their new line will also have the scores of the line before."""
    for task in tasks:
        own = scored.get(task.vectors, ())
        if not set(task.tests) <= set(own):
            yield replace(task, tests=tuple(dict.fromkeys([*own, *task.tests])))


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
        dropped=vectors.dropped,
        results=tuple(_score(vectors, test, task) for test in task.tests),
    )


def _score(vectors: Vectors, test: str, task: BatchTask) -> LineResult:
    try:
        path = local_copy(test)
        test_set = _test_set(path, task.test_format, task.loading.bad_rows, _modified(path))
        found = score(vectors, test_set, task.measures, task.settings, threads=task.threads)
        return _result(found, test_set.dropped)
    except (ScoreError, TestSetError, VectorsError) as error:  # the last for test sets at URLs
        return LineResult(test_set=file_name(test), error=str(error))


@lru_cache(maxsize=4)
def _test_set(
    path: Path, test_format: str, bad_rows: Literal["refuse", "drop"], _modified: tuple[int, int]
) -> TestSet:
    """Read once for consecutive models of a language, as long as the file is unchanged."""
    return read_testset(path, test_format, bad_rows=bad_rows)


def _modified(path: Path) -> tuple[int, int]:
    """The time of change and the size of a file."""
    try:
        status = path.stat()
    except OSError:  # reading it gives the reason
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _result(scores: Scores, dropped: tuple[str, ...]) -> LineResult:
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
        failures=tuple(Failure(measure, reason) for measure, reason in scores.failures.items()),
        dropped=dropped,
    )
