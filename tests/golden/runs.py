"""Running a command, and what of its result counts: the same for recording and for comparing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.golden.commands import Run, arguments

HERE = Path(__file__).parent

_WRITER = {
    *("version", "versions", "generator", "date", "seconds", "state"),
    *("sha256", "test_sha256", "model_sha256", "models_sha256", "inputs"),
    "packed",  # with all digits; tests and intervals are made of it
    "verdict",  # follows from the numbers
}

_MADE_BY = re.compile(r"#[0-9a-f]{12}\b|\|version:[^|\s\"]+")

_WIDTH = 110


def result_of(run: Run, folder: Path, data: Path) -> Any:
    """Run a command in the folder of the inputs, and take its result without what says who wrote it."""
    with chdir(folder):
        for line in run.before:
            command, _, kept = line.partition(" > ")
            if not Path(kept).exists():
                Path(kept).write_text(_printed(arguments(command, str(data))), encoding="utf-8")
        printed = _printed(arguments(run.line, str(data)), run.exit_code)
        text = Path(run.result).read_text(encoding="utf-8") if run.result else printed
    if run.result.endswith(".jsonl"):
        found: Any = [json.loads(line) for line in text.splitlines()]
    elif run.result.endswith(".json") or "{json}" in run.line:
        found = json.loads(text)
    else:
        found = [line.rstrip() for line in text.splitlines()]
    return normalised(
        found, {str(data): "DATA", str(folder): "FOLDER"}, {"subscores"} if run.summary else set()
    )


def _printed(command: list[str], exit_code: int = 0) -> str:
    """What the program prints on stdout.

    Raises:
        AssertionError: It ends with another exit code; what it says is the message.
    """
    from evaluator.cli import main

    out, said = TextIOWrapper(BytesIO(), "utf-8"), _Messages()
    with patch.object(sys, "argv", ["evaluator", *command]), redirect_stdout(out), redirect_stderr(said):
        try:
            main()
        except SystemExit as ended:
            if (ended.code or 0) != exit_code:
                raise AssertionError(f"evaluator {' '.join(command)}: {said.getvalue()}") from ended
    out.seek(0)
    return out.read()


class _Messages(StringIO):
    """A stderr that keeps what is said."""

    def reconfigure(self, **_: object) -> None:
        """As real ones can."""


def normalised(value: Any, places: dict[str, str], left_out: set[str]) -> Any:
    """A result without what depends on who wrote it, when and where.

    Args:
        value: Any JSON value.
        places: Folders, and what to write for them.
        left_out: Keys to leave out besides.
    """
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if key not in _WRITER | left_out}
        return {key: normalised(each, places, left_out) for key, each in kept.items()}
    if isinstance(value, list):
        return [normalised(each, places, left_out) for each in value]
    if isinstance(value, str):
        for place, name in places.items():
            value = value.replace(place, name)
        return _MADE_BY.sub("", value)
    return value


@dataclass(frozen=True)
class Tolerance:
    """How far numbers may be from the recorded ones.

    Attributes:
        relative: As a share of the recorded number.
        absolute: Anyhow.
        counts: Of whole numbers, as a share; small ones must then still be the same.
    """

    relative: float = 0.0
    absolute: float = 0.0
    counts: float = 0.0

    def allows(self, old: float, new: float) -> bool:
        """Whether two numbers are the same."""
        if isinstance(old, int):
            return abs(old - new) <= self.counts * abs(old)
        return old == new or abs(old - new) <= self.absolute + self.relative * abs(old)


EXACT = Tolerance()


@dataclass(frozen=True)
class Change:
    """Something of a result that is not what was recorded."""

    path: str
    old: Any
    new: Any

    @property
    def of_words(self) -> bool:
        """Whether only the words of a text are others, and not a number, a key or how many there are."""
        return isinstance(self.old, str) and isinstance(self.new, str)

    def __str__(self) -> str:
        """In a line."""
        return f"{self.path}: {_short(self.old)} was recorded, now it is {_short(self.new)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, _Missing) else json.dumps(value, ensure_ascii=False)
    return str(text) if len(str(text)) <= 300 else f"{str(text)[:300]}…"


class _Missing:
    def __str__(self) -> str:
        return "nothing"


_MISSING = _Missing()


def changes(old: Any, new: Any, tolerance: Tolerance = EXACT, path: str = "$") -> Iterator[Change]:
    """All places where a result is not what was recorded; an object may have more keys than it had."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            inside = (
                f"{path}.{key}" if key.isidentifier() else f"{path}[{json.dumps(key, ensure_ascii=False)}]"
            )
            yield from changes(value, new.get(key, _MISSING), tolerance, inside)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (first, second) in enumerate(zip(old, new, strict=True)):
            yield from changes(first, second, tolerance, f"{path}[{place}]")
    elif not _same(old, new, tolerance):
        yield Change(path, old, new)


def _same(old: Any, new: Any, tolerance: Tolerance) -> bool:
    if type(old) is type(new) and type(old) in (int, float):
        return tolerance.allows(old, new)
    return type(old) is type(new) and bool(old == new)


def recorded(group: str) -> dict[str, Any]:
    """The recorded results of a group, by the names of its runs."""
    path = HERE / f"{group}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def as_text(value: Any, indent: int = 0) -> str:
    """JSON in which what fits into a line stands in a line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(line) + indent <= _WIDTH:
        return line
    pad, named = " " * (indent + 1), isinstance(value, dict)
    if named:
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {as_text(each, indent + 1)}"
            for key, each in value.items()
        ]
    else:
        rows = [as_text(each, indent + 1) for each in value]
    first, last = "{}" if named else "[]"
    return f"{first}\n{pad}" + f",\n{pad}".join(rows) + f"\n{' ' * indent}{last}"
