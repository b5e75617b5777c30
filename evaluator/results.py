"""Result files: what `evaluator score --json` wrote, read back into one table of models × tasks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from evaluator.errors import ResultsError

FORMAT = "scores"
VERSION = 1


@dataclass(frozen=True, order=True)
class Task:
    """What models are compared on.

    Attributes:
        measure: The text of the measure.
        test_set: The name of the test set.
        language: Its language code.
    """

    measure: str
    test_set: str
    language: str


@dataclass(frozen=True)
class Result:
    """One score of one model.

    Attributes:
        model: The name of the vectors.
        task: What they were scored on.
        value: The score.
        signature: What held when it was computed; equal where two scores of a task can be compared.
        place: File and JSON path.
    """

    model: str
    task: Task
    value: float
    signature: str
    place: str


@dataclass(frozen=True)
class Table:
    """Models × tasks, both sorted by name, so that nothing depends on the order of the files.

    Attributes:
        models: The names of the rows.
        tasks: The names of the columns.
        measures: The measure of each column.
        cells: The values by model and task; what was not scored is not in it.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    measures: tuple[str, ...]
    cells: Mapping[tuple[str, str], float]

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Model and task of each cell without a value."""
        return tuple(
            (model, task) for model in self.models for task in self.tasks if (model, task) not in self.cells
        )


def read_results(paths: Sequence[Path]) -> tuple[Result, ...]:
    """Read what `evaluator score --json` wrote, of any number of models and test sets.

    Raises:
        ResultsError: A file cannot be read, is no JSON, holds something else or a score that is no number.
    """
    if not paths:
        raise ResultsError("no result files given; name some that `evaluator score --json` wrote")
    return tuple(result for path in paths for result in _read(path))


def tabulate(results: Iterable[Result]) -> Table:
    """Bring results into one table.

    A task is a measure on a test set of a language. All its scores must have the same signature: settings,
    seed where it matters, the test set's SHA-256 and the program's version. The same score may come twice.

    Raises:
        ResultsError: Scores of a task have different signatures, or a model has two different ones.
    """
    first: dict[Task, Result] = {}
    found: dict[tuple[str, Task], Result] = {}
    for result in results:
        _check_comparable(first.setdefault(result.task, result), result)
        same = found.setdefault((result.model, result.task), result)
        if same.value != result.value:
            raise ResultsError(
                f"{result.model} has two scores for {result.task.measure} on {result.task.test_set}: "
                f"{same.value} ({same.place}) and {result.value} ({result.place}); give only one of the "
                "files, or other names to the vectors if they are not the same"
            )
    names = _names(first)
    tasks = sorted(first, key=lambda task: (names[task], task))
    return Table(
        tuple(sorted({model for model, _ in found})),
        tuple(names[task] for task in tasks),
        tuple(task.measure for task in tasks),
        {(model, names[task]): result.value for (model, task), result in found.items()},
    )


def _check_comparable(one: Result, other: Result) -> None:
    if one.signature == other.signature:
        return
    parts = [result.signature.split("|") for result in (one, other)]
    only = [
        "|".join(part for part in own if part not in others) or "nothing more"
        for own, others in (parts, reversed(parts))
    ]
    raise ResultsError(
        f"scores of {one.task.measure} on {one.task.test_set} cannot be compared: {only[0]} for {one.model} "
        f"({one.place}), but {only[1]} for {other.model} ({other.place}); score all models in the same way"
    )


def _names(tasks: Iterable[Task]) -> dict[Task, str]:
    """What to call tasks in tables; the language is named where two would have the same name."""
    short = {task: f"{task.measure} {task.test_set}" for task in tasks}
    often = Counter(short.values())
    return {task: f"{name} ({task.language})" if often[name] > 1 else name for task, name in short.items()}


def _read(path: Path) -> Iterator[Result]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not content.strip():
        raise ResultsError(f"{path}: the file is empty; did the run that should have written it fail?")
    try:
        value = json.loads(content)  # in UTF-8, or in UTF-16 as PowerShell redirects output
    except (ValueError, RecursionError) as error:
        hint = " (of several runs, write each to a file of its own)" if "Extra data" in str(error) else ""
        raise ResultsError(f"{path}: not JSON: {error}; is the file complete?{hint}") from error
    yield from _Reader(path).results(value)


_MOST = 1e6


class _Reader:
    """Turns JSON values into results; complaints name the file and the JSON path."""

    def __init__(self, path: Path) -> None:
        self._file = path

    def results(self, value: Any) -> Iterator[Result]:  # noqa: ANN401  # any JSON value
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            self._fail("$.format", f'must be "{FORMAT}"; did `evaluator score --json` write this?')
        version = self._get(value, "$", "version", int)
        if version != VERSION:
            what = "update it" if version > VERSION else "score again with it"
            self._fail("$.version", f"is {version}, and this evaluator reads version {VERSION}; {what}")
        for run, path in self._each(value, "$", "results"):
            model, test_set, language = (
                self._get(run, path, key, str) for key in ("vectors", "test_set", "language")
            )
            for score, place in self._each(run, path, "scores"):
                task = Task(self._get(score, place, "measure", str), test_set, language)
                signature = self._get(score, place, "signature", str)
                yield Result(model, task, self._number(score, place), signature, f"{self._file}: {place}")

    def _each(self, value: Any, path: str, key: str) -> list[tuple[Any, str]]:  # noqa: ANN401
        elements = self._get(value, path, key, list)
        if not elements:
            self._fail(f"{path}.{key}", "is empty; there is nothing to compare")
        return [(element, f"{path}.{key}[{number}]") for number, element in enumerate(elements)]

    def _number(self, score: Any, path: str) -> float:  # noqa: ANN401  # any JSON value
        value = self._get(score, path, "value", (int, float))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not abs(number) <= _MOST:
            self._fail(
                f"{path}.value", f"is {number}; a score is a finite number, and no score is that large"
            )
        return number

    def _get(self, value: Any, path: str, key: str, kind: type | tuple[type, ...]) -> Any:  # noqa: ANN401
        if not isinstance(value, dict):
            self._fail(path, "must be an object")
        if key not in value:
            self._fail(f"{path}.{key}", "is missing")
        if not isinstance(value[key], kind) or isinstance(value[key], bool):
            self._fail(f"{path}.{key}", f"must be {_KINDS[kind]}")
        if value[key] == "" and key != "language":
            self._fail(f"{path}.{key}", "is empty")
        return value[key]

    def _fail(self, path: str, complaint: str) -> NoReturn:
        raise ResultsError(f"{self._file}: {path}: {complaint}")


_KINDS: Mapping[type | tuple[type, ...], str] = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    (int, float): "a number",
}
