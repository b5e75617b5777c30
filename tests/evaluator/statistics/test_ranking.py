"""Readings of tests, letters, and ranks of several models."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.results.base import Tested
from evaluator.results.score import Score
from evaluator.results.scores import TestedDifference
from evaluator.statistics.inference import Spread, equivalence, t_test
from evaluator.statistics.ranking import letters_of, rankings, readings
from tools import simulate

MODELS = list("abcdefg")
PAIRS = list(itertools.combinations(MODELS, 2))


def compared(value, error=0.01, first="a", second="b", **more):
    tested = t_test(value, Spread(error**2, 30), 100)
    return TestedDifference(
        value=value,
        of_categories=None,
        of_words=tested,
        subscores=3,
        observations=30,
        test_set="t",
        measure="Topk@3",
        first=first,
        second=second,
        **more,
    )


def ranked(differences, values, margin=None, contenders="abc"):
    """The ranking of models by one measure."""
    scores = {model: Score(measure="Topk@3", value=value, signature="") for model, value in values.items()}
    (found,) = rankings(differences, {("t", "", "Topk@3"): scores}, {("t", ""): contenders}, margin)
    return found


@given(st.sets(st.sampled_from(PAIRS)))
def test_models_share_a_letter_if_and_only_if_none_is_better(better):
    letters = letters_of(MODELS, better)
    assert "a" in letters[MODELS[0]]
    for pair in PAIRS:
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) == (pair not in better)
    columns = ["".join(model for model in MODELS if each in letters[model]) for each in "abcdefghijkl"]
    kept = [set(each) for each in columns if each]
    assert not any(one < other for one in kept for other in kept), "no letter says nothing"


def test_a_hundred_models_have_their_letters_at_once():
    """In an order that does not matter to the result, there were millions of groups on the way."""
    strengths = sorted(np.random.default_rng(0).normal(size=100), reverse=True)
    models = [f"m{number}" for number in range(100)]
    better = {
        (models[one], models[other])
        for one, other in itertools.combinations(range(100), 2)
        if strengths[one] - strengths[other] > 0.3
    }
    letters = letters_of(models, better)
    for one, other in itertools.combinations(models[:20], 2):
        assert (letters[one] == letters[other]) <= ((one, other) not in better)


def test_there_are_no_letters_where_there_would_be_too_many_groups():
    """Of thirty pairs of which each differs, 2^30 groups could be made."""
    models = [f"m{number}" for number in range(60)]
    letters = letters_of(models, {(models[number], models[number + 30]) for number in range(30)})
    assert set(letters.values()) == {""}


@pytest.mark.slow
def test_more_groups_than_letters():
    models = [f"m{number}" for number in range(30)]
    better = set(itertools.combinations(models, 2))
    assert list(letters_of(models, better).values())[24:28] == ["y", "z", "a1", "b1"]


@pytest.mark.parametrize(
    ("value", "error", "margin", "own", "reading"),
    [
        (0.1, 0.01, None, None, "better"),
        (-0.1, 0.01, None, None, "worse"),
        (0.01, 0.01, None, None, "undecided"),
        (0.01, 0.001, None, None, "better"),
        (0.001, 0.001, 0.02, None, "equal"),
        (0.01, 0.001, 0.02, None, "slightly better"),
        (-0.01, 0.001, 0.02, 0.01, "equal"),
        (-0.01, 0.001, 0.02, -0.01, "slightly worse"),
        (0.01, 0.01, 0.02, None, "undecided"),
        (0.1, 0.01, 0.02, None, "better"),
        (0.1, 0.01, None, 0.05, "better"),
        (0.1, 0.01, None, -0.05, "depends on vocabulary"),
        (0.1, 0.01, None, 0.0, "depends on vocabulary"),
    ],
)
def test_readings(value, error, margin, own, reading):
    difference = compared(value, error, own=own)
    ((test, p, found),) = readings([difference], margin)[difference]
    assert (found, p) == (reading, test.p)


def test_p_values_are_corrected_for_all_pairs():
    values = {"a": 0.6, "b": 0.5, "c": 0.47}
    differences = [
        compared(values[second] - values[first], 0.02, first, second)
        for first, second in itertools.combinations("abc", 2)
    ]
    plain = [each.of_words.p for each in differences]
    assert [p for each in readings(differences).values() for _, p, _ in each] == pytest.approx(
        [2 * plain[0], 3 * plain[1], plain[2]]
    )
    found = ranked(differences, values)
    assert found.over == "30 words"
    assert [(each.model, each.letters, each.best, each.worst) for each in found.models] == [
        ("a", "a", 1, 1),
        ("b", "b", 2, 3),
        ("c", "b", 2, 3),
    ]


@pytest.mark.parametrize("margin", [None, 0.05, 0.3])
def test_a_margin_changes_no_rank(margin):
    values = {"a": 0.5, "b": 0.499, "c": 0.3}
    differences = [
        compared(values[second] - values[first], 0.01, first, second)
        for first, second in itertools.combinations("abc", 2)
    ]
    found = ranked(differences, values, margin)
    assert [(each.letters, each.best, each.worst) for each in found.models] == [
        ("a", 1, 2),
        ("a", 1, 2),
        ("b", 3, 3),
    ]
    assert found.within_margin == {None: (), 0.05: ("b",), 0.3: ("b", "c")}[margin]


def test_models_that_are_not_above_all_baselines_have_no_rank():
    """They stand below the others, whatever their scores, and their tests do not count."""
    values = {"a": 0.9, "b": 0.5, "c": 0.47, "d": 0.95}
    differences = [
        compared(values[second] - values[first], 0.02, first, second)
        for first, second in itertools.combinations("abcd", 2)
    ]
    found = ranked(differences, values, contenders="bc")
    assert [(each.model, each.letters, each.best, each.worst) for each in found.models] == [
        ("b", "a", 1, 2),
        ("c", "a", 1, 2),
        ("d", "", None, None),
        ("a", "", None, None),
    ]
    alone = ranked(differences, values, contenders="")
    assert [(each.model, each.best) for each in alone.models] == [(each, None) for each in "dabc"]


@given(st.floats(-0.5, 0.5), st.floats(0.001, 0.2), st.floats(0.001, 0.3))
def test_scores_are_equal_within_a_margin_if_the_90_percent_interval_is(value, error, margin):
    from scipy import stats

    tested = Tested(0, 0, 1, error, 12)
    half = stats.t.ppf(0.95, 12) * error
    inside = -margin < value - half and value + half < margin
    assert (equivalence(value, tested, margin) < 0.05) == inside


@pytest.mark.slow
def test_the_best_models_are_in_the_first_group():
    """20 models of five strengths; more tables are made by `python -m tools.simulate --only rankings`."""
    for each in simulate.ranked(4, 0.0, tables=6):
        assert each["best in first group"] >= 0.7
        assert each["pairs in order"] > 20
        assert each["reversed"] <= 0.1
