"""A disk that fails at any call: nothing half-written is taken as whole, and the next run is right."""

from __future__ import annotations

import json
import re
import shutil
import sys

import numpy as np
import pytest
import typer.main

import evaluator
import evaluator.cli.app
import testgen
import testgen.cli.app
from evaluator.results.base import to_json
from tests.conftest import NO_GENSIM
from tests.evaluator.small_studies import TOPICS, topic_lines, write_models
from tests.faulty_disk import faulty_disk
from tests.testgen.conftest import TURTLE
from tests.testgen.test_emoji import TEXT as EMOJI

RUNS = 2
"""Of all calls at which the disk may fail, so many are tried of each command and kind."""
MANY = 60
"""The same in the slow tests: most commands have fewer calls; a static site has thousands."""


PROGRESS = re.compile(r"(testgen|evaluator): +[0-9]+% ")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "small.ttl").write_text(TURTLE, encoding="utf-8")
    (folder / "text.txt").write_text("\n".join(topic_lines()), encoding="utf-8")
    topics = (f": {name}\n" + "\n".join(words) for name, words in TOPICS.items())
    (folder / "topics.txt").write_text("\n".join(topics) + "\n", encoding="utf-8")
    write_models(folder)
    policy = testgen.LabelPolicy(minimum_words=3)
    request = testgen.TestSetRequest(languages=["la"], categories=["country"], policy=policy)
    testgen.generate(folder / "sets", request, source=folder / "small.ttl")
    (folder / "emoji-test.txt").write_text(EMOJI, encoding="utf-8")
    scores = evaluator.score([folder / "la0.vec"], folder / "la.json", ["Topk@3"])
    (folder / "scores.json").write_text(to_json(scores), encoding="utf-8")
    return folder


COMMANDS = {
    "testgen generate": "-l la -l en -c country -c country-capital --minimum-words 3 --source {0}/small.ttl "
    "--output {1}",
    "testgen dictionary": "--from la --to en -c country --minimum-words 3 --source {0}/small.ttl "
    "--output {1}",
    "testgen emoji": "--emoji-test {0}/emoji-test.txt --minimum-words 1 --output {1}/emoji.json",
    "testgen export": "{0}/sets/la.json {1}/export --format huggingface",
    "testgen site": "{1}/site --source {0}/small.ttl",
    "testgen snapshot create": "--source {0}/small.ttl -c country -c country-capital --output {1}/s.jsonl",
    "evaluator tune": "{0}/text.txt --test {0}/topics.txt --trials 1 --epochs 2 --only dimension=4 "
    "--only min_count=2 --no-figure --output {1}",
    "evaluator score": "{0}/la0.vec {0}/la1.vec --test {0}/la.json --measure Topk@3 "
    "--output {1}/scores.jsonl",
    "evaluator curve": "{0}/text.txt --test {0}/topics.txt --from 256 --to 1024 --no-figure --output {1}",
    "evaluator compare": "la={0}/la0.vec grc={0}/grc0.vec --test {0}/{{language}}.json -k 3 --output {1}",
    "evaluator report": "{0}/scores.json --output {1}/report.html",
    "evaluator plot": "{0}/la0.vec --test {0}/la.json --output {1}/map.html",
    "evaluator site": "{1}/site {0}/scores.json",
    "evaluator convert": "{0}/la0.vec {1}/la0.safetensors",
}

QUICK = {"testgen generate", "testgen snapshot create", "evaluator score", "evaluator report"}

WRITES_ALIKE = {
    "evaluator emoji": "evaluator report",
    **{f"evaluator {name}": "evaluator convert" for name in ("average", "train")},
    **{
        f"testgen snapshot import {name}": "testgen snapshot create"
        for name in ("wordnet", "openfoodfacts", "cldf", "wiktextract")
    },
}
"""Commands that write by the same functions as another one."""

OUTPUTS = {"output", "folder", "report", "figure", "latex"}
"""The names of the parameters that say what is written."""


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
        program, *command = name.split()
        words = COMMANDS[name].format(inputs, output).split()
        monkeypatch.setattr(sys, "argv", [program, *command, *words])
        with pytest.raises(SystemExit) as ended:
            {"testgen": testgen, "evaluator": evaluator}[program].cli.main()
        return ended.value.code or 0, capsys.readouterr().err

    return run


def check(name, run, folder, once, only):
    if name in ("evaluator tune", "evaluator curve"):
        pytest.importorskip("gensim", reason=NO_GENSIM)
    whole = folder / "whole"
    if "{1}/" in COMMANDS[name]:  # a file in a folder that exists
        whole.mkdir()
    with faulty_disk(whole, None) as disk:
        code, err = run(name, whole)
    assert code == 0, err
    expected, calls = tables(whole), disk.calls
    assert expected
    assert calls > RUNS
    for number in only(calls):
        output = folder / "out"
        if "{1}/" in COMMANDS[name]:
            output.mkdir()
        with faulty_disk(output, number, once=once) as disk:
            code, err = run(name, output)
        said = [line for line in err.splitlines() if line and not PROGRESS.match(line)]
        assert code in (0, 1, 2), (number, code, err)
        assert code == 0 or (len(said) == 1 and "No space left" in said[0]), (number, code, err)
        left = tables(output) if output.exists() and name.startswith("testgen") else {}
        whole_files = {name: text for name, text in left.items() if b"This export is unfinished" not in text}
        assert whole_files.items() <= expected.items(), number
        code, err = run(name, output)
        assert code == 0, (number, err)
        assert tables(output) == expected, number
        hidden = [
            path.name
            for path in output.rglob(".*")
            if path.name != ".nojekyll" and not path.name.endswith("lock")
        ]
        assert not hidden, (number, hidden)
        shutil.rmtree(output)


@pytest.mark.parametrize("once", [False, True], ids=["full", "once"])
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each not in QUICK)) for each in COMMANDS]
)
def test_some_calls(run, tmp_path, name, once):
    check(name, run, tmp_path, once, lambda calls: spread(2 - once, calls, RUNS))


def spread(first, last, most):
    """At most so many numbers from the first to the last."""
    return np.unique(np.linspace(first, last, most).astype(int)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("once", [False, True], ids=["full", "once"])
@pytest.mark.parametrize("name", COMMANDS)
def test_many_calls(run, tmp_path, name, once):
    check(name, run, tmp_path, once, lambda calls: spread(1, calls, MANY))


def writing(program, names):
    """The commands that have an option or argument for what they write."""
    if hasattr(program, "commands"):
        for name in program.list_commands(None):
            yield from writing(program.commands[name], [*names, name])
    elif OUTPUTS & {parameter.name for parameter in program.params}:
        yield " ".join(names)


def writing_commands():
    """The names of all commands that write, as Typer has them."""
    apps = {"testgen": testgen.cli.app, "evaluator": evaluator.cli.app}
    return {each for name, app in apps.items() for each in writing(typer.main.get_command(app.app), [name])}


def test_no_command_that_writes_is_forgotten():
    assert writing_commands() == COMMANDS.keys() | WRITES_ALIKE.keys()
    assert set(WRITES_ALIKE.values()) <= COMMANDS.keys()
