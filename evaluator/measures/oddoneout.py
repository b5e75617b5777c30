"""OddOneOut: of some category words and a word from outside, is the latter farthest from their mean?"""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Doubles, Floats, Ints, Similarities
from evaluator.engine.spelling import SpellingSimilarities
from evaluator.engine.vocabulary_lookup import Circle, FoundCategory, VocabularyLookup
from evaluator.measures.base import (
    LEAST_WORDS,
    CategoryEvaluation,
    CategoryMeasure,
    Subscore,
    influence,
    of_category,
)
from evaluator.settings import Settings

NEIGHBOURS = 5
"""How many neighbours in rank a word has on each side."""

_SUBSETS_AT_A_TIME = 65_536

MOST_SUBSETS = 2**25
"""If a category has more subsets than this (for k = 3, more than 587 words), a sample of them is drawn."""

MATCHED_FACTOR = 64
"""With matched words, of which there are few, a sample is drawn if a category has more than this times
MOST_SUBSETS pairs (S, r): for k = 3, if it has more than 338 words."""

DRAWN_SUBSETS = 1_000_000
"""With so many the standard error is at most 0.5/√1,000,000 = 0.0005, whatever the vectors."""


@dataclass(frozen=True)
class OddOneOut(CategoryMeasure):
    """The share of pairs (S, w) in which w is the odd one, as `OddOneOut@3`.

    Over P = {(S, w): S a k-subset of the category C, w in V - C} (eqs. 3 to 7 of the paper "Evaluating Word
    Embeddings on Low-Resource Languages"), the share of pairs where w is farthest from the mean of S ∪ {w};
    a tie is a miss. With unit vectors this is so if and only if, for every s in S,
    `Σ_{t∈S,t≠s} s·t > Σ_{t∈S,t≠s} t·w`; with raw vectors, if the same holds for -|x-t|²/2 in place of x·t.
    The chance level is 1/(k+1).

    With `out=matched`, w is as frequent as a word of C that it replaces, so that frequency does not give it
    away. With M(r) for the 10 words of V - C next in rank to r, 5 above and 5 below it, the score is the
    share over P' = {(S, r, w): S a k-subset of C, r in C - S, w in M(r)} in which w is the odd one:

        OddOneOut(out=matched)@k(C) = 1/|P'| · Σ_{(S,r,w) ∈ P'} [w = argmax_{x ∈ S ∪ {w}} |x-μ|]

    S ∪ {r} are any k+1 words of C, and each of them is r once. So if w stands at the rank of r, a score that
    depends on ranks alone is 1/(k+1) without ties. Ranks are those of the vocabulary, most frequent first.
    Words of C are passed over in M(r), so words of C that are neighbours have the same M. At an end of the
    vocabulary, where fewer than 5 words are on one side, the others come from the other side; M is V - C if
    that has fewer than 10 words. A word that is known and not in V, as the mean of several words is, counts
    as rarer than all of V: its M are the last words of V - C. If S or r is OOV, all 10 (or |V - C|) triples
    are misses.

    Attributes:
        k: The size of S.
        samples: How many pairs to draw from P, without replacement; None for all of P.
        out: Which words w are: `any` word outside the category, or those `matched` in frequency.
    """

    least_k: ClassVar[int] = 2  # with one word in S every pair is a tie

    k: int = 3
    samples: int | None = None
    out: Literal["any", "matched"] = "any"

    @property
    def asks(self) -> Literal["odd words", "matched words"]:
        """Words outside a category."""
        return "odd words" if self.out == "any" else "matched words"

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        super().__post_init__()
        if self.samples is not None:
            self._refuse(self.samples < 1, "samples must be 1 or more; leave it out to count all pairs")
            self._refuse(self.out == "matched", "out=matched counts all pairs; leave samples out")

    def best(self, known: npt.NDArray[np.integer[Any]], size: int) -> Doubles:
        """The share of comparisons in which all words have a vector."""
        from scipy.special import comb

        order = self.least_possible
        return np.asarray(comb(known, order) / comb(size, order) if size >= order else np.zeros(known.shape))

    @property
    def needed(self) -> int:
        """As many words as take part in a comparison, or three."""
        return max(self.least_possible, LEAST_WORDS)

    @property
    def least_possible(self) -> int:
        """As many as take part in a comparison: those of S, and the one that w replaces if it is matched."""
        return self.k if self.out == "any" else self.k + 1

    def can_score(self, category: FoundCategory, vocabulary: int) -> bool:
        """With as many known words as take part, as long as the vocabulary has words that can be odd."""
        return category.usable >= self.least_possible and len(category.known) < vocabulary

    def ceiling(self, category: FoundCategory) -> float:
        """Below 1 where OOV words are misses."""
        needed = self.least_possible
        return math.comb(category.usable, needed) / math.comb(category.size, needed)

    def evaluation(
        self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> OddOneOutEvaluation:
        """Look up the words of all categories."""
        return OddOneOutEvaluation(self, test_set, lookup, settings)


class OddOneOutEvaluation(CategoryEvaluation):
    """Counts all pairs of each category, or a sample if that is asked for or there are too many."""

    def __init__(
        self, measure: OddOneOut, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        super().__init__(measure, test_set, lookup, settings)
        self.kind = "cosine" if settings.norm == "unit" else "euclidean"
        self._measure, self._seed = measure, settings.seed
        self._parts, self._weight = test_set.by_name, settings.weight
        # What is drawn depends on OOV words, too.
        if measure.samples is None and not any(_too_many(measure, each) for each in self.categories):
            self.collects = tuple(self.scored_names)
        self.comparisons = sum(map(self._comparisons, self.categories))

    def _comparisons(self, category: FoundCategory) -> int:
        measure = self._measure
        if measure.samples is not None:
            return measure.samples
        number = math.comb(category.usable, measure.least_possible)
        each = self.vocabulary if measure.out == "any" else 2 * NEIGHBOURS * (measure.k + 1)
        return each * (DRAWN_SUBSETS if _too_many(measure, category) else number)

    def prepare(self, similarities: Similarities) -> None:
        """Start a counter for each category."""
        self._counters = [self._counter(category, similarities) for category in self.categories]

    def _counter(self, category: FoundCategory, similarities: Similarities) -> _Counter | _SampledPairs:
        measure = self._measure
        gram = similarities.among(category.rows)
        # Of the type of the sums that are compared, so that they are compared in their own precision.
        tie = gram.dtype.type((measure.k - 1) * similarities.tie)
        pairs = math.comb(category.size, measure.k) * (self.vocabulary - len(category.known))
        # Each category has its own random numbers, so that another category does not change its sample.
        generator = random.Random(f"{self._seed} {category.name}")  # noqa: S311
        if measure.samples is not None and measure.samples < pairs:
            ranks = draw(pairs, measure.samples, generator)
            return _SampledPairs(measure, category, gram, tie, ranks)
        drawn, order = None, measure.least_possible
        if _too_many(measure, category):
            drawn = unrank(draw(math.comb(category.size, order), DRAWN_SUBSETS, generator), order)
        return _Counter(measure, category, gram, tie, drawn, self.vocabulary)

    def begin(self) -> list[Any]:
        """A state for each category."""
        return [counter.begin() for counter in self._counters]

    def add(self, state: list[Any], start: int, similarities: Floats) -> None:
        """Pass the block on to the counters."""
        for counter, own in zip(self._counters, state, strict=True):
            counter.add(own, start, similarities)

    def of_baseline(self, baseline: Circle | SpellingSimilarities) -> tuple[list[Any], list[Any]] | None:
        """Of all words outside, by frequency, two states; for samples of words there is no quicker way."""
        if not isinstance(baseline, Circle):
            return None
        counters = [each for each in self._counters if isinstance(each, _Counter)]
        if self._measure.out == "matched" or len(counters) < len(self._counters):
            return None
        return [each.by_rank(baseline) for each in counters], [each.rarest(baseline) for each in counters]

    def scored(self, states: Sequence[list[Any] | tuple[list[Any], list[Any]]]) -> list[Subscore]:
        """One subscore for each category; of the states of a baseline, those of the higher score."""
        if isinstance(states[0], tuple):  # which is higher may differ between all words and known ones
            near, rare = states[0]
            return max(self.scored([near]), self.scored([rare]), key=self._sum)
        by_category = zip(*states, strict=True)
        return [counter.subscore(own) for counter, own in zip(self._counters, by_category, strict=True)]

    def _sum(self, subscores: Sequence[Subscore]) -> float:
        """What the mean over categories is in proportion to."""
        return math.fsum(self._weight(self._parts[each.name]) * (each.value or 0) for each in subscores)


def _too_many(measure: OddOneOut, category: FoundCategory) -> bool:
    """Whether a sample is drawn; subsets with an OOV word are misses that need no comparisons."""
    number, most = math.comb(category.usable, measure.least_possible), MOST_SUBSETS
    if measure.out == "matched":
        number, most = (measure.k + 1) * number, MATCHED_FACTOR * most
    return number > most


def _subscore(
    measure: OddOneOut,
    category: FoundCategory,
    shares: Doubles,
    order: int,
    hits: int,
    trials: int,
    **more: Any,  # noqa: ANN401
) -> Subscore:
    """The subscore of a U-statistic, from the shares of hits of its words."""
    value, ceiling = hits / trials, measure.ceiling(category)
    return of_category(
        category,
        value,
        value + influence(len(shares), order) * (shares - shares.mean()),
        hits=hits,
        trials=trials,
        ceiling=ceiling,
        chance=ceiling / (measure.k + 1),
        shares=shares,
        **more,
    )


class _Counter:
    """Counts hits beside subsets of a category's words: all of a size, or those that are drawn.

    Words beside them are those outside the category; or, if they are matched, those next in rank to a word r
    of the subset, beside its other words, S. Hits are counted by word if all subsets are counted, and by
    subset if some are drawn, shape (subsets, size). Words that are OOV are the last ones; beside a subset
    with one of them, no word is odd.
    """

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        gram: Floats,
        tie: np.floating[Any],
        drawn: Ints | None,
        vocabulary: int,
    ) -> None:
        self._measure, self._category, self._gram, self._tie = measure, category, gram, tie
        self._size, self._n, self._drawn = measure.least_possible, category.usable, drawn
        every = np.zeros((0, self._size), dtype=np.int64) if drawn is None else drawn
        self._chosen = every[(every < self._n).all(axis=1)]
        self._trials = vocabulary - len(category.known)  # of each subset
        self._neighbours = None
        if measure.out == "matched":  # subsets are S and r, and each of their words is r once
            self._neighbours = rank_neighbours(category.vocabulary_rows, vocabulary)
            self._trials = (measure.k + 1) * self._neighbours.shape[1]

    def begin(self) -> Ints:
        """Hits before any word is counted."""
        return np.zeros(self._n if self._drawn is None else len(self._chosen), dtype=np.int64)

    def add(self, hits: Ints, start: int, similarities: Floats) -> None:
        if self._neighbours is None:
            own = similarities[self._category.rows]
            members = self._category.known - start
            own[:, members[(members >= 0) & (members < own.shape[1])]] = np.inf
            hits += self._count(own, self._size, self._chosen)
            return
        here = (self._neighbours >= start) & (self._neighbours < start + similarities.shape[1])
        for replaced in np.flatnonzero(here.any(axis=1)).tolist():
            columns = self._neighbours[replaced, here[replaced]] - start
            self._count_replacing(replaced, similarities[np.ix_(self._category.rows, columns)], hits)

    def _count_replacing(self, replaced: int, own: Floats, hits: Ints) -> None:
        """Count how often words are odd in place of a word, beside the others of the subsets with it."""
        if self._drawn is None:
            own[replaced] = np.inf  # beside a subset with it, none is odd
            by_word = self._count(own, self._size - 1, self._chosen)
            by_word[replaced] = by_word.sum() // (self._size - 1)
            hits += by_word
            return
        with_it = self._with_word[replaced]
        subsets = self._chosen[with_it]
        others = subsets[subsets != replaced].reshape(-1, self._size - 1)
        hits[with_it] += self._count(own, self._size - 1, others)

    @cached_property
    def _with_word(self) -> list[Ints]:
        """The numbers of the chosen subsets with each word."""
        order = np.argsort(self._chosen, axis=None, kind="stable") // self._size
        return np.split(order, np.cumsum(np.bincount(self._chosen.ravel(), minlength=self._n))[:-1])

    def _count(self, own: Floats, size: int, chosen: Ints) -> Ints:
        """How often words are odd, by their similarities to the category's words, shape (n, words)."""
        from evaluator.engine import kernels

        if self._drawn is not None:
            return kernels.count_odd_subsets(own, self._gram, chosen, self._tie)
        hits = np.zeros(self._n, dtype=np.int64)
        count = {
            2: kernels.count_odd_pairs_by_word,
            3: kernels.count_odd_triples_by_word,
            4: kernels.count_odd_quadruples_by_word,
        }.get(size)
        if count is not None:
            count(own, self._gram, self._tie, hits)
            return hits
        for some in self._every(size):
            hits += _of_members(kernels.count_odd_subsets(own, self._gram, some, self._tie), some, self._n)
        return hits

    def _every(self, size: int) -> Iterator[Ints]:
        """All subsets of a size, many at a time, shape (subsets, size)."""
        number = math.comb(self._n, size)
        for start in range(0, number, _SUBSETS_AT_A_TIME):
            yield _subsets_from(start, size)[: number - start]

    def by_rank(self, circle: Circle) -> Ints:
        """The hits of every word outside at once, of the frequency baseline."""
        own, known, hits = circle.queries[self._category.rows], np.sort(self._category.known), self.begin()
        order, tie = np.argsort(own), float(self._tie)
        if self._drawn is not None:
            by_angle = np.sort(np.argsort(order)[self._chosen], axis=1)
            return hits + circle.odd_words(own[order], known, by_angle.T, tie)
        for some in self._every(self._size):
            hits[order] += _of_members(circle.odd_words(own[order], known, some.T, tie), some, self._n)
        return hits

    def rarest(self, circle: Circle) -> Ints:
        """The hits of who takes the rarest word for the odd one.

        So do vectors that are trained on a text whose words are shuffled: there frequent words, as those of
        categories are, have more to learn from, and are alike.
        """
        own, hits = circle.queries[self._category.rows], self.begin()
        order = np.argsort(own)
        members = np.sort(circle.words[self._category.known])
        rarer = [
            len(angles) - np.searchsorted(angles, own[order], "right") for angles in (circle.words, members)
        ]
        outside = rarer[0] - rarer[1]  # beside a subset whose rarest word is this one
        if self._drawn is not None:
            places = np.argsort(order)[self._chosen].max(axis=1, initial=0)
            return np.asarray(hits + outside[places])
        size, earlier = self._size, range(self._n)
        as_rarest = outside * np.array([math.comb(place, size - 1) for place in earlier], dtype=np.int64)
        # So many subsets of a rarest word have a given one of those before it.
        with_one = np.array([math.comb(max(place - 1, 0), size - 2) for place in earlier], dtype=np.int64)
        of_one = np.where(np.arange(self._n) > 0, outside * with_one, 0)
        hits[order] += as_rarest + np.cumsum(of_one[::-1])[::-1] - of_one
        return hits

    def subscore(self, states: Sequence[Ints]) -> Subscore:
        by_word: Ints = np.sum(states, axis=0)
        n, size, error = self._category.size, self._size, None
        if self._drawn is None:
            number, of_words = math.comb(n, size), np.full(n, float(math.comb(n - 1, size - 1)))
        else:
            number, of_words = len(self._drawn), np.bincount(self._drawn.ravel(), minlength=n)
            every = np.zeros(number, dtype=np.int64)
            every[: len(by_word)] = by_word  # the others have none
            error = float((every / self._trials).std(ddof=1)) / math.sqrt(number)
            by_word = _of_members(by_word, self._chosen, self._n)
        shares = np.zeros(n)  # those of OOV words, which are the last ones
        shares[: len(by_word)] = by_word / (np.maximum(of_words, 1)[: len(by_word)] * self._trials)
        total, trials = int(by_word.sum()) // size, number * self._trials
        return _subscore(self._measure, self._category, shares, size, total, trials, error=error)


def rank_neighbours(rows: npt.NDArray[np.intp], vocabulary: int) -> npt.NDArray[np.int64]:
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
    return _rows_outside(members, chosen)


def _rows_outside(members: Ints, numbers: Ints) -> Ints:
    """The vocabulary rows of words outside a category, from their numbers among these, from 0.

    Args:
        members: The rows of the category's words, in ascending order.
        numbers: Of any shape, which is that of the rows.
    """
    return np.asarray(numbers + np.searchsorted(members - np.arange(len(members)), numbers, side="right"))


class _SampledPairs:
    """A sample of pairs; a pair whose subset has an OOV word is a miss."""

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        gram: Floats,
        tie: np.floating[Any],
        drawn: Sequence[int],
    ) -> None:
        number = math.comb(category.size, measure.k)
        self._drawn = unrank([pair % number for pair in drawn], measure.k)
        odd = np.array([pair // number for pair in drawn], dtype=np.int64)
        words = _rows_outside(np.sort(category.known), odd)
        usable = (self._drawn < category.usable).all(axis=1)  # the OOV words are the last of the n words
        self._measure, self._category, self._tie = measure, category, tie
        self._subsets, self._words = self._drawn[usable], words[usable]
        # For each word s of each subset, Σ_{t∈S,t≠s} s·t; shape (subsets, k)
        similar = gram[self._subsets[:, :, None], self._subsets[:, None, :]]
        self._inner = similar.sum(axis=2) - similar.diagonal(axis1=1, axis2=2)
        self._order = np.argsort(self._words, kind="stable")
        self._sorted = self._words[self._order]

    def begin(self) -> Ints:
        return np.zeros(len(self._subsets), dtype=np.int64)

    def add(self, state: Ints, start: int, similarities: Floats) -> None:
        first, last = np.searchsorted(self._sorted, [start, start + similarities.shape[1]])
        here = self._order[first:last]
        rows = self._category.rows[self._subsets[here]]
        to_word = similarities[rows, (self._words[here] - start)[:, None]]
        # Σ_{t≠s} s·t > Σ_{t≠s} t·w for every s, with s·w added to both sides.
        margin = (self._inner[here] + to_word).min(axis=-1) - to_word.sum(axis=-1)
        state[here] = margin > self._tie

    def subscore(self, states: Sequence[Ints]) -> Subscore:
        hits: Ints = np.sum(states, axis=0)
        total, size, number = int(hits.sum()), self._category.size, len(self._drawn)
        trials = np.bincount(self._drawn.ravel(), minlength=size)
        of_words = _of_members(hits, self._subsets, size) / np.maximum(trials, 1)
        shares = np.where(trials > 0, of_words, total / number)  # a word that was not drawn has the mean
        return _subscore(self._measure, self._category, shares, self._measure.k, total, number)


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
        below = np.fromiter(map(math.comb, range(most + 1), repeat(size)), np.int64, most + 1)
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


@lru_cache(maxsize=8)
def _subsets_from(start: int, size: int) -> Ints:
    # Subsets of n words are the first ones of those of more words, so that categories share them.
    return unrank(range(start, start + _SUBSETS_AT_A_TIME), size)


def _of_members(hits: Ints, drawn: Ints, size: int) -> Ints:
    """Hits of each of so many words, from those of each subset; these are of shape (subsets, k)."""
    weights = np.repeat(hits, drawn.shape[1]).astype(np.float64)  # exact up to 2^53
    return np.bincount(drawn.ravel(), weights, minlength=size).astype(np.int64)
