"""The options of evaluator: the same everywhere, in titled groups, and completed by the shell."""

from __future__ import annotations

import shlex
from collections import defaultdict

import pytest
import typer.main

from evaluator.cli.app import app

# Options that mean something of their own in each command; all others are the same in all commands.
OWN = {
    "--only",
    "--output",
    "--format",
    "--epochs",
    "--seeds",
    "--model",
    "--preset",
    "--profile",
    "--tokens",
    "--help",
    "--version",
}


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
            found[each.opts[0]].add((tuple(each.opts), each.help, default, str(each.metavar)))
    differ = {name for name, ways in found.items() if len(ways) > 1}
    assert differ <= OWN, {name: found[name] for name in differ - OWN}


@pytest.mark.parametrize("seed", [-1, 2**32])
@pytest.mark.parametrize(
    "command", ["score a.vec -t la", "train a.txt -o a.vec", "neighbours rex a.vec", "probe a.vec -t la"]
)
def test_a_seed_is_one_that_every_library_takes(evaluator, command, seed):
    ended = evaluator(*command.split(), "--seed", seed)
    assert ended.code == 2
    assert "Invalid value for '--seed'" in ended.err


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
