"""A stranger follows CONTRIBUTING.md to the letter: what it adds passes the checks that it names."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.small_repository import NEEDS_GIT, copy_repository

pytestmark = NEEDS_GIT  # it applies what the page shows as differences

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^##+ ([^\n]*)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
ADDED = ("Add a category", "Add a measure", "Add a format")
PROGRAMS = Path(sys.executable).parent


def blocks(section, *kinds):
    return re.findall(rf"^```(?:{'|'.join(kinds)})\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)


def write_files(section, folder):
    """Each block after a text that ends with a path and a colon is the file of this path."""
    found = re.findall(
        r"`([\w./-]+)`:\n\n```(?!diff|sh)\w+\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL
    )
    assert len(found) == len(blocks(section, "sparql", "turtle", "python", "toml"))
    for path, text in found:
        assert not (folder / path).exists(), f"{path} is there already: the page needs another example"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [path for path, _ in found]


def run(command, folder, **environment):
    """Run a command of the page with the programs of this environment, and the modules of the folder."""
    path = os.pathsep.join([str(PROGRAMS), os.environ.get("PATH", "")])
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    ran = subprocess.run(
        shlex.split(command.replace(".venv/bin/", "")),
        cwd=folder,
        env=own | {"PATH": path, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the repository to which all that the page shows has been added."""
    folder = tmp_path_factory.mktemp("stranger") / "clone"
    copy_repository(folder)
    for section in ADDED:
        write_files(section, folder)
        for number, text in enumerate(blocks(section, "diff")):
            change = folder.parent / f"{number}.diff"
            change.write_text(text, encoding="utf-8")
            run(f"git apply {change}", folder, GIT_CEILING_DIRECTORIES=str(folder.parent))
    return folder


def shown_commands():
    """Those of each example; what takes long to build or to test is slow."""
    for section in ADDED:
        (block,) = blocks(section, "sh")
        for command in block.splitlines():
            marks = [pytest.mark.slow] if re.search("answers|fuzz|measures|formats", command) else []
            yield pytest.param(command, marks=marks, id=command.removeprefix(".venv/bin/"))


@pytest.mark.parametrize("command", list(shown_commands()))
def test_what_is_added_passes_its_tests(clone, command):
    run(command, clone)


def test_what_is_added_has_the_style_and_the_layers(clone):
    commands = re.findall(r"^style:.*\n((?:\t.*\n)+)", (clone / "Makefile").read_text(), re.MULTILINE)[0]
    assert "make style" in PAGE
    for command in commands.replace("\t$(BIN)/", "").splitlines():
        if command != "mypy":  # takes a minute
            run(command, clone)


@pytest.mark.slow
def test_what_is_added_has_types_and_a_place_in_the_house(clone):
    run("mypy", clone)
    run("pytest tests/test_house.py", clone)


@pytest.mark.slow
def test_a_measure_in_a_package_of_ones_own(tmp_path):
    section = "In a package of your own"
    assert write_files(section, tmp_path / "package") == ["coherence.py", "pyproject.toml"]
    (block,) = blocks(section, "sh")
    install, listed = block.splitlines()
    assert install == "pip install ."
    options = f"--quiet --no-deps --no-build-isolation --no-index --target {tmp_path / 'installed'}"
    run(f"python -m {install} {options}", tmp_path / "package")
    found = run(listed, tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path / "installed"), str(REPOSITORY)]))
    assert re.search(r"^Coherence\n +The mean cosine of all pairs", found, re.MULTILINE)
