"""A newcomer runs what README.md says, in a clone: its blocks of `sh`, and its commands in a line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import NEEDS_GENSIM, REPOSITORY
from tests.small_repository import copy_repository

PAGE = (REPOSITORY / "README.md").read_text(encoding="utf-8")
LINES = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)).splitlines()
IN_LINE = re.findall(r"`((?:testgen|evaluator) [^`]+)`", PAGE)
OF_A_READER = """
cp demo/en.txt text.txt
cp demo/en.vec my.en.vec
cp demo/en.vec one.en.vec
evaluator train text.txt --output other.en.vec
"""
IN_TWO_LANGUAGES = """
mkdir models
cp one.en.vec models/one.en.vec
cp other.en.vec models/other.en.vec
cp la.vec models/one.la.vec
cp la.vec models/other.la.vec
"""
UVX = "uvx --from testgen-evaluator "  # which would fetch a version that is on PyPI

pytestmark = [
    pytest.mark.slow,
    NEEDS_GENSIM,  # without which the demo fetches its text
    pytest.mark.skipif(shutil.which("make") is None, reason="there is no make"),
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the repository with a .venv in which everything is installed already."""
    folder = tmp_path_factory.mktemp("newcomer") / "clone"
    copy_repository(folder)
    (folder / ".venv").mkdir()
    for each in Path(sys.prefix).iterdir():
        if each.name not in {".base", ".dev"}:
            (folder / ".venv" / each.name).symlink_to(each)
    for mark in (".base", ".dev"):
        (folder / ".venv" / mark).touch()
    return folder


def run(command, clone):
    """Run a command with the programs and the modules of the clone; tests that it runs are only a few."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    own["PATH"] = f"{clone / '.venv' / 'bin'}{os.pathsep}{own['PATH']}"
    own |= {"PYTHONPATH": str(clone), "PYTEST_ADDOPTS": "tests/test_sizes.py"}
    shell = ["sh", "-e", "-c", command]
    ran = subprocess.run(shell, cwd=clone, env=own, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def write_vectors(test_set, path):
    """Random vectors of the words of a test set."""
    items = [item for each in json.loads(test_set.read_text("utf-8"))["categories"] for item in each["items"]]
    words = sorted({word for item in items for word in item["words"] if " " not in word})
    draw = np.random.default_rng(1)
    lines = [" ".join([word, *map("{:.4f}".format, draw.normal(size=20))]) for word in words]
    path.write_text("\n".join([f"{len(words)} 20", *lines]) + "\n", encoding="utf-8")


def test_the_lines_are_those_that_are_run_below():
    programs = [line.removeprefix(UVX).split()[0] for line in LINES]
    assert programs == ["make", "make", "pip", "evaluator", "pip", "testgen", "evaluator"]
    assert [command.split()[:2] for command in IN_LINE] == [
        ["testgen", "generate"],
        ["evaluator", "score"],
        ["evaluator", "best"],
        ["evaluator", "train"],
    ]


def test_everything_runs_as_written(clone):
    """Only what pip installs is not: the tests of the wheel do that."""
    demo, test, _, paper, _, generate, score = LINES
    assert "Keep en.vec" in run(demo, clone)
    assert re.search(r"\d+ passed", run(test, clone))
    run(OF_A_READER, clone)
    made, scored, kept, trained = (run(command, clone) for command in IN_LINE)
    assert "testsets/en.json" in made
    assert "Keep my.en.vec" in scored
    assert "\nKeep " in kept
    assert "text.vec" in trained
    assert "testsets/la.json" in run(generate.removeprefix(UVX), clone)
    write_vectors(clone / "testsets" / "la.json", clone / "la.vec")
    assert "Do not keep this model" in run(score.removeprefix(UVX), clone)
    run(IN_TWO_LANGUAGES, clone)
    assert "all languages: " in run(paper, clone)
    assert all((clone / name).stat().st_size for name in ("table.tex", "figure.pdf", "report.html"))
