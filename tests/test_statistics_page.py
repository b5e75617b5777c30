"""The page on statistics shows what the result files beside it say."""

from __future__ import annotations

import pytest

from tools import simulate
from tools.tables import cells, shown
from tools.worlds import CHOSEN, OVER_CATEGORIES, PAIRS, REPORTED


@pytest.mark.parametrize("name", sorted(simulate.TABLES))
def test_tables_are_those_of_the_results(name):
    assert shown(simulate.PAGE, name) == cells(simulate.TABLES[name](simulate.read())), (
        "run python -m tools.simulate"
    )


def test_everything_was_simulated():
    assert list(simulate.missing(simulate.read())) == [], "run python -m tools.simulate"


def test_constants_were_chosen_on_other_worlds_than_those_reported():
    reported = {(each.sizes, each.known) for each in (*REPORTED, *OVER_CATEGORIES, *PAIRS)}
    assert not reported & {(each.sizes, each.known) for each in CHOSEN}
