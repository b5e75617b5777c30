"""A disk that fails at any call: nothing half-written is taken as whole, and the next run is right."""

from __future__ import annotations

import json
import re
import shutil
import sys

import numpy as np
import pytest

import evaluator.cli
import testgen.cli
from tests.conftest import NO_GENSIM
from tests.evaluator.small_studies import TOPICS, topic_lines, write_models
from tests.faulty_disk import faulty_disk
from tests.testgen.conftest import TURTLE

RUNS = 2
"""Of all calls at which the disk may fail, so many are tried of each command and kind; `slow` tries all."""


PROGRESS = re.compile(r"(testgen|evaluator): +[0-9]+% ")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "small.ttl").write_text(TURTLE, encoding="utf-8")
    (folder / "text.txt").write_text("\n".join(topic_lines()), encoding="utf-8")
    topics = (f": {name}\n" + "\n".join(words) for name, words in TOPICS.items())
    (folder / "topics.txt").write_text("\n".join(topics) + "\n", encoding="utf-8")
    write_models(folder)
    return folder


COMMANDS = {
    "generate": "-l la -l en -c country -c country-capital --minimum-words 3 --source {0}/small.ttl "
    "--output {1}",
    "snapshot": "create --source {0}/small.ttl -c country -c country-capital --output {1}/s.ttl",
    "tune": "{0}/text.txt --test {0}/topics.txt --trials 1 --epochs 2 --only dimension=4 --only min_count=2 "
    "--no-figure --output {1}",
    "batch": "{0}/la0.vec {0}/la1.vec --test {0}/la.json --measure Topk@3 --output {1}/scores.jsonl",
    "curve": "{0}/text.txt --test {0}/topics.txt --from 256 --to 1024 --no-figure --output {1}",
}


def tables(folder):
    """What the run has to give again, byte for byte; times differ, and so do files in which they are."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            found[path.name] = path.read_bytes()
    for name in ("trials.jsonl", "tuning.json", "points.jsonl", "curve.json"):
        found.pop(name, None)
    if "scores.jsonl" in found:
        lines = [json.loads(line) for line in found["scores.jsonl"].splitlines()]
        found["scores.jsonl"] = sorted(json.dumps(line, sort_keys=True) for line in lines)
    return found


@pytest.fixture
def run(inputs, monkeypatch, capsys):
    """Runs a command in this process: its exit code, and what it printed on stderr."""

    def run(name, output):
        main = (testgen if name in ("generate", "snapshot") else evaluator).cli.main
        words = COMMANDS[name].format(inputs, output).split()
        monkeypatch.setattr(sys, "argv", [name, name, *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err

    return run


def check(name, run, folder, once, only):
    if name in ("tune", "curve"):
        pytest.importorskip("gensim", reason=NO_GENSIM)
    whole = folder / "whole"
    with faulty_disk(whole, None) as disk:
        code, err = run(name, whole)
    assert code == 0, err
    expected, calls = tables(whole), disk.calls
    assert expected
    assert calls > RUNS
    for number in only(calls):
        output = folder / "out"
        with faulty_disk(output, number, once=once) as disk:
            code, err = run(name, output)
        said = [line for line in err.splitlines() if line and not PROGRESS.match(line)]
        assert code in (0, 1, 2), (number, code, err)
        assert code == 0 or (len(said) == 1 and "No space left" in said[0]), (number, code, err)
        left = tables(output) if output.exists() and name in ("generate", "snapshot") else {}
        assert left.items() <= expected.items(), number
        code, err = run(name, output)
        assert code == 0, (number, err)
        assert tables(output) == expected, number
        hidden = [path.name for path in output.rglob(".*") if not path.name.endswith("lock")]
        assert not hidden, (number, hidden)
        shutil.rmtree(output)


@pytest.mark.parametrize("once", [False, True], ids=["full", "once"])
@pytest.mark.parametrize("name", COMMANDS)
def test_some_calls(run, tmp_path, name, once):
    def only(calls):
        return np.unique(np.linspace(2 - once, calls, RUNS).astype(int)).tolist()

    check(name, run, tmp_path, once, only)


@pytest.mark.slow
@pytest.mark.parametrize("once", [False, True], ids=["full", "once"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_call(run, tmp_path, name, once):
    check(name, run, tmp_path, once, lambda calls: range(1, calls + 1))
