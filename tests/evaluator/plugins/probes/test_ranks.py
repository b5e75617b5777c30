"""Areas, analyses of variance and ranks, against numbers worked out by hand and scipy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ScoreError
from evaluator.plugins.probes import (
    Curve,
    Probe,
    Ranks,
    anova,
    area,
    average_ranks,
    gap,
    greedy_ranks,
    rank_embeddings,
)

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=8)


def curve(*scores, model="svm", kind="nonlinear", shares=(0.3, 0.5, 1.0), sizes=(3, 5, 10)):
    return Curve(model, kind, shares, sizes, scores)


def test_area_by_hand():
    # (0.2·(0.4+0.6)/2 + 0.5·(0.6+0.8)/2) / 0.7 = (0.1 + 0.35) / 0.7
    assert area((0.3, 0.5, 1.0), (0.4, 0.6, 0.8)) == pytest.approx(0.45 / 0.7)
    assert area((0.5,), (0.25,)) == 0.25


@given(
    st.lists(
        st.tuples(st.integers(1, 100), st.floats(-1, 1)), min_size=2, max_size=9, unique_by=lambda p: p[0]
    )
)
def test_area_is_the_mean_height(points):
    shares, scores = zip(*sorted(points), strict=True)
    shares = [share / 100 for share in shares]
    found = area(shares, scores)
    assert min(scores) - 1e-9 <= found <= max(scores) + 1e-9
    assert found == pytest.approx(
        float(np.trapezoid(scores, shares)) / (shares[-1] - shares[0]), rel=1e-9, abs=1e-9
    )
    assert area(shares, [0.7] * len(shares)) == pytest.approx(0.7)


def test_a_curve_is_read_at_start_end_and_over_all():
    one = curve((0.4, 0.6, 0.8), (0.2, 0.2, 0.2))
    assert one.at("start") == (0.4, 0.2)
    assert one.at("end") == (0.8, 0.2)
    assert one.at("auc") == pytest.approx((0.45 / 0.7, 0.2))
    assert one.mean("auc") == pytest.approx((0.45 / 0.7 + 0.2) / 2)
    means = np.mean(one.scores, axis=0)
    assert area(one.shares, means) == pytest.approx(one.mean("auc")), "the area of the mean is that mean"


def test_anova_by_hand():
    # Means 2 and 4; between 1.5·4 = 6, within 2 + 2 = 4 with 4 degrees of freedom: F = 6. With (1, 4) degrees
    # it is t² for t = √6, and the tail of t with 4 degrees is known: 1 − x(1 + (1 − x²)/2), x = t/√(4 + t²).
    x = np.sqrt(0.6)
    assert anova([1, 2, 3], [3, 4, 5]) == pytest.approx(1 - x * (1 + (1 - x**2) / 2))


@given(SCORES, SCORES)
def test_anova_is_scipys_where_that_has_a_value(a, b):
    from scipy.stats import f_oneway

    assert anova(a, b) == pytest.approx(anova(b, a))
    if max(np.ptp(a), np.ptp(b)) < 1e-3:
        return
    if abs(np.mean(a) - np.mean(b)) < 1e-9:  # scipy's sum of squares may come out below 0
        assert anova(a, b) == pytest.approx(1, abs=1e-4)
    else:
        assert anova(a, b) == pytest.approx(f_oneway(a, b).pvalue, rel=1e-6, abs=1e-9)


def test_anova_without_variance():
    assert anova([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert anova([0.5, 0.5], [0.6, 0.6]) == 0.0
    with pytest.raises(ScoreError, match="two or more splits"):
        anova([0.5], [0.6])


def test_equals_share_a_rank():
    near = [0.80, 0.82, 0.78]
    scores = {"low": [0.1, 0.12, 0.11], "b": [0.79, 0.81, 0.77], "a": near, "mid": [0.5, 0.51, 0.52]}
    assert greedy_ranks(scores) == {"low": 2, "b": 0, "a": 0, "mid": 1}
    assert list(greedy_ranks(scores)) == list(scores)


def test_ranks_do_not_chain():
    """b is like a and c is like b, but c is not like a: compared with the best of the rank, c is lower."""
    spread = np.array([-0.1, 0.0, 0.1])
    scores = {"a": 0.8 + spread, "b": 0.65 + spread, "c": 0.5 + spread}
    assert anova(scores["a"], scores["b"]) > 0.05
    assert anova(scores["b"], scores["c"]) > 0.05
    assert anova(scores["a"], scores["c"]) < 0.05
    assert greedy_ranks(scores) == {"a": 0, "b": 0, "c": 1}


@given(st.dictionaries(st.sampled_from("abcdefg"), st.lists(st.floats(0, 1), min_size=3, max_size=3)))
def test_ranks_ascend_without_holes_whatever_the_order(scores):
    ranks = greedy_ranks(scores)
    assert ranks == greedy_ranks(dict(reversed(scores.items())))
    assert sorted(set(ranks.values())) == list(range(len(set(ranks.values()))))
    means = {name: sum(scores[name]) / 3 for name in scores}
    for a in scores:
        for b in scores:
            if means[a] > means[b]:
                assert ranks[a] <= ranks[b]


def test_embeddings_can_change_places():
    quick = curve((0.8, 0.8, 0.8), (0.81, 0.81, 0.81), (0.82, 0.82, 0.82))
    slow = curve((0.2, 0.5, 0.9), (0.21, 0.51, 0.91), (0.22, 0.52, 0.92))
    assert rank_embeddings({"quick": quick, "slow": slow}) == (
        Ranks("quick", 0, 1, 0),
        Ranks("slow", 1, 0, 1),
    )


def test_only_like_curves_are_ranked():
    one = curve((0.8, 0.8, 0.8), (0.81, 0.81, 0.81))
    other = curve((0.8, 0.8, 0.8), (0.81, 0.81, 0.81), sizes=(3, 5, 11))
    with pytest.raises(ScoreError, match="differ in shares"):
        rank_embeddings({"one": one, "other": other})
    with pytest.raises(ScoreError, match="no learning curves"):
        rank_embeddings({})
    with pytest.raises(ScoreError, match="two or more splits"):
        rank_embeddings({"one": curve((0.8, 0.8, 0.8))})


def test_mean_ranks_by_hand():
    tasks = [
        (Ranks("a", 0, 1, 0), Ranks("b", 1, 0, 1)),
        (Ranks("b", 3, 0, 0), Ranks("a", 0, 0, 0)),
    ]
    a, b = average_ranks(tasks)
    assert (a.name, a.tasks, a.start, a.end, a.auc, a.change) == ("a", 2, (0, 0), (0.5, 0.5), (0, 0), 0.5)
    assert (b.start, b.change) == ((2, 1), 2)
    with pytest.raises(ScoreError, match="same embeddings"):
        average_ranks([tasks[0], tasks[1][:1]])
    with pytest.raises(ScoreError):
        average_ranks([])


def probe_of(*curves):
    return Probe("membership", "accuracy", 10, (2,), 0, curves)


def test_gap_by_hand():
    probe = probe_of(
        curve((0.9, 0.9, 0.9), model="majority", kind="constant"),
        curve((0.1, 0.3, 0.6), model="logistic", kind="linear"),
        curve((0.2, 0.5, 0.7), model="knn"),
        curve((0.1, 0.5, 0.8), model="svm"),
    )
    assert gap(probe).value == pytest.approx((0.8 - 0.6) / 0.8)
    assert (gap(probe).linear, gap(probe).nonlinear) == ("logistic", "svm")
    assert gap(probe, "start").nonlinear == "knn"
    assert gap(probe, "start").value == pytest.approx(0.5)
    assert probe.expected.scores == (pytest.approx((0.4 / 3, 1.3 / 3, 2.1 / 3)),)
    assert probe.curve("knn").at("end") == (0.7,)
    with pytest.raises(ScoreError, match="there are majority, logistic"):
        probe.curve("tree")


def test_gap_where_scores_are_zero_or_missing():
    linear, other = curve((0.0, 0.0, 0.0), model="l", kind="linear"), curve((0.0, 0.0, 0.0))
    assert gap(probe_of(linear, other)).value == 0.0
    constant = curve((0.5, 0.5, 0.5), model="cosine", kind="constant")
    assert gap(probe_of(constant, other)).value == -1.0
    with pytest.raises(ScoreError, match="non-linear"):
        gap(probe_of(linear))
    with pytest.raises(ScoreError, match="no linear"):
        gap(probe_of(other))
    with pytest.raises(ScoreError, match="learns"):
        _ = probe_of(constant).expected


def test_an_area_is_never_above_the_highest_score():
    assert area((0.3, 0.5, 0.7, 0.85, 1.0), (1.0,) * 5) == 1.0  # where rounding would make it a little more
