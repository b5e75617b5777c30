"""Fixtures for several folders of tests."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import pytest

from evaluator.cli import main

T = TypeVar("T")


class Ended(NamedTuple):
    """What a command printed, what it reported on stderr, and its exit code."""

    out: str
    err: str
    code: int


@pytest.fixture
def evaluator(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Runs the command line in this process."""

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["evaluator", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(*capsys.readouterr(), int(ended.value.code or 0))

    return run


@pytest.fixture(params=["pickled", pytest.param("processes", marks=pytest.mark.slow)])
def two_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number 2: of worker processes, or of none, where this process pickles what would travel."""

    def travelled(value: T) -> T:
        return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own

    def run(function: Callable[[T], object], tasks: Iterator[T], _: int) -> Iterator[tuple[T, object]]:
        for task in tasks:
            yield task, travelled(travelled(function)(travelled(task)))

    if request.param == "pickled":
        monkeypatch.setattr("evaluator.execution.processes.run_in_processes", run)
    return 2
