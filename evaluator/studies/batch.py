"""Scoring many models on many test sets; the results of each are written as soon as it is scored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from evaluator.datasets.testset import TestSet
from evaluator.engine.vocabulary_lookup import CommonWords, KnownWords
from evaluator.errors import OutputError, StudyError
from evaluator.execution.inputs import Input
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import prepare_file
from evaluator.execution.remote_files import file_name, is_url
from evaluator.results.base import builtins_of
from evaluator.results.files import Paths
from evaluator.results.score_lines import (
    BatchFile,
    ScoredLine,
    digest_of_models,
)
from evaluator.results.scores import ModelFailure, Scores
from evaluator.settings import Settings
from evaluator.statistics.score_lines import MOST_COMPARED
from evaluator.studies.inputs import Found, are_same, check_all
from evaluator.studies.models import (
    ScoringResult,
    ScoringTask,
    TestSetFile,
    look_up,
    score_model,
)
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

    They are those of `evaluator.score`. The first line has the settings; the others are in the order in which
    models are finished. Models of one test set are compared by what their lines hold (see
    `evaluator.compared`), up to 100 of them: where their vocabularies differ, they are scored again among the
    words that all of them have, and with `oov=skip` they are asked the words that all of them know. What
    cannot be scored has a line with the reason; a measure that cannot is in `failures`, and the others are
    scored. An interrupted batch is resumed with what has no scores yet, or has changed since. The last line
    of a model and a test set counts. No results are kept in memory.

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
    _prepare(output, paired)
    tasks = [
        ScoringTask(
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
        return _Batch(tasks, before, file, machine).run()


@dataclass(frozen=True)
class _Scored:
    """A line without its scores: what these depend on, and among which words the model was scored."""

    inputs: tuple[Input, ...]
    model: str
    vocabulary: str
    models: str

    @classmethod
    def of(cls, line: ScoredLine, scores: Scores) -> _Scored:
        return cls(scores.inputs, scores.model_sha256, line.vocabulary, line.models_sha256)


@dataclass(frozen=True)
class _Before:
    """What lines say by vectors and test set: those of models as they are, and as they were scored again."""

    scored: dict[tuple[str, str], _Scored] = field(default_factory=dict)
    again: dict[tuple[str, str], _Scored] = field(default_factory=dict)
    now: dict[Input, Found] = field(default_factory=dict)  # what has become of the inputs of those asked for

    def read(self, line: ScoredLine) -> None:
        if line.test is not None and line.scores is not None:
            of_kind = self.again if line.again else self.scored
            of_kind[line.vectors, line.test] = _Scored.of(line, line.scores)

    def check(self, tasks: Sequence[ScoringTask]) -> None:
        """Look at the files of all that are asked for and have been scored."""
        asked = ((_path(each), _path(test)) for each in tasks for test in each.tests)
        scored = (self.scored[each] for each in asked if each in self.scored)
        self.now.update(check_all(each for found in scored for each in found.inputs))

    def has(self, model: str, test: str) -> bool:
        """Whether there are scores of a model on a test set as all their files are now."""
        found = self.scored.get((model, test))
        return found is not None and are_same(found.inputs, self.now)


def _head(
    task: ScoringTask, loading: LoadOptions, test_format: str, columns: Mapping[str, str]
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


@dataclass
class _Batch:
    """A batch: its models scored, and scored again among the words that all have, where they are compared."""

    tasks: Sequence[ScoringTask]
    before: _Before
    file: ResumableFile[ScoredLine]
    machine: Machine
    number: int = 0
    failed: int = 0
    values: int = 0
    left_out: dict[str, None] = field(default_factory=dict)  # named once, not for each model
    common: dict[str, CommonWords] = field(default_factory=dict)  # of the models of a test set
    few: set[str] = field(
        default_factory=set
    )  # the test sets whose models are compared in their vocabularies
    counted: set[tuple[str, str]] = field(default_factory=set)  # the models and test sets that are in these

    def run(self) -> BatchSummary:
        often = Counter(_path(test) for task in self.tasks for test in task.tests)
        is_skip = self.tasks[0].settings.oov == "skip"
        several = {test for test, number in often.items() if number > 1}
        self.before.check(self.tasks)
        missing = self._on_common_words(several) if is_skip else list(self._missing())
        changed = sum(
            any((_path(each), _path(test)) in self.before.scored for test in each.tests) for each in missing
        )
        few = set() if is_skip else {test for test in several if often[test] <= MOST_COMPARED}
        self.few |= few
        finished = len(self.tasks) - len(missing)
        self.machine.progress(finished / len(self.tasks) / (2 if few else 1))
        first = self.machine.part(0, 0.5 if few else 1)
        self._score(
            [replace(each, compared=not is_skip) for each in missing], first, finished, len(self.tasks)
        )
        again = list(self._again())
        self._score(again, self.machine.part(0.5, 1), 0, len(again), again=True)
        self.machine.progress(1.0)
        notes = list(self.left_out)
        if again:
            tests = sorted({file_name(_path(test)) for each in again for test in each.tests})
            notes.insert(
                0,
                f"{_count(len(again), 'model')} scored again, among the words that all models of "
                f"{', '.join(tests)} have: their vocabularies differ",
            )
        if changed:
            said = "scored again, as they or their test sets have changed since"
            notes.insert(0, f"{said}: {_count(changed, 'model')}")
        done = self.number, self.failed, self.values, finished
        return BatchSummary(len(missing), *done, tuple(notes))

    def _missing(self, but: Collection[str] = ()) -> Iterator[ScoringTask]:
        """The models to be scored, on the test sets on which they have no scores, or not those of now."""
        for task in self.tasks:
            kept = [each for each in task.tests if _path(each) not in but]
            lacking = tuple(each for each in kept if not self.before.has(_path(task), _path(each)))
            if lacking:
                yield replace(task, tests=lacking)

    def _score(
        self, tasks: Sequence[ScoringTask], machine: Machine, finished: int, of: int, *, again: bool = False
    ) -> None:
        for task, found in machine.run_each(score_model, tasks, ScoringTask.failed):
            finished += 1
            lines = list(_lines(task, found, again=again))
            for line in lines:
                self.file.add(line)
                self.before.read(line)
            self._count(task, found, lines, again=again)
            machine.progress(finished / of)
            machine.log("; ".join(_failures(task, found, lines)) or f"{_path(task)}: scored")

    def _count(
        self, task: ScoringTask, found: ScoringResult, lines: Sequence[ScoredLine], *, again: bool
    ) -> None:
        if again:  # these are the same models
            return
        self.number += len(lines)
        self.failed += len(_failures(task, found, lines))
        if found.dropped:
            self.left_out[f"{_path(task)}: bad rows left out: {found.dropped}"] = None
        self.left_out |= dict.fromkeys(found.left_out)
        self.values += sum(len(each.subscores) for line in lines for each in line.scores or ())
        for test, on_test in zip(map(_path, task.tests), found.scored, strict=True):
            if test in self.few and on_test is not None and on_test.known is not None:
                self._take(_path(task), test, on_test.known, only_known=False)

    def _take(self, model: str, test: str, known: KnownWords, *, only_known: bool) -> None:
        self.counted.add((model, test))
        common = self.common.setdefault(test, CommonWords(only_known=only_known))
        if known.found:
            common.add(known)

    def _on_common_words(self, several: Collection[str]) -> list[ScoringTask]:
        """With `oov=skip`: the models to be scored, on the words that all models of a test set know."""
        stale = {test for test in several if not self._is_finished(test)}
        digests = self._look_up(stale, only_known=True)
        missing = list(self._missing(but=stale))
        for task in self.tasks:
            tests = tuple(each for each in task.tests if _path(each) in stale)
            if tests:
                missing.append(_among(task, tests, self.common, digests))
        return missing

    def _is_finished(self, test: str) -> bool:
        """Whether all models of a test set have scores, all on the words that they have in common."""
        models = [_path(task) for task in self.tasks if test in map(_path, task.tests)]
        found = [self.before.scored.get((each, test)) for each in models]
        digest = digest_of_models(each.model for each in found if each is not None)
        return all(
            each is not None and each.models == digest and self.before.has(model, test)
            for model, each in zip(models, found, strict=True)
        )

    def _again(self) -> Iterator[ScoringTask]:
        """The models that are compared among common words, and have not been scored among these."""
        models: dict[str, dict[str, _Scored]] = {test: {} for test in self.few}
        for task in self.tasks:
            for test in self.few.intersection(map(_path, task.tests)):
                if (_path(task), test) in self.before.scored:
                    models[test][_path(task)] = self.before.scored[_path(task), test]
        digests = {
            test: digest_of_models(each.model for each in own.values())
            for test, own in models.items()
            if len({each.vocabulary for each in own.values()} - {""}) > 1
        }
        missing = {
            test: {model for model in models[test] if not self._was_again(model, test, digest)}
            for test, digest in digests.items()
        }
        self._look_up([test for test, own in missing.items() if own], only_known=False)
        for task in self.tasks:
            tests = tuple(each for each in task.tests if _path(task) in missing.get(_path(each), ()))
            if tests:
                yield _among(task, tests, self.common, digests)

    def _was_again(self, model: str, test: str, digest: str) -> bool:
        found = self.before.again.get((model, test))
        return found is not None and found.models == digest

    def _look_up(self, tests: Collection[str], *, only_known: bool) -> dict[str, str]:
        """Find out what models know that were not scored just now; and the digest of those of a test set."""
        tasks = []
        for task in self.tasks:
            lacking = tuple(
                each
                for each in task.tests
                if (test := _path(each)) in tests and (_path(task), test) not in self.counted
            )
            if lacking:
                tasks.append(replace(task, tests=lacking))
        digests: dict[str, list[str]] = {test: [] for test in tests}
        for task, found in self.machine.run_each(look_up, tasks, lambda *_: None):
            for test, known in zip(
                map(_path, task.tests), found[1] if found else (), strict=found is not None
            ):
                self._take(_path(task), test, known, only_known=only_known)
                digests[test].append(found[0] if found else "")
        return {test: digest_of_models(several) for test, several in digests.items()}


def _among(
    task: ScoringTask,
    tests: tuple[TestSet | TestSetFile, ...],
    common: Mapping[str, CommonWords],
    digests: Mapping[str, str],
) -> ScoringTask:
    """A model on test sets, among the words that all models of each have."""
    candidates = tuple(
        None if (found := common.get(_path(each))) is None else found.candidates for each in tests
    )
    return replace(
        task, tests=tests, candidates=candidates, models=tuple(digests[_path(each)] for each in tests)
    )


def _failures(task: ScoringTask, found: ScoringResult, lines: Sequence[ScoredLine]) -> list[str]:
    of_model = (str(structs.replace(each, model=_path(task))) for each in found.failures)
    scored = [(line.vectors, line.scores) for line in lines if line.scores is not None]
    reasons = (
        str(ModelFailure(vectors, scores.test_set, reason))
        for vectors, scores in scored
        for reason in (*(each.reason for each in scores.failures), *filter(None, [scores.reason]))
    )
    return [*of_model, *reasons]


def _lines(task: ScoringTask, found: ScoringResult, *, again: bool) -> Iterator[ScoredLine]:
    path, reasons = _path(task), (each.reason for each in found.failures)
    if any(each.test_set is None for each in found.failures):
        yield ScoredLine(vectors=path, reason=next(reasons), again=again)
        return
    models = task.models or ("",) * len(task.tests)
    for test, on_test, digest in zip(map(_path, task.tests), found.scored, models, strict=True):
        if on_test is None:
            yield ScoredLine(vectors=path, test=test, reason=next(reasons), again=again)
            continue
        known = on_test.known
        yield ScoredLine.of(
            *(path, test, on_test.scores),
            vocabulary=known.others_digest if known is not None and known.found else "",
            models_sha256=digest,
            again=again,
        )


def _path(of: ScoringTask | TestSet | TestSetFile) -> str:
    """The path or URL of a model or a test set of a batch, all of which are files."""
    file = of.file if isinstance(of, ScoringTask) else of
    return file.path if isinstance(file, VectorsFile | TestSetFile) else file.name
