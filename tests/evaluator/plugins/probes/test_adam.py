"""Adam against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.plugins.probes.adam import Adam
from tests.evaluator import definitions


def test_adam_is_as_defined():
    random = np.random.default_rng(1)
    matrix, gradients = random.normal(size=(5, 4)), random.normal(size=(100, 5, 4))
    expected = definitions.adam(matrix, gradients, 0.01)
    adam = Adam(matrix, 0.01)
    for gradient in gradients:
        adam.step(gradient)
    assert matrix == pytest.approx(expected, abs=1e-12)
