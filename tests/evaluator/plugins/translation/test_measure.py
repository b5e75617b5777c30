"""The chance level of translation against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evaluator.measures import parse_measure
from evaluator.plugins.translation.measure import chance_of_ranks


@pytest.mark.parametrize("text", ["Translation@1", "Translation@3", "MRR"])
def test_the_chance_level_is_the_mean_over_all_orders(text):
    measure, v = parse_measure(text), 6
    for answers in range(1, v + 1):
        best = [min(some) + 1 for some in itertools.combinations(range(v), answers)]
        expected = measure.values(np.array(best, dtype=float)).mean()
        assert chance_of_ranks(measure, answers, v) == pytest.approx(expected)
