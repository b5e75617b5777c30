"""Pages show figures that the benchmarks wrote, and no others."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.common import digest
from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "benchmarks" / "results"
MEASURED = {line for path in RESULTS.glob("*.md") for line in path.read_text(encoding="utf-8").splitlines()}


PAGES = {
    **dict.fromkeys(("scoring", "loading", "many_languages"), "scale.md"),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_shows_what_was_measured(name):
    """All rows of a table, or some; none that was not measured."""
    table, _, where = (RESULTS / f"{name}.md").read_text(encoding="utf-8").partition("\n\n")
    page = (REPOSITORY / "docs" / PAGES[name]).read_text(encoding="utf-8")
    head, _, *rows = table.splitlines()
    shown = "".join(re.findall(rf"^{re.escape(head)}\n((?:\|.*\n)+)", page, re.MULTILINE)).splitlines()
    assert set(rows) & set(shown)
    assert set(shown) <= MEASURED
    content = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert content["machine"]["cpu"] in where
    assert content["results"]


def test_tables_are_as_new_as_the_code_that_they_measure():
    """Says which are not: to measure them again takes a quiet machine."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")}
    older = sorted(name for name, content in found.items() if content.get("modules") != digest(name))
    if older:
        pytest.skip(f"older than the code that they measure: {', '.join(older)}; run make bench")
