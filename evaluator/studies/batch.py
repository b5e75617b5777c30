"""Scoring many models on many test sets; the results of each are written as soon as it is scored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from evaluator.datasets.testset import TestSet
from evaluator.errors import OutputError, ScoreError, StudyError
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import prepare_file
from evaluator.execution.remote_files import file_name, is_url
from evaluator.results.base import builtins_of
from evaluator.results.files import BatchFile, Paths, ScoredLine
from evaluator.results.scores import ModelFailure
from evaluator.settings import Settings
from evaluator.studies.models import ModelToScore, ScoredModel, TestSetFile, modified, score_model, sha256_of
from evaluator.studies.patterns import Paired, pairs
from evaluator.studies.resumable import ResumableFile, locked_output
from evaluator.studies.scoring import Measures, parsed
from evaluator.vectors import LoadOptions
from evaluator.vectors.reading import VectorsFile


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


def _listed(paths: Paths) -> list[str]:
    several = paths if isinstance(paths, Sequence) and not isinstance(paths, str) else [paths]
    if not several or not all(isinstance(each, str | os.PathLike) for each in several):
        raise StudyError("a batch takes paths of vectors and test sets; `evaluator.score` takes all others")
    return [os.fspath(each) for each in several]


def batch(
    models: Paths,
    tests: Paths,
    output: str | Path,
    measures: Measures = None,
    settings: Settings | None = None,
    loading: LoadOptions | None = None,
    test_format: str = "auto",
    columns: Mapping[str, str] | None = None,
    *,
    machine: Machine = Machine(),
    command: Sequence[str] | None = None,
) -> BatchSummary:
    """Score models, and write the results of each as soon as it is scored, one JSON object per line.

    They are those of `evaluator.score` with its context. The first line has the settings; the others are in
    the order in which models are finished. Models are not compared, as each is scored in its own vocabulary.
    What cannot be scored has a line with the reason; a measure that cannot is in `failures`, and the others
    are scored. An interrupted batch is resumed with what has no scores yet, or has changed since. The last
    line of a model and a test set counts. No results are kept in memory.

    Args:
        models: One or several paths or URLs of vectors; see `pairs`.
        tests: One or several paths or URLs of test sets.
        output: The file to write.
        measures: The measures or their texts; the usual ones for each test set if None.
        settings: For all measures; `Settings()` if None.
        loading: How vectors are loaded; `LoadOptions()` if None.
        test_format: The format of the test sets; see `read_testset`.
        columns: The columns of the test sets, by their roles; see `read_testset`.
        machine: Where models are scored; its progress is the share of models that are done.
        command: The arguments that a command was given, which the file keeps.

    Raises:
        VectorsError: A model does not exist.
        TestSetError: A test set does not exist, or its language is not known.
        ScoreError: With `oov=skip`, several models are to be scored on one test set: each on other words.
        StudyError: The file holds something else, was started with other settings or versions, or another
            process is writing it; or vectors or test sets are not given by paths.
        MeasureError: A measure does not exist.
        OutputError: The file cannot be written, or is an input.
        ClusterError: The cluster cannot be used, or was lost; finished results are kept.
    """
    output, settings, loading = Path(output), settings or Settings(), loading or LoadOptions()
    texts = tuple(map(str, parsed(measures))) if measures else None
    chosen = tuple((columns or {}).items())
    paired = pairs(_listed(models), _listed(tests))
    if settings.oov == "skip":
        _refuse_shared(paired)
    _prepare(output, paired)
    tasks = [
        ModelToScore(
            VectorsFile(model, loading, own.model),
            tuple(
                TestSetFile(test, test_format, loading.bad_rows, own.language or "und", chosen)
                for test in own.tests
            ),
            texts,
            settings,
            machine=machine.for_task,
        )
        for model, own in paired.items()
    ]
    before = _Before()
    with locked_output(output):
        head = _head(tasks[0], loading, test_format, dict(chosen))
        file = ResumableFile(output, head, ScoredLine, before.read, command=command)
        return _run(tasks, before, file, machine)


@dataclass(frozen=True)
class _Before:
    """What earlier lines say: what has scores, and the state and the digests of both files then."""

    scored: dict[tuple[str, str], tuple[tuple[int, ...], tuple[str, ...]]] = field(default_factory=dict)

    def read(self, line: ScoredLine) -> None:
        if line.test is not None and line.scores is not None:
            digests = line.scores.model_sha256, line.scores.test_sha256
            self.scored[line.vectors, line.test] = line.state, digests

    def has(self, model: str, test: str) -> bool:
        """Whether there are scores of a model on a test set as they are now: copies may have other times."""
        if (model, test) not in self.scored:
            return False
        state, digests = self.scored[model, test]
        return state == _state(model, test) or all(
            Path(path).is_file() and sha256_of(Path(path)) == digest
            for path, digest in zip((model, test), digests, strict=True)
            if not is_url(path)
        )


def _refuse_shared(paired: Mapping[str, Paired]) -> None:
    """One model after another is scored, so that nobody knows which words all of them know."""
    for test, models in Counter(test for own in paired.values() for test in own.tests).items():
        if models > 1:
            raise ScoreError(
                f"{file_name(test)}: {models} models on one test set cannot be compared with --oov skip, as "
                "each would be asked the words that it knows itself; score them in one command of `evaluator "
                "score`, which asks the words that all know, or leave out --oov skip"
            )


def _head(
    task: ModelToScore, loading: LoadOptions, test_format: str, columns: Mapping[str, str]
) -> dict[str, Any]:
    reading = {
        "vectors": loading.format,
        "bad_rows": loading.bad_rows,
        "encoding": loading.encoding,
        "tests": test_format,
        **({"columns": ",".join(f"{role}={name}" for role, name in columns.items())} if columns else {}),
        **({} if loading.vocabulary is None else {"vocabulary from": str(loading.vocabulary)}),
    }
    content = builtins_of(BatchFile(measures=task.measures, settings=task.settings, reading=reading))
    return {key: content[key] for key in ("format", "version", "measures", "settings", "reading")}


def _prepare(output: Path, paired: Mapping[str, Paired]) -> None:
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or error}") from error
    inputs = dict.fromkeys([*paired, *(test for own in paired.values() for test in own.tests)])
    prepare_file(output, (Path(each) for each in inputs if not is_url(each) and Path(each).exists()))
    if output.exists() and not output.is_file():
        raise OutputError(f"{output}: is not a regular file; name another one")


def _run(
    tasks: Sequence[ModelToScore],
    before: _Before,
    file: ResumableFile[ScoredLine],
    machine: Machine,
) -> BatchSummary:
    missing = list(_missing(tasks, before))
    changed = sum(any((_path(each), _path(test)) in before.scored for test in each.tests) for each in missing)
    # Before scoring: what changes during it is scored again by the next run.
    states = {
        (_path(each), _path(test)): _state(_path(each), _path(test))
        for each in missing
        for test in each.tests
    }
    finished = len(tasks) - len(missing)
    number = failed = values = 0
    left_out: dict[str, None] = {}  # a line of a test set is named once, not for each model
    machine.progress(finished / len(tasks))
    for task, found in machine.run_each(score_model, missing, ModelToScore.failed):
        finished += 1
        lines = list(_lines(task, found, states))
        for line in lines:
            file.add(line)
        number += len(lines)
        of_model = (str(structs.replace(each, model=_path(task))) for each in found.failures)
        of_measures = (
            str(ModelFailure(line.vectors, line.scores.test_set, each.reason))
            for line in lines
            if line.scores is not None
            for each in line.scores.failures
        )
        failures = [*of_model, *of_measures]
        failed += len(failures)
        if found.dropped:
            left_out[f"{_path(task)}: bad rows left out: {found.dropped}"] = None
        left_out |= dict.fromkeys(found.left_out)
        values += sum(len(each.subscores) for line in lines for each in line.scores or ())
        machine.progress(finished / len(tasks))
        machine.log("; ".join(failures) or f"{_path(task)}: scored")
    again = f"scored again, as they or their test sets have changed since: {_count(changed, 'model')}"
    notes = (*([again] if changed else []), *left_out)
    return BatchSummary(len(missing), number, failed, values, len(tasks) - len(missing), notes)


def _missing(tasks: Sequence[ModelToScore], before: _Before) -> Iterator[ModelToScore]:
    for task in tasks:
        lacking = tuple(each for each in task.tests if not before.has(_path(task), _path(each)))
        if lacking:
            yield replace(task, tests=lacking)


def _state(*paths: str) -> tuple[int, ...]:
    """The time of change and the size of each file; of URLs nothing."""
    return tuple(number for path in paths if not is_url(path) for number in modified(Path(path)))


def _lines(
    task: ModelToScore, scored: ScoredModel, states: Mapping[tuple[str, str], tuple[int, ...]]
) -> Iterator[ScoredLine]:
    path, reasons = _path(task), (each.reason for each in scored.failures)
    if any(each.test_set is None for each in scored.failures):
        yield ScoredLine(vectors=path, reason=next(reasons))
        return
    for test, scores in zip(task.tests, scored.scores, strict=True):
        if scores is None:
            yield ScoredLine(vectors=path, test=_path(test), reason=next(reasons))
            continue
        state = states[path, _path(test)]
        yield ScoredLine(vectors=path, test=_path(test), state=state, scores=scores.record())


def _path(of: ModelToScore | TestSet | TestSetFile) -> str:
    """The path or URL of a model or a test set of a batch, all of which are files."""
    file = of.file if isinstance(of, ModelToScore) else of
    return file.path if isinstance(file, VectorsFile | TestSetFile) else file.name
