"""What is shown on stderr while a source is asked."""

from __future__ import annotations

import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from rich.console import Console

from testgen.cli.progress import SILENCE, _Countdown, _progress_shown
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


def test_long_waits_are_told_at_once_and_all_else_now_and_then(capsys, monkeypatch):
    server = SimpleNamespace(asked=2)
    source = SimpleNamespace(servers=[server])
    moment = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    with _progress_shown(source):
        source.notify("nothing yet", 4)
        moment += 6
        server.notify("busy", SILENCE)
        source.notify("the last ones", 0)
        server.notify("busy", SILENCE + 2)
        moment += SILENCE
        source.notify("names", 4)
        moment += 1
        source.notify("names", 4)
        moment += SILENCE
        source.notify("the last ones", 0)
    assert capsys.readouterr().err.splitlines() == [
        "testgen: asking for nothing yet; 4 requests left, about 0 seconds",
        "testgen: busy; waiting 12 seconds",
        "testgen: asking for names; 4 requests left, about 34 seconds",
    ]
