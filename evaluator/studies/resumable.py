"""Studies, and files that let an interrupted one be resumed.

A file has the settings of the study, then one finished result per line (JSON). Each line ends with the
SHA-256 of what stands before it, so that a changed line is not believed.
"""

from __future__ import annotations

import json
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from filelock import FileLock, Timeout
from msgspec import ValidationError, convert

from evaluator.errors import CorpusError, OutputError, StudyError
from evaluator.execution.inputs import Input
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import atomic_output, prepare_folder, protect_inputs
from evaluator.execution.processes import told, versions
from evaluator.results.base import builtins_of, is_unchanged, signed_line
from evaluator.text.corpus import Corpus

Task = TypeVar("Task")
Result = TypeVar("Result")
Conclusion = TypeVar("Conclusion")


class ResumableFile(Generic[Result]):
    """A file of finished results; each is written as a whole line or not at all."""

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        kind: type[Result],
        read: Callable[[Result], None],
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        self._path, self._kind, self._read = path, kind, read
        self._settings = json.loads(json.dumps(settings))
        self.commands = [] if command is None else [list(command)]
        self._empty = True
        try:
            if path.exists():
                os.truncate(path, self._read_lines())  # without the line that a killed run did not finish
                if not self._empty:
                    self._write_settings()
        except OSError as error:
            raise self._cannot_write(error) from error

    def _read_lines(self) -> int:
        length = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    if number == 1 and not self._head.startswith(line):
                        raise self._error(self._other_format)
                    break
                self._read_line(line, number)
                length += len(line)
        return length

    def _read_line(self, line: bytes, number: int) -> None:
        try:
            content = json.loads(line)
            content.pop("sha256", None)
            if number == 1:
                made_with, made_by = content.pop("versions", [{}]), content.pop("commands", [])
                self._check_settings(content)
                self._check_versions(made_with)
                self.commands = [*(each for each in made_by if each not in self.commands), *self.commands]
            elif "format" in content:
                raise self._error(f"line {number} starts another file; do not join files")
            if not is_unchanged(line):
                raise self._error(f"line {number} is damaged or was changed")
            if number > 1:
                self._read(convert(content, self._kind))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            wrong = f"line {number} is damaged or was changed" if number > 1 else self._other_format
            reason = f" ({error})" if isinstance(error, ValidationError) else ""
            raise self._error(f"{wrong}{reason}") from error
        self._empty = False

    def _check_settings(self, before: Any) -> None:  # noqa: ANN401 - JSON
        now = self._settings
        if before["format"] != now["format"]:
            raise ValueError
        changed = [
            *_differences(before, now),
            *_other_inputs(before.get("inputs", []), now.get("inputs", [])),
        ]
        if changed:
            raise StudyError(
                f"{self._path}: was started with other settings ({'; '.join(changed)}). Name another "
                "output, or use the same settings"
            )

    def _check_versions(self, made_with: list[dict[str, str]]) -> None:
        now = versions()
        others = [each for each in made_with if each != now]
        if others:
            raise StudyError(
                f"{self._path}: was made with other versions ({'; '.join(map(told, others))}; here is "
                f"{told(now)}), which may give other results. Install the same versions, or name another "
                "output"
            )

    @property
    def _head(self) -> bytes:
        commands = {"commands": self.commands} if self.commands else {}
        return signed_line({**self._settings, "versions": [versions()], **commands})

    def _write_settings(self) -> None:
        """Write the first line again if another command makes further results."""
        with self._path.open("rb") as file:
            if file.readline() == self._head:
                return
            with atomic_output(self._path) as temporary, temporary.open("wb") as changed:
                changed.write(self._head)
                shutil.copyfileobj(file, changed)

    @property
    def _other_format(self) -> str:
        return f"is not a file of {self._settings['format']}"

    def _error(self, what: str) -> StudyError:
        return StudyError(f"{self._path}: {what}; name another output")

    def _cannot_write(self, error: OSError) -> OutputError:
        return OutputError(
            f"{self._path}: cannot be written: {error.strerror or error}; finished results are kept. Make it "
            "writable or free some space, and run the same command again"
        )

    def add(self, result: Result) -> None:
        """Write a finished result to disk."""
        lines = (self._head if self._empty else b"") + signed_line(builtins_of(result))
        try:
            with self._path.open("ab", buffering=0) as file:
                _append(file, lines)
        except OSError as error:
            raise self._cannot_write(error) from error
        self._empty = False


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What has another value now, also within settings; inputs have their own words."""
    for name in sorted(before.keys() | now.keys() - {"inputs"}):
        was, found = before.get(name), now.get(name)
        if isinstance(was, Mapping) and isinstance(found, Mapping):
            yield from _differences(was, found)
        elif name != "inputs" and was != found:
            yield f"{name} was {was}, is {found}"


def _other_inputs(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Which files are others; the same ones may be somewhere else."""
    was, found = ({(each["role"], each["sha256"]): each["path"] for each in own} for own in (before, now))
    if was.keys() == found.keys():
        return
    yield from (f"{path} has changed" for key, path in found.items() if key not in was)
    yield from (
        f"{path} is not read" for key, path in was.items() if key not in found and path not in found.values()
    )


def _append(file: FileIO, lines: bytes) -> None:
    before, written = file.tell(), 0
    try:
        while written < len(lines):  # a nearly full disk takes the beginning without an error
            written += file.write(lines[written:])
        os.fsync(file.fileno())
    except OSError:
        os.ftruncate(file.fileno(), before)
        raise


@contextmanager
def locked_output(path: Path) -> Iterator[None]:
    """Keep other processes from writing the same output, a file or a folder."""
    lock = FileLock(path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise StudyError(f"{path}: another process is writing it; wait, or name another output") from error
    try:
        yield
    finally:
        lock.release()


class Study(ABC, Generic[Task, Result, Conclusion]):
    """What to do, how, and what follows from it.

    `file` has the finished results, of the type `result`; `written` are other files in the folder that must
    not be inputs; `run` gives the result of a task, in any process: a function of a module.
    """

    file: ClassVar[str]
    result: ClassVar[type[Any]]
    written: ClassVar[Sequence[str]]
    run: Callable[[Task], Result]

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """All that results depend on besides their task and inputs, with a `format` and a `version`."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[Input, ...]:
        """The files that results depend on, and what trains models."""

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
    study: Study[Task, Result, Conclusion], folder: Path, corpus: Corpus, machine: Machine
) -> Conclusion:
    """Run the tasks of a study that are not finished, and conclude."""
    if not isinstance(corpus, Corpus):
        raise CorpusError(f"the corpus is of type {type(corpus).__name__}; give Corpus((PATH,), LANGUAGE)")
    protect_inputs(corpus.local_paths, folder, study.written)
    prepare_folder(folder)
    finished: list[Result] = []
    with locked_output(folder):
        settings = {**study.settings, "inputs": builtins_of(study.inputs)}
        file = ResumableFile[Result](folder / study.file, settings, study.result, finished.append)
        tasks = study.plan(finished)
        machine.progress(study.share(finished))
        for task, result in machine.run_each(study.run, tasks, study.died):
            if result is not None:
                file.add(result)
                finished.append(result)
            machine.progress(study.share(finished))
            machine.log(study.line(task, result))
        return study.conclude(finished)
