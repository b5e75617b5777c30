"""The commands give today what they gave when their results were recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.golden import inputs
from tests.golden.commands import RUNS
from tests.golden.runs import EXACT, Tolerance, changes, recorded, result_of

# With GOLDEN_EXACT=1, for the machine that recorded the results, every digit counts. Another machine's linear
# algebra may add in another order, which only the last digits show; a model that is trained starts from these
# digits again at each step.
ANYWHERE, TRAINED = Tolerance(1e-9, 1e-9), Tolerance(1e-9, 1e-9)

MOST_SHOWN = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden").resolve()
    inputs.make(path)
    return path


@pytest.fixture
def data(request):
    """The folder of real data, for runs that need it."""
    return request.getfixturevalue("shared_data").resolve() if request.param else Path("no real data")


@pytest.mark.parametrize(("run", "data"), [(run, run.real) for run in RUNS], indirect=["data"], ids=lambda run: getattr(run, "name", ""))
def test_the_result_is_as_recorded(run, data, folder):
    old = recorded(run.group)
    assert run.name in old, f"{run.name} is not recorded: python -m tests.golden.record {run.group}"
    tolerance = EXACT if os.environ.get("GOLDEN_EXACT") == "1" else TRAINED if run.trained else ANYWHERE
    found = list(changes(old[run.name], result_of(run, folder, data), tolerance))
    shown = "\n".join(map(str, found[:MOST_SHOWN]))
    assert not found, f"evaluator {run.line}\n{len(found)} changes in {run.name}:\n{shown}"


def test_nothing_is_recorded_that_no_run_gives():
    names = {run.name for run in RUNS}
    assert len(names) == len(RUNS)
    files = {path.stem for path in Path(__file__).parent.glob("*.json")}
    assert {name for group in files for name in recorded(group)} == names


def test_another_number_is_named_with_its_place_and_a_key_more_is_allowed():
    old = {"scores": [{"value": 0.5, "hits": 3}, {"value": None}], "a b": "x"}
    new = {"scores": [{"value": 0.5 + 1e-7, "hits": 4, "more": 1}, {"value": 0.0}], "version": 2}
    assert [str(each) for each in changes(old, new)] == [
        "$.scores[0].value: 0.5 was recorded, now it is 0.5000001",
        "$.scores[0].hits: 3 was recorded, now it is 4",
        "$.scores[1].value: null was recorded, now it is 0.0",
        '$["a b"]: "x" was recorded, now it is nothing',
    ]
    assert len(list(changes(old, new, Tolerance(1e-6)))) == 3
