"""Ctrl-C and SIGTERM: no traceback at any moment, what is kept is said, and the exit code is 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.evaluator.small_studies import SmallStudy, write_models

WHILE_STARTING = """
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from {}.cli import main
main()
"""


@pytest.mark.parametrize("program", ["evaluator", "testgen"])
def test_while_a_program_starts(program):
    command = [sys.executable, "-c", WHILE_STARTING.format(program)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", f"{program}: stopped\n")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return SmallStudy(folder, folder, 12)


def interrupted(command, ready, seconds, by=signal.SIGINT):
    """What a command reports that gets a signal, with all its processes, so long after it is ready."""
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    end = time.monotonic() + 60
    while not ready():
        assert running.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(seconds)
    os.killpg(running.pid, by)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    return err.splitlines()


@pytest.mark.parametrize(
    ("workers", "seconds", "by"),
    [
        (1, 0.0, signal.SIGINT),
        (2, 0.3, signal.SIGTERM),
        pytest.param(2, 0.3, signal.SIGINT, marks=pytest.mark.slow),
        *(
            pytest.param(*each, by, marks=pytest.mark.slow)
            for each in [(1, 0.3), (1, 1.0), (2, 0.0), (2, 1.0)]
            for by in (signal.SIGINT, signal.SIGTERM)
        ),
    ],
)
def test_a_search_says_what_is_kept_and_how_to_resume(study, tmp_path, workers, seconds, by):
    folder = tmp_path / "search"
    command = [*study.command(str(folder), "--workers", str(workers)), "--trials", "200"]
    *_, kept, stopped = interrupted(command, (folder / "sentences.txt").exists, seconds, by)
    assert kept == f"evaluator: finished results are kept in {folder}; run the same command again to resume"
    assert stopped == "evaluator: stopped"


@pytest.mark.parametrize("finished", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_batch_says_what_is_kept(tmp_path, finished):
    write_models(tmp_path)
    fifo, out = tmp_path / "slow.vec", tmp_path / "scores.jsonl"
    os.mkfifo(fifo)  # a model that never arrives
    program = [sys.executable, "-c", "from evaluator.cli import main; main()", "score"]
    models = [str(tmp_path / "la0.vec")] * finished + [str(fifo)]
    command = [*program, *models, "--test", str(tmp_path / "la.json"), "-m", "Topk@3", "--output", str(out)]
    started = out if finished else tmp_path / f".{out.name}.lock"
    said = interrupted(command, started.exists, 0.2)
    kept = [f"evaluator: finished results are kept in {out}; run the same command again to resume"]
    assert said[-1 - finished :] == [*kept * finished, "evaluator: stopped"]
    assert out.exists() == any("kept" in line for line in said) == finished


FAILING = """
import sqlite3, sys, zlib
from {0}.cli import app, main
for fault in [{1}]:
    def fail(*_, **__):
        raise fault
    app.app = fail
    try:
        main()
    except SystemExit as ended:
        print(ended.code)
"""
FAULTS = {
    "MemoryError()": "there is not enough memory",
    "sqlite3.OperationalError('disk full')": "a file is damaged, or the disk is full: disk full",
    "zlib.error('bad')": "a file is damaged, or the disk is full: bad",
    "OSError(28, 'No space')": "the output cannot be written: No space",
    "OSError(13, 'Not allowed', 'a')": "a: cannot be read or written: Not allowed; check its permissions",
}


@pytest.mark.parametrize("program", ["evaluator", "testgen"])
def test_faults_of_the_machine_are_one_line(program):
    command = [sys.executable, "-c", FAILING.format(program, ", ".join(FAULTS))]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["2"] * len(FAULTS)
    lines = ended.stderr.splitlines()
    assert len(lines) == len(FAULTS)
    for line, said in zip(lines, FAULTS.values(), strict=True):
        assert line.startswith(f"{program}: {said}")


def test_a_fault_of_the_program_has_a_traceback():
    command = [sys.executable, "-c", FAILING.format("evaluator", "RuntimeError()")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, True)
