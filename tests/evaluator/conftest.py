"""Fixtures for several folders of tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from evaluator.cli import main


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
