"""Categorization against the definitions of purity and V-measure, and at its edges."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evaluator import ScoreError, Settings, load_vectors, read_testset
from evaluator.engine.clusterings import clusterings
from evaluator.measures import categorization
from evaluator.measures.categorization import (
    Categorization,
    apart,
    draw,
    half_sample_pseudovalues,
)
from tests.evaluator.definitions import purity, v_measure
from tests.evaluator.engine.test_clusterings import WAYS
from tests.evaluator.examples import observed, pseudovalues, score, test_set, vectors

pytest.importorskip("sklearn")

PURITY, V = "Categorization", "Categorization(score=V)"
BOTH = [PURITY, V]
SLOW = {"purity": purity, "V": v_measure}
# Scores.


def blobs(sizes, spread, seed=0, dimension=5):
    """Words in bundles around different centres."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(len(sizes), dimension))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    gold = np.repeat(np.arange(len(sizes)), sizes)
    matrix = centres[gold] + spread * generator.normal(size=(len(gold), dimension))
    words = [f"w{row}" for row in range(len(gold))]
    names = {
        f"c{each}": [word for word, of in zip(words, gold, strict=True) if of == each]
        for each in set(gold.tolist())
    }
    return vectors(matrix), test_set(**names), gold


def test_what_lies_apart_is_found():
    known, test, _ = blobs([8, 5, 9, 6], 0.01)
    scores = score(known, test, BOTH)
    for each in BOTH:
        (part,) = scores[each].subscores
        assert (part.name, part.size, part.oov, part.value, part.ceiling) == ("all categories", 28, 0, 1, 1)
        assert part.chance < 0.6
        assert len(observed(part)) == 28
        assert {way: part.extra[way] for way in WAYS} == dict.fromkeys(WAYS, 1)
        assert part.extra["categories"] == 4


@pytest.mark.parametrize("way", ["purity", "V"])
def test_the_score_is_the_mean_over_all_ways(way):
    known, test, gold = blobs([8, 5, 9, 6], 0.6)
    (part,) = score(known, test, Categorization(way))[str(Categorization(way))].subscores
    matrix = known.matrix.astype(np.float64)
    expected = {
        name: np.mean([SLOW[way](gold.tolist(), own.tolist()) for own in several])
        for name, several in clusterings(matrix, 4, seed=0).items()
    }
    assert {name: part.extra[name] for name in WAYS} == pytest.approx(expected)
    assert part.value == pytest.approx(np.mean(list(expected.values())))
    assert 0 < part.value < 1


SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=8).filter(lambda sizes: max(sizes) > 1)


@given(SIZES, st.integers(0, 1000))
def test_half_samples_have_half_of_each_category(sizes, seed):
    gold = np.repeat(np.arange(len(sizes)), sizes)
    halves = []

    def of_half(half):
        halves.append(half)
        return float(np.random.default_rng(len(halves)).normal())

    found = half_sample_pseudovalues(0.5, of_half, gold, seed)
    assert found.mean() == pytest.approx(0.5)
    assert len(halves) in (2, 4, 8, 16)
    for half in halves:
        inside = np.bincount(gold[half], minlength=len(sizes))
        assert (np.abs(2 * inside - sizes) <= 1).all()
    scores = [np.random.default_rng(1 + number).normal() for number in range(len(halves))]
    squares = ((found - 0.5) ** 2).sum() / (len(gold) * (len(gold) - 1))
    groups = np.count_nonzero(np.abs(np.diff(np.unique(found))) > 0) + 1
    if groups == len(halves):  # but for the words that stand for no group, all of the variance is there
        assert squares <= np.var(scores) + 1e-9
        assert squares >= np.var(scores) * (1 - len(halves) / len(gold)) - 1e-9


def test_of_a_mean_half_samples_find_the_variance():
    generator = np.random.default_rng(0)
    gold = np.repeat(np.arange(6), 10)
    found = []
    for seed in range(300):
        values = generator.normal(size=60) + gold  # categories differ, and are always these
        of_mean = half_sample_pseudovalues(
            values.mean(), lambda half, own=values: own[half].mean(), gold, seed
        )
        found.append(of_mean.var(ddof=1) / 60)
    assert np.mean(found) == pytest.approx(1 / 60, rel=0.1)


@pytest.mark.parametrize("way", ["purity", "V"])
@pytest.mark.parametrize("oov", ["wrong", "skip"])
def test_halves_are_clustered_anew(monkeypatch, way, oov):
    known, test, gold = blobs([8, 5, 9, 6], 0.6, seed=1)
    categories = {each.name: list(each.words) for each in test.categories}
    categories["c1"] += ["gone", "away"]
    scores = []

    def kept(value, of_half, gold, seed):
        halves = [np.arange(len(gold)) % 2 == side for side in (0, 1)]
        scores.extend((half, of_half(half)) for half in halves)
        return half_sample_pseudovalues(value, of_half, gold, seed)

    monkeypatch.setattr(categorization, "half_sample_pseudovalues", kept)
    (part,) = score(known, test_set(**categories), Categorization(way), Settings(oov=oov))[
        str(Categorization(way))
    ].subscores
    assert pseudovalues(part).mean() == pytest.approx(part.value)
    missing = {"gone", "away"} if oov == "wrong" else set()
    assert set(observed(part)) == {f"w{row}" for row in range(len(gold))} | missing
    numbers = dict(zip([f"w{row}" for row in range(len(gold))], gold.tolist(), strict=True))
    for half, found in scores:
        words = [word for word, inside in zip(observed(part), half, strict=True) if inside]
        rows = [int(word[1:]) for word in words if word not in missing]
        own = [numbers[f"w{row}"] for row in rows]
        ways = clusterings(known.matrix[rows].astype(np.float64), 4, seed=0, seeds=1).values()
        expected = np.mean([SLOW[way](own, each.tolist()) for (each,) in ways])
        assert found == pytest.approx(expected * len(rows) / len(words))


def test_the_interval_is_that_of_other_words():
    """Its half width is near two standard errors of a share, for purity."""
    known, test, _ = blobs([40] * 5, 0.5, seed=2)
    found = score(known, test, PURITY)[PURITY]
    low, high = found.interval
    assert low < found.value < high
    assert (high - low) / 2 < 2.2 * math.sqrt(found.value * (1 - found.value) / 200)


def test_words_without_a_vector_are_in_no_cluster():
    known, test, _ = blobs([8, 5, 9], 0.5)
    categories = {each.name: list(each.words) for each in test.categories}
    categories["c0"] += ["gone", "away"]
    scores = {oov: score(known, test_set(**categories), BOTH, Settings(oov=oov)) for oov in ("wrong", "skip")}
    plain = score(known, test, BOTH)
    for each in BOTH:
        (wrong,), (skip,), (whole,) = (
            found[each].subscores for found in (scores["wrong"], scores["skip"], plain)
        )
        assert (wrong.size, wrong.oov) == (skip.size, skip.oov) == (24, 2)
        assert skip.value == whole.value
        assert wrong.value == pytest.approx(whole.value * 22 / 24)
        assert wrong.ceiling == pytest.approx(22 / 24)
        assert wrong.chance == pytest.approx(skip.chance * 22 / 24)
        assert wrong.extra[WAYS[0]] == pytest.approx(skip.extra[WAYS[0]] * 22 / 24)


def test_chance_is_what_blind_vectors_reach():
    test = test_set(
        **{
            name: [f"w{row}" for row in range(start, start + 8)]
            for name, start in zip("abc", (0, 8, 16), strict=True)
        }
    )
    found = {each: [] for each in BOTH}
    for seed in range(8):
        known = vectors(np.random.default_rng(seed).normal(size=(24, 4)))
        for each, one in ((own.measure, own) for own in score(known, test, BOTH)):
            found[each].append(one.value - one.chance)
    for each in BOTH:
        differences = np.array(found[each])
        assert abs(differences.mean()) < 3 * differences.std() / math.sqrt(8)
        assert abs(differences.mean()) < 0.05


def test_the_seed_decides():
    known, test, _ = blobs([20] * 4, 0.8)
    one, again, other = (score(known, test, PURITY, Settings(seed=seed))[PURITY] for seed in (0, 0, 2**40))
    assert one == again
    assert one.chance != other.chance
    assert "seed:0" in one.signature


# Categories that overlap.


def slow_apart(categories):
    names = list(categories)
    within = {
        name: [
            other
            for other in names
            if other != name
            and set(categories[name]) <= set(categories[other])
            and (set(categories[name]) != set(categories[other]) or names.index(other) < names.index(name))
        ]
        for name in names
    }
    stay = [name for name in names if categories[name] and not within[name]]
    own = {
        name: [
            word
            for word in categories[name]
            if not any(word in categories[other] for other in stay if other != name)
        ]
        for name in stay
    }
    return {name: words for name, words in own.items() if words}


@given(st.lists(st.sets(st.sampled_from("abcdefg")), max_size=6))
def test_categories_are_made_apart(several):
    categories = {f"c{number}": sorted(words) for number, words in enumerate(several)}
    own, left_out = apart(categories)
    assert own == slow_apart(categories)
    assert own.keys() | left_out.keys() == categories.keys()
    assert own.keys().isdisjoint(left_out)


def test_what_overlaps_is_named():
    known, test, _ = blobs([8, 5, 9], 0.01)
    categories = {each.name: list(each.words) for each in test.categories}
    more = {
        "inner": categories["c0"][:3],
        **categories,
        "twin": categories["c1"][::-1],
        "mixed": [categories["c0"][0], categories["c1"][0]],
        "unknown": ["x", "y"],
    }
    found = score(known, test_set(**more), PURITY, Settings(oov="skip"))[PURITY]
    first, *rest = found.subscores
    assert [(part.name, part.size, part.oov, part.skipped) for part in rest] == [
        ("inner", 3, 0, "all its words are in c0"),
        ("twin", 5, 0, "all its words are in c1"),
        ("mixed", 2, 0, "all its words are in other categories too"),
        ("unknown", 2, 2, "0 of 2 words in the vocabulary"),
    ]
    assert (first.size, first.oov, first.extra["words in several categories"]) == (20, 0, 2)
    assert first.value == found.value == 1


@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 40))
def test_draws_keep_to_the_most(sizes, most):
    categories = {
        f"c{number}": [f"{number} {word}" for word in range(size)] for number, size in enumerate(sizes)
    }
    drawn = draw(categories, 0, most)
    chosen = [len(words) for words in drawn.values()]
    assert sum(chosen) <= max(most, len(sizes))
    limit = max(chosen)
    assert chosen == [min(size, limit) for size in sizes]
    assert limit == max(sizes) or sum(min(size, limit + 1) for size in sizes) > most
    assert all(set(words) <= set(categories[name]) for name, words in drawn.items())


def test_many_words_are_drawn_from(monkeypatch):
    monkeypatch.setattr(draw, "__defaults__", (12,))
    known, test, _ = blobs([8, 5, 9, 2], 0.01)
    (part,) = score(known, test, PURITY)[PURITY].subscores
    assert (part.size, part.value, part.extra["words not drawn"]) == (11, 1, 13)
    (again,) = score(known, test, PURITY)[PURITY].subscores
    assert observed(again) == observed(part)
    (other,) = score(known, test, PURITY, Settings(seed=1))[PURITY].subscores
    assert observed(other) != observed(part)


# Edges.


def test_equal_vectors_are_one_cluster():
    test = test_set(a=["w0", "w1", "w2"], b=["w3", "w4"])
    scores = score(vectors(np.ones((5, 3))), test, BOTH)
    assert scores[PURITY].value == pytest.approx(3 / 5) == scores[PURITY].chance
    assert (scores[V].value, scores[V].chance) == (0, 0)


@hypothesis_settings(max_examples=10)
@given(
    st.lists(st.lists(st.integers(-1, 1), min_size=2, max_size=2), min_size=5, max_size=9),
    st.integers(1, 4),
)
def test_few_different_vectors_and_vectors_of_zeros(rows, cut):
    words = [f"w{row}" for row in range(len(rows))]
    test = test_set(a=words[:cut], b=words[cut : cut + 1], c=words[cut + 1 :] or ["x"])
    for found in score(vectors(rows), test, BOTH):
        assert 0 <= found.value <= 1
        assert 0 <= found.chance <= 1
        low, high = found.interval
        assert 0 <= low <= high <= 1


def test_two_words_are_enough_for_a_category():
    found = score(vectors([[1, 0], [1, 0.1], [0, 1]]), test_set(a=["w0", "w1"], b=["w2"]), BOTH)
    assert found[PURITY].value == found[V].value == 1


@pytest.mark.parametrize(
    ("categories", "reason"),
    [
        ({"a": ["w0", "w1", "w2"]}, "all categories: 1 categories with words of their own"),
        ({"a": ["w0", "w1"], "b": ["x", "y"]}, "b: 0 of 2 words in the vocabulary"),
        ({"a": ["w0", "x"], "b": ["w1"]}, "no category has 2 words of its own"),
        ({"a": ["x"], "b": ["y"]}, "all categories: 0 categories"),
    ],
)
def test_nothing_to_tell_apart_is_an_error(categories, reason):
    with pytest.raises(ScoreError, match=reason):
        score(vectors(np.eye(4)), test_set(**categories), PURITY, Settings(oov="skip"))


def test_no_known_word_is_an_error():
    with pytest.raises(ScoreError, match="no word is known"):
        score(vectors(np.eye(4)), test_set(a=["x", "z"], b=["y"]), PURITY)


def test_a_category_without_a_known_word_stays():
    """Its words are in no cluster, and count."""
    known, test, _ = blobs([8, 5], 0.01)
    categories = {each.name: list(each.words) for each in test.categories}
    (part,) = score(known, test_set(**categories, unknown=["x", "y"]), PURITY)[PURITY].subscores
    assert (part.size, part.oov, part.extra["categories"]) == (15, 2, 3)
    assert part.observations.unknown == ("x", "y")
    assert part.value == pytest.approx(13 / 15)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ScoreError, match=r"scikit-learn: pip install 'testgen-evaluator\[learn\]'"):
        score(vectors(np.eye(4)), test_set(a=["w0", "w1"], b=["w2"]), PURITY)


# Real data: of the words, those among 8,000 of GoogleNews.

REAL = {
    # words found, categories with any, purity, V
    "ap.csv": (164, 20, 0.594, 0.653),
    "bless.csv": (47, 11, 0.755, 0.768),
    "essli-2008.csv": (44, 9, 0.530, 0.595),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "essli-2008.csv")) for name in REAL]
)
def test_real_categories(shared_data, name):
    path = shared_data / "benchmarks" / "categorization" / "en" / name
    if not path.is_file():
        pytest.skip(f"the real data here lack {path}; set TESTGEN_SHARED_DATA to a whole copy")
    known = load_vectors(shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz")
    scores = score(known, read_testset(path, language="en"), BOTH, Settings(oov="skip", case="exact"))
    part = scores[PURITY].subscores[0]
    assert (part.size - part.oov, part.extra["categories"]) == REAL[name][:2]
    # Other releases of scikit-learn may cluster a little differently.
    assert scores[PURITY].value == pytest.approx(REAL[name][2], abs=0.02)
    assert scores[V].value == pytest.approx(REAL[name][3], abs=0.02)
    for found in scores:
        assert found.value > found.chance + 0.15
        assert found.interval[0] > found.chance
