"""Subsets of a category's words, all or a sample; and how often words are the odd one beside them.

Words of a category that are OOV are its last ones; beside a subset with one of them, no word is odd.
"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from evaluator.engine.frequency import Circle
from evaluator.engine.similarities import Floats, Ints
from evaluator.engine.vocabulary_lookup import FoundCategory

_AT_A_TIME = 65_536


def draw(population: int, size: int, generator: random.Random) -> list[int]:
    """Draw different numbers below `population`, which may be too large for an array index."""
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        drawn[generator.randrange(population)] = None
    return list(drawn)


def unrank(ranks: Sequence[int], k: int) -> Ints:
    """The k-subsets with given ranks in the combinatorial number system, Σ comb(s_j, j) over sorted words."""
    most = _last_word(max(ranks, default=0), k) + 1
    if math.comb(most, k) > np.iinfo(np.int64).max:
        return np.array([_unrank(rank, k) for rank in ranks], dtype=np.int64).reshape(-1, k)
    left = np.array(ranks, dtype=np.int64)
    subsets = np.empty((len(left), k), dtype=np.int64)
    for column, size in enumerate(range(k, 0, -1)):
        below = np.array([math.comb(word, size) for word in range(most + 1)], dtype=np.int64)
        subsets[:, column] = np.searchsorted(below, left, side="right") - 1
        left -= below[subsets[:, column]]
    return subsets


def _unrank(rank: int, k: int) -> list[int]:
    subset = []
    for size in range(k, 0, -1):
        word = _last_word(rank, size)
        rank -= math.comb(word, size)
        subset.append(word)
    return subset


def _last_word(rank: int, size: int) -> int:
    """The greatest word for which comb(word, size) does not exceed the rank."""
    above = size
    while math.comb(above, size) <= rank:
        above *= 2
    return bisect.bisect_right(range(above), rank, key=lambda word: math.comb(word, size)) - 1


class Subsets:
    """Subsets of a category's words: all of a size, or those that are drawn, shape (subsets, size).

    Hits are counted by word if all subsets are, and by subset if some are drawn.
    """

    def __init__(
        self, size: int, category: FoundCategory, gram: Floats, tie: np.floating[Any], drawn: Ints | None
    ) -> None:
        self._size, self._category, self._gram, self._tie, self._drawn = size, category, gram, tie, drawn
        self._n = category.usable
        every = np.zeros((0, size), dtype=np.int64) if drawn is None else drawn
        self._chosen = every[(every < self._n).all(axis=1)]

    def begin(self) -> Ints:
        """Hits before any word is counted."""
        return np.zeros(self._n if self._drawn is None else len(self._chosen), dtype=np.int64)

    def count(self, own: Floats, hits: Ints) -> None:
        """Count how often words are odd, by their similarities to the category's words, shape (n, words)."""
        from evaluator.engine.kernels import count_odd_subsets

        if self._drawn is None:
            hits += self._all(own, self._size)
        else:
            hits += count_odd_subsets(own, self._gram, self._chosen, self._tie)

    def count_replacing(self, replaced: int, own: Floats, hits: Ints) -> None:
        """The same beside the other words of the subsets with one word, in place of it."""
        from evaluator.engine.kernels import count_odd_subsets

        if self._drawn is None:
            own[replaced] = np.inf  # beside a subset with it, none is odd
            by_word = self._all(own, self._size - 1)
            by_word[replaced] = by_word.sum() // (self._size - 1)
            hits += by_word
            return
        with_it = self._with_word[replaced]
        subsets = self._chosen[with_it]
        others = subsets[subsets != replaced].reshape(-1, self._size - 1)
        hits[with_it] += count_odd_subsets(own, self._gram, others, self._tie)

    @cached_property
    def _with_word(self) -> list[Ints]:
        """The numbers of the chosen subsets with each word."""
        order = np.argsort(self._chosen, axis=None, kind="stable") // self._size
        return np.split(order, np.cumsum(np.bincount(self._chosen.ravel(), minlength=self._n))[:-1])

    def _all(self, own: Floats, size: int) -> Ints:
        from evaluator.engine import kernels

        hits = np.zeros(self._n, dtype=np.int64)
        count = {
            2: kernels.count_odd_pairs_by_word,
            3: kernels.count_odd_triples_by_word,
            4: kernels.count_odd_quadruples_by_word,
        }.get(size)
        if count is not None:
            count(own, self._gram, self._tie, hits)
            return hits
        subsets = itertools.combinations(range(self._n), size)
        while chunk := list(itertools.islice(subsets, _AT_A_TIME)):
            some = np.array(chunk, dtype=np.int64)
            hits += of_members(kernels.count_odd_subsets(own, self._gram, some, self._tie), some, self._n)
        return hits

    def count_on_circle(self, circle: Circle, hits: Ints) -> None:
        """As `count`, with every word outside, of the frequency baseline."""
        from evaluator.engine.kernels import count_odd_on_circle

        words, known = circle.queries[self._category.rows], np.sort(self._category.known)
        every = self._drawn is None
        count_odd_on_circle(circle.words, known, words, self._chosen, float(self._tie), every, hits)

    def by_word(self, hits: Ints) -> Ints:
        """How many hits the subsets with each word have, shape (n,)."""
        return hits if self._drawn is None else of_members(hits, self._chosen, self._n)

    def trials(self, size: int) -> tuple[int, Floats]:
        """How many subsets of n words there are, and of how many each word is a member, shape (n,)."""
        if self._drawn is None:
            return math.comb(size, self._size), np.full(size, float(math.comb(size - 1, self._size - 1)))
        return len(self._drawn), np.bincount(self._drawn.ravel(), minlength=size)

    def error(self, hits: Ints, trials: int) -> float | None:
        """The standard error of the share of hits, of so many trials each, if subsets are drawn."""
        if self._drawn is None:
            return None
        every = np.zeros(len(self._drawn), dtype=np.int64)
        every[: len(hits)] = hits  # the others have none
        return float((every / trials).std(ddof=1)) / math.sqrt(len(self._drawn))


def of_members(hits: Ints, drawn: Ints, size: int) -> Ints:
    """Hits of each of so many words, from those of each subset; these are of shape (subsets, k)."""
    weights = np.repeat(hits, drawn.shape[1]).astype(np.float64)  # exact up to 2^53
    return np.bincount(drawn.ravel(), weights, minlength=size).astype(np.int64)
