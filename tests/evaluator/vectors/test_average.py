"""The mean of models beside its definition: the mean of z-scored cosines."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import VectorsError
from evaluator.vectors import Vectors
from evaluator.vectors import average as averaging
from evaluator.vectors.average import common_words, mean_of
from tests.evaluator.examples import vectors

seeds = st.integers(0, 2**32 - 1)


def cosines(found, words):
    """The cosines of all pairs of words, one after another."""
    rows = {word: row.astype(np.float64) for word, row in zip(found.words, found.matrix, strict=True)}

    def cosine(one, other):
        return one @ other / np.sqrt((one @ one) * (other @ other))

    return np.array([cosine(rows[one], rows[other]) for one, other in combinations(words, 2)])


def z_scored(values):
    return (values - values.mean()) / values.std()


def drawn(seed, *dimensions, words=24, mean=0.5):
    """Models that are random views of the same vectors, each with its own words, spread and mean."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(words, 8))
    found = []
    for number, dimension in enumerate(dimensions):
        view = hidden @ random.normal(size=(8, dimension)) + mean * number
        order = random.permutation(words) if number else np.arange(words)
        names = [f"w{row}" for row in order] + [f"only{number}"]
        matrix = np.vstack([view[order], np.ones(dimension)])
        found.append(Vectors(names, matrix.astype(np.float32), f"model {number}"))
    return found


@given(seeds)
def test_cosines_have_the_order_of_the_mean_of_z_scored_cosines(seed):
    """Here nothing is lost: the models together have no more dimensions than the largest."""
    models = drawn(seed, 3, 4, 12)
    models[2] = vectors(
        models[2].matrix[:, :5] @ np.random.default_rng(seed).normal(size=(5, 12)), models[2].words
    )
    found = mean_of(models)
    words = found.vectors.words
    assert found.vectors.dimension == 12
    expected = np.mean([z_scored(cosines(each, words)) for each in models], axis=0)
    np.testing.assert_allclose(z_scored(cosines(found.vectors, words)), z_scored(expected), atol=1e-4)
    assert found.kept == pytest.approx(1)


@given(seeds)
def test_spreads_are_those_of_all_pairs_and_weights_even_them_out(seed):
    models = drawn(seed, 5, 9)
    found = mean_of(models)
    for own, spread in zip(models, found.spreads, strict=True):
        assert spread == pytest.approx(cosines(own, found.vectors.words).std(), rel=1e-5)
    assert sum(found.weights) == pytest.approx(1)
    products = [weight * spread for weight, spread in zip(found.weights, found.spreads, strict=True)]
    assert products[0] == pytest.approx(products[1])


def by_definition(models, words):
    """The best approximation of the vectors side by side in as many dimensions as the largest has."""
    side = []
    for own in models:
        rows = np.array([own.matrix[own.index[word]] for word in words], dtype=np.float64)
        side.append(rows / np.linalg.norm(rows, axis=1)[:, None] / np.sqrt(cosines(own, words).std()))
    left, values, right = np.linalg.svd(np.hstack(side), full_matrices=False)
    dimension = max(own.dimension for own in models)
    approximated = (left[:, :dimension] * values[:dimension]) @ right[:dimension]
    return vectors(approximated, words), (values[:dimension] ** 2).sum() / (values**2).sum()


@given(seeds)
def test_it_is_the_truncated_svd_of_vectors_side_by_side(seed):
    models = drawn(seed, 6, 7, 5)
    found = mean_of(models)
    words = found.vectors.words
    expected, kept = by_definition(models, words)
    np.testing.assert_allclose(cosines(found.vectors, words), cosines(expected, words), atol=2e-5)
    assert found.kept == pytest.approx(kept)
    assert found.kept < 1


@given(seeds, st.floats(0.01, 100))
def test_neither_their_order_nor_the_scale_of_one_matters(seed, factor):
    models = drawn(seed, 6, 7, 5)
    found = mean_of(models)
    other = mean_of([models[2], models[0], models[1]])
    assert other.vectors.words == found.vectors.words
    np.testing.assert_allclose(other.vectors.matrix, found.vectors.matrix, atol=2e-5)
    scaled = vectors(models[1].matrix * np.float32(factor), models[1].words)
    np.testing.assert_allclose(
        mean_of([models[0], scaled, models[2]]).vectors.matrix, found.vectors.matrix, atol=2e-5
    )


@given(seeds)
def test_two_copies_of_a_model_have_its_cosines(seed):
    (model,) = drawn(seed, 7)
    found = mean_of([model, model])
    words = found.vectors.words
    assert words == model.words
    np.testing.assert_allclose(cosines(found.vectors, words), cosines(model, words), atol=1e-5)


def test_blocks_and_threads_change_nothing(monkeypatch):
    models = drawn(1, 6, 7, words=50)
    whole = mean_of(models).vectors.matrix
    monkeypatch.setattr(averaging, "BLOCK", 8)
    many = mean_of(models).vectors.matrix
    np.testing.assert_allclose(many, whole, atol=1e-6)
    monkeypatch.setattr(averaging, "cores", lambda: 1)
    assert np.array_equal(mean_of(models).vectors.matrix, many)


def test_words_are_those_of_all_in_the_order_of_their_ranks():
    one, other = vectors(np.eye(4), ["a", "b", "c", "x"]), vectors(np.eye(4), ["b", "y", "c", "a"])
    words, rows = common_words([one, other])
    assert words == ["b", "a", "c"]  # of the common ones, a is word 0 and 2, b 1 and 0, c 2 and 1
    assert [each.tolist() for each in rows] == [[1, 0, 2], [0, 3, 2]]
    assert common_words([other, one])[0] == words


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([vectors(np.eye(3))], "1 model: a mean is of two models or more"),
        (
            [vectors(np.eye(3)), vectors(np.eye(3), ["W0", "W1", "W2"])],
            "no word is in all of them.*upper and lower",
        ),
        (
            [vectors(np.eye(4, 5)), vectors(np.eye(4))],
            "only 4 words are in all of them, and the largest has 5 dim",
        ),
        (
            [vectors(np.eye(4, 3) + 1), vectors(np.ones((4, 3)))],
            "the cosines of all common words are the same",
        ),
    ],
)
def test_models_that_have_no_mean(models, message):
    with pytest.raises(VectorsError, match=message):
        mean_of(models)
