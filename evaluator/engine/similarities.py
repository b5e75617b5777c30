"""Similarities of test words to the vocabulary, block by block: the one thing that the measures rest on."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.execution.processes import cores

Kind = Literal["cosine", "euclidean"]
Floats = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]

COMPARISONS_PER_SECOND = 1e10
"""What one core can be expected to do, for estimates."""

BLOCK = 256
"""Words of the vocabulary at a time: similarities of a thousand test words to them fit in a core's cache."""

_WORDS_AT_A_TIME = 4096
_QUERIES_AT_A_TIME = 512


class Similarities:
    """Similarities of q test words to v vocabulary words.

    With `cosine`, x·t of unit vectors, in single precision. With `euclidean`, -|x - t|²/2 of the raw vectors,
    in double precision (they are small differences of large numbers), all scaled by one factor; it takes the
    place of x·t in every comparison of sums over S, because the norms cancel out.

    Attributes:
        tie: Sums of two similarities that are no further apart than this are equal.
    """

    def __init__(
        self,
        queries: npt.NDArray[np.float32],
        vocabulary_rows: Rows,
        vocabulary: npt.NDArray[np.float32],
        kind: Kind,
    ) -> None:
        """Prepare the test words.

        Args:
            queries: Raw vectors of the test words, shape (q, d).
            vocabulary_rows: The vocabulary row of each, -1 for words that are not in it, shape (q,).
            vocabulary: Raw vectors of the vocabulary, shape (v, d).
            kind: What to compute.

        Raises:
            ScoreError: A vector is not finite; raised by `block` for the vocabulary if the kind is `cosine`.
        """
        self.vocabulary_rows = vocabulary_rows
        self._kind = kind
        self._vocabulary = vocabulary
        self._type = np.float32 if kind == "cosine" else np.float64
        self.tie = 2.0**-20 if kind == "cosine" else 2.0**-40
        # One factor for all raw vectors brings them to length 1 at most; comparisons do not notice it.
        self._scale = 1.0 if kind == "cosine" else 1.0 / _longest(queries, vocabulary)
        self._queries = self._ready(queries)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return (len(self._vocabulary) + BLOCK - 1) // BLOCK

    def among(self, rows: Rows) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        return self._similarities(self._queries[rows], self._queries[rows])

    def block(self, number: int) -> tuple[int, Floats]:
        """A block of the vocabulary: the row of its first word, and similarities, shape (q, block).

        Blocks are the same however many threads ask for them, and so are the similarities, to the last bit.
        """
        start = number * BLOCK
        words = self._ready(self._vocabulary[start : start + BLOCK])
        return start, self._similarities(self._queries, words)

    def of_pairs(self, rows: Rows, others: Rows) -> Floats:
        """Similarities of test words to one other each, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self._queries[rows], self._queries[others]))

    def exactly(self, rows: Rows, vocabulary_rows: Rows) -> npt.NDArray[np.float64]:
        """Cosines of some test words to some words each in double precision, rounded so that ties are ties.

        Args:
            rows: The test words, shape (n,).
            vocabulary_rows: Rows of the vocabulary, shape (n, m).

        Returns:
            Whole numbers, 2^40 for a cosine of 1; shape (n, m).
        """
        queries = _unit(self._queries[rows].astype(np.float64))
        step = max(1, _WORDS_AT_A_TIME // max(1, len(rows)))
        found = [
            np.einsum("nmd,nd->nm", self._exact_words(vocabulary_rows[:, start : start + step]), queries)
            for start in range(0, vocabulary_rows.shape[1], step)
        ]
        return np.asarray(np.rint(np.hstack(found) * 2.0**40))

    def _exact_words(self, vocabulary_rows: Rows) -> npt.NDArray[np.float64]:
        """Unit vectors of words in double precision, shape (n, m, d)."""
        return _unit(self._vocabulary[vocabulary_rows.ravel()].astype(np.float64)).reshape(
            *vocabulary_rows.shape, -1
        )

    def _ready(self, vectors: npt.NDArray[np.float32]) -> Floats:
        if self._kind == "euclidean":
            return vectors.astype(np.float64) * self._scale
        return _unit(vectors)

    def _similarities(self, queries: Floats, words: Floats) -> Floats:
        similar = np.asarray(queries @ words.T)
        if self._kind == "euclidean":
            similar -= _norms(queries)[:, None] ** 2 / 2
            similar -= _norms(words) ** 2 / 2
        return similar


class BlockReader(Protocol):
    """What looks at the similarities of test words to every word of the vocabulary."""

    def prepare(self, similarities: Similarities) -> None:
        """Get ready for the blocks."""

    def begin(self) -> Any:  # noqa: ANN401  # each reader has its own kind of state
        """A state that has seen nothing."""

    def add(self, state: Any, start: int, similarities: Floats) -> None:  # noqa: ANN401
        """Take a block into a state: the vocabulary row of its first word, and similarities (q, block)."""


def pass_over_vocabulary(
    similarities: Similarities,
    readers: Sequence[BlockReader],
    progress: Callable[[float], None],
    threads: int | None = None,
) -> list[list[Any]]:
    """Show every block of the vocabulary to every reader, with as many threads as there are cores.

    Args:
        similarities: Where the blocks come from.
        readers: What looks at them; the result does not depend on which thread shows them which block.
        progress: Called now and then with the share that is done, from 0 to 1.
        threads: How many; as many as there are cores if None.

    Returns:
        For each reader its states, one from each thread.
    """
    for reader in readers:
        reader.prepare(similarities)
    threads = max(1, min(threads or cores(), similarities.blocks))
    numbers = itertools.count()
    done = itertools.count(1)
    stop = threading.Event()

    def work() -> list[Any]:
        states = [reader.begin() for reader in readers]
        while not stop.is_set() and (number := next(numbers)) < similarities.blocks:
            start, block = similarities.block(number)
            for reader, state in zip(readers, states, strict=True):
                reader.add(state, start, block)
            progress(next(done) / similarities.blocks)
        return states

    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(work) for _ in range(threads)]
            by_thread = [future.result() for future in futures]
        finally:
            stop.set()
    return [list(states) for states in zip(*by_thread, strict=True)]


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
    for start in range(0, len(close), _QUERIES_AT_A_TIME):
        rows = close[start : start + _QUERIES_AT_A_TIME]
        words[rows] = again(rows, words[rows])
    if kept < vocabulary:
        # Where so many are close that one of the nearest may not be among those kept, all are compared.
        every = np.arange(vocabulary)[None, :]
        for row in np.flatnonzero(values[:, needed - 1] - values[:, -1] < margin[:, 0]):
            words[row] = again(np.array([row]), every)[0, :kept]
    return words


def _unit(vectors: Floats) -> Floats:
    """Vectors of length 1; those of length 0 stay as they are."""
    norms = _norms(vectors)
    if not (np.isfinite(norms).all() and norms.all()):
        norms = _finite(_norms(vectors.astype(np.float64)))  # squares may be beyond single precision
        return np.asarray((vectors / np.where(norms == 0, 1, norms)[:, None]).astype(vectors.dtype))
    return np.asarray(vectors / norms[:, None])


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
        _finite(_norms(matrix[start : start + _WORDS_AT_A_TIME].astype(np.float64))).max()
        for matrix in matrices
        for start in range(0, len(matrix), _WORDS_AT_A_TIME)
    ]
    return float(max(norms, default=1.0)) or 1.0
