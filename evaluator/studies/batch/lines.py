"""The file that a batch writes: what holds for all results, then the results of a model in each line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec

from evaluator.errors import OutputError
from evaluator.results.base import builtins_of
from evaluator.results.score_lines import ModelLine, ScoreLines


class Lines:
    """The file of results; a model's are written whole or not at all.

    The last line of a model counts: a model that is tried again, or scored on more test sets, has several.

    Attributes:
        done: The places of models, each with those of the test sets that it has a score on.
    """

    def __init__(self, path: Path, head: ScoreLines) -> None:
        """Begin the file, or go on with it.

        Args:
            path: The file.
            head: What holds for all results; a file that is there must hold the same.

        Raises:
            OutputError: It holds something else, or cannot be written to the end.
            OSError: It cannot be written.
        """
        self._path, self.done = path, dict[str, tuple[str, ...]]()
        content = builtins_of(head)
        del content["models"]
        self._head = json.loads(json.dumps(content))
        path.touch()
        whole = self._read()
        os.truncate(path, whole)  # what was being written when a run was killed
        if not whole:
            self._append(self._head)

    def _read(self) -> int:
        """Note which models are there; returns how many bytes are whole lines."""
        whole = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    if number == 1 and not _line(self._head).startswith(line):
                        raise self._of_others("holds something else than results")
                    break
                self._note(line, number)
                whole += len(line)
        return whole

    def _note(self, line: bytes, number: int) -> None:
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict) or not ({"format", "vectors"} & content.keys()):
            raise self._of_others(f"line {number} holds something else than results")
        if number == 1:
            if content != self._head:
                raise self._of_others(
                    "holds something else, or results by other measures, settings, ways of reading, or of "
                    "another version of evaluator"
                )
        elif "format" in content:
            raise self._of_others(f"line {number} begins another file of results; join none of them")
        else:
            self._note_model(content, number)

    def _note_model(self, content: object, number: int) -> None:
        try:
            model = msgspec.convert(content, ModelLine)
        except msgspec.ValidationError as error:
            raise self._of_others(f"line {number} holds something else than results") from error
        pairs = zip(model.tests, model.results, strict=False)
        self.done[model.vectors] = tuple(test for test, result in pairs if result.error is None)

    def _of_others(self, why: str) -> OutputError:
        return OutputError(f"{self._path}: {why}; name another file")

    def add(self, result: ModelLine) -> None:
        """Write the results of a model, to the disk itself.

        Raises:
            OutputError: They did not fit; the file ends with the line before.
        """
        self._append(builtins_of(result))

    def _append(self, content: object) -> None:
        line = _line(content)
        with self._path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                written = 0
                while written < len(line):  # a disk that gets full takes the beginning without an error
                    written += file.write(line[written:])
                os.fsync(file.fileno())
            except OSError as error:
                os.ftruncate(file.fileno(), before)
                raise OutputError(
                    f"{self._path}: cannot be written: {error.strerror or error}; what is finished is kept: "
                    "make room, and run the same command again"
                ) from error


def _line(content: object) -> bytes:
    """A line of the file; what is no text in the name of a file becomes an escape of JSON."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode(errors="backslashreplace")
