"""Runs a study: tasks whose results are kept in a file, so that an interrupted study is resumed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from evaluator.execution.machine import Machine
from evaluator.execution.output_files import prepare_folder, protect_inputs
from evaluator.studies.resumable import ResumableFile, locked_output

Task = TypeVar("Task")
Result = TypeVar("Result")
Conclusion = TypeVar("Conclusion")


class Study(ABC, Generic[Task, Result, Conclusion]):
    """What to do, how, and what follows from it.

    Attributes:
        file: The name of the file of finished results.
        result: The type of the results.
        written: The names of other files in the folder that must not be inputs.
        run: Gives the result of a task, in any process; a function of a module.
    """

    file: ClassVar[str]
    result: ClassVar[type[Any]]
    written: ClassVar[Sequence[str]]
    run: Callable[[Task], Result]

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """All that results depend on besides their task, with a `format` and a `version`."""

    @abstractmethod
    def plan(self, finished: Sequence[Result]) -> Iterable[Task]:
        """The tasks that are left, one by one; results are added to `finished` as they arrive."""

    @abstractmethod
    def died(self, task: Task, reason: str) -> Result | None:
        """The result of a task whose process died; None to keep none, so that it is tried again."""

    @abstractmethod
    def share(self, finished: Sequence[Result]) -> float:
        """The share of the work that is done, from 0 to 1."""

    @abstractmethod
    def line(self, task: Task, result: Result | None) -> str:
        """What came of a task, in a line."""

    @abstractmethod
    def conclude(self, finished: Sequence[Result]) -> Conclusion:
        """What follows from all results."""


def run_study(
    study: Study[Task, Result, Conclusion],
    folder: Path,
    inputs: Iterable[Path],
    machine: Machine,
) -> Conclusion:
    """Run the tasks of a study that are not finished, and conclude."""
    protect_inputs(inputs, folder, study.written)
    prepare_folder(folder)
    finished: list[Result] = []
    with locked_output(folder):
        file = ResumableFile[Result](
            folder / study.file,
            study.settings,
            study.result,
            finished.append,
        )
        tasks = study.plan(finished)
        machine.progress(study.share(finished))
        for task, result in machine.run_each(study.run, tasks, study.died):
            if result is not None:
                file.add(result)
                finished.append(result)
            machine.progress(study.share(finished))
            machine.log(study.line(task, result))
        return study.conclude(finished)
