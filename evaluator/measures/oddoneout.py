"""OddOneOut: is a word from outside farthest from the middle of some category words and itself?"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.errors import MeasureError
from evaluator.measures.base import Among, Count, Measure, Norm
from evaluator.similarities import Floats, Kind
from evaluator.task import CategoryTask, Task

Ints = npt.NDArray[np.intp]
# Similarities lie on a grid, each off by up to half a step. Sums that differ by less than that can explain
# are equal; the step is so small (2^-40) that unrelated vectors do not come so near.
_TIE_PER_WORD = 1.0
_CELLS = 2**22  # similarities compared at a time: some 100 MB


@dataclass(frozen=True)
class OddOneOut(Measure):
    """The share of pairs (S, w) in which w is the odd one, as `OddOneOut@3`.

    Over P = {(S, w): S a k-subset of the category C, w in V - C} (eqs. 3 to 7 of the paper "Evaluating Word
    Embeddings on Low-Resource Languages"), the share of pairs where w is the farthest from the mean of
    S ∪ {w}; a tie is a miss. With unit vectors that is so if and only if, for every s in S,
    `Σ_{t∈S,t≠s} s·t > Σ_{t∈S,t≠s} t·w`; with raw ones, if the same holds for -|x-t|²/2 in place of x·t.

    Attributes:
        k: The size of S.
        samples: How many pairs to draw from P, without replacement; None for all of P.
    """

    samples: int | None = None

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense.

        Raises:
            MeasureError: k is below 2, where every pair would be a tie, or samples below 1.
        """
        super().__post_init__()
        if self.samples is not None and self.samples < 1:
            raise MeasureError(f"{self}: samples must be 1 or more; leave it out to count all pairs")

    @classmethod
    def least_k(cls) -> int:
        """Two words are always equally far from their middle."""
        return 2

    @property
    def draws(self) -> bool:
        """Samples depend on a seed."""
        return self.samples is not None

    def kind(self, norm: Norm) -> Kind:
        """Cosines of unit vectors, distances of raw ones."""
        return "cosine" if norm == "unit" else "euclidean"

    def why_not(self, category: CategoryTask, vocabulary: int) -> str | None:
        """A category needs k usable words, and a vocabulary that is larger than the category."""
        if category.usable < self.k:
            return f"{category.usable} of {category.words} words in the vocabulary, {self.k} needed"
        if len(category.known) == vocabulary:
            return "covers the whole vocabulary: no word is left to be odd"
        return None

    def ceiling(self, category: CategoryTask) -> float:
        """Below 1 where OOV words are misses."""
        return math.comb(category.usable, self.k) / math.comb(category.size, self.k)

    def counter(self, task: Task, categories: Sequence[CategoryTask], among: Among, seed: int) -> _Counters:
        """Start counting: exactly, or on a sample where one is asked for and P is larger than it."""
        return _Counters(
            [self._counter(task, category, among(category.rows), seed) for category in categories]
        )

    def _counter(
        self, task: Task, category: CategoryTask, gram: Floats, seed: int
    ) -> _ExactCounter | _SampleCounter:
        others = len(task.vectors) - len(category.known)
        pairs = math.comb(category.size, self.k) * others
        if self.samples is None or self.samples >= pairs:
            return _ExactCounter(self.k, category, gram, pairs)
        # Each category has its own stream, so that adding one does not change the others' samples.
        drawn = _draw(pairs, self.samples, random.Random(f"{seed} {category.name}"))  # noqa: S311
        return _SampleCounter(self.k, category, gram, drawn, _outside(category, len(task.vectors)))


class _Counters:
    """Passes the blocks on to a counter for each category."""

    def __init__(self, counters: Sequence[_ExactCounter | _SampleCounter]) -> None:
        self._counters = counters

    def add(self, start: int, similarities: Floats) -> None:
        """Pass the block on."""
        for counter in self._counters:
            counter.add(start, similarities)

    def counts(self) -> list[Count]:
        """One count for each category."""
        return [counter.count() for counter in self._counters]


class _ExactCounter:
    """Compares every subset with every word outside the category; never holds all subsets at once."""

    def __init__(self, k: int, category: CategoryTask, gram: Floats, pairs: int) -> None:
        self._k, self._category, self._gram = k, category, gram
        self._hits, self._pairs = 0, pairs

    def add(self, start: int, similarities: Floats) -> None:
        outside = np.ones(similarities.shape[1], dtype=bool)
        known = self._category.known - start
        outside[known[(known >= 0) & (known < len(outside))]] = False
        own = similarities[self._category.rows][:, outside].T  # a row for each word
        for subsets in _subset_chunks(self._category.usable, self._k):
            inner = _inner_sums(self._gram, subsets)
            for words in _slices(len(own), max(1, _CELLS // subsets.size)):
                self._hits += int(_is_odd(own[words][:, subsets], inner).sum())

    def count(self) -> Count:
        return Count(self._hits, self._pairs)


class _SampleCounter:
    """Compares the drawn pairs; a pair whose subset has an OOV word is a miss."""

    def __init__(
        self, k: int, category: CategoryTask, gram: Floats, drawn: Sequence[int], outside: Ints
    ) -> None:
        subsets = math.comb(category.size, k)
        unranked = np.array([_unrank(pair % subsets, k) for pair in drawn], dtype=np.intp).reshape(-1, k)
        words = outside[np.array([pair // subsets for pair in drawn], dtype=np.intp)]
        usable = (unranked < category.usable).all(axis=1)  # the OOV words are the last of the `size` words
        self._rows = category.rows
        self._subsets, self._words = unranked[usable], words[usable]
        self._inner = _inner_sums(gram, self._subsets)
        self._hits, self._pairs = 0, len(drawn)

    def add(self, start: int, similarities: Floats) -> None:
        here = (self._words >= start) & (self._words < start + similarities.shape[1])
        to_word = similarities[self._rows[self._subsets[here]], (self._words[here] - start)[:, None]]
        self._hits += int(_is_odd(to_word, self._inner[here]).sum())

    def count(self) -> Count:
        return Count(self._hits, self._pairs)


def _is_odd(to_word: Floats, inner: Floats) -> npt.NDArray[np.bool_]:
    """Whether words are the odd ones beside subsets.

    Args:
        to_word: t·w for the words t of each subset, shape (…, subsets, k).
        inner: Σ_{t≠s} s·t for the words s of each subset, shape (subsets, k).

    Returns:
        Shape (…, subsets).
    """
    # Σ_{t≠s} s·t > Σ_{t≠s} t·w for every s, with s·w added to both sides.
    margin = (inner + to_word).min(axis=-1) - to_word.sum(axis=-1)
    return np.asarray(margin > _TIE_PER_WORD * to_word.shape[-1])


def _inner_sums(gram: Floats, subsets: Ints) -> Floats:
    """For each word s of each subset, Σ_{t∈S,t≠s} s·t; shape (subsets, k)."""
    similar = gram[subsets[:, :, None], subsets[:, None, :]]
    return np.asarray(similar.sum(axis=2) - similar.diagonal(axis1=1, axis2=2))


def _subset_chunks(n: int, k: int) -> Iterator[Ints]:
    """All k-subsets of range(n), some thousand at a time, each chunk of shape (subsets, k)."""
    subsets = itertools.combinations(range(n), k)
    while chunk := list(itertools.islice(subsets, 4096)):
        yield np.array(chunk, dtype=np.intp)


def _slices(length: int, size: int) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, length, size))


def _outside(category: CategoryTask, vocabulary: int) -> Ints:
    """The vocabulary rows of V - C."""
    return np.setdiff1d(np.arange(vocabulary, dtype=np.intp), category.known, assume_unique=True)


def _draw(population: int, size: int, generator: random.Random) -> list[int]:
    """Different numbers below `population`, which may be too large for any array index."""
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        drawn[generator.randrange(population)] = None
    return list(drawn)


def _unrank(rank: int, k: int) -> list[int]:
    """The k-subset with a rank in the combinatorial number system: Σ comb(s_j, j) over its sorted words."""
    subset = []
    for size in range(k, 0, -1):
        word = _last_word(rank, size)
        rank -= math.comb(word, size)
        subset.append(word)
    return subset


def _last_word(rank: int, size: int) -> int:
    """The greatest word for which comb(word, size) is not above the rank."""
    above = size
    while math.comb(above, size) <= rank:
        above *= 2
    return bisect.bisect_right(range(above), rank, key=lambda word: math.comb(word, size)) - 1
