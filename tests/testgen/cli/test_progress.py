"""What is shown on stderr while a source is asked."""

from __future__ import annotations

import time
from contextlib import nullcontext

import pytest
from rich.console import Console

from testgen.cli.progress import _Countdown
from testgen.sources import RemoteSource


def test_a_wait_is_counted_down(monkeypatch):
    shown = _Countdown("too many requests", time.monotonic() + 90.5)
    assert str(shown) == "too many requests; waiting 90 seconds"
    moment = time.monotonic() + 60
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    console = Console(width=80)
    with console.capture() as captured:
        console.print(shown)  # rich asks each time that it draws the line
    assert captured.get() == "too many requests; waiting 30 seconds\n"
    moment += 60
    assert str(shown) == "too many requests; waiting 0 seconds"


def test_ctrl_c_says_that_answers_are_kept(command, monkeypatch, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RemoteSource, "answer", interrupted)
    asked = ("-l", "la", "-c", "country", "--source", "http://127.0.0.1:1/sparql", "-o", tmp_path)
    code, _, err = command("generate", *asked)
    kept = "testgen: the answers so far are in the cache; run the same command again to resume"
    assert (code, err.splitlines()) == (130, [kept, "testgen: stopped"])


@pytest.mark.parametrize("terminal", [True, False])
def test_a_snapshot_shows_its_steps_on_a_terminal(command, small, tmp_path, monkeypatch, terminal):
    shown = []

    class Status:
        update = staticmethod(lambda text: shown.append(str(text)))

    monkeypatch.setattr(Console, "status", lambda *_: nullcontext(Status))
    monkeypatch.setattr(Console, "is_terminal", terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    chosen = ("-c", "country", "--minimum-words", "2", "-o", tmp_path / "out")
    code, _, err = command("generate", "--all-languages", "--source", small, *chosen)
    assert (code, err) == (0, "")
    steps = ["reading the snapshot", "reading items and their names"]
    steps += [f"making test sets: language {number} of 3" for number in (1, 2, 3)]
    assert shown == (steps if terminal else [])
