"""What docs/evidence/trust.md tells a skeptic to run prints what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.conftest import NEEDS_GENSIM, REPOSITORY
from tools.documents import run_page

PAGE = (REPOSITORY / "docs" / "evidence" / "trust.md").read_text(encoding="utf-8")
PREPARED = re.search(r"^```console\n.*?^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
ROWS = re.findall(r"^\| ([^|]+) \| `([^|]+)` \| `([^|]+)` \| (\d+ s|\d+ min) \|$", PAGE, re.MULTILINE)


def marks(command, time):
    """Rows of more than two seconds are slow; some need what not every machine has."""
    if time not in ("1 s", "2 s"):
        yield pytest.mark.slow
    if "gensim" in command:
        yield NEEDS_GENSIM
    if command.startswith("unshare"):
        yield pytest.mark.skipif(not isolates(), reason="this machine gives no process a network of its own")


def isolates():
    program = shutil.which("unshare")
    return program and not subprocess.call([program, "-rn", "true"], stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the page, with the files that its first block makes."""
    folder = tmp_path_factory.mktemp("trust")
    run_page(PREPARED, folder)
    return folder


def test_every_row_is_run():
    table = PAGE.partition("| it prints |")[2].partition("\n\n")[0]
    assert len(ROWS) == len(table.splitlines()) - 2 > 7
    assert len({claim for claim, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        pytest.param(command, printed, marks=[*marks(command, time)], id=claim)
        for claim, command, printed, time in ROWS
    ],
)
def test_the_command_prints_what_the_page_says(command, printed, folder):
    shown = run_page(f"```console\n$ {command}\n```\n", folder).partition("\n")[2]
    output = shown.partition("\n")[2]  # without the command, which may have the words itself
    assert printed in output, shown
