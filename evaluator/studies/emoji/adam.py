"""Adam for a matrix of which each step touches a few rows."""

from __future__ import annotations

import numpy as np

from evaluator.studies.emoji.descriptions import Floats, Ints

MEAN_DECAY = 0.9
SQUARE_DECAY = 0.999
EPSILON = 1e-8


class RowAdam:
    """Adam (Kingma and Ba 2015, algorithm 1, in the form at the end of their section 2), row by row.

    Step t moves the parameters by −a_t · m/(√v + ε), a_t = rate·√(1−β₂ᵗ)/(1−β₁ᵗ), where m and v are the
    decaying means of gradients and of their squares, β₁ = 0.9, β₂ = 0.999 and ε = 1e-8. It moves rows without
    a gradient too, for their m decays slowly. What a row owes for j steps without a gradient is

        m/√v · Σ_j a_{t+j} · (β₁/√β₂)ʲ

    so that a sum for each row is all there is to keep, and the row itself is moved when it is next needed.
    The result is that of moving all rows in each step, but for where ε, next to nothing, is added.
    """

    def __init__(self, matrix: Floats, rate: float) -> None:
        """Begin with step 0.

        Args:
            matrix: The parameters, shape (n, d); changed in place.
            rate: The learning rate.
        """
        self._matrix = matrix
        self._rate = rate
        self._mean = np.zeros_like(matrix)
        self._square = np.zeros_like(matrix)
        self._steps = 0
        self._moved = np.zeros(len(matrix), dtype=np.int64)
        self._owed = np.zeros(len(matrix))
        self._decay = np.ones(len(matrix))

    def settled(self, rows: Ints) -> Floats:
        """Bring rows, each named once, up to date.

        Returns:
            What they are now, shape (r, d).
        """
        mean, square = self._mean[rows], self._square[rows]
        gone = (self._steps - self._moved[rows])[:, None]
        owed = self._owed[rows].astype(np.float32)[:, None]
        self._matrix[rows] -= owed * mean / (np.sqrt(square) + np.float32(EPSILON))
        self._mean[rows] = mean * (MEAN_DECAY**gone).astype(np.float32)
        self._square[rows] = square * (SQUARE_DECAY**gone).astype(np.float32)
        self._owed[rows] = 0
        self._decay[rows] = 1
        self._moved[rows] = self._steps
        return self._matrix[rows]

    def step(self, rows: Ints, gradient: Floats) -> None:
        """Take a step.

        Args:
            rows: The rows that have a gradient, each once, all of them settled since the last step.
            gradient: Shape (r, d).
        """
        self._steps += 1
        size = self._rate * np.sqrt(1 - SQUARE_DECAY**self._steps) / (1 - MEAN_DECAY**self._steps)
        mean = np.float32(MEAN_DECAY) * self._mean[rows] + np.float32(1 - MEAN_DECAY) * gradient
        square = np.float32(SQUARE_DECAY) * self._square[rows] + np.float32(1 - SQUARE_DECAY) * gradient**2
        self._mean[rows], self._square[rows] = mean, square
        self._matrix[rows] -= np.float32(size) * mean / (np.sqrt(square) + np.float32(EPSILON))
        self._decay *= MEAN_DECAY / SQUARE_DECAY**0.5
        self._owed += size * self._decay
        self._decay[rows], self._owed[rows], self._moved[rows] = 1, 0, self._steps
