"""Without a plug-in, its folder and its entry points, there is a program that does all the rest."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from importlib.metadata import distribution

import pytest

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "evaluator"
PLUGINS = sorted(path.parent.name for path in (PACKAGE / "plugins").glob("*/__init__.py"))
PROGRAM = """
import contextlib, os, sys
import evaluator
from evaluator.cli import main

assert evaluator.__file__.startswith(os.getcwd())
for line in sys.argv[1:]:
    command, _, output = line.partition(" > ")
    sys.argv[1:] = command.removeprefix("! ").split()
    with open(output, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        try:
            main()
        except SystemExit as ended:
            assert bool(ended.code) == command.startswith("! "), (line, ended.code)
"""


def without(names, folder):
    """A copy of the package without some plug-ins, installed there without their entry points."""
    shutil.copytree(PACKAGE, folder / "evaluator")
    for name in names:
        shutil.rmtree(folder / "evaluator" / "plugins" / name)
    registered = configparser.ConfigParser(delimiters="=")
    registered.optionxform = str
    registered.read_string(distribution("testgen-evaluator").read_text("entry_points.txt"))
    gone = {}
    for group in registered.sections():
        for name, value in registered.items(group):
            if value.partition(":")[0].removeprefix("evaluator.plugins.").partition(".")[0] in names:
                gone.setdefault(group, []).append(name)
                registered.remove_option(group, name)
    info = folder / "testgen_evaluator-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: testgen-evaluator\nVersion: 0\n")
    with (info / "entry_points.txt").open("w") as file:
        registered.write(file)
    return gone


def run(folder, *lines, code=PROGRAM):
    command = [sys.executable, "-c", code, *lines]
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "names", [pytest.param([each], marks=pytest.mark.slow) for each in PLUGINS] + [PLUGINS], ids=",".join
)
def test_the_rest_works_without_it(tmp_path, names):
    gone = without(names, tmp_path)
    assert gone["evaluator.commands"], "each plug-in has a command"
    rows = [f"w{number} {number // 3} {number % 3} 1\n" for number in range(12)]
    (tmp_path / "la.vec").write_text(f"12 3\n{''.join(rows)}")
    (tmp_path / "la.txt").write_text(":a\nw0\nw1\nw2\nw3\n:b\nw4\nw5\nw6\nw7\n")
    ran = run(
        tmp_path,
        "--help > help.txt",
        "measures > measures.txt",
        "score la.vec --test la.txt --json > scores.json",
        "report scores.json --output report.html > written.txt",
        "verify scores.json > verified.txt",
        f"! {gone['evaluator.commands'][0]} > none.txt",
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("No such command") == 1
    shown = (tmp_path / "help.txt").read_text()
    assert [each for each in gone["evaluator.commands"] if f"│ {each} " in shown] == []
    assert "│ score " in shown
    listed = (tmp_path / "measures.txt").read_text().splitlines()
    missing = set(gone.get("evaluator.measures", ()))
    assert [line for line in listed if line.partition("@")[0].partition("(")[0] in missing] == []
    assert "Topk@3" in listed
    assert "Topk@3" in (tmp_path / "report.html").read_text()
    assert "unchanged" in (tmp_path / "verified.txt").read_text()
