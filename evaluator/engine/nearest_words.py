"""The nearest words, in their right order: what single precision cannot tell apart is compared again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evaluator.engine.similarities import Floats

Ints = npt.NDArray[np.int64]

_ROWS_AT_A_TIME = 512


def best_first(
    values: Floats,
    words: Ints,
    needed: int,
    kept: int,
    vocabulary: int,
    unsure: float,
    exactly: Callable[[Ints, Ints], npt.NDArray[np.float64]],
) -> Ints:
    """Words by how near they are, those equally near by frequency.

    Args:
        values: How near words are in single precision, in any order, shape (n, m).
        words: Their rows in the vocabulary, shape (n, m).
        needed: How many of the first must be right.
        kept: How many of the nearest are certain to be among these words, give or take what is unsure.
        vocabulary: v, the number of words in the vocabulary.
        unsure: Single precision may put words in the wrong order that are less far apart than this, relative
            to the greatest value if that is above 1.
        exactly: How near words are in double precision, rounded so that ties are ties: from rows of `values`,
            shape (r,), and words, shape (r, any), to the shape of the words.

    Returns:
        The nearest first, shape (n, kept); of those, `needed` in their right order.
    """
    order = np.argsort(-values, axis=1, kind="stable")[:, :kept]
    values, words = np.take_along_axis(values, order, 1), np.take_along_axis(words, order, 1)
    margin = unsure * np.maximum(1, np.abs(values[:, :1]))

    def again(rows: Ints, some: Ints) -> Ints:
        return np.take_along_axis(some, np.lexsort((some, -exactly(rows, some)), axis=1), 1)

    close = np.flatnonzero((values[:, :-1] - values[:, 1:] < margin).any(axis=1))
    for start in range(0, len(close), _ROWS_AT_A_TIME):
        rows = close[start : start + _ROWS_AT_A_TIME]
        words[rows] = again(rows, words[rows])
    if kept < vocabulary:
        # Where so many are close that one of the nearest may not be among those kept, all are compared.
        every = np.arange(vocabulary)[None, :]
        for row in np.flatnonzero(values[:, needed - 1] - values[:, -1] < margin[:, 0]):
            words[row] = again(np.array([row]), every)[0, :kept]
    return words
