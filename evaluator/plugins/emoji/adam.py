"""Adam, the optimizer, for matrices of which each step changes a few rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]
Ints = npt.NDArray[np.intp]

MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8
"""β₁, β₂ and ε as recommended by Kingma and Ba (2015)."""


class RowAdam:
    """Adam (Kingma and Ba 2015) for steps whose gradient is not 0 in a few rows only; in float32.

    It changes the parameters in place. With m and v the decaying means of gradients and of their squares,
    Adam also moves rows without a gradient, as their m decays slowly. With the step size
    a_t = rate·√(1−β₂ᵗ)/(1−β₁ᵗ) (the form at the end of section 2), j steps without a gradient move a row by

        −m/√v · Σ_j a_{t+j} · (β₁/√β₂)ʲ

    So the sum is all that has to be stored for a row until its value is needed. Results are those of Adam
    up to rounding, and up to where the tiny ε is added.
    """

    def __init__(self, matrix: Matrix, rate: float) -> None:
        self._matrix, self._rate, self._steps = matrix, rate, 0
        self._mean, self._square = np.zeros_like(matrix), np.zeros_like(matrix)
        self._moved = np.zeros(len(matrix), dtype=np.int64)
        self._owed = np.zeros(len(matrix))
        self._decay = np.ones(len(matrix))

    def current(self, rows: Ints) -> Matrix:
        """Bring some rows up to date, each named once, and return them, shape (r, d)."""
        mean, square = self._mean[rows], self._square[rows]
        gone = (self._steps - self._moved[rows])[:, None]
        owed = self._owed[rows].astype(np.float32)[:, None]
        self._matrix[rows] -= owed * mean / (np.sqrt(square) + np.float32(EPSILON))
        self._mean[rows] = mean * (MEAN_DECAY**gone).astype(np.float32)
        self._square[rows] = square * (SQUARE_DECAY**gone).astype(np.float32)
        self._owed[rows] = 0
        self._decay[rows] = 1
        self._moved[rows] = self._steps
        return np.asarray(self._matrix[rows])

    def step_rows(self, rows: Ints, gradient: Matrix) -> None:
        """Take a step with a gradient of shape (r, d), for rows that are up to date, each named once."""
        self._steps += 1
        size = self._rate * np.sqrt(1 - SQUARE_DECAY**self._steps) / (1 - MEAN_DECAY**self._steps)
        mean = np.float32(MEAN_DECAY) * self._mean[rows] + np.float32(1 - MEAN_DECAY) * gradient
        square = np.float32(SQUARE_DECAY) * self._square[rows] + np.float32(1 - SQUARE_DECAY) * gradient**2
        self._mean[rows], self._square[rows] = mean, square
        self._matrix[rows] -= np.float32(size) * mean / (np.sqrt(square) + np.float32(EPSILON))
        self._decay *= MEAN_DECAY / SQUARE_DECAY**0.5
        self._owed += size * self._decay
        self._decay[rows], self._owed[rows], self._moved[rows] = 1, 0, self._steps
