"""The page on experiments shows what the result files beside it say."""

from __future__ import annotations

import importlib.util
import re

import pytest

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "experiments.md").read_text(encoding="utf-8")


def tool():
    spec = importlib.util.spec_from_file_location("experiments", REPOSITORY / "tools" / "experiments.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXPERIMENTS = tool()


@pytest.mark.parametrize("name", sorted(EXPERIMENTS.TABLES))
def test_tables_are_those_of_the_results(name):
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", PAGE, re.DOTALL)
    assert found is not None, f"the page has no table {name}"
    assert found[1] == EXPERIMENTS.TABLES[name](), "run tools/experiments.py"


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert figures
    assert [name for name in figures if not (REPOSITORY / "docs" / name).exists()] == []


def test_each_result_file_is_of_use():
    """Each is read for a table or shown as a figure."""
    named = set(re.findall(r"\(experiments/([^)]+)\)", PAGE)) | {"corpora.json", "curve.json"}
    named |= {"compare.json", "compare-latin.json", "emoji.json", "historical-la.json", "historical-grc.json"}
    named |= {"statistics.json", "disjoint-samples.json"}  # of the page on statistics
    named |= {f"tuning-{name}.json" for name in EXPERIMENTS.PAPER}
    files = {path.name for path in (REPOSITORY / "docs" / "experiments").iterdir()}
    assert files - named == set()
