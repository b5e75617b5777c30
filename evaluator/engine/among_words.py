"""Similarities of test words to each other, without a pass over the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evaluator.engine.similarities import BLOCK, Doubles, in_double_precision, unit_rows
from evaluator.engine.spelling import Spelled, SpellingSimilarities
from evaluator.engine.vocabulary_lookup import VocabularyLookup

_NO_DIRECTION = 2.0**-40  # a unit vector that is no farther from the mean than this is the mean
_UNIT = 2.0**40  # what stands for 1, so that equal similarities are equal numbers
_AT_A_TIME = 32  # words whose similarities to 4,000 others fit in a cache of 2 MB
MANY = 64
"""Dimensions: of so many, a product is faster for more words at a time, and in single precision."""


def blocks_among(
    lookup: VocabularyLookup, words: Sequence[str], *, centred: bool = False
) -> Iterator[tuple[int, Doubles]]:
    """The similarities of n known words to each other, some words at a time.

    They are cosines; or, of the spelling baseline, K (see `evaluator.engine.spelling`), which is the expected
    cosine of vectors of letters. If they are `centred`, the mean of the unit vectors of all n is taken away
    from each first; a vector that is the mean then has similarity 0 to all. K is centred in the same way,
    without vectors: the cosine of x and y less their mean is
    `(K(x,y) - K(x,·) - K(y,·) + K(·,·)) / √(…)`, with means of K for dots (Schölkopf, Smola and Müller 1998,
    "Nonlinear Component Analysis as a Kernel Eigenvalue Problem", appendix A).

    Yields:
        The number of the first word of a block, and similarities, shape (words in the block, n): whole
        numbers, 2^40 for 1, so that ties are ties. The next block may be in the place of the last one.
    """
    if lookup.letters:
        found = _of_letters(words, centred=centred)
    else:
        found = _of_vectors(units_among(lookup, words, centred=centred))
    for start, block in found:
        for first in range(0, len(block), _AT_A_TIME):
            some = block[first : first + _AT_A_TIME]
            yield start + first, np.rint(some, out=some)


def units_among(lookup: VocabularyLookup, words: Sequence[str], *, centred: bool = False) -> Doubles:
    """The vectors of n known words, whose products are the similarities: of length 2^20, shape (n, d)."""
    vectors = unit_rows(in_double_precision(lookup.queries_of(words), slice(None)))
    if centred:
        vectors -= vectors.mean(axis=0)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(norms, _NO_DIRECTION)
        vectors[norms[:, 0] <= _NO_DIRECTION] = 0.0
    return np.asarray(vectors * np.sqrt(_UNIT))  # a power of two, which changes no digit


def _of_vectors(vectors: Doubles) -> Iterator[tuple[int, Doubles]]:
    step = BLOCK if vectors.shape[1] >= MANY else _AT_A_TIME
    found = np.empty((min(step, len(vectors)), len(vectors)))  # one for all blocks: fresh memory takes long
    for start in range(0, len(vectors), step):
        some = vectors[start : start + step]
        yield start, np.matmul(some, vectors.T, out=found[: len(some)])


def _of_letters(words: Sequence[str], *, centred: bool) -> Iterator[tuple[int, Doubles]]:
    spelled, number = Spelled(words), len(words)
    similarities = SpellingSimilarities(spelled, np.arange(number), spelled)
    found = np.empty((min(_AT_A_TIME, number), number))  # one for all blocks, as above
    none, ones = np.zeros(number), np.ones(number)
    means, whole, norms = none, 0.0, ones
    if centred:
        means, own = none.copy(), none.copy()
        for start in range(0, number, _AT_A_TIME):
            block, here = found[: number - start], slice(start, start + _AT_A_TIME)
            similarities.rows_among(start, none, 0.0, ones, block)
            means[here], own[here] = block.mean(axis=1), block[:, here].diagonal()
        whole = float(means.mean())
        norms = np.sqrt(np.maximum(own - 2 * means + whole, 0.0))
    factors = np.sqrt(_UNIT) / np.where(norms > _NO_DIRECTION, norms, np.inf)
    for start in range(0, number, _AT_A_TIME):
        block = found[: number - start]
        similarities.rows_among(start, means, whole, factors, block)
        yield start, block
