"""The page on the language comparison shows its results; `make papers` skips what is missing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tools import papers
from tools.tables import cells, shown

PAGE = (REPOSITORY / "docs" / "evidence" / "language-comparison.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", papers.TABLES)
def test_tables_are_those_of_the_results(name):
    assert shown(papers.PAGE, name) == cells(papers.TABLES[name]()), "run python -m tools.papers --page"


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert len(figures) >= len(papers.TOPICS)
    assert [name for name in figures if not (REPOSITORY / "docs" / "evidence" / name).exists()] == []


def test_what_is_missing_is_skipped_with_the_reason(tmp_path):
    command = [sys.executable, "-m", "tools.papers", "--build", str(tmp_path / "build")]
    before = papers.PAGE.read_bytes()
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=True)
    assert "skipped: figures 4 to 6, table 1: name the folder of the corpora with CORPORA=" in done.stderr
    assert "skipped: figure 3" in done.stderr
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [*command, "--corpora", str(tmp_path / "empty")],
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr.count("there is no") >= len(papers.LANGUAGES)
    assert papers.PAGE.read_bytes() == before


def test_languages_are_those_of_the_topics():
    wanted = {code for _, codes in papers.TOPICS.values() for code in codes}
    assert wanted <= papers.CODES.keys()
