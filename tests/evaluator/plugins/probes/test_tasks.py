"""Probes of words, sentences and pairs on data whose signal is known."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.errors import ExtraError, ScoreError
from evaluator.plugins.probes import (
    SIMILARITY_MODELS,
    WORD_MODELS,
    Candidate,
    ProbeModel,
    SplitPlan,
    gap,
    mean_vectors,
    membership,
    rank_embeddings,
    sentences,
    similarity,
)
from evaluator.plugins.probes.learners import (
    BAYES,
    KNN,
    LOGISTIC,
    MAJORITY,
    SVM,
    choose_and_test,
    pair_features,
    predict,
    spearman,
    unit_rows,
)

QUICK = SplitPlan(shares=(0.3, 1.0), splits=2, folds=2)
LIGHT = (MAJORITY, LOGISTIC, SVM, KNN)


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """A forest of ten trees finds what is planted here, in a tenth of the time."""
    monkeypatch.setattr("evaluator.plugins.probes.learners.TREES", 10)


def best(probe):
    """The highest mean score of a model at the end of its curve."""
    return max(curve.mean("end") for curve in probe.curves)


def planted(seed=0, n=120, d=6, strength=3.0):
    """Two classes on two sides of a plane."""
    generator = np.random.default_rng(seed)
    labels = np.arange(n) % 2 == 0
    x = generator.normal(size=(n, d))
    x[:, 0] += np.where(labels, strength, -strength)
    return x.astype(np.float32), labels.tolist()


def exclusive_or(seed=0, n=160):
    """A class where two signs agree: no plane divides it. Other directions are noise."""
    generator = np.random.default_rng(seed)
    signs = generator.choice([-1.0, 1.0], size=(n, 2))
    x = np.hstack([signs + 0.15 * generator.normal(size=(n, 2)), 0.15 * generator.normal(size=(n, 2))])
    return x.astype(np.float32), (signs[:, 0] == signs[:, 1]).tolist()


def test_what_a_plane_divides_all_models_find():
    x, labels = planted()
    probe = membership(x, labels, QUICK)
    assert [curve.model for curve in probe.curves] == [model.name for model in WORD_MODELS]
    for curve in probe.curves:
        expected = 0.4 if curve.model == "majority" else 0.95
        assert curve.mean("end") >= expected, curve.model
    assert abs(gap(probe).value) < 0.05
    assert probe.items == 120
    assert probe.tests == (24, 24)
    assert probe.curves[0].sizes == (29, 96)


def test_exclusive_or_is_for_models_that_bend():
    probe = membership(*exclusive_or(), QUICK)
    assert probe.curve("logistic").mean("end") < 0.7
    for model in ("svm", "knn", "forest"):
        assert probe.curve(model).mean("end") > 0.8, model
    assert gap(probe).value > 0.3
    assert gap(probe).linear == "logistic"


def test_poles_and_equator_are_for_naive_bayes_too():
    generator = np.random.default_rng(0)
    labels = np.arange(160) % 2
    heights = np.where(labels, 0.1, 2.0) * generator.choice([-1, 1], 160)
    x = np.column_stack([heights, generator.normal(size=(160, 2))]).astype(np.float32)
    probe = membership(x, labels.tolist(), QUICK, (LOGISTIC, BAYES))
    assert gap(probe).nonlinear == "bayes"
    assert gap(probe).value > 0.2


def test_more_data_helps_and_better_vectors_rank_higher():
    labels = [word % 4 for word in range(80)]
    noise = np.random.default_rng(1).normal(size=(80, 12))
    signal = np.eye(12)[labels]
    embeddings = {"good": noise + 4 * signal, "same": 2 * (noise + 4 * signal), "bad": noise + signal}
    plan = SplitPlan(shares=(0.2, 1.0), splits=4, folds=2)
    probes = {name: membership(x, labels, plan, (LOGISTIC,)) for name, x in embeddings.items()}
    good, same, bad = rank_embeddings({name: probe.curve("logistic") for name, probe in probes.items()})
    assert (good.start, good.end, good.auc) == (same.start, same.end, same.auc) == (0, 0, 0)
    assert (bad.start, bad.end, bad.auc) == (1, 1, 1)
    assert probes["bad"].curves[0].mean("end") > probes["bad"].curves[0].mean("start")


def test_length_does_not_count():
    x, labels = planted()
    longer = x * np.random.default_rng(3).choice([0.5, 2.0, 8.0], size=(len(x), 1)).astype(np.float32)
    plan = SplitPlan(shares=(1.0,), splits=1, folds=2)
    assert membership(x, labels, plan, LIGHT) == membership(longer, labels, plan, LIGHT)


def test_noise_is_not_learnt():
    x = np.random.default_rng(0).normal(size=(150, 5))
    labels = np.random.default_rng(1).integers(2, size=150).tolist()
    probe = membership(x, labels, SplitPlan(shares=(1.0,), splits=3, folds=2), LIGHT)
    for curve in probe.curves:
        assert 0.3 < curve.mean("auc") < 0.7


def test_same_seed_same_probe_and_inputs_unchanged():
    x, labels = planted(strength=0.5)
    before = x.copy()
    plan = SplitPlan(shares=(0.3,), splits=1)
    first = membership(x, labels, plan)
    assert first == membership(x, labels, plan)
    assert first != membership(x, labels, SplitPlan(shares=(0.3,), splits=1, seed=1))
    assert np.array_equal(x, before)


@pytest.mark.parametrize("name", ["x", 0, None, ("a", 1)])
def test_labels_can_be_anything(name):
    x, labels = planted(n=40)
    named = [name if label else "other" for label in labels]
    plan, models = SplitPlan(shares=(1.0,), splits=1), (LOGISTIC,)
    assert membership(x, named, plan, models).curves == membership(x, labels, plan, models).curves


def test_many_classes_of_few_words_warn_nobody():
    x = np.random.default_rng(0).normal(size=(90, 8))
    probe = membership(x, [word % 30 for word in range(90)], SplitPlan(shares=(0.45,), splits=1))
    assert all(0 <= curve.mean("auc") <= 1 for curve in probe.curves)


@settings(max_examples=12)
@given(st.integers(4, 16), st.integers(2, 4), st.integers(0, 99), st.sampled_from([0.0, 1e-30, 1.0]))
def test_tiny_data_gives_numbers_or_an_error(n, classes, seed, spread):
    generator = np.random.default_rng(seed)
    labels = generator.integers(classes, size=n).tolist()
    x = np.ones((n, 3)) + spread * generator.normal(size=(n, 3))
    try:
        probe = membership(
            x, labels, SplitPlan(shares=(0.3, 1.0), splits=1), (MAJORITY, LOGISTIC, SVM, KNN, BAYES)
        )
    except ScoreError:
        counts = np.unique(labels, return_counts=True)[1]
        assert spread < 1 or len(counts) < 2 or min(counts) < 2
    else:
        assert all(0 <= value <= 1 for curve in probe.curves for split in curve.scores for value in split)


def test_features_that_never_change_do_no_harm():
    x, labels = planted(n=60)
    x[:, 3:] = 0
    assert best(membership(x, labels, SplitPlan(shares=(0.5,), splits=1))) > 0.9


def test_words_without_direction_do_no_harm():
    x, labels = planted(n=60)
    x[:5] = 0
    assert best(membership(x, labels, QUICK, LIGHT)) > 0.8


def test_training_on_what_is_all_the_same_predicts_the_most_frequent():
    x, asked = np.ones((5, 2)), np.array([[0.0, 1.0], [3.0, 2.0]])
    y = np.array([2.0, 1.0, 1.0, 0.0, 1.0])
    for model in (*WORD_MODELS, *SIMILARITY_MODELS[1:]):
        candidate = model.candidates[0]
        assert predict(candidate, x, y, asked, 0).tolist() == [1, 1], model.name
    assert predict(Candidate("svm", 1.0), np.eye(2), np.array([4.0, 4.0]), asked, 0).tolist() == [4, 4]


def test_a_model_that_bends_falls_back_where_a_line_is_better():
    """k-NN with k = 1 drowns in directions without meaning; its fallback does not."""
    x, labels = planted(d=40, strength=1.5, n=150)
    alone = ProbeModel("alone", "nonlinear", (Candidate("knn", 1),))
    probe = membership(x, labels, SplitPlan(shares=(1.0,), splits=4), (LOGISTIC, KNN, alone))
    assert probe.curve("knn").mean("auc") > probe.curve("alone").mean("auc")
    assert probe.curve("knn").mean("auc") == pytest.approx(probe.curve("logistic").mean("auc"), abs=0.1)


def test_candidates_are_chosen_on_training_data_alone():
    x, labels = exclusive_or()
    y = np.array(labels, float)
    train, test = np.arange(100), np.arange(100, 160)
    data = (x.astype(float), y, y.astype(np.intp))
    other = (x.astype(float), np.where(np.arange(160) < 100, y, 1 - y), y.astype(np.intp))

    def right(data):
        return choose_and_test((SVM,), data, train, test, lambda a, b: float(np.mean(a == b)), SplitPlan())[
            "svm"
        ]

    assert right(data) > 0.95
    assert right(other) == pytest.approx(1 - right(data))


def test_progress_ascends_to_one():
    x, labels = planted(n=40)
    seen = []
    membership(x, labels, QUICK, (MAJORITY,), seen.append)
    assert seen == pytest.approx([0.25, 0.5, 0.75, 1])


@pytest.mark.parametrize(
    ("x", "labels", "message"),
    [
        (np.eye(4), [1, 1, 1, 1], "two or more classes, not 1"),
        (np.eye(4), [1, 1, 1, 2], "single item, such as 2"),
        (np.eye(4), [1, 2], "4 vectors, but 2 labels"),
        (np.ones((4, 2)), [1, 1, 2, 2], "all vectors are equal"),
        (np.outer(range(1, 5), [1.0, 2.0]), [1, 1, 2, 2], "all vectors are equal"),
        (np.array([[1.0], [2.0], [np.nan], [3.0]]), [1, 1, 2, 2], "row 2 holds a number that is not finite"),
        (np.arange(4.0), [1, 1, 2, 2], r"not \(4,\)"),
        (np.empty((0, 3)), [], r"not \(0, 3\)"),
    ],
)
def test_what_cannot_be_probed_is_refused(x, labels, message):
    with pytest.raises(ScoreError, match=message):
        membership(x, labels, SplitPlan())


@pytest.mark.parametrize("models", [(), (SVM, SVM)])
def test_models_are_given_once(models):
    with pytest.raises(ScoreError, match="only once"):
        membership(*planted(n=20), QUICK, models)


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ExtraError, match=r"testgen-evaluator\[learn\]"):
        membership(*planted(n=20), QUICK)


def test_unit_rows_of_any_size():
    rows = unit_rows(np.array([[3e-40, 4e-40], [0, 0], [3e200, 4e200]]), "x")
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0.6, 0.8]]))


# Sentences


def test_sentences_by_the_mean_of_their_words():
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(50, 5)).astype(np.float32)
    vectors[:10, 0] += 6
    rows = [[*generator.integers(10, 50, 4), *generator.integers(0, 10, 2 * (n % 2))] for n in range(80)]
    features = mean_vectors(vectors, rows)
    for sentence, mean in zip(rows, features, strict=True):
        slow = sum(vectors[word] / np.linalg.norm(vectors[word].astype(float)) for word in sentence)
        assert mean == pytest.approx(slow / len(sentence), abs=1e-6)
    probe = sentences(features, [n % 2 for n in range(80)], QUICK)
    assert [curve.model for curve in probe.curves] == ["majority", "logistic", "svm"]
    assert probe.curve("logistic").mean("end") > 0.9


def test_sentences_without_words_are_named():
    with pytest.raises(ScoreError, match=r"2 of 3 .*number 1\b"):
        mean_vectors(np.eye(3), [[0], [], []])
    with pytest.raises(ScoreError, match="no sentences"):
        mean_vectors(np.eye(3), [])


# Similarity


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.floats(-5, 5)), min_size=3, max_size=12),
)
def test_spearman_by_pairs_of_ranks(pairs):
    a, b = (np.array(side, float) for side in zip(*pairs, strict=True))

    def ranks(values):
        return np.array([np.sum(values < v) + (np.sum(values == v) + 1) / 2 for v in values])

    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert spearman(a, b) == 0
    else:
        assert spearman(a, b) == pytest.approx(np.corrcoef(ranks(a), ranks(b))[0, 1], abs=1e-9)
        assert spearman(a, a) == 1
        assert spearman(a, -a) == -1


def pairs_of(seed=0, n=100, d=5):
    generator = np.random.default_rng(seed)
    return unit_rows(generator.normal(size=(n, d)), ""), unit_rows(generator.normal(size=(n, d)), "")


def test_ratings_that_are_cosines_need_no_learning():
    u, v = pairs_of()
    probe = similarity(u, 3 * v, np.sum(u * v, axis=1), QUICK)
    assert [curve.model for curve in probe.curves] == ["cosine", "svr", "forest"]
    assert probe.score == "spearman"
    assert np.allclose(probe.curve("cosine").scores, 1)
    assert np.allclose(probe.curve("svr").scores, 1), "its fallback is the cosine"
    assert gap(probe).value == pytest.approx(0)


def test_ratings_that_lie_in_one_direction_can_be_learnt():
    u, v = pairs_of(n=150)
    probe = similarity(u, v, -np.abs(u[:, 0] - v[:, 0]), QUICK)
    assert probe.curve("cosine").mean("end") < 0.6
    assert probe.curve("svr").mean("end") > 0.7
    assert probe.curve("svr").mean("end") > probe.curve("svr").mean("start")
    assert gap(probe).value > 0.1
    assert gap(probe).linear == "cosine"


def test_it_does_not_matter_which_word_is_first_or_how_ratings_are_scaled():
    u, v = pairs_of(n=40)
    ratings = u[:, 0] * v[:, 0]
    models, plan = SIMILARITY_MODELS[:2], SplitPlan(shares=(0.5, 1.0), splits=2)
    probe = similarity(u, v, ratings, plan, models)
    assert probe == similarity(v, u, ratings, plan, models)
    assert probe == similarity(u, v, 1024 * ratings, plan, models)


@given(st.integers(0, 20))
def test_products_sum_up_to_the_cosine(seed):
    u, v = pairs_of(seed, n=6)
    features = pair_features(u * 7, v)
    assert features.shape == (6, 10)
    assert features[:, :5].sum(axis=1) == pytest.approx(np.sqrt(5) * np.sum(u * v, axis=1))
    assert features[:, 5:] == pytest.approx(np.abs(u - v))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda u, v, r: (u, v, np.ones(40)), "all ratings are equal"),
        (lambda u, v, r: (u, v, np.eye(40)[0]), "have no other"),
        (lambda u, v, r: (u, v, r[:39]), "40 pairs, but ratings"),
        (lambda u, v, r: (u, v[:39], r), "must be the same"),
        (lambda u, v, r: (u[:14], v[:14], r[:14]), "14 pairs are too few"),
        (lambda u, v, r: (u, v, np.where(r > 0, r, np.inf)), "not a finite number"),
        (lambda u, v, r: (u[[0] * 40], v[[0] * 40], r), "same vectors"),
    ],
)
def test_pairs_that_cannot_be_probed_are_refused(change, message):
    u, v = pairs_of(n=40)
    with pytest.raises(ScoreError, match=message):
        similarity(*change(u, v, u[:, 0]), SplitPlan())


def test_pairs_of_a_word_with_itself_or_with_nothing_give_numbers():
    u, v = pairs_of(n=40)
    v[:20] = u[:20]
    v[20] = 0
    probe = similarity(u, v, np.arange(40), SplitPlan(shares=(0.3, 1.0), splits=1))
    assert all(np.isfinite(value) for curve in probe.curves for split in curve.scores for value in split)
