"""Frequency of words: neighbours in rank, and a baseline that knows nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.engine.similarities import Doubles, Rows
from evaluator.vectors import Vectors, VectorsLike, as_vectors

NEIGHBOURS = 5
"""How many neighbours in rank a word has on each side."""


def rank_neighbours(rows: Rows, vocabulary: int) -> npt.NDArray[np.int64]:
    """The words next in rank to each of some words, and none of these: half of them above, half below.

    At an end of the vocabulary, where one side has too few words, the others come from the other side. A word
    that is not in the vocabulary has the row -1, and is rarer than all that are.

    Returns:
        Vocabulary rows in ascending order, shape (n, 2·NEIGHBOURS), or with fewer columns if the vocabulary
        has fewer other words.
    """
    members = np.sort(rows[rows >= 0])
    others = vocabulary - len(members)
    # Numbers among the other words: how many of them are above each word, then those of the neighbours.
    above = np.where(rows < 0, others, rows - np.searchsorted(members, rows))
    width = min(2 * NEIGHBOURS, others)
    chosen = np.clip(above - NEIGHBOURS, 0, others - width)[:, None] + np.arange(width)
    return np.asarray(chosen + np.searchsorted(members - np.arange(len(members)), chosen, side="right"))


def frequency_baseline(vectors: VectorsLike) -> Vectors:
    """Vectors in which words of similar frequency are similar, to compare scores with.

    Their score is what comparing words by frequency alone gives. The word of rank r (from 0) of v is on a
    quarter of a circle at the angle
    `π/2 · log(1+r) / log(1+v)`: by Zipf's law log rank stands for log frequency, and the cosine of two words
    falls with the difference of their log ranks.

    Args:
        vectors: Have the vocabulary, in the order of frequency; anything that `as_vectors` takes.

    Returns:
        The same vocabulary, with two dimensions and without subwords.
    """
    vectors = vectors if isinstance(vectors, Vectors) else as_vectors(vectors)
    return on_circle(vectors, angles_of_ranks(len(vectors)))


def angles_of_ranks(vocabulary: int) -> Doubles:
    """The angles of the frequency baseline, shape (vocabulary,)."""
    return np.asarray(np.pi / 2 * np.log1p(np.arange(vocabulary)) / np.log1p(vocabulary))


def on_circle(vectors: Vectors, angles: Doubles) -> Vectors:
    """The same words, at angles of a circle, shape (v,)."""
    matrix = np.column_stack((np.cos(angles), np.sin(angles))).astype(np.float32)
    return Vectors(vectors.words, matrix, f"frequency baseline of {vectors.name}", checked=vectors.checked)


@dataclass(frozen=True)
class Circle:
    """Words at angles of a circle, whose nearest words are those next in rank."""

    words: Doubles  # the angles of the vocabulary, in ascending order, shape (v,)
    queries: Doubles  # those of the test words, shape (q,)

    @classmethod
    def of(cls, words: Doubles, queries: npt.NDArray[np.float32], vocabulary_rows: Rows) -> Circle:
        """With test words of vectors of shape (q, 2), some of which are in the vocabulary."""
        built = np.arctan2(queries[:, 1], queries[:, 0])
        return cls(words, np.where(vocabulary_rows < 0, built, words[vocabulary_rows]))

    def around(self, rows: Rows, least: int) -> npt.NDArray[np.int64]:
        """At least so many words next in rank to each test word, with all that are as near; (n, any)."""
        # The cosines of so many are equal in double precision.
        each_side = least + max(64, len(self.words) >> 16)
        width = min(2 * each_side + 1, len(self.words))
        places = np.searchsorted(self.words, self.queries[rows]) - each_side
        return np.clip(places, 0, len(self.words) - width)[:, None] + np.arange(width)
