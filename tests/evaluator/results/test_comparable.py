"""Which scores may be compared: one answer of tables, reports and pages."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from evaluator import Settings, score
from evaluator.errors import ResultsError
from evaluator.reports.build import input_of, report_page
from evaluator.reports.page import Table
from evaluator.results.base import to_json
from evaluator.results.comparable import ComparisonKey
from evaluator.results.score_table import read_table
from evaluator.results.scores import ScoresFile
from tests.evaluator.examples import test_set, vectors

WORDS = test_set(one=[f"w{n}" for n in range(6)], two=[f"w{n}" for n in range(6, 12)])
ROWS = [[1, 0.1 * n, 0.01 * n * n] for n in range(15)]
SAMPLED = "OddOneOut(samples=500)@3"


def replace_test(**changes):
    return dataclasses.replace(WORDS, **changes)


def scored(name, *measures, test=WORDS, **settings):
    found = score(vectors(ROWS), test, measures, Settings(**settings))
    return replace(found, model=name, model_sha256=name)


def answers(tmp_path, *several):
    """Whether a table takes scores together, whether the summary does, and whether they have one key."""
    files = [ScoresFile(results=(each,)).record() for each in several]
    paths = [tmp_path / f"{number}.json" for number in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_text(to_json(file))
    try:
        in_table = read_table(paths)[0].shape[1] == 1
    except ResultsError as error:
        assert "cannot be compared" in str(error)  # noqa: PT017
        in_table = False
    summary = report_page([input_of(each, "a.json") for each in files], "").sections[0]
    (table,) = [each for each in summary.blocks if isinstance(each, Table)]
    in_summary = len({row[1].text for row in table.rows}) == 1
    keys = {ComparisonKey.of(each, each.scores[0]) for each in several}
    return in_table, in_summary, len(keys) == 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ((SAMPLED, {"seed": 0}), (SAMPLED, {"seed": 1}), False),
        ((SAMPLED, {"seed": 1}), (SAMPLED, {"seed": 1}), True),
        (("OddOneOut@3", {"seed": 0}), ("OddOneOut@3", {"seed": 1}), True),  # all pairs: nothing is drawn
        (("Topk@3", {"oov": "wrong"}), ("Topk@3", {"norm": "none"}), False),
        (("Topk@3", {}), ("Topk@3", {"test": replace_test(sha256="1" * 64)}), False),
        (("Topk@3", {}), ("Topk@3", {"test": replace_test(name="copy.json")}), True),
    ],
)
def test_tables_and_reports_say_the_same_of_whether_scores_can_be_compared(tmp_path, first, second, same):
    several = (scored(name, one, **how) for name, (one, how) in zip("ab", (first, second), strict=True))
    assert answers(tmp_path, *several) == (same, same, same)


def test_models_that_were_asked_their_own_words_are_compared_with_none():
    one, other = (scored(name, "Topk@3", oov="skip") for name in "ab")
    assert ComparisonKey.of(one, one["Topk@3"]) != ComparisonKey.of(other, other["Topk@3"])
    again = scored("a", "Topk@3", oov="skip")
    assert ComparisonKey.of(one, one["Topk@3"]) == ComparisonKey.of(again, again["Topk@3"])


def test_combined_of_other_measures_is_something_else():
    three, two = scored("a", "Topk@3", "OddOneOut@3"), scored("b", "Topk@2", "OddOneOut@2")
    assert ComparisonKey.of(three, three["Combined"]) != ComparisonKey.of(two, two["Combined"])
    copy = scored("b", "Topk@3", "OddOneOut@3", test=replace_test(name="copy.json"))
    assert ComparisonKey.of(three, three["Combined"]) == ComparisonKey.of(copy, copy["Combined"])
