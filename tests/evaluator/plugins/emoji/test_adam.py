"""Adam of a few rows in each step, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.plugins.emoji.adam import RowAdam
from tests.evaluator import definitions


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
    assert matrix == pytest.approx(definitions.adam(before, gradients, 0.01), abs=2e-5)
