"""The model of a relation: its gradient by finite differences, and what it can learn."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ScoreError
from evaluator.plugins.probes import RelationTraining, SplitPlan, analogy
from evaluator.plugins.probes.analogy import (
    connected,
    cos_add,
    cos_mul,
    cost_and_gradient,
    identity,
    inputs,
    predict,
    quadruples,
    search,
    train,
)

FAST = RelationTraining(rates=(1e-3, 1e-2), epochs=(1, 10, 30), batch=32)
SMALL = SplitPlan(shares=(0.3, 1.0), splits=3)


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def drawn(seed, n=7, d=4):
    generator = np.random.default_rng(seed)
    vectors = [unit(generator.normal(size=(n, d))) for _ in range(4)]
    return generator.normal(size=(3 * d + 1, d)), vectors


@given(st.integers(0, 50))
def test_cost_is_the_papers(seed):
    weights, (v1, v2, v3, v4) = drawn(seed)
    w1, w2, w3, b = weights[:4].T, weights[4:8].T, weights[8:12].T, weights[12]
    cost = 0.0
    for j in range(len(v1)):
        z = -w1 @ v1[j] + w2 @ v2[j] + w3 @ v3[j] + b
        cost -= v4[j] @ z / np.linalg.norm(z)
    assert cost_and_gradient(weights, inputs(v1, v2, v3), v4)[0] == pytest.approx(cost)


@given(st.integers(0, 20))
def test_gradient_agrees_with_finite_differences(seed):
    weights, (v1, v2, v3, v4) = drawn(seed)
    rows, step = inputs(v1, v2, v3), 1e-6
    gradient = cost_and_gradient(weights, rows, v4)[1]
    for place in np.ndindex(*weights.shape):
        higher, lower = weights.copy(), weights.copy()
        higher[place] += step
        lower[place] -= step
        slope = (cost_and_gradient(higher, rows, v4)[0] - cost_and_gradient(lower, rows, v4)[0]) / (2 * step)
        assert gradient[place] == pytest.approx(slope, abs=1e-6, rel=1e-5)


def test_a_sum_of_zero_has_no_direction_and_no_slope():
    v = np.eye(3)
    rows = inputs(v, v, np.zeros((3, 3)))
    assert np.all(predict(identity(3), rows) == 0)
    cost, gradient = cost_and_gradient(identity(3), rows, v)
    assert cost == 0
    assert np.all(gradient == 0)


def test_it_starts_as_3cosadd():
    _, (v1, v2, v3, _) = drawn(0)
    assert predict(identity(4), inputs(v1, v2, v3)) == pytest.approx(unit(v2 - v1 + v3))


def test_training_lowers_the_cost():
    _, (v1, v2, v3, v4) = drawn(3, n=40)
    rows = inputs(v1, v2, v3)
    costs = [
        cost_and_gradient(weights, rows, v4)[0]
        for weights in islice(train(rows, v4, 1e-2, 16, np.random.default_rng(0)), 20)
    ]
    assert costs[0] < cost_and_gradient(identity(4), rows, v4)[0]
    assert costs[-1] < costs[0]


def slow_answer(vocabulary, question, rule):
    """Both rules straight from section 3.1."""

    def cos(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    def ccos(a, b):
        return (1 + cos(a, b)) / 2

    v1, v2, v3 = (vocabulary[word] for word in question[:3])
    best, found = -np.inf, None
    for word, v in enumerate(vocabulary):
        product = ccos(v, v3) * ccos(v, v2) / (ccos(v, v1) + 0.001)
        score = cos(v, v2 - v1 + v3) if rule == "add" else product
        if word not in question[:3] and score > best:
            best, found = score, word
    return found


@pytest.mark.parametrize(("rule", "fast"), [("add", cos_add), ("mul", cos_mul)])
def test_constant_models_against_their_definitions(rule, fast):
    generator = np.random.default_rng(1)
    vocabulary = unit(generator.normal(size=(60, 5))).astype(np.float32)
    questions = np.array([generator.choice(60, 4, replace=False) for _ in range(150)])
    answers = [slow_answer(vocabulary.astype(float), question, rule) for question in questions]
    questions[::2, 3] = np.array(answers)[::2]
    right = np.mean([answer == question[3] for answer, question in zip(answers, questions, strict=True)])
    assert search(questions, lambda some: fast(vocabulary, some)) == right
    assert right >= 0.5


def test_of_equal_scores_the_first_word_is_the_answer():
    questions = np.array([[0, 1, 2, 3], [0, 1, 2, 4]])
    assert search(questions, lambda some: np.zeros((len(some), 6), np.float32)) == 0.5


def test_pairs_hang_together_by_words():
    pairs = np.array([[9, 1], [2, 3], [4, 1], [3, 5], [7, 8], [5, 2]])
    assert connected(pairs).tolist() == [0, 1, 0, 1, 2, 1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_groups_are_those_of_scipy_and_do_not_depend_on_places(pairs):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = np.array(pairs)
    ones = np.ones(len(pairs))
    labels = connected_components(coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(10, 10)))[1][
        pairs[:, 0]
    ]
    found = connected(pairs)
    assert np.array_equal(found[:, None] == found, labels[:, None] == labels)
    moved = np.random.default_rng(0).permutation(10)
    assert np.array_equal(connected(moved[pairs]), found)


def test_questions_hold_no_answers():
    pairs = np.array([[0, 1], [2, 1], [3, 4], [5, 6], [1, 7], [8, 8]])
    found = quadruples(pairs, np.random.default_rng(0), sources=10)
    assert all(answer not in question for *question, answer in found.tolist())
    assert {tuple(question[2:]) for question in found.tolist()} == {(0, 1), (2, 1), (3, 4), (5, 6), (1, 7)}
    # (0, 1) is not asked by (2, 1) or (1, 7), which hold its answer.
    assert sorted(question[:2] for question in found.tolist() if question[2:] == [0, 1]) == [
        [3, 4],
        [5, 6],
        [8, 8],
    ]
    assert len(quadruples(pairs, np.random.default_rng(0), sources=2)) == 10


def relation(seed=0, n=40, d=6, noise=0.02, shift=False):
    """Words and their partners by one rotation, or by one step, in random order."""
    generator = np.random.default_rng(seed)
    first = unit(generator.normal(size=(n, d)))
    turn = np.linalg.qr(generator.normal(size=(d, d)))[0]
    second = first + 0.4 * unit(generator.normal(size=(1, d))) if shift else first @ turn
    vectors = np.vstack(
        [first, second + noise * generator.normal(size=(n, d)), generator.normal(size=(60, d))]
    )
    return vectors.astype(np.float32), np.column_stack([np.arange(n), np.arange(n) + n])


def test_a_rotation_can_be_learnt_and_not_be_guessed():
    probe = analogy(*relation(), SMALL, FAST)
    assert [curve.model for curve in probe.curves] == ["3CosAdd", "3CosMul", "relation"]
    assert probe.curve("relation").mean("end") > 0.7
    assert probe.curve("3CosAdd").mean("end") < 0.3
    assert probe.curve("relation").mean("end") > probe.curve("relation").mean("start")
    assert probe.items == 40
    assert probe.tests == (8, 8, 8)


def test_where_a_step_is_the_relation_the_constant_is_the_fallback():
    probe = analogy(*relation(shift=True, noise=0.0, d=12), SMALL, FAST)
    assert probe.curve("3CosAdd").mean("end") > 0.9
    assert probe.curve("relation").mean("end") >= probe.curve("3CosAdd").mean("end") - 0.05


def test_places_in_the_vocabulary_do_not_matter():
    vectors, pairs = relation()
    moved = np.random.default_rng(5).permutation(len(vectors))
    again = np.empty_like(vectors)
    again[moved] = vectors
    training = RelationTraining(rates=(), epochs=())
    assert analogy(vectors, pairs, SMALL, training) == analogy(again, moved[pairs], SMALL, training)


def test_the_same_seed_gives_the_same_probe():
    plan = SplitPlan(shares=(0.5,), splits=2)
    assert analogy(*relation(), plan, FAST) == analogy(*relation(), plan, FAST)


@pytest.mark.parametrize(
    ("vectors", "pairs", "message"),
    [
        (np.eye(4), [[0, 1], [1, 2], [2, 3]], "share_words=True"),
        (np.eye(4), [[0, 1], [2, 3]], "too few"),
        (np.eye(4), [[0, 4]], "not among the 4 vectors"),
        (np.ones((40, 3)), np.arange(40).reshape(20, 2), "same vector"),
        (np.eye(4), [0, 1], "rows of two words"),
        (np.eye(4), np.empty((0, 2), int), "connected|too few"),
        (np.full((40, 3), np.nan), np.arange(40).reshape(20, 2), "not finite"),
    ],
)
def test_what_cannot_be_probed_is_refused(vectors, pairs, message):
    with pytest.raises(ScoreError, match=message):
        analogy(vectors, np.array(pairs), SplitPlan(), FAST)


def test_a_hub_can_be_allowed():
    vectors = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    pairs = np.column_stack([np.arange(40), 40 + np.arange(40) % 3])
    pairs[0] = [40, 41]
    pairs[1] = [41, 42]
    with pytest.raises(ScoreError, match="connected by shared words"):
        analogy(vectors, pairs, SMALL, FAST)
    assert analogy(vectors, pairs, SMALL, FAST, share_words=True).items == 40


def test_a_word_without_direction_gives_a_number():
    vectors, pairs = relation()
    vectors[3] = 0
    probe = analogy(vectors, pairs, SMALL, RelationTraining(rates=(1e-3,), epochs=(2,)))
    assert all(np.isfinite(curve.mean("auc")) for curve in probe.curves)
