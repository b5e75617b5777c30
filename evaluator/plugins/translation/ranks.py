"""Which words of another language are nearest to a word: ranks of right answers, and what CSLS subtracts."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from evaluator.plugins import Doubles, Floats, Ints, Machine, Rows, Similarities, cores, unit_rows

NEIGHBOURS = 10
"""The k of CSLS (Conneau et al. 2018)."""

_WORDS, _OTHERS = 512, 2048  # in a block: its similarities fit in a core's cache
_UNSURE = 2.0**-19  # single precision may order words wrongly whose similarities differ by less than this
_EXACT = 2.0**40  # what `Similarities.exactly` gives for a cosine of 1
_ROUNDED = 2.0**-20  # means of single precision are rounded, so that those of equal words are equal
_PAIRS_AT_A_TIME = 4096


def procrustes(vectors: Floats, others: Floats) -> npt.NDArray[np.float32]:
    """The orthogonal matrix W for which the rows of vectors·W are nearest to others (Schönemann 1966).

    W = U·Vᵀ, of shape (d, d), from the singular value decomposition U·Σ·Vᵀ of vectorsᵀ·others, which are of
    shape (n, d), all at length 1 (Xing et al. 2015). Of fewer than d pairs, it is one of many equally near.
    """
    covariance = unit_rows(vectors.astype(np.float64)).T @ unit_rows(others.astype(np.float64))
    left, _, right = np.linalg.svd(covariance)
    return np.asarray(left @ right, dtype=np.float32)


def mean_of_nearest(
    words: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    rotation: npt.NDArray[np.float32] | None = None,
    machine: Machine = Machine(),
    k: int = NEIGHBOURS,
) -> npt.NDArray[np.float32]:
    """The mean cosine of each word to its k nearest words of another language: r(y) of CSLS.

    Args:
        words: Raw vectors, shape (n, d).
        others: Raw vectors of the other language, shape (m, d).
        rotation: W, which takes others to the space of words; None if they are in one.
        machine: How many threads, and who is told of progress. The means do not depend on it.
        k: How many; all if there are fewer.
    """
    from evaluator.plugins import keep_nearest

    unit, k = unit_rows(others), min(k, len(others))
    found = np.empty(len(words), dtype=np.float32)

    def read_block(start: int) -> None:
        block = unit_rows(words[start : start + _WORDS])
        turned = block if rotation is None else block @ rotation.T
        asked = np.arange(len(block))
        values = np.full((len(block), k), -np.inf, dtype=np.float32)
        rows = np.full((len(block), k), -1, dtype=np.int64)
        for first in range(0, len(unit), _OTHERS):
            similar = turned @ unit[first : first + _OTHERS].T
            keep_nearest(similar, asked, first, np.full(len(block), -1), values, rows)
        found[start : start + _WORDS] = np.rint(values.mean(axis=1, dtype=np.float64) / _ROUNDED) * _ROUNDED

    starts = range(0, len(words), _WORDS)
    with ThreadPoolExecutor(machine.threads or cores()) as pool:
        for done, _ in enumerate(pool.map(read_block, starts), 1):
            machine.progress(done / len(starts))
    return found


class AnswerRanks:
    """Counts the words that are nearer to a question than its best right answer, block by block.

    A word's value is its cosine; with CSLS `2·cos(x, y) - r(y)`, which orders words like equation 2 of
    Conneau et al. (2018): r(x) is the same for all of them. Of equal values the more frequent word is nearer.
    What single precision cannot tell apart is compared again in double precision.
    """

    def __init__(self, answers: Sequence[Rows], penalties: npt.NDArray[np.float32] | None = None) -> None:
        """Take the questions."""
        most = max(map(len, answers))
        self._answers = np.array([[*rows, *[rows[0]] * (most - len(rows))] for rows in answers])
        self._penalties = penalties
        self._scale = 1.0 if penalties is None else 2.0

    def prepare(self, similarities: Similarities) -> None:
        """Find the best right answer to each question, and its value."""
        self._similarities = similarities
        values = self._exactly(np.arange(len(self._answers)), self._answers)
        self._best: Doubles = values.max(axis=1)
        never = np.iinfo(np.int64).max
        self._row = np.where(values == self._best[:, None], self._answers, never).min(axis=1)

    def begin(self) -> Ints:
        """How many words are nearer, shape (questions,)."""
        return np.zeros(len(self._answers), dtype=np.int64)

    def add(self, state: Ints, start: int, similarities: Floats) -> None:
        """Count the nearer words of a block."""
        values = similarities
        if self._penalties is not None:
            values = 2 * similarities - self._penalties[start : start + similarities.shape[1]]
        best = (self._best / _EXACT).astype(np.float32)[:, None]
        margin = np.float32(self._scale * _UNSURE)
        surely = values > best + margin
        state += surely.sum(axis=1)
        questions, words = np.nonzero((values > best - margin) & ~surely)
        for first in range(0, len(questions), _PAIRS_AT_A_TIME):
            some = slice(first, first + _PAIRS_AT_A_TIME)
            asked, rows = questions[some], start + words[some]
            exact, level = self._exactly(asked, rows[:, None])[:, 0], self._best[asked]
            nearer = (exact > level) | ((exact == level) & (rows < self._row[asked]))
            np.add.at(state, asked[nearer], 1)

    def _exactly(self, questions: Ints, rows: Ints) -> Doubles:
        """Values in double precision, rounded so that ties are equal; shape (questions, rows each)."""
        values = self._scale * self._similarities.exactly(questions, rows)
        return values if self._penalties is None else values - self._penalties[rows] * _EXACT
