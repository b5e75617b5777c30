"""Combined: one number from Topk and OddOneOut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.measures.base import Subscore
from evaluator.statistics.resampling import mean_replicates

SMOOTHING = 0.0001
"""The paper adds this to each rate, so that one score of 0 does not hide the other."""


def combined(topk: float, oddoneout: float, smoothing: float = SMOOTHING) -> float:
    """The harmonic mean of two scores, after a small number is added to each.

    `2·(a+ε)·(b+ε) / (a+b+2ε)`: with rates and ε = 0.0001, Table 1 of the later version of the paper
    "Evaluating Word Embeddings on Low-Resource Languages"; with raw counts and ε = 1, that of the earlier.

    Args:
        topk: The Topk score, a rate from 0 to 1 or a raw count.
        oddoneout: The OddOneOut score, likewise.
        smoothing: ε.
    """
    a, b = topk + smoothing, oddoneout + smoothing
    value = 2 * a * b / (a + b) if a + b else 0.0
    # The mean of two rates is a rate, too: what was added must not raise it above 1.
    return min(value, 1.0) if max(topk, oddoneout) <= 1 and smoothing < 1 else value


def combined_replicates(topk: Sequence[Subscore], oddoneout: Sequence[Subscore], seed: int) -> Doubles:
    """Replicates of Combined, shape (resamples,); both measures have the same words drawn again.

    Args:
        topk: The scored categories of Topk.
        oddoneout: Those of OddOneOut.
        seed: Of the draws.
    """
    drawn = [np.clip(mean_replicates(subscores, seed), 0, 1) for subscores in (topk, oddoneout)]
    return np.array([combined(*pair) for pair in zip(*drawn, strict=True)])
