"""The options of evaluator: the same everywhere, in titled groups, and completed by the shell."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections import defaultdict

import pytest
import typer.main

from evaluator.cli import main
from evaluator.cli.app import app
from evaluator.datasets.reading import dataset_formats
from evaluator.measures import measure_classes
from evaluator.vectors.reading import vector_formats
from tests.evaluator.datasets.test_testset import GOLDEN

# Options that mean something of their own in each command; all others are the same in all commands.
OWN = {"--output", "--epochs", "--seeds", "--model", "--profile", "--tokens", "--help", "--version"}


def commands(command, name="evaluator"):
    for sub, each in getattr(command, "commands", {}).items():
        yield f"{name} {sub}", each
        yield from commands(each, f"{name} {sub}")


ALL = {name: each for name, each in commands(typer.main.get_command(app)) if not hasattr(each, "commands")}


def options(command):
    return [each for each in command.params if each.param_type_name == "option" and each.name != "help"]


def test_an_option_is_the_same_in_all_commands():
    found = defaultdict(set)
    for command in ALL.values():
        for each in options(command):
            default = tuple(each.default) if isinstance(each.default, list) else each.default
            panel = each.rich_help_panel
            found[each.opts[0]].add((tuple(each.opts), each.help, default, str(each.metavar), panel))
    differ = {name for name, ways in found.items() if len(ways) > 1}
    assert differ <= OWN, {name: found[name] for name in differ - OWN}


@pytest.mark.parametrize("name", ALL)
def test_every_option_stands_in_a_titled_group_with_a_help_text(name):
    for each in options(ALL[name]):
        assert each.help.endswith("."), each.opts
        assert isinstance(each.rich_help_panel, str), each.opts


@pytest.mark.parametrize("name", ALL)
def test_the_example_in_the_help_is_a_command(name):
    _, _, example = ALL[name].help.partition("For example: ")
    assert example.startswith(name), "the help has no example"
    arguments = shlex.split(example)[len(name.split()) :]
    ALL[name].make_context(name, arguments)  # which refuses options and values that do not exist


@pytest.fixture
def completed(tmp_path, monkeypatch, capsys):
    """What bash offers after a command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "ru.json").write_bytes(GOLDEN.read_bytes())

    def completed_(line):
        monkeypatch.setenv("_EVALUATOR_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        monkeypatch.setattr(sys, "argv", ["evaluator"])
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().out.split()

    return completed_


def test_what_the_shell_offers(completed):
    assert completed("evaluator sc") == ["score"]
    assert completed("evaluator score --measure ") == sorted(measure_classes())
    assert completed("evaluator score --case ") == ["exact", "fold", "upper"]
    assert completed("evaluator convert --format ") == sorted(["auto", *vector_formats()])
    assert completed("evaluator score --test-format ") == sorted(["auto", *dataset_formats()])
    assert completed("evaluator score --profile latin+f") == ["latin+fold"]
    assert {"la", "en", "sa"} <= set(completed("evaluator score --language "))
    for test in ("sets/ru.json", "sets", "sets/{language}.json"):
        assert completed(f"evaluator tune --test {test} --category ") == ["country", "fungus"]
    assert completed("evaluator score --test sets --language ") == ["ru"]
    topics = {each["topic"] for each in json.loads(GOLDEN.read_bytes())["categories"] if each.get("topic")}
    assert completed("evaluator compare --test sets --topic ") == sorted(topics)


def test_completion_loads_no_heavy_libraries():
    program = (
        "import os, sys; from evaluator.cli import main; sys.argv = ['evaluator']\n"
        "os.environ.update(_EVALUATOR_COMPLETE='complete_bash', "
        "COMP_WORDS='evaluator score -m ', COMP_CWORD='3')\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print({'numpy', 'pandas', 'gensim', 'numba'} & sys.modules.keys())"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "set()"
