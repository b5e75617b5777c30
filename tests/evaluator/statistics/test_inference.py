"""Influences, intervals and tests: against slow definitions, against simulated truth, and at their edges."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace as with_fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy import stats

from evaluator import Settings
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.engine.frequency import FrequencyBands
from evaluator.errors import ScoreError
from evaluator.measures.base import (
    Subscore,
    of_shared_words,
    pair_influences,
    share_pseudovalues,
    u_statistic_pairs,
)
from evaluator.measures.oddoneout import OddOneOut
from evaluator.statistics.combined import combined, combined_of
from evaluator.statistics.inference import (
    Influences,
    Spread,
    category_spread,
    detectable,
    difference,
    holm,
    influences,
    interval,
    transformed,
    with_seeds,
)
from evaluator.statistics.inference import test as t_test
from evaluator.studies.scoring import of_items, score
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, test_set, vectors
from tools import simulate
from tools.worlds import Cell, category_of

SEEDS = st.integers(0, 2**32 - 1)


def subscore(values, name="c", words=None):
    values = np.asarray(values, dtype=np.float64)
    words = words or tuple(f"{name}{number}" for number in range(len(values)))
    return Subscore.of(name, len(values), 0, float(values.mean()), words, values)


def world(rows=60, seed=0):
    matrix = np.random.default_rng(seed).normal(size=(rows, 4)).astype(np.float32)
    matrix[: rows // 2 : 3] += 1
    return matrix, [f"w{row}" for row in range(rows)], [f"w{row}" for row in range(0, 21, 3)]


# What a score owes to its words


@pytest.mark.parametrize(
    "measure",
    ["OddOneOut@2", "OddOneOut@3", "OddOneOut@4", "OddOneOut@5", "OddOneOut(samples=99)@3"],
)
@pytest.mark.parametrize("oov", ["wrong", "skip"])
def test_the_mean_of_pseudovalues_is_the_score(measure, oov):
    matrix, _, category = world()
    found = score(vectors(matrix), test_set(c=[*category, "x"]), measure, Settings(oov=oov))[
        measure
    ].subscores[0]
    assert pseudovalues(found).mean() == pytest.approx(found.value, abs=1e-12)
    assert len(observed(found)) == len(pseudovalues(found)) == (8 if oov == "wrong" else 7)


@pytest.mark.parametrize("out", ["any", "matched"])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_pseudovalues_of_odd_one_out_are_those_of_each_word(k, out):
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
    assert pseudovalues(found) == pytest.approx(7 * found.value - 6 * np.array(without), abs=1e-9)


def topk_without(word, category, words, matrix, k, oov):
    """Topk of a category when a word has left it, and the vocabulary."""
    kept = [row for row, each in enumerate(words) if each != word]
    rest = [each for each in category if each != word]
    hits, trials = definitions.topk(rest, [words[row] for row in kept], matrix[kept], k, oov)
    return hits / trials


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 4), st.sampled_from(["wrong", "skip"]))
def test_what_topk_owes_to_each_word_is_what_is_lost_without_it(seed, k, oov):
    """The word leaves category and vocabulary; so does a word of another category, and of both."""
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(12, 3))
    words = [f"w{row}" for row in range(12)]
    categories = {"c": [*words[:5], "x"], "d": [*words[4:9], "y"]}
    found = score(vectors(matrix), test_set(**categories), f"Topk@{k}", Settings(oov=oov))[f"Topk@{k}"]
    for each in found.subscores:
        category = categories[each.name]
        n = len(observed(each))
        assert n == (6 if oov == "wrong" else 5)
        of_word = {
            word: topk_without(word, category, words, matrix, k, oov) for word in [*words[:9], "x", "y"]
        }
        mean = np.mean([of_word[word] for word in observed(each)])
        expected = [each.value + (n - 1) * (mean - of_word[word]) for word in observed(each)]
        assert pseudovalues(each) == pytest.approx(expected, abs=1e-9)
        lost = {word: each.value - of_word[word] for word in words[:9] if word not in category}
        outside = each.observations.outside
        assert {word: outside.get(word, 0.0) for word in lost} == pytest.approx(lost, abs=1e-9)
        assert set(outside) <= set(lost)


def test_what_a_topk_score_owes_to_a_word_is_summed_over_categories():
    matrix = np.random.default_rng(3).normal(size=(12, 3))
    words = [f"w{row}" for row in range(12)]
    found = score(vectors(matrix), test_set(c=words[:5], d=words[4:9]), "Topk@2")["Topk@2"]
    single = defaultdict(float)
    for each in found.subscores:
        for owed in (each.observations.influences, each.observations.outside):
            for word, influence in owed.items():
                single[word] += influence / 2
    assert influences(found.subscores).single == pytest.approx(single)
    assert influences(found.subscores).value == pytest.approx(found.value)


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


def test_pseudovalues_of_a_share_are_its_influences():
    hits, trials = np.array([1.0, 4.0, 0.0]), np.array([2.0, 5.0, 3.0])
    found = share_pseudovalues(hits, trials)
    assert found.mean() == pytest.approx(0.5)
    # The derivative of the share with respect to the weight of an observation, times n.
    for observation in range(3):
        weights = np.ones(3)
        weights[observation] += 1e-6
        slope = ((hits @ weights) / (trials @ weights) - 0.5) / 1e-6
        assert found[observation] - 0.5 == pytest.approx(3 * slope, abs=1e-4)


@settings(max_examples=30)
@given(SEEDS, st.integers(4, 9))
def test_pairs_that_share_a_word_vary_together(seed, m):
    """The variance is the sum over all two pairs that share a word, but for a factor for few words."""
    generator = np.random.default_rng(seed)
    every = list(itertools.combinations([f"w{number}" for number in range(m)], 2))
    pairs = [every[row] for row in generator.integers(len(every), size=m + 3)]  # some come twice
    values = generator.normal(size=len(pairs))
    words, of_words, of_pairs = of_shared_words(0.5, values, pairs)
    n, m = len(pairs), len(words)
    influence = (values - values.mean()) / np.sqrt(n * (n - 1))
    of_all = list(zip(map(set, pairs), influence, strict=True))
    every_two = list(itertools.product(of_all, repeat=2))
    together = sum(one * other * len(first & second) for (first, one), (second, other) in every_two)
    twice = sum(one * other for (first, one), (second, other) in every_two if first == second)
    found = Subscore.of("c", n, 0, 0.5, words, of_words, pairs=of_pairs)
    factor = (1 + max(1 - m / (2 * n), 0) / max(m - 2, 1)) ** 2 * m / (m - 1)
    squares = max(together * factor, 2 * twice)  # pairs do not vary against each other
    assert sum(each**2 for each in found.observations.influences.values()) == pytest.approx(squares, abs=1e-9)
    assert sum(value**2 for value in of_pairs.values()) == pytest.approx(twice, abs=1e-9)
    variance = max(squares - twice, squares / 2)
    assert influences([found]).spread.variance == pytest.approx(variance, abs=1e-9)


@given(SEEDS, st.integers(3, 8))
def test_pair_influences_are_the_residuals_of_an_analysis_of_variance(seed, n):
    generator = np.random.default_rng(seed)
    names = [f"w{number}" for number in range(n)]
    every = list(itertools.combinations(names, 2))
    owed = {pair: float(generator.normal()) for pair in every if generator.random() < 0.5}
    design = np.array([[1.0, *(float(name in pair) for name in names)] for pair in every])
    values = np.array([owed.get(pair, 0.0) for pair in every])
    residuals = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    squares = sum(value**2 for value in pair_influences(owed, n).values())
    assert squares == pytest.approx(float(residuals @ residuals), abs=1e-9)


@given(SEEDS, st.integers(2, 4), st.integers(6, 9))
def test_what_a_u_statistic_owes_to_pairs_is_what_the_jackknife_counts_too_much(seed, k, n):
    """For a statistic that owes nothing to single words, and nothing to three together."""
    effects = np.random.default_rng(seed).normal(size=(n, n))
    effects = np.triu(effects, 1) + np.triu(effects, 1).T
    residuals = u_statistic_pairs(effects, 2) / u_statistic_scale(n)
    subsets = np.array(list(itertools.combinations(range(n), k)))
    values = sum(residuals[subsets[:, i], subsets[:, j]] for i, j in itertools.combinations(range(k), 2))
    shares = np.array(
        [
            [values[((subsets == i) | (subsets == j)).sum(axis=1) == 2].mean() for j in range(n) if j != i]
            for i in range(n)
        ]
    )
    of_pairs = np.zeros((n, n))
    of_pairs[~np.eye(n, dtype=bool)] = shares.ravel()
    # C(k, 2) terms of each subset, and C(n, 2) pairs
    expected = residuals * k * (k - 1) / (n * (n - 1)) * np.sqrt(n * (n - 1) / ((n - 2) * (n - 3)))
    found = u_statistic_pairs(of_pairs, k)
    if n >= k + 2:
        assert found == pytest.approx(expected, abs=1e-9)
    assert np.abs(found.sum(axis=0)).max() < 1e-9


def u_statistic_scale(n):
    return 2 / (n * (n - 1)) * np.sqrt(n * (n - 1) / ((n - 2) * (n - 3)))


def test_of_a_pair_of_words_no_more_than_half_the_variance_is_counted_twice():
    found = Influences(0.5, {"a": 0.1, "b": 0.1}, {("a", "b"): 9.0})
    assert found.spread.variance == pytest.approx(0.01)


def test_words_of_one_item_are_one_observation():
    """An item of two spellings counts once; what they owe each other is not a pair."""
    words, pairs = ("colour", "color", "hue"), {("color", "colour"): 1.0, ("colour", "hue"): 2.0}
    found = Subscore.of(
        *("c", 3, 2, 0.5, words, [1, 0, 0.5]), unknown=words[1:], outside={"color": 0.25}, pairs=pairs
    )
    named = of_items(found, {"colour": "Q1", "color": "Q1"})
    assert observed(named) == ("Q1", "hue")
    assert (found.n, found.known, named.n, named.known) == (3, 1, 2, 1), "one of its words has a vector"
    assert named.observations.outside == {"Q1": 0.25}
    assert named.observations.pairs == (("Q1", "hue", 2.0),)
    of_words = found.observations.influences
    single = {"Q1": of_words["colour"] + of_words["color"] + 0.25, "hue": of_words["hue"]}
    assert influences([named]).single == pytest.approx(single)
    matrix = np.random.default_rng(0).normal(size=(20, 4))
    items = (Item("Q1", ("w0", "w1")), *(Item(f"Q{row}", (f"w{row}",)) for row in range(2, 8)))
    given = TestSet("en", "test.json", "0" * 64, (Category("c", "c", items),))
    result = score(vectors(matrix), given, "Topk@2")["Topk@2"]
    assert (result.n, result.known, result.subscores[0].n, result.subscores[0].size) == (7, 7, 7, 8)


def test_a_function_of_values_varies_with_what_both_owe_to_a_word():
    first, second = Influences(0.5, {"a": 0.2, "b": 0.1}), Influences(0.25, {"b": -0.05})
    found = transformed(lambda one, other: one * other, (first, second))
    assert found.value == 0.125
    assert found.single == pytest.approx({"a": 0.125 - 0.3 * 0.25, "b": 0.125 - 0.4 * 0.3})
    assert (first - second).single == pytest.approx({"a": 0.2, "b": 0.15})


def test_combined_stands_on_the_categories_of_both():
    first = [subscore([0, 1, 1], "a"), subscore([1, 1, 0, 0], "b")]
    second = [replace(first[0], name="z"), replace(first[1], value=0.25)]
    assert combined_of(first, second).value == pytest.approx(combined(0.5, 0.25))


# Which categories are scored


@settings(max_examples=25)
@given(SEEDS, st.integers(1, 4))
def test_knowing_fewer_words_does_not_change_what_is_scored(seed, k):
    """Taking test words out of a vocabulary never raises a score because a category leaves the mean."""
    generator = np.random.default_rng(seed)
    words = [f"w{row}" for row in range(20)]
    categories = {f"c{n}": words[4 * n : 4 * n + int(generator.integers(2, 6))] for n in range(4)}
    categories["d"] = words[:5]
    matrix = generator.normal(size=(24, 3))
    names = [*words, "u", "v", "x", "y"]
    measures = [f"Topk@{k}", f"OddOneOut@{max(k, 2)}"]
    whole = score(vectors(matrix, names), test_set(**categories), measures)
    kept = [row for row in range(24) if row >= 19 or generator.random() < 0.3]
    fewer = vectors(matrix[kept], [names[row] for row in kept])
    counted = [set(each) for each in categories.values() if len(each) >= max(k, 3)]
    if not any(each & set(fewer.words) for each in counted):
        with pytest.raises(ScoreError, match="no word is known"):
            score(fewer, test_set(**categories), measures)
        return
    fewer = score(fewer, test_set(**categories), measures)
    for found in fewer.measured:
        before = whole[found.measure].subscores
        assert [each.skipped for each in found.subscores] == [each.skipped for each in before]
        values = [each.value for each in found.subscores if each.skipped is None]
        assert found.value == pytest.approx(np.mean(values))
        assert len(values) == len(counted)


OF_CATEGORIES = [
    "Topk@2",
    "OddOneOut@3",
    "OddOneOut(samples=50)@3",
    "OddOneOut(out=matched)@3",
    "CategoryOutliers(size=3,outliers=2)",
    "Categorization",
]


@pytest.mark.parametrize("measure", OF_CATEGORIES)
@settings(max_examples=6)
@given(SEEDS)
def test_a_category_that_is_forgotten_stays(measure, seed):
    """With every word of a category taken from the vocabulary, each measure counts the same subscores."""
    generator = np.random.default_rng(seed)
    words = [f"w{row}" for row in range(40)]
    categories = {f"c{n}": words[6 * n : 6 * n + 6] for n in range(4)}
    given = TestSet("en", "t", "", categories=tuple(map(category_of, categories, categories.values())))
    matrix = generator.normal(size=(40, 3))
    forgotten = categories[f"c{generator.integers(4)}"]
    kept = [row for row in range(40) if words[row] not in forgotten[: generator.integers(4, 7)]]
    fewer = vectors(matrix[kept], [words[row] for row in kept])
    before, after = (score(each, given, measure)[measure].subscores for each in (vectors(matrix), fewer))
    assert [each.name for each in after] == [each.name for each in before]
    assert [each.value is None for each in after] == [each.value is None for each in before]
    assert [each.weight for each in after] == [each.weight for each in before]
    for each in after:
        known = len(set(fewer.words) & set(categories.get(each.name, words)))
        if each.name in categories and known < 2:
            assert (each.value, each.skipped) == (0, None)
    if len(before) == 1:  # all categories together: what was a question is one still
        assert len(observed(after[0])) == len(observed(before[0]))
        assert after[0].trials == before[0].trials


@pytest.mark.parametrize(("seeds", "luck"), [(1, 0.0), (3, 0.2)])
def test_intervals_of_categories_in_learning_curves_hold_the_truth(seeds, luck):
    """Six intervals in each of ten worlds; those of one world are not quite independent."""
    for each in simulate.category_intervals(10, seeds, 10, "middle", luck):
        assert stats.binom.ppf(0.005, 60, 0.95) / 60 <= each["coverage"]
        assert 0.8 <= each["width"] <= 2


def test_higher_levels_weigh_more_if_that_is_asked_for():
    matrix, _, category = world()
    given = test_set(top=category, below=category[:4])
    given = with_fields(
        given, categories=(given.categories[0], with_fields(given.categories[1], level=1, within="top"))
    )
    flat = score(vectors(matrix), given, "Topk@2")["Topk@2"]
    halved = score(vectors(matrix), given, "Topk@2", Settings(levels="halved"))["Topk@2"]
    top, below = (each.value for each in flat.subscores)
    assert top != below
    assert flat.value == pytest.approx((top + below) / 2)
    assert halved.value == pytest.approx((top + below / 2) / 1.5)
    assert influences(halved.subscores).value == pytest.approx(halved.value)
    assert "levels:halved" in halved.signature
    raised = [replace(each, value=each.value + 1) for each in halved.subscores]
    assert difference(halved.subscores, raised).value == pytest.approx(1)


# Intervals


@given(st.integers(1, 200), st.integers(2, 200))
def test_the_interval_of_a_share_is_wilsons(hits, more):
    """With the variance of so many independent trials, and as many observations as to trust it."""
    n = hits + more
    share = hits / n
    found = interval(share, Spread(share * (1 - share) / n, 1e9, 1e9))
    z = stats.norm.ppf(0.975)
    ends = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert found == pytest.approx((ends.low, ends.high), abs=1e-4)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    assert sum(found) / 2 == pytest.approx(middle, abs=1e-4)


@given(SEEDS, st.integers(3, 60))
def test_an_interval_stays_within_what_a_score_can_be(seed, n):
    values = np.random.default_rng(seed).random(n)
    spread = influences([subscore(values)]).spread
    for lowest in (0.0, -1.0):
        low, high = interval(values.mean(), spread, lowest)
        assert lowest <= low < values.mean() < high <= 1


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_a_perfect_correlation_has_an_interval(value):
    low, high = interval(value, Spread(0.0, 9, 10), -1.0)
    assert -1 <= low <= value <= high <= 1


@pytest.mark.parametrize("n", [3, 10, 100])
def test_no_hits_and_hits_alone_are_no_certainty(n):
    none, every = (interval(value, influences([subscore([value] * n)]).spread) for value in (0.0, 1.0))
    assert none[0] == 0
    assert every[1] == pytest.approx(1)
    assert 1.5 / n < none[1] < 0.9
    assert every[0] == pytest.approx(1 - none[1])


def test_more_words_narrow_the_interval_and_words_that_vary_widen_it():
    def width(n, middle=0.5):
        values = np.tile([0.0, middle, 1 - middle, 1.0], n)
        low, high = interval(0.5, influences([subscore(values)]).spread)
        return high - low

    assert width(3) > width(10) > width(50)
    assert width(10, 0.5) < width(10, 0.1)


def test_seeds_add_their_own_variance():
    words = Influences(0.5, {"a": 0.03, "b": -0.03}).spread
    one, several = with_seeds(words, [0.4]), with_seeds(words, [0.4, 0.5, 0.6])
    assert one.variance == pytest.approx(0.0018)
    assert several.variance == pytest.approx(0.0018 + 0.01 / 3)
    assert 1 <= several.degrees < 5


# Other categories like these


def several_categories(number, copies=1, values=None, seed=0):
    generator = np.random.default_rng(seed)
    found = [
        subscore(generator.random(8) + (0 if values is None else values[n]), f"c{n}") for n in range(number)
    ]
    return [replace(each, name=f"{each.name}-{copy}") for each in found for copy in range(copies)]


def test_below_six_categories_there_is_no_test_over_categories():
    assert category_spread(several_categories(5)) is None
    assert category_spread(several_categories(5, copies=4)) is None
    spread = category_spread(several_categories(6))
    assert (spread.observations, spread.degrees) == (pytest.approx(6), pytest.approx(5))
    first, second = several_categories(5), several_categories(5, seed=1)
    assert difference(first, second).of_categories is None
    found = difference(several_categories(6), several_categories(6, seed=1))
    assert found.tested == found.of_categories
    assert found.of_words != found.of_categories


def test_categories_that_share_nothing_are_compared_by_a_paired_t_test():
    first, second = several_categories(9), several_categories(9, seed=1)
    before, after = ([each.value for each in several] for several in (first, second))
    found = difference(first, second).of_categories
    expected = stats.ttest_rel(after, before)
    assert found.p == pytest.approx(expected.pvalue)
    ends = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


@pytest.mark.parametrize("copies", [3, 10])
def test_a_category_that_is_listed_again_counts_once(copies):
    first, second = several_categories(8), several_categories(8, seed=1)
    again = [several_categories(8, copies, seed=seed) for seed in (0, 1)]
    once, often = difference(first, second), difference(*again)
    assert category_spread(again[0]).observations == pytest.approx(8)
    assert often.value == pytest.approx(once.value)
    assert often.observations == once.observations == 64
    for name in ("of_words", "of_categories"):
        one, other = getattr(once, name), getattr(often, name)
        assert (other.low, other.high, other.p) == pytest.approx((one.low, one.high, one.p))


def test_categories_that_share_words_count_as_far_as_they_do_not():
    found = several_categories(7)
    half = tuple(observed(found[0])[:4]) + tuple(f"other{n}" for n in range(4))
    overlapping = [*found[:-1], subscore(pseudovalues(found[-1]), found[-1].name, half)]
    assert 6 < category_spread(overlapping).observations < 7
    assert category_spread(found).observations == pytest.approx(7)


# Tests


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(1, 100), st.integers(1, 100))
def test_p_is_below_5_percent_exactly_where_the_interval_excludes_0(value, variance, degrees, observations):
    low, high, p = t_test(value, Spread(variance, degrees, observations))
    assert low <= value <= high
    assert 0 <= p <= 1
    if abs(p - 0.05) > 1e-9:
        assert (p < 0.05) == (low > 0 or high < 0)


@given(st.lists(st.integers(0, 10), min_size=2, max_size=30))
def test_a_model_is_no_better_than_itself(values):
    same = [subscore(values)]
    found = difference(same, same)
    assert (found.value, found.of_words.p, found.of_categories) == (0, 1, None)
    assert found.of_words.low < 0 < found.of_words.high


def test_a_clear_difference_and_none():
    generator = np.random.default_rng(1)
    first, noise = generator.normal(size=40), generator.normal(size=40)
    better = difference([subscore(first)], [subscore(first + 1 + noise / 2)])
    assert 0 < better.of_words.low < better.value < better.of_words.high
    assert better.of_words.p < 0.001
    assert (better.subscores, better.observations) == (1, 40)
    back = difference([subscore(first + 1 + noise / 2)], [subscore(first)])
    assert back.value == pytest.approx(-better.value)
    assert back.of_words.p == pytest.approx(better.of_words.p)


def test_what_can_be_detected_is_found_in_four_of_five_cases():
    tested = difference([subscore(np.zeros(400))], [subscore(np.tile([0.0, 1.0], 200))]).of_words
    error = 0.5 / np.sqrt(399)
    assert detectable(tested) == pytest.approx(2.8016 * error, rel=0.01)
    assert detectable(tested, 0.001) > detectable(tested)


def test_only_what_both_were_scored_on_is_compared():
    first = [subscore([1, 2, 3], "a"), subscore([1, 1], "b"), Subscore.of("c", 2, 2, skipped="too few words")]
    second = [subscore([2, 5], "a", words=("a1", "a9")), subscore([0, 0], "c"), subscore([3, 3], "b")]
    found = difference(first, second)
    assert (found.subscores, found.observations) == (2, 6)
    assert found.value == pytest.approx((3.5 - 2 + 3 - 1) / 2)
    assert difference([subscore([1], "a")], [subscore([1], "b")]) is None


# Simulated truth


@pytest.mark.parametrize(
    ("cell", "worlds"),
    [
        (Cell("Topk@3", "1", 10, "low"), 100),
        (Cell("Topk@3", "nested", 10, "middle"), 100),
        (Cell("OddOneOut@3", "1", 25, "low"), 100),
        (Cell("Similarity", "1", 25, "middle"), 100),
        (Cell("Similarity", "nested", 25, "middle"), 100),
        (Cell("Categorization", "6", 10, "high"), 25),
    ],
    ids=str,
)
def test_intervals_hold_what_they_promise(cell, worlds):
    """At least 93 in 100, but for what is left to chance in so few worlds."""
    (found,) = simulate.simulate([cell], worlds)
    assert found["worlds"] == worlds
    assert found["coverage"] * worlds >= stats.binom.ppf(0.05, worlds, 0.93)
    assert found["width"] < 1.5


def two_models(generator, luck, categories=10, n=20):
    """Two models of equal strength, whose luck differs by word, and by category."""
    return [
        [
            subscore(luck * generator.normal() + generator.normal(size=n), f"c{category}")
            for category in range(categories)
        ]
        for _ in range(2)
    ]


def test_tests_err_as_often_as_they_may():
    """That over categories where luck differs by category; that over words where it does not."""
    generator = np.random.default_rng(2)
    of_categories = [difference(*two_models(generator, 0.5)).of_categories.p for _ in range(300)]
    of_words = [difference(*two_models(generator, 0.0)).of_words.p for _ in range(300)]
    wrong_question = [difference(*two_models(generator, 0.5)).of_words.p for _ in range(100)]
    for p in (of_categories, of_words):
        assert 0.02 <= np.mean(np.array(p) < 0.05) <= 0.08
    assert np.mean(np.array(wrong_question) < 0.05) > 0.15


def test_tests_of_models_err_as_often_as_they_may():
    lucky = simulate.errors_of_tests(50, 6, 10, "middle", 0.5)
    same = simulate.errors_of_tests(50, 6, 10, "middle", 0.0)
    most = stats.binom.ppf(0.99, 50, 0.05) / 50
    assert max(each["errors"]["categories"] for each in lucky) <= most
    assert max(each["errors"]["words"] for each in same) <= most


def test_few_comparisons_of_equal_models_find_a_difference():
    (found,) = simulate.false_differences(4, 10, "middle", 0.2)
    assert found["families"] == 4
    assert found["with a difference"] <= stats.binom.ppf(0.99, 4, 0.05)


def test_higher_levels_weigh_more_in_a_difference_too():
    matrix, _, category = world()
    given = test_set(top=category, below=category[:4])
    below = with_fields(given.categories[1], level=1, within="top")
    given = with_fields(given, categories=(given.categories[0], below))
    found = score(vectors(matrix), given, "Topk@2", Settings(levels="halved"))["Topk@2"].subscores
    better = [replace(found[0], value=found[0].value + 1), found[1]]
    assert difference(found, better).value == pytest.approx(1 / 1.5)


def test_a_category_of_no_weight_does_not_widen_a_test_over_categories():
    def part(name, value, weight=1.0):
        return Subscore.of(name, 1, 0, value, (name,), [value], weight=weight)

    usual = [part(f"c{number}", 0.1 * number) for number in range(8)]
    (other,) = [category_spread([*usual, part("odd", 5.0, weight=1e-9)])]
    spread = category_spread(usual)
    assert other.variance == pytest.approx(spread.variance, rel=1e-6)
    assert other.observations == pytest.approx(8, rel=1e-6)


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


# Power
