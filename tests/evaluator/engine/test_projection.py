"""Vectors in two dimensions: beside their definition, and the same whatever a library does."""

from __future__ import annotations

import numpy as np

from evaluator.engine.projection import principal_plane


def test_the_plane_is_that_of_the_eigenvectors_of_the_covariance():
    vectors = np.random.default_rng(1).normal(size=(40, 5)) * [5, 3, 1, 1, 1]
    points, explained = principal_plane(vectors)
    values, directions = np.linalg.eigh(np.cov(vectors.T))
    expected = (vectors - vectors.mean(axis=0)) @ directions[:, [-1, -2]]
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-9)
    np.testing.assert_allclose(explained, values[[-1, -2]] / values.sum())


def test_the_plane_does_not_depend_on_signs_that_a_library_chooses():
    vectors = np.random.default_rng(1).normal(size=(9, 3))
    turned = principal_plane(vectors[::-1])[0][::-1]
    np.testing.assert_allclose(principal_plane(vectors)[0], turned, atol=1e-9)
