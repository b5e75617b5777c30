"""Frequency bands: the vocabulary, in the order of frequency, cut at each doubling of the rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.engine.similarities import BLOCK, Ints

_PER_BAND = 4


class FrequencyBands:
    """The bands of a vocabulary: the first block of words, the second, two more, four more, eight more, ….

    Blocks are those of the pass over the vocabulary, so that each lies in one band.
    """

    def __init__(self, vocabulary: int) -> None:
        """Cut the vocabulary.

        Args:
            vocabulary: v, the number of words.
        """
        self._vocabulary = vocabulary
        self._blocks = (vocabulary + BLOCK - 1) // BLOCK
        self.number = self.of(vocabulary - 1) + 1
        """How many bands there are."""

    @staticmethod
    def of(row: int) -> int:
        """The band of a vocabulary row."""
        return (row // BLOCK).bit_length()

    def count(self, rows: Ints) -> npt.NDArray[np.int64]:
        """How many of some vocabulary rows are in each band, shape (bands,)."""
        bands = [self.of(row) for row in rows.tolist()]
        return np.bincount(np.array(bands, dtype=np.int64), minlength=self.number)

    def sizes(self) -> npt.NDArray[np.int64]:
        """How many words each band has, shape (bands,)."""
        edges = [0] + [min(BLOCK << band, self._vocabulary) for band in range(self.number)]
        return np.array(edges[1:], dtype=np.int64) - np.array(edges[:-1], dtype=np.int64)

    def sample(self) -> list[int]:
        """The first rows of some blocks, at most four evenly spread over each band."""
        starts = []
        for band in range(self.number):
            first, last = (1 << band) >> 1, min(1 << band, self._blocks)
            chosen = np.linspace(first, last, _PER_BAND, endpoint=False).astype(np.int64)
            starts += [int(block) * BLOCK for block in np.unique(chosen)]
        return starts
