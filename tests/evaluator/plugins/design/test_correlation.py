"""Rank correlations against their definition, and how often their intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.plugins.design.item_analysis import spearman, spearman_interval


def test_spearman_is_its_definition():
    """Pearson's correlation of the ranks, where equal values share the mean of theirs."""
    pairs = np.random.default_rng(0).integers(0, 5, size=(12, 2)).astype(float)
    below, equal = ((pairs[None] < pairs[:, None]).sum(1), (pairs[None] == pairs[:, None]).sum(1))
    ranks = below + (equal + 1) / 2
    assert spearman(pairs.tolist()) == pytest.approx(np.corrcoef(ranks.T)[0, 1])
    assert spearman([(1.0, 2.0), (1.0, 3.0)]) is None


def test_intervals_hold_what_they_promise():
    """Of pairs of normal variables with a known correlation, 95 of 100 intervals hold it."""
    generator = np.random.default_rng(1)
    truth = 6 / np.pi * np.arcsin(0.5 / 2)  # Spearman's, of Pearson's 0.5
    held = 0
    for _ in range(1000):
        x = generator.normal(size=15)
        y = 0.5 * x + np.sqrt(0.75) * generator.normal(size=15)
        low, high = spearman_interval(spearman(list(zip(x, y, strict=True))) or 0.0, 15)
        held += low <= truth <= high
    assert held / 1000 == pytest.approx(0.95, abs=0.02)
