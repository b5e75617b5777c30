"""Adam, the optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]

MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8
"""β₁, β₂ and ε as recommended by Kingma and Ba (2015)."""


class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1), for parameters that it changes in place.

    With m and v the decaying means of gradients and of their squares, step t moves the parameters by
    −rate · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + ε).
    """

    def __init__(self, matrix: Matrix, rate: float) -> None:
        self._matrix, self._rate, self._steps = matrix, rate, 0
        self._mean, self._square = np.zeros_like(matrix), np.zeros_like(matrix)

    def step(self, gradient: Matrix) -> None:
        """Take a step with a gradient of shape (n, d)."""
        self._steps += 1
        self._mean += (1 - MEAN_DECAY) * (gradient - self._mean)
        self._square += (1 - SQUARE_DECAY) * (gradient**2 - self._square)
        spread = np.sqrt(self._square / (1 - SQUARE_DECAY**self._steps)) + EPSILON
        self._matrix -= self._rate * self._mean / (1 - MEAN_DECAY**self._steps) / spread
