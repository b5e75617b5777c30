"""The result files that a report is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import ResultsError
from evaluator.reports.page import Fact
from evaluator.results.base import ResultFile, to_json
from evaluator.results.files import parse_results, read_content


@dataclass(frozen=True)
class InputFile:
    """A result file."""

    name: str
    content: bytes
    result: ResultFile

    @property
    def sha256(self) -> str:
        """The digest of the content."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def origin(self) -> Fact:
        """Which file numbers are from."""
        return Fact("Result file", [f"{self.name}, sha256 {self.sha256}"])


def read_inputs(paths: Sequence[Path]) -> list[InputFile]:
    """Read result files; those of the same name are told apart by their paths."""
    if not paths:
        raise ResultsError("no result files given; name files that evaluator wrote")
    resolved = [path.resolve() for path in paths]
    again = next((path for path in paths if resolved.count(path.resolve()) > 1), None)
    if again is not None:
        raise ResultsError(f"{again}: given twice; name each result file once")
    names = [path.name for path in paths]
    contents = [read_content(path) for path in paths]
    return [
        InputFile(
            path.as_posix() if names.count(path.name) > 1 else path.name,
            content,
            parse_results(content, str(path)),
        )
        for path, content in zip(paths, contents, strict=True)
    ]


def input_of(result: ResultFile, name: str) -> InputFile:
    """Results that are in no file yet, as if they were in one."""
    return InputFile(name, f"{to_json(result)}\n".encode(errors="replace"), result)
