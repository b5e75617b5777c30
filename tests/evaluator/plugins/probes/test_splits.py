"""How the data is divided: every class, every share, the same for every embedding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ScoreError
from evaluator.plugins.probes import SplitPlan
from evaluator.plugins.probes.splits import (
    folds,
    grouped_splits,
    random_splits,
    ranks_in_class,
    stratified_splits,
    take_groups,
)

SIZES = st.lists(st.integers(2, 12), min_size=1, max_size=6)


def codes_of(sizes, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))


@given(SIZES, st.sampled_from([0.1, 0.2, 0.34, 0.5]), st.integers(0, 5))
def test_a_class_has_its_share_of_the_test_part_to_within_one(sizes, share, seed):
    codes = codes_of(sizes)
    plan = SplitPlan(test_share=share, seed=seed, splits=2)
    for split in stratified_splits(codes, plan):
        assert sorted([*split.train, *split.test]) == list(range(len(codes)))
        assert len(split.test) == plan.tests(len(codes))
        for code, size in enumerate(sizes):
            tested = int(np.sum(codes[split.test] == code))
            assert abs(tested - size * len(split.test) / len(codes)) < 1
            assert tested < size, "something is left to learn from"


@given(SIZES, st.integers(0, 5))
def test_training_meets_each_class_at_once_and_in_proportion_after(sizes, seed):
    codes = codes_of(sizes)
    for split in stratified_splits(codes, SplitPlan(seed=seed, splits=2)):
        order = codes[split.train]
        assert set(order[: len(sizes)]) == set(range(len(sizes)))
        for length in range(1, len(order) + 1):
            for code in range(len(sizes)):
                due = length * np.mean(order == code)
                # One from the start, one from rounding, and as many as classes may go first.
                assert abs(np.sum(order[:length] == code) - due) <= 2 + len(sizes) * np.mean(order == code)


def test_each_item_is_tested_about_equally_often():
    codes = codes_of([5, 10, 35])
    counts = np.zeros(50)
    for split in stratified_splits(codes, SplitPlan(splits=1000)):
        counts[split.test] += 1
    assert counts.min() > 150
    assert counts.max() < 250


@pytest.mark.parametrize("divide", [stratified_splits, grouped_splits])
def test_splits_depend_on_seed_and_number_alone(divide):
    codes = codes_of([6, 6, 8])

    def divided(plan):
        return [(split.train.tolist(), split.test.tolist()) for split in divide(codes, plan)]

    assert divided(SplitPlan()) == divided(SplitPlan())
    assert divided(SplitPlan(splits=9))[:6] == divided(SplitPlan())
    assert divided(SplitPlan(seed=1)) != divided(SplitPlan())
    assert len({str(split) for split in divided(SplitPlan())}) == 6


def test_random_splits_divide_everything():
    for split in random_splits(23, SplitPlan()):
        assert sorted([*split.train, *split.test]) == list(range(23))
        assert len(split.test) == 4


@given(st.lists(st.integers(0, 6), min_size=2, max_size=30).filter(lambda g: len(set(g)) > 1))
def test_no_group_is_on_both_sides(groups):
    groups = np.array(groups)
    for split in grouped_splits(groups, SplitPlan(splits=3)):
        assert not set(groups[split.train]) & set(groups[split.test])
        assert sorted([*split.train, *split.test]) == list(range(len(groups)))
        assert len(split.train)
        assert len(split.test)
        smallest = min(np.unique(groups, return_counts=True)[1])
        assert len(split.test) <= max(SplitPlan().tests(len(groups)), smallest)


def test_where_no_group_is_small_enough_one_of_the_smallest_is_taken():
    groups = np.repeat([3, 5, 8], [4, 3, 3])
    generator = np.random.default_rng(0)
    taken = {tuple(np.unique(groups[take_groups(groups, 1, generator)])) for _ in range(30)}
    assert taken == {(5,), (8,)}


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(2, 4))
def test_folds_hold_equally_many_of_each_class(codes, count):
    codes = np.array(codes)
    dealt = folds(codes, count)
    for code in set(codes.tolist()):
        per_fold = np.bincount(dealt[codes == code], minlength=count)
        assert per_fold.max() - per_fold.min() <= 1


def test_classes_in_turn_are_not_dealt_to_a_fold_each():
    assert folds(np.array([0, 1, 2] * 3), 3).tolist() == [0, 1, 2, 1, 2, 0, 2, 0, 1]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_ranks_count_who_came_before(codes):
    slow = [codes[:place].count(code) for place, code in enumerate(codes)]
    assert ranks_in_class(np.array(codes)).tolist() == slow


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"shares": ()}, "shares"),
        ({"shares": (0.5, 0.5)}, "ascend"),
        ({"shares": (0.0, 0.5)}, "above 0"),
        ({"shares": (0.5, 1.1)}, "at most 1"),
        ({"test_share": 0.6}, "test_share is 0.6"),
        ({"test_share": 0.0}, "test_share"),
        ({"splits": 0}, "splits is 0"),
        ({"folds": 1}, "folds is 1"),
        ({"seed": -1}, "seed"),
        ({"shares": (float("nan"),)}, "shares"),
    ],
)
def test_plans_that_make_no_sense_are_refused(values, message):
    with pytest.raises(ScoreError, match=message):
        SplitPlan(**values)


def test_sizes_of_shares():
    plan = SplitPlan()
    assert [plan.size(share, 40) for share in plan.shares] == [12, 20, 28, 34, 40]
    assert plan.size(0.1, 5) == 2
    assert plan.size(1.0, 1) == 1
    assert [SplitPlan(test_share=0.29).tests(100), plan.tests(3)] == [29, 1]
