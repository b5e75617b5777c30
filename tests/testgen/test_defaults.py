"""What users get who name nothing is as it was recorded: a change of a default is a change for them."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from tests.defaults import defaults_of, recorded


def test_defaults_are_those_that_were_recorded():
    """New ones need no record: a measure or a source is one file."""
    found, known = defaults_of("testgen"), recorded("testgen")
    assert {name: found.get(name) for name in known} == known
