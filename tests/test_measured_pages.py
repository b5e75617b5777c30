"""The page on performance shows the figures that the benchmarks wrote, and no others."""

from __future__ import annotations

import json

import pytest

from tests.conftest import REPOSITORY

RESULTS = REPOSITORY / "benchmarks" / "results"


@pytest.mark.parametrize("name", ["scoring", "scaling", "analogies", "loading", "programs"])
def test_the_page_shows_what_was_measured(name):
    table, _, where = (RESULTS / f"{name}.md").read_text(encoding="utf-8").partition("\n\n")
    page = (REPOSITORY / "docs" / "performance.md").read_text(encoding="utf-8")
    assert table in page
    content = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    assert content["machine"]["cpu"] in where
    assert content["results"]
