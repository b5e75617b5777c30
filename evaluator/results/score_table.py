"""Result files: what `evaluator score --json` wrote, read back into one table of models × tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import ResultsError
from evaluator.results.jsonvalue import JsonValue, parse_json, read_content

FORMAT = "scores"
VERSION = 1
COMMAND = "evaluator score --json"

_MOST = 1e6


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
    return tuple(result for path in paths for result in _results(parse_json(read_content(path), str(path))))


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


def check_format(file: JsonValue, name: str, version: int, command: str) -> None:
    """Refuse a file of another format, or of a version that this evaluator does not read.

    Args:
        file: The whole of it.
        name: What its format must be.
        version: What its version must be.
        command: What writes such files.

    Raises:
        ResultsError: It is another.
    """
    if not isinstance(file.value, dict) or file.value.get("format") != name:
        found = JsonValue(None, file.file, f"{file.path}.format")
        found.fail(f'must be "{name}"; did `{command}` write this?')
    number = file.at("version").read(int)
    if number != version:
        what = "update it" if number > version else f"run `{command}` again with it"
        file.at("version").fail(f"is {number}, and this evaluator reads version {version}; {what}")


def check_score(value: JsonValue) -> float:
    """The value of a score.

    Raises:
        ResultsError: It is no number that a score could be.
    """
    number = value.read(float)
    if abs(number) > _MOST:
        value.fail(f"is {number}; no score is that large")
    return number


def _results(file: JsonValue) -> Iterator[Result]:
    check_format(file, FORMAT, VERSION, COMMAND)
    for run in _some(file.at("results")):
        model, test_set = (_name(run.at(key)) for key in ("vectors", "test_set"))
        language = run.at("language").read(str)
        for score in _some(run.at("scores")):
            task = Task(_name(score.at("measure")), test_set, language)
            signature = _name(score.at("signature"))
            value = check_score(score.at("value"))
            yield Result(model, task, value, signature, f"{score.file}: {score.path}")


def _some(values: JsonValue) -> list[JsonValue]:
    return values.elements() or values.fail("is empty; there is nothing to compare")


def _name(text: JsonValue) -> str:
    return text.read(str) or text.fail("is empty")
