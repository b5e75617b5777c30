"""The commands give today what they gave when their results were recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import NEEDS_GENSIM
from tests.golden import inputs
from tests.golden.commands import RUNS
from tests.golden.runs import EXACT, Tolerance, changes, recorded, result_of

# With GOLDEN_EXACT=1 every digit counts, as it can where the same BLAS runs on the same kind of processor as
# when the results were recorded (OpenBLAS for Haswell). Others add in another order:
#
# - most results differ in the sixteenth digit;
# - of hundreds of millions of pairs that OddOneOut compares in single precision, a few dozen fall on the
#   other side of a tie, which moves the score of a small category by up to 0.00001;
# - a model that is trained begins each step with the digits of the last one, and a word more or less among a
#   few dozen neighbours moves a score by some hundredths.
ANYWHERE = Tolerance(relative=1e-9, absolute=1e-9)
CLOSE = Tolerance(absolute=5e-5, counts=1e-5)
TRAINED = Tolerance(absolute=0.05)

MOST_SHOWN = 20
# Each group has a shorter run that is always compared.
LONG = {
    *("batch/languages", "compare/two", "compare/own-vocabulary", "coverage/corpus"),
    *("curve/defaults", "languages/la-1", "languages/la-2"),
    *("measures/categorization", "measures/categorization-skip", "models/baseline-skip", "models/four"),
    *("models/four-text", "models/two-skip", "tune/lemmas", "tune/measure", "tune/random"),
    *("probe/membership", "probe/sentences", "probe/settings", "probe/text"),
    *(f"real/{name}" for name in ("analogy", "categories", "clusters", "corpus", "dropped-rows", "outliers")),
    *("real/several", "real/similarity-language", "real/similarity-wrong", "real/wikidata"),
    "real/wikidata-skip",
    *(f"settings/{name}" for name in ("halved", "mean", "norm", "seed", "upper", "vocabulary")),
    *(f"languages/{code}-{n}" for code in ("de", "en", "ru", "tr") for n in range(4)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("golden").resolve()
    inputs.make(path)
    return path


@pytest.fixture
def data(request):
    """The folder of real data, for runs that need it."""
    return request.getfixturevalue("shared_data").resolve() if request.param else Path("no real data")


@pytest.mark.parametrize(
    ("run", "data"),
    [
        pytest.param(
            run,
            run.real,
            id=run.name,
            marks=[*[pytest.mark.slow] * (run.name in LONG), *[NEEDS_GENSIM] * run.trained],
        )
        for run in RUNS
    ],
    indirect=["data"],
)
def test_the_result_is_as_recorded(run, data, folder):
    if "lee.txt" in run.line and not (folder / "lee.txt").exists():
        pytest.skip("needs a text that gensim installs with itself")
    old = recorded(run.group)
    assert run.name in old, f"{run.name} is not recorded: python -m tests.golden.record {run.group}"
    found = list(changes(old[run.name], result_of(run, folder, data), _tolerance(run)))
    if found:
        shown = "\n".join(map(str, found[:MOST_SHOWN]))
        pytest.fail(f"evaluator {run.line}\n{len(found)} changes in {run.name}:\n{shown}", pytrace=False)


def _tolerance(run):
    if os.environ.get("GOLDEN_EXACT") == "1":
        return EXACT
    return TRAINED if run.trained else CLOSE if run.close else ANYWHERE


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
    assert len(list(changes(old, new, Tolerance(relative=1e-6)))) == 3
    assert not list(changes({"hits": 10**7}, {"hits": 10**7 + 1}, Tolerance(counts=1e-6)))
    assert list(changes({"hits": 10**5}, {"hits": 10**5 + 1}, Tolerance(counts=1e-6)))
