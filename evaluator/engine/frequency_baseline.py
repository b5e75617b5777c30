"""The frequency baseline: a "model" that knows nothing of words but how frequent they are."""

from __future__ import annotations

import numpy as np

from evaluator.vectors import Vectors


def frequency_baseline(vectors: Vectors) -> Vectors:
    """Vectors in which words are the more similar, the closer they are in frequency.

    What a measure gives them is what comparing words by frequency alone gets, and scores are to be read
    against it. The word of rank r (from 0) of v lies on a quarter of a circle at the angle
    `π/2 · log(1+r) / log(1+v)`: by Zipf's law log rank stands for log frequency, and the cosine of two words
    falls with the difference of their log ranks.

    Args:
        vectors: Whose vocabulary, in the order of frequency.

    Returns:
        The same vocabulary, with two dimensions and without subwords.
    """
    rank = np.arange(len(vectors), dtype=np.float64)
    angle = np.pi / 2 * np.log1p(rank) / np.log1p(len(vectors))
    matrix = np.column_stack((np.cos(angle), np.sin(angle))).astype(np.float32)
    return Vectors(vectors.words, matrix, f"frequency baseline of {vectors.name}")
