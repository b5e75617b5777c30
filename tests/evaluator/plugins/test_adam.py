"""Adam on whole matrices, and on a few rows in each step."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.plugins.adam import Adam, RowAdam


def by_definition(matrix, gradients, rate):
    """Kingma and Ba, algorithm 1."""
    x, m, v = matrix.astype(np.float64), 0, 0
    for t, gradient in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return x


def test_adam_is_as_defined():
    random = np.random.default_rng(1)
    matrix, gradients = random.normal(size=(5, 4)), random.normal(size=(100, 5, 4))
    expected = by_definition(matrix, gradients, 0.01)
    adam = Adam(matrix, 0.01)
    for gradient in gradients:
        adam.step(gradient)
    assert matrix == pytest.approx(expected, abs=1e-12)


def test_adam_by_rows_is_adam():
    random = np.random.default_rng(2)
    matrix = random.normal(size=(20, 6)).astype(np.float32)
    before, gradients = matrix.copy(), []
    adam = RowAdam(matrix, 0.01)
    for _ in range(400):
        rows = np.sort(random.choice(19, size=3, replace=False))  # the last row never has a gradient
        adam.current(rows)
        gradient = np.zeros_like(matrix)
        gradient[rows] = random.normal(size=(3, 6))
        adam.step_rows(rows, gradient[rows])
        gradients.append(gradient.astype(np.float64))
    adam.current(np.arange(20))
    assert np.abs(matrix - before)[:19].min() > 1e-4
    assert np.array_equal(matrix[19], before[19])
    assert matrix == pytest.approx(by_definition(before, gradients, 0.01), abs=2e-5)
