"""OddOneOut: is a word from outside farthest from the middle of some category words and itself?"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.errors import MeasureError
from evaluator.measures.base import Count, Measure, Norm
from evaluator.similarities import Floats, Kind, Similarities
from evaluator.task import CategoryTask, Task

Ints = npt.NDArray[np.int64]

MOST_SUBSETS = 2**25
"""Where a category has more subsets than this (more than 586 words for k = 3), they are drawn."""

DRAWN_SUBSETS = 1_000_000
"""So many that the standard error is at most 0.5/√1,000,000 = 0.0005, whatever the vectors."""


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

    def comparisons(self, category: CategoryTask, vocabulary: int) -> int:
        """Every subset, or those drawn, with every word of the vocabulary; or the pairs drawn."""
        if self.samples is not None:
            return self.samples
        subsets = math.comb(category.usable, self.k)
        return (subsets if subsets <= MOST_SUBSETS else DRAWN_SUBSETS) * vocabulary

    def counter(
        self, task: Task, categories: Sequence[CategoryTask], similarities: Similarities, seed: int
    ) -> _Counters:
        """Start counting: all pairs, or those drawn where that is asked for or there are too many subsets."""
        return _Counters([self._counter(task, category, similarities, seed) for category in categories])

    def _counter(
        self, task: Task, category: CategoryTask, similarities: Similarities, seed: int
    ) -> _PairCounter | _SubsetCounter | _SampleCounter:
        gram = similarities.among(category.rows)
        tie = gram.dtype.type((self.k - 1) * similarities.tie)  # compared in the precision of what it bounds
        outside = len(task.vectors) - len(category.known)
        subsets = math.comb(category.size, self.k)
        # Each category has its own stream, so that adding one does not change the others' samples.
        generator = random.Random(f"{seed} {category.name}")  # noqa: S311
        if self.samples is not None and self.samples < subsets * outside:
            drawn = _draw(subsets * outside, self.samples, generator)
            return _SampleCounter(self.k, category, gram, tie, drawn, _outside(category, len(task.vectors)))
        if subsets > MOST_SUBSETS:
            drawn = _draw(subsets, DRAWN_SUBSETS, generator)
            return _SubsetCounter(self.k, category, gram, tie, drawn, outside)
        return _PairCounter(self.k, category, gram, tie, subsets * outside)


class _Counters:
    """Passes the blocks on to a counter for each category."""

    def __init__(self, counters: Sequence[_PairCounter | _SubsetCounter | _SampleCounter]) -> None:
        self._counters = counters

    def begin(self) -> list[Any]:
        """A state for each category."""
        return [counter.begin() for counter in self._counters]

    def add(self, state: list[Any], start: int, similarities: Floats) -> None:
        """Pass the block on."""
        for counter, own in zip(self._counters, state, strict=True):
            counter.add(own, start, similarities)

    def counts(self, states: Sequence[list[Any]]) -> list[Count]:
        """One count for each category."""
        return [
            counter.count(own) for counter, own in zip(self._counters, zip(*states, strict=True), strict=True)
        ]


class _PairCounter:
    """Counts all pairs of P."""

    def __init__(self, k: int, category: CategoryTask, gram: Floats, tie: float, pairs: int) -> None:
        self._k, self._category, self._gram, self._tie, self._pairs = k, category, gram, tie, pairs

    def begin(self) -> list[int]:
        return [0]

    def add(self, state: list[int], start: int, similarities: Floats) -> None:
        state[0] += self._count(_without_members(self._category, start, similarities))

    def _count(self, own: Floats) -> int:
        from evaluator import kernels

        count = {
            2: kernels.count_odd_pairs,
            3: kernels.count_odd_triples,
            4: kernels.count_odd_quadruples,
        }.get(self._k)
        if count is not None:
            return int(count(own, self._gram, self._tie))
        chunks = _subset_chunks(self._category.usable, self._k)
        return sum(
            int(kernels.count_odd_subsets(own, self._gram, chunk, self._tie).sum()) for chunk in chunks
        )

    def count(self, states: Sequence[list[int]]) -> Count:
        return Count(sum(hits for (hits,) in states), self._pairs)


class _SubsetCounter:
    """Counts the pairs of drawn subsets with every word outside; a subset with an OOV word misses all."""

    def __init__(
        self, k: int, category: CategoryTask, gram: Floats, tie: float, drawn: Sequence[int], outside: int
    ) -> None:
        subsets = np.array([_unrank(rank, k) for rank in drawn], dtype=np.int64)
        self._subsets = subsets[(subsets < category.usable).all(axis=1)]
        self._category, self._gram, self._tie = category, gram, tie
        self._drawn, self._outside = len(drawn), outside

    def begin(self) -> Ints:
        return np.zeros(len(self._subsets), dtype=np.int64)

    def add(self, state: Ints, start: int, similarities: Floats) -> None:
        from evaluator.kernels import count_odd_subsets

        own = _without_members(self._category, start, similarities)
        state += count_odd_subsets(own, self._gram, self._subsets, self._tie)

    def count(self, states: Sequence[Ints]) -> Count:
        hits = np.zeros(self._drawn, dtype=np.int64)
        hits[: len(self._subsets)] = np.sum(states, axis=0)
        error = float((hits / self._outside).std(ddof=1)) / math.sqrt(self._drawn)
        return Count(int(hits.sum()), self._drawn * self._outside, error)


def _without_members(category: CategoryTask, start: int, similarities: Floats) -> Floats:
    """The rows of a category's words, with its own words so near that they are never odd."""
    own = similarities[category.rows]
    known = category.known - start
    own[:, known[(known >= 0) & (known < own.shape[1])]] = np.inf
    return np.asarray(own)


class _SampleCounter:
    """Compares the drawn pairs; a pair whose subset has an OOV word is a miss."""

    def __init__(
        self, k: int, category: CategoryTask, gram: Floats, tie: float, drawn: Sequence[int], outside: Ints
    ) -> None:
        subsets = math.comb(category.size, k)
        unranked = np.array([_unrank(pair % subsets, k) for pair in drawn], dtype=np.int64).reshape(-1, k)
        words = outside[np.array([pair // subsets for pair in drawn], dtype=np.int64)]
        usable = (unranked < category.usable).all(axis=1)  # the OOV words are the last of the `size` words
        self._rows, self._tie, self._pairs = category.rows, tie, len(drawn)
        self._subsets, self._words = unranked[usable], words[usable]
        self._inner = _inner_sums(gram, self._subsets)

    def begin(self) -> list[int]:
        return [0]

    def add(self, state: list[int], start: int, similarities: Floats) -> None:
        here = (self._words >= start) & (self._words < start + similarities.shape[1])
        to_word = similarities[self._rows[self._subsets[here]], (self._words[here] - start)[:, None]]
        state[0] += int(_is_odd(to_word, self._inner[here], self._tie).sum())

    def count(self, states: Sequence[list[int]]) -> Count:
        return Count(sum(hits for (hits,) in states), self._pairs)


def _is_odd(to_word: Floats, inner: Floats, tie: float) -> npt.NDArray[np.bool_]:
    """Whether words are the odd ones beside subsets.

    Args:
        to_word: t·w for the words t of each subset, shape (subsets, k).
        inner: Σ_{t≠s} s·t for the words s of each subset, shape (subsets, k).
        tie: Sums no further apart than this are equal.

    Returns:
        Shape (subsets,).
    """
    # Σ_{t≠s} s·t > Σ_{t≠s} t·w for every s, with s·w added to both sides.
    margin = (inner + to_word).min(axis=-1) - to_word.sum(axis=-1)
    return np.asarray(margin > tie)


def _inner_sums(gram: Floats, subsets: Ints) -> Floats:
    """For each word s of each subset, Σ_{t∈S,t≠s} s·t; shape (subsets, k)."""
    similar = gram[subsets[:, :, None], subsets[:, None, :]]
    return np.asarray(similar.sum(axis=2) - similar.diagonal(axis1=1, axis2=2))


def _subset_chunks(n: int, k: int) -> Iterator[Ints]:
    """All k-subsets of range(n), some thousand at a time, each chunk of shape (subsets, k)."""
    subsets = itertools.combinations(range(n), k)
    while chunk := list(itertools.islice(subsets, 65_536)):
        yield np.array(chunk, dtype=np.int64)


def _outside(category: CategoryTask, vocabulary: int) -> Ints:
    """The vocabulary rows of V - C."""
    return np.setdiff1d(np.arange(vocabulary, dtype=np.int64), category.known, assume_unique=True)


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
