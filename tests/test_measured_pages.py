"""Pages show figures that the benchmarks wrote, and no others."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "benchmarks" / "results"
MEASURED = {line for path in RESULTS.glob("*.md") for line in path.read_text(encoding="utf-8").splitlines()}


PAGES = {
    **dict.fromkeys(("scoring", "scaling", "analogies", "loading", "programs"), "performance.md"),
    **dict.fromkeys(("cluster", "batch-sampled"), "scale.md"),
    "dumps": "dumps.md",
    "live": "sources.md",
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
