"""Contributions, intervals and tests: against brute force, against simulated truth, and at their edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Settings, score
from evaluator.engine.frequency import FrequencyBands
from evaluator.measures.base import Subscore, share_pseudovalues
from evaluator.measures.oddoneout import OddOneOut
from evaluator.statistics.resampling import difference, interval, mean_replicates, replicates
from tests.evaluator import definitions
from tests.evaluator.examples import test_set, vectors


def part(values, name="c", units=None):
    values = np.asarray(values, dtype=np.float64)
    units = units or tuple(f"u{number}" for number in range(len(values)))
    return Subscore(name, len(values), 0, float(values.mean()), units, values)


def world(rows=60, seed=0):
    matrix = np.random.default_rng(seed).normal(size=(rows, 4)).astype(np.float32)
    matrix[: rows // 2 : 3] += 1
    return matrix, [f"w{row}" for row in range(rows)], [f"w{row}" for row in range(0, 21, 3)]


@pytest.mark.parametrize(
    "measure",
    ["Topk@2", "OddOneOut@2", "OddOneOut@3", "OddOneOut@4", "OddOneOut@5", "OddOneOut(samples=99)@3"],
)
@pytest.mark.parametrize("oov", ["wrong", "skip"])
def test_the_mean_of_contributions_is_the_score(measure, oov):
    matrix, _, category = world()
    found = score(vectors(matrix), test_set(c=[*category, "x"]), measure, Settings(oov=oov))[
        measure
    ].subscores[0]
    assert found.pseudovalues.mean() == pytest.approx(found.value, abs=1e-12)
    assert len(found.observations) == len(found.pseudovalues) == (8 if oov == "wrong" else 7)


@pytest.mark.parametrize("out", ["any", "matched"])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_contributions_to_odd_one_out_are_those_of_each_word(k, out):
    matrix, words, category = world()
    measure = OddOneOut(k, out=out)
    (found,) = score(vectors(matrix), test_set(c=category), [measure])[str(measure)].subscores
    # Leaving a word out, and all over again.
    without = []
    for word in category:
        kept = [row for row, each in enumerate(words) if each != word]
        fewer = vectors(matrix[kept], [words[row] for row in kept])
        rest = test_set(c=[each for each in category if each != word])
        without.append(score(fewer, rest, [measure])[str(measure)].value)
    assert found.pseudovalues == pytest.approx(7 * found.value - 6 * np.array(without), abs=1e-9)


def test_bands_cover_the_vocabulary_and_their_sample_is_of_each():
    for vocabulary in (1, 255, 256, 257, 1000, 5000, 100_001):
        bands = FrequencyBands(vocabulary)
        assert bands.sizes().sum() == vocabulary
        assert (bands.sizes() > 0).all()
        assert bands.count(np.arange(vocabulary)).tolist() == bands.sizes().tolist()
        starts = bands.sample()
        assert len(set(starts)) == len(starts)
        assert all(start % 256 == 0 and start < vocabulary for start in starts)
        assert {bands.of(start) for start in starts} == set(range(bands.number))


def test_contributions_of_a_share_are_its_influences():
    hits, trials = np.array([1.0, 4.0, 0.0]), np.array([2.0, 5.0, 3.0])
    found = share_pseudovalues(hits, trials)
    assert found.mean() == pytest.approx(0.5)
    # The derivative of the share with respect to the weight of a unit, times n.
    for unit in range(3):
        weights = np.ones(3)
        weights[unit] += 1e-6
        slope = ((hits @ weights) / (trials @ weights) - 0.5) / 1e-6
        assert found[unit] - 0.5 == pytest.approx(3 * slope, abs=1e-4)


def test_intervals_hold_what_they_promise():
    """Categories drawn from a large one: 95% intervals must hold its score about 95 times in 100."""
    generator = np.random.default_rng(0)
    population = generator.normal(size=(400, 6)) + 1.1
    others = generator.normal(size=(600, 6))
    words = [f"w{row}" for row in range(25)]
    whole = _share_of_odd(population, others, generator)
    inside = 0
    for seed in range(100):
        drawn = np.random.default_rng(seed).permutation(400)[:25]
        matrix = np.vstack([population[drawn], others]).astype(np.float32)
        found = score(vectors(matrix), test_set(c=words), "OddOneOut@3")["OddOneOut@3"]
        low, high = found.interval
        inside += low <= whole <= high
    assert 85 <= inside <= 100


def _share_of_odd(population, others, generator):
    points = definitions.unit(population), definitions.unit(others)
    hits = []
    for _ in range(20_000):
        members = points[0][generator.choice(len(population), 3, replace=False)]
        hits.append(definitions.is_odd(np.vstack([members, points[1][generator.integers(len(others))]])))
    return np.mean(hits)


def test_replicates_are_the_bootstrap():
    values = np.random.default_rng(0).normal(size=50)
    drawn = replicates(part(values), 0, 20_000)
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.005)
    assert drawn.std() == pytest.approx(values.std(ddof=1) / np.sqrt(50), rel=0.03)
    assert replicates(part(values), 0).tolist() == replicates(part(values), 0).tolist()
    assert replicates(part(values), 0).tolist() != replicates(part(values), 1).tolist()
    assert replicates(part(values), 0).tolist() != replicates(part(values, "d"), 0).tolist()


def test_an_interval_stays_within_what_a_score_can_be():
    drawn = mean_replicates([part([1.4, 0.2, 0.9])], 0)
    assert interval(drawn, 0, 1)[1] <= 1 < interval(drawn, -9, 9)[1]
    assert interval(mean_replicates([part([0.5])], 0), 0, 1) == (0.5, 0.5)


@given(st.lists(st.integers(0, 10), min_size=1, max_size=30), st.integers(0, 5))
def test_a_model_is_no_better_than_itself(values, seed):
    same = [part(values)]
    found = difference(same, same, seed)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_a_clear_difference_and_none():
    generator = np.random.default_rng(1)
    first, noise = generator.normal(size=40), generator.normal(size=40)
    better = difference([part(first)], [part(first + 1 + noise / 2)], 0)
    assert better.low < better.value < better.high
    assert better.low > 0
    assert better.p < 0.001
    assert (better.subscores, better.units) == (1, 40)
    back = difference([part(first + 1 + noise / 2)], [part(first)], 0)
    assert back.value == pytest.approx(-better.value)


def test_p_is_uniform_where_there_is_no_difference():
    generator = np.random.default_rng(2)
    p = [
        difference([part(generator.normal(size=20))], [part(generator.normal(size=20))], 0).p
        for _ in range(200)
    ]
    assert 0.4 < np.mean(p) < 0.6
    assert 0.01 <= np.mean(np.array(p) < 0.05) < 0.12


def test_only_what_both_were_scored_on_is_compared():
    first = [part([1, 2, 3], "a"), part([1, 1], "b"), Subscore("c", 2, 2, skipped="too few words")]
    second = [part([2, 5], "a", units=("u1", "u9")), part([0, 0], "c"), part([3, 3], "b")]
    found = difference(first, second, 0)
    assert (found.subscores, found.units) == (2, 3)
    assert found.value == pytest.approx((0 + 2) / 2)
    assert difference([part([1], "a")], [part([1], "b")], 0) is None


def test_higher_levels_weigh_more_if_that_is_asked_for():
    matrix, _, category = world()
    given = test_set(top=category, below=category[:4])
    given = replace(
        given, categories=(given.categories[0], replace(given.categories[1], level=1, within="top"))
    )
    flat = score(vectors(matrix), given, "Topk@2")["Topk@2"]
    halved = score(vectors(matrix), given, "Topk@2", Settings(levels="halved"))["Topk@2"]
    top, below = (part.value for part in flat.subscores)
    assert top != below
    assert flat.value == pytest.approx((top + below) / 2)
    assert halved.value == pytest.approx((top + below / 2) / 1.5)
    assert np.mean(mean_replicates(halved.subscores, 0)) == pytest.approx(halved.value, abs=0.02)
    assert "levels:halved" in halved.signature
    doubled = [replace(part, pseudovalues=part.pseudovalues + 1) for part in halved.subscores]
    assert difference(halved.subscores, doubled, 0).value == pytest.approx(1)
