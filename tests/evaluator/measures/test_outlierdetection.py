"""OutlierDetection against the equations of its paper, and groups made of categories."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import (
    Category,
    Item,
    OutlierGroup,
    ScoreError,
    Settings,
    TestSet,
    load_vectors,
    read_testset,
)
from evaluator.datasets.outlier_groups import outlier_groups
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.outlierdetection import CategoryOutliers, OutlierDetection
from evaluator.results.base import to_json
from tests.evaluator.examples import observed, pseudovalues, score, vectors

ACCURACY, OPP = "OutlierDetection", "OutlierDetection(score=OPP)"
BOTH = [ACCURACY, OPP]

# Small whole numbers make ties, equal vectors and vectors of zeros likely.
MATRICES = st.integers(6, 12).flatmap(
    lambda rows: st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=rows, max_size=rows)
)
OOV = st.sampled_from(["wrong", "skip"])


def test_set(*groups):
    return TestSet("en", "groups", "0" * 64, outlier_groups=tuple(groups))


test_set.__test__ = False


def group(name, members, outliers):
    return OutlierGroup(name, name, tuple(members), tuple(outliers))


def cosine(x, y):
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    return float(x @ y / lengths) if lengths else 0.0


def compactness(word, words, vector_of):
    """Equation 1 of the paper: the mean similarity of all ordered pairs of the other words."""
    pairs = list(itertools.permutations([other for other in words if other != word], 2))
    return sum(cosine(vector_of[one], vector_of[other]) for one, other in pairs) / len(pairs)


def position(members, outlier, vector_of):
    """OP: how many words the group is less compact without than without the outlier."""
    words = [*members, outlier]
    own = compactness(outlier, words, vector_of)
    others = [compactness(member, words, vector_of) for member in members]
    return sum((other < own - 1e-10) + (abs(other - own) <= 1e-10) / 2 for other in others)


def defined(members, outliers, vector_of, oov):
    """Sums of OD and OP/n over the cases of a group, and how many cases count."""
    known = [member for member in members if member in vector_of]
    n = len(members) if oov == "wrong" else len(known)
    places = [position(known, each, vector_of) for each in outliers if each in vector_of]
    cases = len(outliers) if oov == "wrong" else len(places)
    return sum(place == n for place in places), sum(place / n for place in places), cases


@given(MATRICES, st.integers(2, 4), st.booleans(), st.booleans(), OOV)
def test_it_is_its_definition(rows, members, oov_member, oov_outlier, oov):
    vector_of = {f"w{row}": np.array(each, dtype=float) for row, each in enumerate(rows)}
    words = list(vector_of)
    inside = [*words[:members], *(["gone"] if oov_member else [])]
    outside = [*words[members:-1], *(["away"] if oov_outlier else [])]
    scores = score(vectors(rows), test_set(group("g", inside, outside)), BOTH, Settings(oov=oov))
    last, places, cases = defined(inside, outside, vector_of, oov)
    accuracy, opp = (scores[each].subscores[0] for each in BOTH)
    assert (accuracy.hits, accuracy.trials, accuracy.value) == (last, cases, last / cases)
    assert opp.value == pytest.approx(places / cases)
    assert (opp.hits, opp.trials) == (None, None)
    assert accuracy.size == len(outside)
    assert accuracy.oov == (len(outside) if oov_member else oov_outlier)
    assert accuracy.value <= accuracy.ceiling
    assert opp.value <= opp.ceiling + 1e-12


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_chance_is_exact(seed, n):
    """Whatever the vectors: if each word in turn is the outlier, the mean is that of a blind guess."""
    matrix = np.random.default_rng(seed).normal(size=(n + 1, 4))
    words = [f"w{row}" for row in range(n + 1)]
    groups = [group(word, [each for each in words if each != word], [word]) for word in words]
    scores = score(vectors(matrix), test_set(*groups), BOTH)
    for each in BOTH:
        assert scores[each].value == pytest.approx(scores[each].chance)
    assert scores[ACCURACY].chance == pytest.approx(1 / (n + 1))
    assert scores[OPP].chance == pytest.approx(1 / 2)


@given(st.integers(0, 2**32 - 1))
def test_the_last_one_is_the_farthest_from_the_mean(seed):
    matrix = np.random.default_rng(seed).normal(size=(9, 3))
    found = score(
        vectors(matrix), test_set(group("g", [f"w{row}" for row in range(6)], ["w6", "w7", "w8"])), ACCURACY
    )
    unit = matrix.astype(np.float32).astype(float)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    hits = 0
    for outlier in (6, 7, 8):
        points = unit[[*range(6), outlier]]
        hits += np.linalg.norm(points - points.mean(axis=0), axis=1).argmax() == 6
    assert found[ACCURACY].hits == hits


def test_by_hand():
    """Beside a, a and b the outlier c: p(a) = 1+0+0, p(b) = 0+0+0.6, p(c) = 0+0+0.6: OP is 2 + 1/2."""
    matrix = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0.6, 0.8]]
    scores = score(vectors(matrix), test_set(group("g", ["w0", "w1", "w2"], ["w3"])), BOTH)
    assert scores[ACCURACY].value == 0  # a tie is a miss
    assert scores[OPP].value == pytest.approx(2.5 / 3)


def test_equal_vectors_are_all_ties():
    scores = score(vectors(np.ones((5, 3))), test_set(group("g", ["w0", "w1", "w2"], ["w3", "w4"])), BOTH)
    assert (scores[ACCURACY].value, scores[OPP].value) == (0, 0.5)


def test_lengths_make_no_difference():
    matrix = np.random.default_rng(1).normal(size=(9, 5))
    lengths = np.random.default_rng(2).lognormal(0, 3, size=(9, 1))
    groups = test_set(group("g", [f"w{row}" for row in range(5)], [f"w{row}" for row in range(5, 9)]))
    for norm in ("unit", "none"):
        one, other = (
            score(vectors(each), groups, BOTH, Settings(norm=norm)) for each in (matrix, matrix * lengths)
        )
        assert [one[each].value for each in BOTH] == [other[each].value for each in BOTH]


# What counts.

SOME = test_set(
    group("whole", ["w0", "w1", "w2"], ["w5", "w6"]),
    group("lacking", ["w0", "w1", "gone"], ["w5", "away", "w6"]),
    group("lonely", ["w0", "gone"], ["w5"]),
    group("unseen", ["w0", "w1"], ["away", "gone"]),
)
MATRIX = [[1, 0], [1, 0.1], [1, 0.2], [1, 0.3], [0, 1], [0, 1], [-1, 0]]


def test_words_without_a_vector():
    wrong, skip = (score(vectors(MATRIX), SOME, BOTH, Settings(oov=oov)) for oov in ("wrong", "skip"))
    part = wrong[ACCURACY].subscores[0]
    # Both outliers of the first group are found; beside a member that is OOV none can be.
    assert (part.hits, part.trials, part.size, part.oov) == (2, 8, 8, 6)
    assert part.ceiling == 2 / 8
    assert part.chance == pytest.approx(2 / 4 / 8)
    assert part.extra == {"groups": 4}
    opp = wrong[OPP].subscores[0]
    assert opp.value == opp.ceiling == pytest.approx((2 + 2 * 2 / 3) / 8)
    assert opp.chance == pytest.approx(opp.ceiling / 2)
    part = skip[ACCURACY].subscores[0]
    assert (part.hits, part.trials, part.size, part.oov) == (4, 4, 5, 3)
    assert (part.value, part.ceiling) == (1, 1)
    assert part.chance == pytest.approx((2 / 4 + 2 / 3) / 4)
    assert part.extra == {"groups": 2}


def test_groups_of_which_too_little_is_known():
    """They count with `oov=wrong`: a model must not gain by knowing less."""
    assert len(score(vectors(MATRIX), SOME, ACCURACY)[ACCURACY].subscores) == 1
    found = score(vectors(MATRIX), SOME, ACCURACY, Settings(oov="skip"))[ACCURACY]
    assert [(part.name, part.size, part.oov, part.skipped) for part in found.subscores[1:]] == [
        ("lonely", 1, 1, "1 of 2 members in the vocabulary, 2 needed"),
        ("unseen", 2, 2, "0 of 2 outliers in the vocabulary"),
    ]
    assert found.subscores[0].name == "all groups"


def test_nothing_to_score_is_an_error():
    with pytest.raises(ScoreError, match="no word is known"):
        score(vectors(MATRIX), test_set(group("g", ["x", "y"], ["w0"])), ACCURACY)
    with pytest.raises(ScoreError, match=r"g: .*no outliers"):
        score(vectors(MATRIX), test_set(group("g", ["w0", "w1"], ["w1"])), ACCURACY)


def test_members_that_come_again_count_once_and_outliers_as_often_as_they_occur():
    doubled = test_set(group("g", ["w0", "W0", "w1", "w2"], ["w5", "w5", "W5", "w6", "W1"]))
    plain = test_set(group("g", ["w0", "w1", "w2"], ["w5", "w6"]))
    one, other = (score(vectors(MATRIX), each, BOTH, Settings(case="fold")) for each in (doubled, plain))
    assert [one[each].value for each in BOTH] == [other[each].value for each in BOTH]
    assert (one[ACCURACY].trials, other[ACCURACY].trials) == (4, 2)


# Units.


@given(st.integers(0, 2**32 - 1), st.sampled_from(BOTH))
def test_contributions_are_first_order_influences(seed, measure):
    """The derivative of the score by a group's weight; the score is a ratio of sums over groups."""
    generator = np.random.default_rng(seed)
    groups = [
        group(f"g{number}", [f"w{each}" for each in words[:4]], [f"w{each}" for each in words[4:][:outliers]])
        for number, outliers in enumerate(generator.integers(1, 5, size=6).tolist())
        for words in [generator.permutation(20).tolist()]
    ]
    known = vectors(generator.normal(size=(20, 4)))
    (part,) = score(known, test_set(*groups), measure)[measure].subscores
    each = [score(known, test_set(one), measure)[measure] for one in groups]
    cases = np.array([len(one.outliers) for one in groups])
    hits = np.array([one.value for one in each]) * cases
    assert observed(part) == tuple(one.name for one in groups)
    assert part.value == pytest.approx(hits.sum() / cases.sum())
    assert pseudovalues(part).mean() == pytest.approx(part.value)
    for number in range(6):
        weights = np.ones(6)
        weights[number] += 1e-6
        slope = (weights @ hits / (weights @ cases) - part.value) / 1e-6
        assert pseudovalues(part)[number] - part.value == pytest.approx(6 * slope, abs=1e-4)


def test_intervals_are_as_wide_as_groups_are_different():
    """In half of the groups all eight outliers are found, in the others none: few groups, many cases."""
    matrix = np.vstack([np.tile([1.0, 0.0], (4, 1)), np.tile([0.0, 1.0], (8, 1))])
    same, other = [f"w{row}" for row in range(4)], [f"w{row}" for row in range(4, 12)]
    # The members of a bad group lie apart and its outliers are with half of them.
    groups = [group(f"good {number}", same, other) for number in range(4)]
    groups += [group(f"bad {number}", [*same[:2], *other[:2]], other[2:]) for number in range(4)]
    found = score(vectors(matrix), test_set(*groups), ACCURACY)[ACCURACY]
    assert found.value == pytest.approx(32 / 56)
    low, high = found.interval
    assert high - low > 0.45  # by cases it would be 4·0.066 = 0.26


# Groups made of categories.


def about(name, words, topic):
    return Category(name, name, tuple(Item(f"Q {word}", (word, f"{word}'")) for word in words), topic)


WORLD = TestSet(
    "en",
    "world",
    "0" * 64,
    (
        about("country", [f"c{number}" for number in range(30)], "geography"),
        about("african country", [f"c{number}" for number in range(12)], "geography"),
        about("river", [f"r{number}" for number in range(6)], "geography"),
        about("month", [f"m{number}" for number in range(12)], "time"),
        about("god", [f"g{number}" for number in range(20)] + ["c29", "c3"], None),
    ),
)
TOPIC = {"c": "geography", "r": "geography", "m": "time", "g": None}


@given(
    st.integers(0, 1000), st.integers(2, 12), st.integers(1, 20), st.sampled_from(["graded", "near", "far"])
)
def test_groups_of_categories(seed, size, outliers, out):
    groups = outlier_groups(WORLD, size, outliers, seed, out)
    assert [each.name for each in groups] == [each.name for each in WORLD.categories]
    for category, each in zip(WORLD.categories, groups, strict=True):
        firsts = {item.words[0] for item in category.items}
        assert set(each.members) <= firsts
        assert len(set(each.members)) == len(each.members) == min(size, len(firsts))
        assert firsts.isdisjoint(each.outliers)
        assert len(set(each.outliers)) == len(each.outliers) <= outliers
        near = [category.topic is not None and TOPIC[word[0]] == category.topic for word in each.outliers]
        assert near == sorted(near, reverse=True)
        if out != "graded":
            assert all(near) if out == "near" else not any(near)


def test_half_are_near_as_far_as_there_are_both():
    groups = outlier_groups(WORLD, outliers=16)
    kinds = {each.name: "".join(sorted(word[0] for word in each.outliers)) for each in groups}
    assert kinds["country"] == "g" * 5 + "m" * 5 + "r" * 6  # there are no more than six rivers
    near, far = (sum(kinds["african country"].count(kind) for kind in of) for of in ("cr", "gm"))
    assert (near, far) == (8, 8)
    assert set(kinds["month"]) <= {"c", "r", "g"}
    assert len(kinds["month"]) == 16


def test_categories_supply_outliers_in_turn():
    many = [
        about(f"c{number}", [f"{number}-{word}" for word in range(size)], "t")
        for number, size in enumerate([9, 500, 3, 4])
    ]
    world = TestSet("en", "world", "0" * 64, tuple(many))
    first = outlier_groups(world, outliers=8)[0]
    assert sorted(word.split("-")[0] for word in first.outliers) in (
        ["1", "1", "1", "2", "2", "2", "3", "3"],
        ["1", "1", "1", "2", "2", "3", "3", "3"],
        ["1", "1", "2", "2", "2", "3", "3", "3"],
    )


def test_the_seed_decides_the_groups_and_other_categories_do_not_decide_members():
    assert outlier_groups(WORLD, seed=1) == outlier_groups(WORLD, seed=1)
    assert outlier_groups(WORLD, seed=1) != outlier_groups(WORLD, seed=2)
    fewer = TestSet("en", "world", "0" * 64, WORLD.categories[:2])
    for out in ("graded", "near", "far"):
        assert [each.members for each in outlier_groups(fewer, out=out)] == [
            each.members for each in outlier_groups(WORLD)
        ][:2]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("out", ["graded", "near", "far"])
def test_the_order_of_categories_does_not_decide_the_groups(seed, out):
    order = np.random.default_rng(seed).permutation(len(WORLD.categories))
    other = replace(WORLD, categories=tuple(WORLD.categories[number] for number in order))
    groups, again = (outlier_groups(each, seed=seed, out=out) for each in (WORLD, other))
    assert {each.name: each for each in again} == {each.name: each for each in groups}


def test_without_topics_all_others_are_far():
    plain = TestSet(
        "en",
        "plain",
        "0" * 64,
        tuple(Category(each.name, each.title, each.items) for each in WORLD.categories),
    )
    assert {len(each.outliers) for each in outlier_groups(plain, out="far")} == {8}
    assert outlier_groups(plain) == outlier_groups(plain, out="far")
    assert {each.outliers for each in outlier_groups(plain, out="near")} == {()}
    alone = TestSet("en", "alone", "0" * 64, plain.categories[:1])
    assert outlier_groups(alone)[0].outliers == ()


def world_vectors():
    """Words of a kind lie together."""
    generator = np.random.default_rng(3)
    words = list(
        dict.fromkeys(word for each in WORLD.categories for item in each.items for word in item.words)
    )
    centres = {kind: generator.normal(size=8) for kind in "crmg"}
    return vectors([centres[word[0]] + 0.1 * generator.normal(size=8) for word in words], words)


def test_category_outliers_scores_these_groups():
    known = world_vectors()
    for out in ("graded", "near", "far"):
        measure = CategoryOutliers(out=out, size=5)
        found = score(known, WORLD, measure, Settings(seed=4))[str(measure)]
        given_ = test_set(*outlier_groups(WORLD, 5, 8, 4, out))
        same = score(known, given_, ACCURACY, Settings(seed=4))[ACCURACY]
        assert (found.value, found.interval) == (same.value, same.interval)
        assert "seed:4" in found.signature
    far = score(known, WORLD, "CategoryOutliers(out=far)")["CategoryOutliers(out=far)"]
    near = score(known, WORLD, "CategoryOutliers(out=near)")["CategoryOutliers(out=near)"]
    # The countries of Africa cannot be told from other countries by these vectors.
    assert far.value > 0.95 > near.value
    assert [(part.name, part.skipped) for part in near.subscores[1:]] == [
        ("month", "it has no outliers"),
        ("god", "it has no outliers"),
    ]
    to_json(near)


# Real data.


@pytest.fixture(scope="module")
def google_news(shared_data):
    return load_vectors(shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz")


# The vectors are of 8,000 words, so the values are not those of the papers, which had millions.
REAL = {
    # hits, trials, groups, OPP
    "en/8-8-8.csv": (23, 24, 5, 0.9861),
    "en/50-8-8-EN.tar.gz": (148, 210, 37, 0.8568),
    "en/wiki-sem-500-en.tar.gz": (18, 21, 18, 0.8810),
}


@pytest.mark.parametrize("name", REAL)
def test_real_groups(shared_data, google_news, name):
    path = shared_data / "benchmarks" / "outlier" / name
    if not path.is_file():
        pytest.skip(f"the real data here lack {path}; set TESTGEN_SHARED_DATA to a whole copy")
    test = read_testset(path, language="en")
    scores = score(google_news, test, BOTH, Settings(oov="skip", case="exact"))
    part = scores[ACCURACY].subscores[0]
    assert (part.hits, part.trials, len(observed(part))) == REAL[name][:3]
    assert scores[OPP].value == pytest.approx(REAL[name][3], abs=5e-5)
    vector_of = {word: google_news.matrix[row].astype(float) for word, row in google_news.index.items()}
    by_name = {each.name: each for each in test.outlier_groups}
    of_each = [
        defined(by_name[unit].members, by_name[unit].outliers, vector_of, "skip")
        for unit in observed(part)[:12]
    ]
    few = test_set(*(by_name[unit] for unit in observed(part)[:12]))
    of_few = score(google_news, few, BOTH, Settings(oov="skip", case="exact"))
    last, places, cases = (sum(column) for column in zip(*of_each, strict=True))
    assert (of_few[ACCURACY].hits, of_few[ACCURACY].trials) == (last, cases)
    assert of_few[OPP].value == pytest.approx(places / cases)


def test_few_words_are_looked_up(google_news, shared_data):
    """No pass over the vocabulary is needed."""
    path = shared_data / "benchmarks" / "outlier" / "en" / "8-8-8.csv"
    if not path.is_file():
        pytest.skip(f"the real data here lack {path}; set TESTGEN_SHARED_DATA to a whole copy")
    test = read_testset(path)
    evaluation = OutlierDetection().evaluation(
        test, VocabularyLookup(google_news, "en", Settings()), Settings()
    )
    assert evaluation.kind is None
