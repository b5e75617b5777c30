"""A sample of the worlds that `make worlds` takes by all routes; and a route that is wrong is found."""

from __future__ import annotations

import shutil

import pytest

from tests.spread import spread
from tests.worlds import machine
from tests.worlds.generate import world

SOME = 2  # in each process of pytest; those of numbers that 500 divides start processes of their own


@pytest.mark.parametrize("first", spread(range(1, 5 * SOME, SOME), 2))
def test_all_routes_and_definitions_agree(first):
    found = machine.run(range(first, first + SOME), shutil.which("node") if first == 1 else None)
    assert found.found == []
    assert found.worlds == SOME
    assert found.compared["measures by their definitions"]


def test_a_world_is_that_of_its_number():
    one, same, other = world(17), world(17), world(18)
    assert (one.words, one.test_set, one.settings) == (same.words, same.test_set, same.settings)
    assert (one.matrix == same.matrix).all()
    assert one.words != other.words or one.test_set != other.test_set


def test_what_differs_is_told_with_the_number_of_the_world(monkeypatch):
    monkeypatch.setattr("tests.worlds.reference._topk", lambda *_: (2.0, 2.0))
    found = machine.run(range(2, 3))
    (told,) = found.found
    assert "by definition 2.0 to 2.0" in told
    assert told.endswith("again: python -m tests.worlds --world 2")
