"""The page on statistics shows what the result files beside it say."""

from __future__ import annotations

import re

import pytest

from tools import simulate


@pytest.mark.parametrize("name", sorted(simulate.TABLES))
def test_tables_are_those_of_the_results(name):
    page = simulate.PAGE.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page, re.DOTALL)
    assert found is not None, f"the page has no table {name}"
    assert found[1] == simulate.TABLES[name](simulate.read()), "run python -m tools.simulate"


def test_all_cells_were_simulated():
    found = {
        (each["measure"], each["scheme"], each["size"], each["level"]) for each in simulate.read()["cells"]
    }
    assert found == {
        (cell.measure, cell.scheme, cell.size, cell.level)
        for together in simulate.cells()
        for cell in together
    }


@pytest.mark.parametrize("kind", sorted(simulate.OTHERS))
def test_everything_else_was_simulated(kind):
    names, every, _ = simulate.OTHERS[kind]
    assert {tuple(each[name] for name in names) for each in simulate.read()[kind]} == {*every()}
