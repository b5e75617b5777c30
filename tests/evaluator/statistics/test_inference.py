"""Influences, intervals and tests: against slow definitions, against simulated truth, and at their edges."""

from __future__ import annotations

import itertools
import math
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
from evaluator.errors import ScoreError
from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore, of_shared_words, share_pseudovalues
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.similarity import Similarity
from evaluator.measures.topk import Topk
from evaluator.statistics import inference
from evaluator.statistics.inference import (
    Spread,
    Variation,
    category_interval,
    category_spread,
    detectable,
    holm,
    interval,
    of_two,
    t_test,
    variation,
    wilson,
)
from evaluator.statistics.scores import combined, combined_of, score_of
from evaluator.studies.scoring import of_items, score
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, test_set, vectors
from tests.spread import spread
from tools import simulate
from tools.worlds import OVER_CATEGORIES, PAIRS, REPORTED, Cell, category_of

SEEDS = st.integers(0, 2**32 - 1)


def subscore(values, name="c", words=None):
    values = np.asarray(values, dtype=np.float64)
    words = words or tuple(f"{name}{number}" for number in range(len(values)))
    return Subscore.of(name, len(values), 0, float(values.mean()), words, values)


def difference(first, second):
    return inference.difference(Topk(), first, second)


def single(subscores):
    return variation(Topk(), subscores).single


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
    owed = defaultdict(float)
    for each in found.subscores:
        for influences in (each.observations.influences, each.observations.outside):
            for word, influence in influences.items():
                owed[word] += influence / 2
    assert single(found.subscores) == pytest.approx(owed)
    assert variation(Topk(), found.subscores).value == pytest.approx(found.value)


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


@given(SEEDS, st.integers(4, 9))
def test_pairs_that_share_a_word_vary_together(seed, m):
    """The variance is the sum over all two pairs that share a word, but for a factor for few words."""
    generator = np.random.default_rng(seed)
    every = list(itertools.combinations([f"w{number}" for number in range(m)], 2))
    pairs = [every[row] for row in generator.integers(len(every), size=m + 3)]  # some come twice
    values = generator.normal(size=len(pairs))
    words, of_words = of_shared_words(0.5, values, pairs)
    n, m = len(pairs), len(words)
    influence = (values - values.mean()) / np.sqrt(n * (n - 1))
    of_all = list(zip(map(set, pairs), influence, strict=True))
    every_two = list(itertools.product(of_all, repeat=2))
    together = sum(one * other * len(first & second) for (first, one), (second, other) in every_two)
    twice = sum(one * other for (first, one), (second, other) in every_two if first == second)
    found = Subscore.of("c", n, 0, 0.5, words, of_words)
    factor = (1 + max(1 - m / (2 * n), 0) / max(m - 2, 1)) ** 2 * m / (m - 1)
    variance = max(together * factor - twice, twice)  # pairs do not vary against each other
    assert sum(each**2 for each in found.observations.influences.values()) == pytest.approx(
        variance, abs=1e-9
    )


def test_words_of_one_item_are_one_observation():
    """An item of two spellings counts once."""
    words = ("colour", "color", "hue")
    found = Subscore.of("c", 3, 2, 0.5, words, [1, 0, 0.5], unknown=words[1:], outside={"color": 0.25})
    named = of_items(found, {"colour": "Q1", "color": "Q1"})
    assert observed(named) == ("Q1", "hue")
    assert (found.n, found.known, named.n, named.known) == (3, 1, 2, 1), "one of its words has a vector"
    assert named.observations.outside == {"Q1": 0.25}
    of_words = found.observations.influences
    owed = {"Q1": of_words["colour"] + of_words["color"] + 0.25, "hue": of_words["hue"]}
    assert single([named]) == pytest.approx(owed)
    matrix = np.random.default_rng(0).normal(size=(20, 4))
    items = (Item("Q1", ("w0", "w1")), *(Item(f"Q{row}", (f"w{row}",)) for row in range(2, 8)))
    given = TestSet("en", "test.json", "0" * 64, (Category("c", "c", items),))
    result = score(vectors(matrix), given, "Topk@2")["Topk@2"]
    assert (result.n, result.known, result.subscores[0].n, result.subscores[0].size) == (7, 7, 7, 8)


def test_all_that_words_of_one_item_do_elsewhere_counts():
    found = Subscore.of("c", 2, 2, 0.5, ("a", "b"), [1, 0], outside={"colour": 0.25, "color": 0.5})
    named = of_items(found, {"colour": "Q1", "color": "Q1"})
    assert named.observations.outside == {"Q1": 0.75}


def test_equal_differences_are_equal_to_the_last_bit_or_not():
    """Rounding leaves a variance of about 1e-34, with which any difference was certain."""
    assert t_test(0.1, Spread(1e-34, 5), 6) == t_test(0.1, Spread(0.0, 5), 6)


def test_an_item_that_is_known_in_one_category_is_known():
    """A word of two items stands for the first; where it is unknown, the first is known by its other word."""
    first = (Item("Q0", ("w0", "gone")), *(Item(f"Q{row}", (f"w{row}",)) for row in range(1, 5)))
    second = (Item("Q5", ("gone", "w5")), *(Item(f"Q{row}", (f"w{row}",)) for row in range(6, 10)))
    given = TestSet("en", "test.json", "0" * 64, (Category("a", "a", first), Category("b", "b", second)))
    matrix = np.random.default_rng(0).normal(size=(20, 4))
    result = score(vectors(matrix), given, "Topk@2")["Topk@2"]
    assert (result.n, result.known, result.of_known.n) == (10, 10, 10)


def test_a_function_of_values_varies_with_what_both_owe_to_a_word():
    def ends(value):
        return lambda _: (value - 0.1, value + 0.1)

    first = Variation(0.5, {"a": 0.2, "b": 0.1}, ends(0.5), 9)
    second = Variation(0.25, {"b": -0.05}, ends(0.25), 9)
    found = of_two(lambda one, other: one * other, first, second)
    assert found.value == 0.125
    assert found.single == pytest.approx({"a": 0.125 - 0.3 * 0.25, "b": 0.125 - 0.4 * 0.3})
    mean = {
        correlation: of_two(lambda one, other: (one + other) / 2, first, second, correlation).ends(0.05)
        for correlation in (-1.0, 0.0, 1.0)
    }
    assert mean[1.0] == pytest.approx((0.275, 0.475)), "they rise and fall together"
    assert mean[0.0] == pytest.approx((0.375 - 0.1 / 2**0.5, 0.375 + 0.1 / 2**0.5)), "independent"
    assert mean[-1.0] == pytest.approx((0.375, 0.375))


def test_combined_stands_on_the_categories_of_both():
    first = [subscore([0, 1, 1], "a"), subscore([1, 1, 0, 0], "b")]
    second = [replace(first[0], name="z"), replace(first[1], value=0.25)]
    topk, odd = (score_of(parse_measure(m), s, "x") for m, s in (("Topk@3", first), ("OddOneOut@3", second)))
    assert combined_of(topk, odd).value == pytest.approx(combined(0.5, 0.25))


# Which categories are scored


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
    pytest.param("Categorization", marks=pytest.mark.slow),
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


@pytest.mark.parametrize(("seeds", "luck"), [pytest.param(1, 0.0, marks=pytest.mark.slow), (3, 0.2)])
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
    assert variation(Topk(), halved.subscores).value == pytest.approx(halved.value)
    assert "levels:halved" in halved.signature
    raised = [replace(each, value=each.value + 0.1) for each in halved.subscores]
    assert difference(halved.subscores, raised).value == pytest.approx(0.1)


# Intervals


@given(st.integers(1, 200), st.integers(2, 200))
def test_the_interval_of_a_share_is_wilsons(hits, more):
    n = hits + more
    found = wilson(hits / n, 1 / n, stats.norm.ppf(0.975))
    ends = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert found == pytest.approx((ends.low, ends.high), abs=1e-9)


def luck_by_enumeration(best, known, q, trials):
    """The variance of a category if each word is known, and right, by luck: over all cases, one by one."""
    n, share = len(known), sum(known) / len(known)
    found = []
    for case in itertools.product([0, 1], repeat=n):
        number = sum(case)
        probability = share**number * (1 - share) ** (n - number)
        # A known word is worth best / number, and right with the probability q.
        found.append(
            (probability, best(number) * q, trials * (best(number) ** 2 / max(number, 1)) * q * (1 - q))
        )
    mean = sum(p * value for p, value, _ in found)
    of_known = sum(p * (value - mean) ** 2 for p, value, _ in found)
    return of_known, sum(p * variance for p, _, variance in found), mean


@pytest.mark.parametrize("measure", ["Topk@3", "OddOneOut@3", "OddOneOut(out=matched)@3", "Analogy@1"])
def test_the_model_of_luck_is_that_of_all_cases(measure):
    """For one category, of which 5 of 8 words are known: what is known of it is not mixed with others."""
    measure, n, known = parse_measure(measure), 8, [1] * 5 + [0] * 3
    best = [float(measure.best(np.array([number]), n)[0]) for number in range(n + 1)]
    value = best[5] * 0.4
    words = [f"w{row}" for row in range(n)]
    given = Subscore.of("c", n, 3, value, words, [value] * n, unknown=words[5:])
    of_known, of_right, mean = luck_by_enumeration(best.__getitem__, known, 0.4, measure.trials_of_a_word)
    luck = variation(measure, [given]).luck
    scale = value * (1 - value) / (mean * (1 - mean))
    assert (luck.known, luck.right) == pytest.approx((of_known * scale, of_right * scale))


@pytest.mark.parametrize("measure", ["Topk@3", "OddOneOut@3", "OddOneOut(out=matched)@3"])
@settings(max_examples=15)
@given(SEEDS, st.integers(4, 9), st.integers(0, 4))
def test_no_model_is_better_than_the_best(measure, seed, size, unknown):
    """And vectors of which all words of a category are next to each other are as good."""
    generator = np.random.default_rng(seed)
    words = [f"w{row}" for row in range(size)]
    known = words[: max(size - unknown, 2)]
    others = generator.normal(size=(30, 6)) - 3 * np.eye(6)[0]
    near = np.eye(6)[0] * 5 + 0.01 * generator.normal(size=(len(known), 6))
    matrix, names = np.vstack([others, near]).astype(np.float32), [f"b{row}" for row in range(30)]
    found = score(vectors(matrix, [*names, *known]), test_set(c=words), measure).measured[0].subscores[0]
    if found.value is not None:
        best = parse_measure(measure).best(np.array([len(known)]), size)
        assert found.value == pytest.approx(float(best[0]))


@given(SEEDS, st.integers(3, 60))
def test_an_interval_stays_within_what_a_score_can_be(seed, n):
    values = np.random.default_rng(seed).random(n)
    for measure, lowest in ((Topk(), 0.0), (Similarity(), -1.0)):
        low, high = interval(measure, [subscore(values)])
        assert lowest <= low < values.mean() < high <= 1


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_a_perfect_correlation_has_an_interval(value):
    low, high = interval(Similarity(), [subscore([value] * 10)])
    assert -1 <= low <= value <= high <= 1


@pytest.mark.parametrize("n", [3, 10, 100])
def test_no_hits_and_hits_alone_are_no_certainty(n):
    none, every = (interval(Topk(), [subscore([value] * n)]) for value in (0.0, 1.0))
    assert none[0] == 0
    assert every[1] == pytest.approx(1)
    assert 1.5 / n < none[1] < 0.99
    assert 1.5 / n < 1 - every[0] < 0.99


@pytest.mark.parametrize(("measure", "size"), [("OddOneOut@3", 3), ("OddOneOut(out=matched)@3", 4)])
def test_a_category_of_one_subset_does_not_tell_how_it_varies(measure, size):
    """Leaving a word out leaves no subset: without the model of luck, the interval would have no width."""
    several = [subscore([0.5] * size, f"c{number}") for number in range(6)]
    low, high = interval(parse_measure(measure), several)
    each = (high - low) / 2 / stats.t.ppf(0.975, 6 * size - 1)
    assert each == pytest.approx(np.sqrt(0.25 / (6 * size)), rel=0.15), (
        "as of so many words that are right or wrong"
    )


def test_more_words_narrow_the_interval_and_words_that_vary_widen_it():
    def width(n, middle=0.5):
        low, high = interval(Topk(), [subscore(np.tile([0.0, middle, 1 - middle, 1.0], n))])
        return high - low

    assert width(3) > width(10) > width(50)
    assert width(10, 0.5) < width(10, 0.1)


def test_too_few_known_words_have_no_interval():
    some = [subscore([0, 1, 1], f"c{number}") for number in range(4)]
    skipped = Subscore.of("d", 3, 3, skipped="of its 3 words 0 are known")
    assert interval(Topk(), [*some, skipped], known=True) is not None
    assert interval(Topk(), [*some[:2], skipped], known=True) is None, "two categories"
    assert interval(Topk(), [*some[:3], skipped], known=True) is None, "nine words"
    assert interval(Topk(), [*some[:2], skipped]) is not None


@pytest.mark.parametrize(("categories", "there"), [(2, False), (4, True)])
def test_too_few_known_words_have_no_interval_of_combined(categories, there):
    """Neither have Combined and Above chance, which are made of two such scores."""
    matrix, words, _ = world()
    lists = {
        f"c{number}": [*words[4 * number : 4 * number + 4], f"x{number}"] for number in range(categories)
    }
    found = score(vectors(matrix, words), test_set(**lists), ["Topk@3", "OddOneOut@3"])
    for each in found:
        assert each.interval is not None
        assert (each.of_known.interval is not None) == there, each.measure


def test_luck_of_which_categories_are_scored_widens_the_interval_of_known_words():
    def width(listed):
        rows = [replace(subscore([0, 1, 1], f"c{n}"), size=listed, value=0.05 + 0.18 * n) for n in range(6)]
        low, high = interval(Topk(), rows, known=True)
        return high - low

    assert width(3) < width(12), "3 of 12 words are known: others might not have been scored"


def test_seeds_add_their_own_variance():
    spread = Spread(0.0018, 9).with_seeds([0.4, 0.5, 0.6])
    assert spread.variance == pytest.approx(0.0018 + 0.01 / 3)
    assert 1 <= spread.degrees < 5
    assert Spread(0.0018, 9).with_seeds([0.4]) == Spread(0.0018, 9)
    assert Spread(0.0018, 9).with_seeds([0.4, 0.4]) == Spread(0.0018, 9), "what trains them has no seed"
    of_two = Spread(0.0018, 9).with_seeds([0.4, 0.6], [0.5, 0.7, 0.3])
    assert of_two.variance == pytest.approx(0.0018 + 0.02 / 2 + 0.04 / 3)
    assert Spread(0.0018, 9).with_seeds([0.4]) == Spread(0.0018, 9)


@pytest.mark.parametrize(
    ("ratio", "least", "runs", "models"),
    spread(
        [
            (*ratio, *number)
            for ratio in [(0.0, 0.93), (0.3, 0.93), (1.0, 0.93), (3.0, 0.93), (10.0, 0.93), (40.0, 0.89)]
            for number in [(2, 1), (3, 1), (2, 2)]
        ],
        5,
    ),
)
def test_few_runs_are_enough_for_intervals_that_hold(runs, models, ratio, least):
    """The variance over seeds is so many times that over words."""
    drawn, worlds = np.random.default_rng([runs, models]), 2000
    held = 0
    for _ in range(worlds):
        words = Spread(drawn.chisquare(20) / 20, 20)
        seeds = math.sqrt(ratio) * drawn.normal(size=(models, runs))
        found = words.with_seeds(*seeds.tolist())
        error = drawn.normal() + seeds.mean(axis=1).sum()
        held += abs(error) <= stats.t.ppf(0.975, found.degrees) * math.sqrt(found.variance)
    assert held / worlds > least - 2 * math.sqrt(least * (1 - least) / worlds)


# Other categories like these


def several_categories(number, copies=1, values=None, seed=0):
    generator = np.random.default_rng(seed)
    found = [
        subscore(generator.random(8) + (0 if values is None else values[n]), f"c{n}") for n in range(number)
    ]
    return [replace(each, name=f"{each.name}-{copy}") for each in found for copy in range(copies)]


def effective(subscores):
    """How many independent categories there are."""
    return category_spread(subscores)[1]


def test_below_six_categories_there_is_no_test_over_categories():
    assert category_spread(several_categories(5)) is None
    assert category_spread(several_categories(5, copies=4)) is None
    _, number, spread = category_spread(several_categories(6))
    assert (number, spread.degrees) == (pytest.approx(6), pytest.approx(5))
    first, second = several_categories(5), several_categories(5, seed=1)
    assert difference(first, second).of_categories is None
    found = difference(several_categories(6), several_categories(6, seed=1))
    assert found.tested == found.of_categories
    assert found.of_words != found.of_categories


def test_below_four_topics_there_is_no_interval_for_other_categories():
    assert category_interval(Topk(), several_categories(3)) is None
    low, high = category_interval(Topk(), several_categories(4))
    assert 0 < low < np.mean([each.value for each in several_categories(4)]) < high < 1
    of_topics = [replace(each, topic=str(row % 3)) for row, each in enumerate(several_categories(12))]
    assert category_interval(Topk(), of_topics) is None, "twelve categories of three topics"


def test_categories_of_one_topic_count_as_one():
    several = several_categories(12)
    of_topics = [replace(each, topic=str(row // 2)) for row, each in enumerate(several)]
    assert effective(several) == pytest.approx(12)
    assert effective(of_topics) == pytest.approx(6)
    means = [(one.value + other.value) / 2 for one, other in zip(several[::2], several[1::2], strict=True)]
    assert category_spread(of_topics)[2].variance == pytest.approx(np.var(means, ddof=1) / 6)


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
    assert effective(again[0]) == pytest.approx(8)
    assert often.value == pytest.approx(once.value)
    assert often.observations == once.observations == 64
    for name in ("of_words", "of_categories"):
        one, other = getattr(once, name), getattr(often, name)
        assert (other.low, other.high, other.p) == pytest.approx((one.low, one.high, one.p))


def test_categories_that_share_words_count_as_far_as_they_do_not():
    found = several_categories(7)
    half = tuple(observed(found[0])[:4]) + tuple(f"other{n}" for n in range(4))
    overlapping = [*found[:-1], subscore(pseudovalues(found[-1]), found[-1].name, half)]
    assert 6 < effective(overlapping) < 7
    assert effective(found) == pytest.approx(7)


# Tests


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(1, 100), st.integers(1, 100))
def test_p_is_below_5_percent_exactly_where_the_interval_excludes_0(value, variance, degrees, observations):
    found = t_test(value, Spread(variance, degrees), observations)
    assert -1 <= found.low <= value <= found.high <= 1
    assert 0 <= found.p <= 1
    if abs(found.p - 0.05) > 1e-9:
        assert (found.p < 0.05) == (found.low > 0 or found.high < 0)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_a_model_is_no_better_than_itself(values):
    same = [subscore(values)]
    found = difference(same, same)
    assert (found.value, found.of_words.p, found.of_categories) == (0, 1, None)
    assert found.of_words.low < 0 < found.of_words.high


def test_a_clear_difference_and_none():
    generator = np.random.default_rng(1)
    first, noise = 0.3 + 0.1 * generator.normal(size=40), 0.1 * generator.normal(size=40)
    better = difference([subscore(first)], [subscore(first + 0.3 + noise / 2)])
    assert 0 < better.of_words.low < better.value < better.of_words.high
    assert better.of_words.p < 0.01
    assert (better.subscores, better.observations) == (1, 40)
    back = difference([subscore(first + 0.3 + noise / 2)], [subscore(first)])
    assert back.value == pytest.approx(-better.value)
    assert back.of_words.p == pytest.approx(better.of_words.p)


@pytest.mark.parametrize(("measure", "size"), [("OddOneOut@3", 3), ("OddOneOut(out=matched)@3", 4)])
def test_categories_of_one_subset_do_not_make_a_difference_certain(measure, size):
    """Their influences are 0, so that only the model of luck says how a difference varies."""
    first = [subscore([0.4] * size, f"c{number}") for number in range(5)]
    second = [replace(each, value=0.6) for each in first]
    found = inference.difference(parse_measure(measure), first, second)
    assert found.value == pytest.approx(0.2)
    assert found.of_words.p > 0.05


def test_models_that_know_the_same_words_are_told_apart_more_easily():
    """What is luck for both is no luck of their difference."""
    values, words = np.tile([0.0, 1.0], 20), tuple(f"w{row}" for row in range(40))

    def model(unknown, more):
        return [Subscore.of("c", 40, 15, 0.2 + more, words, values, unknown=[words[row] for row in unknown])]

    same = difference(model(range(15), 0.0), model(range(15), 0.2)).of_words
    other = difference(model(range(15), 0.0), model(range(25, 40), 0.2)).of_words
    assert same.p < other.p


def test_what_can_be_detected_is_found_in_four_of_five_cases():
    tested = t_test(0.1, Spread(0.0004, 1e6), 40)
    assert detectable(tested) == pytest.approx(2.8016 * 0.02, rel=0.01)
    assert detectable(tested, 0.001) > detectable(tested)


def test_only_what_both_were_scored_on_is_compared():
    skipped = Subscore.of("c", 2, 2, skipped="too few words")
    first = [subscore([0.1, 0.2, 0.3], "a"), subscore([0.1, 0.1], "b"), skipped]
    second = [subscore([0.2, 0.5], "a", words=("a1", "a9")), subscore([0, 0], "c"), subscore([0.3, 0.3], "b")]
    found = difference(first, second)
    assert (found.subscores, found.observations) == (2, 6)
    assert found.value == pytest.approx((0.35 - 0.2 + 0.3 - 0.1) / 2)
    assert difference([subscore([1], "a")], [subscore([1], "b")]) is None


# Simulated truth


def held(found, worlds):
    """At least 92 in 100, but for what is left to chance in so few worlds."""
    return found["coverage"] * worlds >= stats.binom.ppf(0.01, worlds, 0.92)


@pytest.mark.parametrize(
    ("cell", "worlds"),
    [
        (Cell("Similarity", "1", 25, "middle"), 60),
        (Cell("Similarity", "nested", 25, "middle"), 60),
        pytest.param(Cell("Categorization", "6", 10, "high"), 25, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_intervals_hold_what_they_promise(cell, worlds):
    (found,) = simulate.of_cell(cell, worlds)
    assert found["worlds"] == worlds
    assert held(found, worlds)
    assert found["width"] < 1.5


@pytest.mark.parametrize(
    ("name", "worlds"),
    [
        pytest.param("8 of 4, strong", 30, marks=pytest.mark.slow),
        ("4 of 5, 60% known, weak", 30),
        *(
            pytest.param(each, 60, marks=pytest.mark.slow)
            for each in ("6 of 10, 30% known, strong", "6 of 12, near copies, weak")
        ),
    ],
)
def test_intervals_hold_for_small_test_sets_that_are_known_in_part(name, worlds):
    (design,) = (each for each in REPORTED if each.name == name)
    for found in simulate.of_design(design, worlds):
        assert held(found, found["worlds"]), found


def test_intervals_for_other_categories_hold_with_topics():
    for found in simulate.over_categories(OVER_CATEGORIES[2], 30):
        assert held(found, found["worlds"]), found


def two_models(generator, luck, categories=10, n=20):
    """Two models of equal strength, whose luck differs by word, and by category."""
    return [
        [
            subscore(0.5 + 0.15 * (luck * generator.normal() + generator.normal(size=n)), f"c{category}")
            for category in range(categories)
        ]
        for _ in range(2)
    ]


def test_tests_err_as_often_as_they_may():
    """That over categories where luck differs by category; that over words where it does not."""
    generator = np.random.default_rng(2)
    of_categories = [difference(*two_models(generator, 0.5)).of_categories.p for _ in range(150)]
    of_words = [difference(*two_models(generator, 0.0)).of_words.p for _ in range(150)]
    wrong_question = [difference(*two_models(generator, 1.0)).of_words.p for _ in range(50)]
    assert 0.02 <= np.mean(np.array(of_categories) < 0.05) <= 0.08
    assert np.mean(np.array(of_words) < 0.05) <= 0.08
    assert np.mean(np.array(wrong_question) < 0.05) > 0.15


@pytest.mark.parametrize(
    ("design", "worlds"),
    [(PAIRS[5], 25), *(pytest.param(PAIRS[row], 50, marks=pytest.mark.slow) for row in (0, 5, 9))],
    ids=str,
)
def test_tests_of_models_err_as_often_as_they_may(design, worlds):
    for each in simulate.errors_of_tests(design, 0.0, worlds):
        assert max(each["errors"].values()) <= stats.binom.ppf(0.99, worlds, 0.05) / worlds


@pytest.mark.slow
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
    better = [replace(found[0], value=found[0].value + 0.3), found[1]]
    assert difference(found, better).value == pytest.approx(0.3 / 1.5)


def test_a_category_of_no_weight_does_not_widen_a_test_over_categories():
    def part(name, value, weight=1.0):
        return Subscore.of(name, 1, 0, value, (name,), [value], weight=weight)

    usual = [part(f"c{number}", 0.1 * number) for number in range(8)]
    _, number, other = category_spread([*usual, part("odd", 0.9, weight=1e-9)])
    assert other.variance == pytest.approx(category_spread(usual)[2].variance, rel=1e-6)
    assert number == pytest.approx(8, rel=1e-6)


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


# Power
