"""Rank correlations of a few pairs of values, and their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation; None if all values of one side are equal."""
    from scipy.stats import spearmanr

    first, second = zip(*pairs, strict=True)
    constant = len(set(first)) == 1 or len(set(second)) == 1
    return None if constant else float(spearmanr(first, second).statistic)


def spearman_interval(value: float, n: int) -> tuple[float, float]:
    """The 95% confidence interval of a rank correlation: Fisher's z with the variance (1+r²/2)/(n-3).

    The source is Bonett & Wright 2000, "Sample Size Requirements for Estimating Pearson, Kendall and Spearman
    Correlations".
    """
    middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    half = 1.959964 * np.sqrt((1 + value**2 / 2) / (n - 3))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))
