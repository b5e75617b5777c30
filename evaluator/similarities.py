"""Similarities of test words to the vocabulary, block by block: the one thing that the measures rest on.

Similarities are numbers on a fixed grid (multiples of 2^-40, held as whole numbers in float64). So sums
of them are exact, the same pair of vectors gives the same number in whatever block it is met, and a tie
is a tie.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError

Kind = Literal["cosine", "euclidean"]
Floats = npt.NDArray[np.float64]

_GRID = 2.0**40
_BLOCK = 4096
_CELLS = 2**22  # similarities held at a time: 32 MB


class Similarities:
    """Similarities of q test words to v vocabulary words.

    With `cosine`, x·t of unit vectors. With `euclidean`, -|x - t|²/2 of the raw vectors, all scaled by one
    factor; it takes the place of x·t in every comparison of sums over S, because the norms cancel out.
    """

    def __init__(
        self, queries: npt.NDArray[np.float32], vocabulary: npt.NDArray[np.float32], kind: Kind
    ) -> None:
        """Prepare the test words.

        Args:
            queries: Raw vectors of the test words, shape (q, d).
            vocabulary: Raw vectors of the vocabulary, shape (v, d).
            kind: What to compute.

        Raises:
            ScoreError: A vector is not finite; raised by `blocks` for the vocabulary if the kind is `cosine`.
        """
        self._kind = kind
        self._vocabulary = vocabulary
        # One factor for all raw vectors keeps them within the grid; comparisons do not notice it.
        self._scale = 1.0 if kind == "cosine" else 1.0 / _longest(queries, vocabulary)
        self._queries = self._ready(queries)

    def among(self, rows: npt.NDArray[np.intp]) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        return self._similarities(self._queries[rows], self._queries[rows])

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """The vocabulary in order: the row of a block's first word, and similarities (q, block)."""
        size = max(1, min(_BLOCK, _CELLS // max(1, len(self._queries))))
        for start in range(0, len(self._vocabulary), size):
            words = self._ready(self._vocabulary[start : start + size])
            yield start, self._similarities(self._queries, words)

    def _ready(self, vectors: npt.NDArray[np.float32]) -> Floats:
        ready = vectors.astype(np.float64)
        if self._kind == "euclidean":
            return ready * self._scale
        norms = _finite(_norms(ready))
        return ready / np.where(norms == 0, 1, norms)[:, None]

    def _similarities(self, queries: Floats, words: Floats) -> Floats:
        similar = queries @ words.T
        if self._kind == "euclidean":
            similar -= _norms(queries)[:, None] ** 2 / 2
            similar -= _norms(words) ** 2 / 2
        similar *= _GRID
        return np.rint(similar, out=similar)


def _norms(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def _finite(norms: Floats) -> Floats:
    """Refuses NaN and infinity: no comparison with them is true, so they would pass for misses."""
    if not np.isfinite(norms).all():
        raise ScoreError(
            'a vector holds NaN or infinity; leave such rows out, as load_vectors(…, bad_rows="drop") does'
        )
    return norms


def _longest(*matrices: npt.NDArray[np.float32]) -> float:
    norms = [
        _finite(_norms(matrix[start : start + _BLOCK].astype(np.float64))).max()
        for matrix in matrices
        for start in range(0, len(matrix), _BLOCK)
    ]
    return float(max(norms, default=1.0)) or 1.0
