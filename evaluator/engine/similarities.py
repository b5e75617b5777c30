"""Similarities of test words to the vocabulary, block by block, and the nearest words in exact order."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.execution.machine import Machine, cores

Kind = Literal["cosine", "double cosine", "euclidean", "manhattan"]
Distance = Literal["cosine", "euclidean", "manhattan"]
Floats = npt.NDArray[Any]

if TYPE_CHECKING:

    class _BlockReader(Protocol):
        """What needs the similarities of test words to every word of the vocabulary, as `Evaluation` does."""

        def begin(self) -> Any: ...  # noqa: ANN401  # each reader has its own kind of state
        def add(self, state: Any, start: int, similarities: Floats) -> None: ...  # noqa: ANN401


Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
Doubles = npt.NDArray[np.float64]

COMPARISONS_PER_SECOND = 1e10
"""Of one core, for estimates."""

BLOCK = 640
"""Words of the vocabulary in a block; similarities of 800 test words to so many fit in a cache of 2 MB."""

_WORDS_AT_A_TIME = 4096
_QUERIES_AT_A_TIME = 512
_SIMILARITIES_AT_A_TIME = 2**20
_MOST_LISTED = 2**24
_SHORTEST = 1e-12  # squares of shorter vectors lose digits in single precision, or are zero
_NOT_FINITE = 'a vector holds NaN or infinity; leave such rows out, as load_vectors(…, bad_rows="drop") does'


class Similarities:
    """Similarities of q test words to v vocabulary words.

    With `cosine`, x·t of unit vectors, in single precision; with `double cosine`, the same in double
    precision, for what divides by 1 + x·t or 1 - x·t. With `euclidean`, -|x - t|²/2 of the raw vectors, in
    double precision (they are small differences of large numbers), all scaled by one factor; it can replace
    x·t in every comparison of sums over S, because the norms cancel out. With `manhattan`, the same with
    -Σ|x - t|, for which this is not so: words are compared with each other alone.

    Attributes:
        vocabulary_rows: The vocabulary row of each test word, -1 for words that are not in it, shape (q,).
        tie: Sums of two similarities that differ by no more than this are equal.
    """

    def __init__(
        self,
        queries: Floats,
        vocabulary_rows: Rows,
        vocabulary: npt.NDArray[np.float32],
        kind: Kind,
    ) -> None:
        """Prepare the test words."""
        self.vocabulary_rows = vocabulary_rows
        self._kind = kind
        self._vocabulary = vocabulary
        self.tie = 2.0**-20 if kind == "cosine" else 2.0**-40
        # One factor scales all raw vectors to a length of at most 1; this does not change comparisons.
        self._scale = 1.0 if kind.endswith("cosine") else 1.0 / _longest(queries, vocabulary)
        self._raw = queries
        self._queries = self._ready(queries.astype(np.float32) if kind == "cosine" else queries)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return (len(self._vocabulary) + BLOCK - 1) // BLOCK

    def among(self, rows: Rows) -> Floats:
        """Similarities of some test words to each other, shape (rows, rows)."""
        return self._similarities(self._queries[rows], self._queries[rows])

    def block(self, number: int) -> tuple[int, Floats]:
        """A block of the vocabulary: the row of its first word, and similarities, shape (q, block)."""
        start = number * BLOCK
        words = self._ready(self._vocabulary[start : start + BLOCK])
        return start, self._similarities(self._queries, words)

    def of_pairs(self, rows: Rows, others: Rows) -> Doubles:
        """Cosines of pairs of test words, in double precision, rounded so that ties are equal, shape (n,)."""
        units, found = unit_rows(self._raw.astype(np.float64)), np.empty(len(rows))
        for start in range(0, len(rows), _WORDS_AT_A_TIME):
            these = slice(start, start + _WORDS_AT_A_TIME)
            found[these] = np.einsum("ij,ij->i", units[rows[these]], units[others[these]])
        return np.asarray(np.rint(found * 2.0**40) * 2.0**-40)

    def exactly(self, rows: Rows, vocabulary_rows: Rows) -> Doubles:
        """Similarities of n test words to m words each, in double precision, rounded so that ties are equal.

        They are integers, 2^40 for a cosine of 1, of the shape of `vocabulary_rows`, (n, m).
        """
        if self._kind in ("euclidean", "manhattan"):
            return self._by_distance(rows, vocabulary_rows)
        queries = unit_rows(self._raw[rows].astype(np.float64))
        step = max(1, _WORDS_AT_A_TIME // max(1, len(rows)))
        found = []
        for start in range(0, vocabulary_rows.shape[1], step):
            some = vocabulary_rows[:, start : start + step]
            words = unit_rows(self._vocabulary[some.ravel()].astype(np.float64))
            found.append(np.einsum("nmd,nd->nm", words.reshape(*some.shape, queries.shape[1]), queries))
        return np.asarray(np.rint(np.hstack(found) * 2.0**40))

    def directions(self, questions: Ints, vocabulary_rows: Rows, nearest: float) -> Doubles:
        """cos(b-a, w-c) of unit vectors, in double precision, shape (n, m).

        Args:
            questions: Test words a, b and c, shape (n, 3).
            vocabulary_rows: Words w for each, shape (n, m).
            nearest: The greatest length at which an offset has no direction, and gives 0.
        """
        a, b, c = (unit_rows(self._raw[rows].astype(np.float64)) for rows in questions.T)
        asked = b - a
        asked /= np.where((norms := _norms(asked)) > nearest, norms, np.inf)[:, None]
        step = max(1, _WORDS_AT_A_TIME // max(1, len(questions)))
        found = []
        for start in range(0, vocabulary_rows.shape[1], step):
            some = vocabulary_rows[:, start : start + step]
            words = unit_rows(self._vocabulary[some.ravel()].astype(np.float64))
            offsets = words.reshape(*some.shape, c.shape[1]) - c[:, None]
            lengths = np.sqrt(np.einsum("nmd,nmd->nm", offsets, offsets))
            along = np.einsum("nmd,nd->nm", offsets, asked)
            found.append(along / np.where(lengths > nearest, lengths, np.inf))
        return np.hstack(found)

    def at_least(self, rows: Rows, least: Floats) -> list[Rows] | None:
        """Rows of the words whose similarity to each test word is at least a value; None if too many."""
        queries, step = self._queries[rows], max(BLOCK, _SIMILARITIES_AT_A_TIME // len(rows))
        found: list[tuple[Rows, Rows]] = []
        for start in range(0, len(self._vocabulary), step):
            similar = self._similarities(queries, self._ready(self._vocabulary[start : start + step]))
            own, words = np.nonzero(similar >= least[:, None])
            found.append((own, words + start))
            if sum(len(each) for each, _ in found) > _MOST_LISTED:
                return None
        own, words = (np.concatenate(each) for each in zip(*found, strict=True))
        ends = np.cumsum(np.bincount(own, minlength=len(rows)))
        return np.split(words[np.argsort(own, kind="stable")], ends[:-1])

    def _by_distance(self, rows: Rows, vocabulary_rows: Rows) -> Doubles:
        """The same of raw vectors, which are compared word by word."""
        found = np.empty(vocabulary_rows.shape)
        for number, (row, words) in enumerate(zip(rows, vocabulary_rows, strict=True)):
            apart = self._ready(self._vocabulary[words]) - self._ready(self._raw[row])
            by_word = np.abs(apart).sum(axis=1) if self._kind == "manhattan" else _norms(apart) ** 2 / 2
            found[number] = np.rint(-by_word * 2.0**40)
        return found

    def _ready(self, vectors: Floats) -> Floats:
        if self._kind in ("euclidean", "manhattan"):
            return vectors.astype(np.float64) * self._scale
        return unit_rows(vectors.astype(np.float64) if self._kind == "double cosine" else vectors)

    def _similarities(self, queries: Floats, words: Floats) -> Floats:
        if self._kind == "manhattan":
            from scipy.spatial.distance import cdist

            return np.asarray(-cdist(queries, words, "cityblock"))
        similar = np.asarray(queries @ words.T)
        if self._kind == "euclidean":
            similar -= _norms(queries)[:, None] ** 2 / 2
            similar -= _norms(words) ** 2 / 2
        return similar


def pass_over_vocabulary(
    similarities: Similarities, readers: Sequence[_BlockReader], machine: Machine
) -> list[list[Any]]:
    """Give every block of the vocabulary to every reader, in several threads; their states, by reader."""
    threads = max(1, min(machine.threads or cores(), similarities.blocks))
    numbers = itertools.count()
    done = itertools.count(1)
    stop = threading.Event()

    def read_blocks(_thread: int) -> list[Any]:
        states = [reader.begin() for reader in readers]
        while not stop.is_set() and (number := next(numbers)) < similarities.blocks:
            start, block = similarities.block(number)
            for reader, state in zip(readers, states, strict=True):
                reader.add(state, start, block)
            machine.progress(next(done) / similarities.blocks)
        return states

    with ThreadPoolExecutor(threads) as pool:
        try:
            by_thread = list(pool.map(read_blocks, range(threads)))
        finally:
            stop.set()
    return list(map(list, zip(*by_thread, strict=True)))


def best_first(
    values: Floats,
    words: Ints,
    needed: int,
    kept: int,
    vocabulary: int,
    unsure: float | Doubles,
    exactly: Callable[[Ints, Ints], Doubles],
    at_least: Callable[[Ints, Floats], Sequence[Ints] | None] = lambda _rows, _least: None,
) -> Ints:
    """Order words by their values, and words of equal value by frequency.

    What rounding makes uncertain is compared again in double precision.

    Args:
        values: Rounded values, such as similarities in single precision, in any order, shape (n, m).
        words: The vocabulary rows of the words, shape (n, m).
        needed: How many of the first must be in the right order.
        kept: How many of the best words are among these, apart from errors of rounding.
        vocabulary: How many words it has.
        unsure: What rounding may order wrongly, relative to the greatest value if that is above 1; of all
            rows, or of each, shape (n, 1). Of a row of which it is infinite, all words are compared.
        exactly: Computes values in double precision, rounded so that ties are equal: from rows of `values`,
            shape (r,), and words, shape (r, any), to the shape of the words.
        at_least: Lists the words whose values, in single precision, are at least a value: from rows of
            `values` and a value for each, shape (r,). Without it, or if it gives None, all are compared.

    Returns:
        The words with the greatest values first, shape (n, kept); the first `needed` are in the right order.
    """
    order = np.argsort(-values, axis=1, kind="stable")[:, :kept]
    values, words = np.take_along_axis(values, order, 1), np.take_along_axis(words, order, 1)
    margin = unsure * np.maximum(1, np.abs(values[:, :1]))

    def reordered(rows: Ints, some: Ints) -> Ints:
        return np.take_along_axis(some, np.lexsort((some, -exactly(rows, some)), axis=1), 1)

    close = np.flatnonzero((values[:, :-1] - values[:, 1:] < margin).any(axis=1))
    for start in range(0, len(close), _QUERIES_AT_A_TIME):
        rows = close[start : start + _QUERIES_AT_A_TIME]
        words[rows] = reordered(rows, words[rows])
    if kept < vocabulary:
        # If so many are close that one of the best may not be among those kept, more words are compared.
        many = np.flatnonzero(values[:, needed - 1] - values[:, -1] < margin[:, 0])
        found = at_least(many, values[many, needed - 1] - margin[many, 0]) if len(many) else None
        for place, row in enumerate(many):
            some = np.arange(vocabulary) if found is None else found[place]
            best = reordered(np.array([row]), some[None, :])[0, :kept]
            words[row, : len(best)] = best
    return words


def in_double_precision(vectors: Floats, rows: Rows) -> Doubles:
    """Some vectors in double precision, in which squares cannot overflow."""
    found = vectors[rows].astype(np.float64)
    if not np.isfinite(found).all():
        raise ScoreError(_NOT_FINITE)
    return found


def unit_rows(vectors: Floats) -> Floats:
    """Vectors of length 1; those of length 0 stay as they are."""
    norms = _norms(vectors)
    if not ((norms > _SHORTEST) & (norms < np.inf)).all():  # squares may be beyond single precision
        norms = _finite(_norms(vectors.astype(np.float64)))
        return np.asarray((vectors / np.where(norms == 0, 1, norms)[:, None]).astype(vectors.dtype))
    return np.asarray(vectors / norms[:, None])


def _norms(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))


def _finite(norms: Floats) -> Floats:
    """Refuse NaN and infinity: comparisons with them are never true, so that they would count as misses."""
    if not np.isfinite(norms).all():
        raise ScoreError(_NOT_FINITE)
    return norms


def _longest(*matrices: Floats) -> float:
    norms = [
        _finite(_norms(matrix[start : start + _WORDS_AT_A_TIME].astype(np.float64))).max()
        for matrix in matrices
        for start in range(0, len(matrix), _WORDS_AT_A_TIME)
    ]
    return float(max(norms, default=1.0)) or 1.0
