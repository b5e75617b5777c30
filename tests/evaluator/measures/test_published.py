"""The scores that docs/measures/googlenews.csv has for published vectors are those that the program gives."""

from __future__ import annotations

import csv

import pytest

from evaluator import load_vectors
from tests.conftest import REPOSITORY
from tools import results

TABLE = (REPOSITORY / "docs" / "measures" / "googlenews.csv").read_text(encoding="utf-8")
PRINTED = {tuple(row) for row in csv.reader(TABLE.splitlines())}


def quick(run):
    """What of a run takes a second or two: neither BATS, nor clusters."""
    measures = [each for each in run.measures if "Categorization" not in each]
    files = [each for each in run.files if each != "BATS_3.0"]
    return results.Run(run.kind, tuple(files), tuple(measures), run.settings)


def test_the_table_has_a_row_for_each_score():
    named = [(file, measure) for run in results.RUNS for file in run.files for measure in run.measures]
    assert len([row for row in PRINTED if row[0] in {file for file, _ in named}]) == len(named)


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, marks=[pytest.mark.slow] * (run.kind == "analogy"), id=run.kind)
        for run in results.RUNS
    ],
)
def test_the_table_has_the_scores_of_today(shared_data, run):
    if not (shared_data / "benchmarks").is_dir():
        pytest.skip(f"no data sets at {shared_data}")
    vectors = load_vectors(shared_data / "vectors" / "en" / results.VECTORS)
    rows = list(results.rows(shared_data, vectors, quick(run)))
    assert [row for row in rows if row not in PRINTED] == []
