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

Kind = Literal["cosine", "euclidean"]
Floats = npt.NDArray[np.float64]

_GRID = 2.0**40
_BLOCK = 4096


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
        """
        self._kind = kind
        self._vocabulary = vocabulary
        # One factor for all raw vectors keeps them within the grid; comparisons do not notice it.
        self._scale = 1.0 if kind == "cosine" else 1.0 / _longest(queries, vocabulary)
        self._queries = self._ready(queries)

    @property
    def among_queries(self) -> Floats:
        """Similarities of the test words to each other, shape (q, q)."""
        return self._similarities(self._queries)

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """The vocabulary in order: the row of a block's first word, and similarities (q, block)."""
        for start in range(0, len(self._vocabulary), _BLOCK):
            yield start, self._similarities(self._ready(self._vocabulary[start : start + _BLOCK]))

    def _ready(self, vectors: npt.NDArray[np.float32]) -> Floats:
        ready = vectors.astype(np.float64)
        if self._kind == "euclidean":
            return ready * self._scale
        norms = _norms(ready)
        return ready / np.where(norms == 0, 1, norms)[:, None]

    def _similarities(self, words: Floats) -> Floats:
        similar = self._queries @ words.T
        if self._kind == "euclidean":
            similar -= _norms(self._queries)[:, None] ** 2 / 2
            similar -= _norms(words) ** 2 / 2
        similar *= _GRID
        return np.rint(similar, out=similar)


def _norms(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def _longest(*matrices: npt.NDArray[np.float32]) -> float:
    norms = [
        _norms(matrix[start : start + _BLOCK].astype(np.float64)).max()
        for matrix in matrices
        for start in range(0, len(matrix), _BLOCK)
    ]
    return float(max(norms, default=1.0)) or 1.0
