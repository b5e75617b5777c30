"""Subsets of a category's words, all or a sample; and how often words are the odd one beside them.

Words of a category that are OOV are its last ones; beside a subset with one of them, no word is odd.
"""

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

from evaluator.engine.similarities import Doubles, Floats, Rows
from evaluator.engine.vocabulary_lookup import FoundCategory

Ints = npt.NDArray[np.int64]

_AT_A_TIME = 65_536


def chunks(n: int, k: int) -> Iterator[Ints]:
    """All k-subsets of range(n), in chunks of shape (subsets, k)."""
    subsets = itertools.combinations(range(n), k)
    while chunk := list(itertools.islice(subsets, _AT_A_TIME)):
        yield np.array(chunk, dtype=np.int64)


def draw(population: int, size: int, generator: random.Random) -> list[int]:
    """Draw different numbers below `population`, which may be too large for an array index."""
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        drawn[generator.randrange(population)] = None
    return list(drawn)


def unrank(ranks: Sequence[int], k: int) -> Ints:
    """The k-subsets with given ranks in the combinatorial number system, Σ comb(s_j, j) over sorted words.

    Args:
        ranks: n numbers; the subset of a rank does not depend on the number of words.
        k: The size of the subsets.
    """
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


@dataclass(frozen=True)
class OnCircle:
    """A category in the frequency baseline.

    Attributes:
        words: The angles of the vocabulary, in ascending order, shape (v,).
        own: Those of the category's words, shape (n,).
        known: The rows of its words in the vocabulary, in ascending order.
    """

    words: Doubles
    own: Doubles
    known: Rows

    def count(self, chosen: Ints, by_subset: Ints, tie: np.floating[Any], *, every: bool = False) -> Ints:
        """How often the words outside are odd beside the subsets with each word of the category.

        Hits of each chosen subset are increased; or all subsets are counted, and none is chosen.
        """
        from evaluator.engine.kernels import count_odd_on_circle

        hits = np.zeros(len(self.own), dtype=np.int64)
        place = self.words, self.known, self.own
        count_odd_on_circle(*place, chosen, float(tie), every, by_subset, hits)
        return hits


class AllSubsets:
    """All subsets of k words, in compiled loops."""

    def __init__(self, k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any]) -> None:
        """Count with the n words of a category that are not OOV."""
        self._k, self._usable, self._gram, self._tie = k, category.usable, gram, tie

    def begin(self) -> Ints:
        """The initial hits of each subset; none, as they are not needed."""
        return np.zeros(0, dtype=np.int64)

    def total(self, own: Floats, by_subset: Ints) -> int:
        """How often words of a block are odd.

        Args:
            own: Their similarities to the category's words, shape (n, block).
            by_subset: Hits of each drawn subset, which are increased.
        """
        return int(self.counts(own, by_subset).sum()) // self._k

    def counts(self, own: Floats, by_subset: Ints) -> Ints:  # noqa: ARG002  # hits of subsets are not needed
        """The same for the subsets with each word, shape (n,)."""
        from evaluator.engine import kernels

        hits = np.zeros(self._usable, dtype=np.int64)
        count = {
            2: kernels.count_odd_pairs_by_word,
            3: kernels.count_odd_triples_by_word,
            4: kernels.count_odd_quadruples_by_word,
        }.get(self._k)
        if count is not None:
            count(own, self._gram, self._tie, hits)
            return hits
        for chunk in chunks(self._usable, self._k):
            found = kernels.count_odd_subsets(own, self._gram, chunk, self._tie)
            hits += of_members(found, chunk, self._usable)
        return hits

    def on_circle(self, place: OnCircle, by_subset: Ints) -> Ints:
        """The same with every word outside, of the frequency baseline."""
        return place.count(np.zeros((0, self._k), dtype=np.int64), by_subset, self._tie, every=True)

    def trials(self, size: int) -> tuple[int, Ints]:
        """How many subsets of n words there are, and of how many each word is a member, shape (n,)."""
        return math.comb(size, self._k), np.full(size, math.comb(size - 1, self._k - 1))

    def error(self, hits: Ints, trials: int) -> float | None:  # noqa: ARG002  # nothing is drawn
        """The standard error that is due to drawing subsets."""
        return None


class _Drawn:
    """A sample of sets of words."""

    def __init__(self, category: FoundCategory, gram: Floats, tie: np.floating[Any], drawn: Ints) -> None:
        """Count with the sets that are drawn, shape (sets, words)."""
        self._drawn, self._gram, self._tie = drawn, gram, tie
        self._sets = drawn[(drawn < category.usable).all(axis=1)]
        self._usable = category.usable

    def begin(self) -> Ints:
        """The initial hits of each set."""
        return np.zeros(len(self._sets), dtype=np.int64)

    def error(self, hits: Ints, trials: int) -> float:
        """The standard error of the share of hits in sets of so many trials each, due to drawing them."""
        every = np.zeros(len(self._drawn), dtype=np.int64)
        every[: len(hits)] = hits  # the others have none
        return float((every / trials).std(ddof=1)) / math.sqrt(len(self._drawn))


class DrawnSubsets(_Drawn):
    """A sample of subsets of k words."""

    def total(self, own: Floats, by_subset: Ints) -> int:
        """How often words of a block are odd; hits of each subset are increased."""
        return int(self._hits(own, by_subset).sum())

    def counts(self, own: Floats, by_subset: Ints) -> Ints:
        """The same for the subsets with each word."""
        return of_members(self._hits(own, by_subset), self._sets, self._usable)

    def _hits(self, own: Floats, by_subset: Ints) -> Ints:
        from evaluator.engine.kernels import count_odd_subsets

        hits = count_odd_subsets(own, self._gram, self._sets, self._tie)
        by_subset += hits
        return hits

    def on_circle(self, place: OnCircle, by_subset: Ints) -> Ints:
        """The same with every word outside, of the frequency baseline; hits of each subset are increased."""
        return place.count(self._sets, by_subset, self._tie)

    def trials(self, size: int) -> tuple[int, Ints]:
        """How many subsets were drawn, and of how many each word is a member, shape (n,)."""
        return len(self._drawn), np.bincount(self._drawn.ravel(), minlength=size)


class AllReplaced:
    """All (S, r): subsets S of k words, and another word r of the category that the odd one replaces."""

    def __init__(self, k: int, every: AllSubsets) -> None:
        """Count with all subsets of k words."""
        self._k, self._every = k, every

    def begin(self) -> Ints:
        """Nothing is drawn."""
        return self._every.begin()

    def counts(self, own: Floats, replaced: int, by_set: Ints) -> Ints:
        """How often words are odd beside subsets without r, by the words of S and r, shape (n,).

        Args:
            own: Similarities of the words that replace r to the category's words, shape (n, words).
            replaced: r.
            by_set: Hits of each drawn set, which are increased.
        """
        own[replaced] = np.inf  # beside a set with r, none is
        by_word = self._every.counts(own, by_set)
        by_word[replaced] = by_word.sum() // self._k
        return by_word

    def trials(self, size: int) -> tuple[int, Doubles]:
        """How many (S, r) there are of n words, and in how many each word takes part, shape (n,)."""
        with_one = (self._k + 1) * math.comb(size - 1, self._k)
        return (self._k + 1) * math.comb(size, self._k + 1), np.full(size, float(with_one))

    def error(self, hits: Ints, trials: int) -> float | None:
        """The standard error that is due to drawing."""
        return self._every.error(hits, trials)


class DrawnReplaced(_Drawn):
    """A sample of sets of k+1 words, each of which is r once."""

    def __init__(self, category: FoundCategory, gram: Floats, tie: np.floating[Any], drawn: Ints) -> None:
        """Count with the sets that are drawn, shape (sets, k+1)."""
        super().__init__(category, gram, tie, drawn)
        self._order = np.argsort(self._sets, axis=None, kind="stable")
        counts = np.bincount(self._sets.ravel(), minlength=category.usable)
        self._ends = np.concatenate(([0], np.cumsum(counts)))

    def counts(self, own: Floats, replaced: int, by_set: Ints) -> Ints:
        """How often words are odd beside the others of each set with r; hits of each set are increased."""
        from evaluator.engine.kernels import count_odd_subsets

        size = self._sets.shape[1]
        with_it = self._order[self._ends[replaced] : self._ends[replaced + 1]] // size
        sets = self._sets[with_it]
        others = sets[sets != replaced].reshape(-1, size - 1)
        hits = count_odd_subsets(own, self._gram, others, self._tie)
        by_set[with_it] += hits
        return of_members(hits, sets, self._usable)

    def trials(self, size: int) -> tuple[int, Doubles]:
        """How many (S, r) were drawn, and in how many each word takes part, shape (n,)."""
        number, order = self._drawn.shape
        return number * order, order * np.bincount(self._drawn.ravel(), minlength=size).astype(np.float64)


def of_members(hits: Ints, drawn: Ints, size: int) -> Ints:
    """Hits of each word, from those of each subset.

    Args:
        hits: Of the subsets, shape (subsets,).
        drawn: Their words, shape (subsets, k).
        size: n, the number of words.
    """
    weights = np.repeat(hits, drawn.shape[1]).astype(np.float64)  # exact up to 2^53
    return np.bincount(drawn.ravel(), weights, minlength=size).astype(np.int64)
