"""Words that single precision cannot tell apart are compared in double precision, however many they are."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.engine import similarities
from evaluator.engine.similarities import Similarities, best_first, unit_rows

UNSURE = 2.0**-19
WORDS = 3_000
NEEDED, KEPT = 4, 12


@pytest.fixture(scope="module")
def close():
    """Vectors in two dimensions: hundreds are as near to each other as single precision can tell."""
    angles = np.log1p(np.arange(WORDS)) / np.log(WORDS)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def nearest(vectors, rows):
    """The nearest words from the definition: cosines in double precision, ties to the more frequent word."""
    units = unit_rows(vectors.astype(np.float64))
    cosines = np.rint(np.einsum("nd,md->nm", units[rows], units) * 2.0**40)
    return np.lexsort((np.broadcast_to(np.arange(WORDS), cosines.shape), -cosines), axis=1)[:, :NEEDED]


@pytest.mark.parametrize("most", [0, 2**24], ids=["too many to list", "listed"])
def test_the_nearest_are_those_of_the_definition(close, monkeypatch, most):
    monkeypatch.setattr(similarities, "_MOST_LISTED", most)
    rows = np.array([0, 1, 7, 500, 1_234, 2_500, WORDS - 1])
    pairs = Similarities(close[rows], rows, close, "cosine")
    values = unit_rows(close[rows]) @ unit_rows(close).T
    some = np.argsort(-values, axis=1, kind="stable")[:, :KEPT]
    found = best_first(
        np.take_along_axis(values, some, 1), some, NEEDED, KEPT, WORDS, UNSURE, pairs.exactly, pairs.at_least
    )
    assert (found[:, :NEEDED] == nearest(close, rows)).all()
    assert (some[:, :NEEDED] != nearest(close, rows)).any(), "single precision orders these as well"


def test_words_that_are_as_similar_as_a_value(close, monkeypatch):
    rows = np.array([3, 900])
    pairs = Similarities(close[rows], rows, close, "cosine")
    least = np.array([0.9, 0.9999], dtype=np.float32)
    cosines = unit_rows(close[rows]) @ unit_rows(close).T
    expected = [np.flatnonzero(own >= value).tolist() for own, value in zip(cosines, least, strict=True)]
    assert [each.tolist() for each in pairs.at_least(np.arange(2), least)] == expected
    monkeypatch.setattr(similarities, "_SIMILARITIES_AT_A_TIME", 600)  # several blocks
    assert [each.tolist() for each in pairs.at_least(np.arange(2), least)] == expected
    assert [each.tolist() for each in pairs.at_least(np.arange(2), np.array([2.0, 2.0]))] == [[], []]


@pytest.mark.parametrize("length", [1e-38, 1e-30, 1e-22, 1e-19, 1e-13, 1e-11, 1, 1e15, 1e25, 1e37])
@pytest.mark.parametrize("others", [1, 1e-25])
def test_lengths_are_right_whatever_the_squares_are(length, others):
    """Squares of numbers below 1e-19 are less than single precision can hold to all digits, or zero."""
    directions = np.random.default_rng(4).normal(size=(50, 7))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    vectors = (directions * np.where(np.arange(50) % 2, length, others)[:, None]).astype(np.float32)
    double = vectors.astype(np.float64)
    expected = double / np.linalg.norm(double, axis=1, keepdims=True)
    found = unit_rows(vectors)
    assert found.dtype == np.float32
    assert found == pytest.approx(expected, abs=1e-6)
    pairs = Similarities(vectors, np.arange(50), vectors, "cosine")
    assert pairs.block(0)[1] == pytest.approx(expected @ expected.T, abs=1e-6)


def test_vectors_of_zeros_stay():
    assert unit_rows(np.array([[0, 0], [1e-25, 0]], np.float32)).tolist() == [[0, 0], [1, 0]]


def test_words_that_are_as_near_by_their_numbers_tie_however_the_query_is_rounded():
    """(1, 2, 3) has the product 1 with (1, 0, 0) and (2, 2, -1)/3; at length 1 it has no exact digits."""
    words = np.array([[1, 2, 3], [2, 2, -1], [1, 0, 0], [5, 5, -2.5]], dtype=np.float32)
    pairs = Similarities(words[:1], np.array([0]), words, "cosine")
    _, first, second, third = pairs.exactly(np.array([0]), np.arange(4)[None])[0]
    assert first == second == third
