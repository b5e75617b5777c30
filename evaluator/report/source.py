"""The files that a report is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import ResultsError
from evaluator.report.page import Fact
from evaluator.results.jsonvalue import JsonValue, parse_json, read_content


@dataclass(frozen=True)
class Source:
    """A result file.

    Attributes:
        name: What the report calls it.
        content: All of it.
        file: What complaints call it.
    """

    name: str
    content: bytes
    file: str

    @property
    def sha256(self) -> str:
        """Of the content."""
        return hashlib.sha256(self.content).hexdigest()

    def parsed(self) -> JsonValue:
        """What it holds.

        Raises:
            ResultsError: It is no JSON.
        """
        return parse_json(self.content, self.file)


def read_sources(paths: Sequence[Path]) -> list[Source]:
    """Read result files; those of the same name are told apart by their paths.

    Raises:
        ResultsError: There are none, or one cannot be read or is given twice.
    """
    if not paths:
        raise ResultsError("no result files given; name some that evaluator wrote")
    resolved = [path.resolve() for path in paths]
    again = next((path for path in paths if resolved.count(path.resolve()) > 1), None)
    if again is not None:
        raise ResultsError(f"{again}: given twice; name each result file once")
    names = [path.name for path in paths]
    return [
        Source(path.as_posix() if names.count(path.name) > 1 else path.name, read_content(path), str(path))
        for path in paths
    ]


def origin(source: Source) -> Fact:
    """Which file numbers are from."""
    return Fact("Result file", [f"{source.name}, sha256 {source.sha256}"])
