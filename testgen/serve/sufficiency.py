"""How many words are enough: as many as make the confidence interval of a score narrow."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

HALF_WIDTH = 0.1
"""To each side of a score of one half, where the 95% confidence interval is widest."""

_QUANTILE = NormalDist().inv_cdf(0.975)
_DESIGN_EFFECT = 2.0
"""Words of a category vary together: intervals of `evaluator score` on 979 words (README.md) are 1.4 times as
wide as those for as many independent words."""

K = 3


def needed() -> dict[str, int]:
    """The number of words that each measure needs.

    The half-width of Wilson's interval for a share of one half is z / (2 √(n + z²)), with n words that are
    right or wrong. OddOneOut is a mean over subsets of k words, right with a probability q each, q^k = 1/2:
    the variance is that of the mean of n words, times k² (1 − q) / q (Hoeffding 1948).
    """
    words = _DESIGN_EFFECT * _QUANTILE**2 * (1 / (2 * HALF_WIDTH) ** 2 - 1)
    q = 0.5 ** (1 / K)
    return {"Topk": ceil(words), "OddOneOut": ceil(words * K**2 * (1 - q) / q)}


def enough_for(words: int) -> list[str]:
    """The measures for which so many words are enough."""
    return [measure for measure, least in needed().items() if words >= least]
