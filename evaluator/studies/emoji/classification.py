"""Description classification: do emoji vectors tell whether a description fits?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.results.emoji import Classification
from evaluator.studies.emoji.descriptions import Bools, Described
from evaluator.vectors import Vectors

Doubles = npt.NDArray[np.float64]


def classify(emoji: Vectors, labelled: Described) -> Classification:
    """Ask for each pair whether the description fits the emoji.

    Its probability is σ(x_i·v_j), x_i being the emoji's vector and v_j the description's (Eisner et al. 2016,
    section 3.2); it is 0.5 or more where the product is 0 or more. Pairs whose emoji has no vector are left
    out.

    Args:
        emoji: Vectors of emoji, shape (e, d).
        labelled: Pairs that fit and pairs that do not, d of each vector the same.

    Raises:
        ScoreError: d differs; or all pairs that are left fit, or none of them does.
    """
    if emoji.dimension != labelled.matrix.shape[1]:
        raise ScoreError(
            f"{emoji.name}: vectors of {emoji.dimension} numbers, and {labelled.matrix.shape[1]} in those of "
            "words; use the word vectors that the emoji were trained with"
        )
    known = np.array([each in emoji.index for each in labelled.emoji], dtype=np.bool_)
    rows = [emoji.index[each] for each in labelled.emoji if each in emoji.index]
    fits = labelled.fits[known]
    if not rows or fits.all() or not fits.any():
        raise ScoreError(
            f"{labelled.name}: of {len(known)} pairs, {len(rows)} have an emoji of {emoji.name}, and "
            f"{fits.sum()} of these fit; there must be some that fit and some that do not"
        )
    products = np.einsum("nd,nd->n", emoji.matrix[rows].astype(np.float64), labelled.sums[known])
    told = float(np.mean((products >= 0) == fits))
    without_emoji = len(known) - len(rows)
    return Classification(told, auc(products, fits), len(rows), labelled.left_out, without_emoji)


def auc(scores: Doubles, truth: Bools) -> float:
    """The area under the ROC curve: how often a true one has a higher score than a false one; a tie is half.

    (R − n₁(n₁+1)/2) / (n₁·n₀), with R the sum of the ranks of the n₁ true ones, equals sharing the mean of
    their ranks: Hanley and McNeil (1982), from the statistic of Mann and Whitney.

    Args:
        scores: Shape (n,).
        truth: Shape (n,), with at least one of each kind.
    """
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    true, false = int(truth.sum()), int((~truth).sum())
    return float((ranks[truth].sum() - true * (true + 1) / 2) / (true * false))
