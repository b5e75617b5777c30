"""OddOneOut: is a word from outside farthest from the middle of some category words and itself?"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine import subsets
from evaluator.engine.frequency import FrequencyBands
from evaluator.engine.similarities import Floats, Similarities
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup
from evaluator.measures.base import CategoryEvaluation, CategoryMeasure, Doubles, Subscore, influence
from evaluator.settings import Settings

Ints = npt.NDArray[np.int64]

MOST_SUBSETS = 2**25
"""Where a category has more subsets than this (more than 586 words for k = 3), they are drawn."""

DRAWN_SUBSETS = 1_000_000
"""So many that the standard error is at most 0.5/√1,000,000 = 0.0005, whatever the vectors."""


@dataclass(frozen=True)
class OddOneOut(CategoryMeasure):
    """The share of pairs (S, w) in which w is the odd one, as `OddOneOut@3`.

    Over P = {(S, w): S a k-subset of the category C, w in V - C} (eqs. 3 to 7 of the paper "Evaluating Word
    Embeddings on Low-Resource Languages"), the share of pairs where w is the farthest from the mean of
    S ∪ {w}; a tie is a miss. With unit vectors that is so if and only if, for every s in S,
    `Σ_{t∈S,t≠s} s·t > Σ_{t∈S,t≠s} t·w`; with raw ones, if the same holds for -|x-t|²/2 in place of x·t.
    A blind guess is right once in k+1.

    With `out=matched`, w is as frequent as the words of C, so that rarity is no cue: the vocabulary is cut
    into bands at each doubling of the rank, and the shares of hits within the bands are averaged with the
    shares of C's words that lie in them as weights (direct standardisation).

    Attributes:
        k: The size of S.
        samples: How many pairs to draw from P, without replacement; None for all of P.
        out: Which words are odd ones: `any` outside the category, or those `matched` in frequency.
    """

    k: int = 3
    samples: int | None = None
    out: Literal["any", "matched"] = "any"

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense.

        Raises:
            MeasureError: k is below 2, where every pair would be a tie; samples is below 1, or given with
                `out=matched`, for which all pairs are counted.
        """
        self._refuse(self.k < 2, "k must be 2 or more")
        if self.samples is not None:
            self._refuse(self.samples < 1, "samples must be 1 or more; leave it out to count all pairs")
            self._refuse(self.out == "matched", "out=matched counts all pairs; leave samples out")

    @property
    def draws(self) -> bool:
        """Samples depend on a seed."""
        return self.samples is not None

    def why_not(self, category: FoundCategory, vocabulary: int) -> str | None:
        """A category needs k usable words, and a vocabulary that is larger than the category."""
        if category.usable < self.k:
            return f"{category.usable} of {len(category.words)} words in the vocabulary, {self.k} needed"
        if len(category.known) == vocabulary:
            return "covers the whole vocabulary: no word is left to be odd"
        if self.out == "matched" and not _matched_weights(category, FrequencyBands(vocabulary)).any():
            return "no word outside is as frequent as any of its words"
        return None

    def ceiling(self, category: FoundCategory) -> float:
        """Below 1 where OOV words are misses."""
        return math.comb(category.usable, self.k) / math.comb(category.size, self.k)

    def evaluation(
        self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> OddOneOutEvaluation:
        """Look up the words of all categories."""
        return OddOneOutEvaluation(self, test_set, lookup, settings)


class OddOneOutEvaluation(CategoryEvaluation):
    """Counts for each category all pairs, or those drawn where that is asked for or there are too many."""

    def __init__(
        self, measure: OddOneOut, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words of all categories."""
        super().__init__(measure, test_set, lookup, settings)
        # Cosines of unit vectors, distances of raw ones.
        self.kind = "cosine" if settings.norm == "unit" else "euclidean"
        self._measure, self._seed = measure, settings.seed
        self.comparisons = sum(self._comparisons(category) for category in self.categories)

    def _comparisons(self, category: FoundCategory) -> int:
        if self._measure.samples is not None:
            return self._measure.samples
        number = math.comb(category.usable, self._measure.k)
        return (number if number <= MOST_SUBSETS else DRAWN_SUBSETS) * self.vocabulary

    def prepare(self, similarities: Similarities) -> None:
        """Start a counter for each category."""
        self._counters = [self._counter(category, similarities) for category in self.categories]

    def _counter(self, category: FoundCategory, similarities: Similarities) -> _Counter:
        measure = self._measure
        gram = similarities.among(category.rows)
        # Of the same type as what it bounds, which is then compared in its own precision.
        tie = gram.dtype.type((measure.k - 1) * similarities.tie)
        pairs = math.comb(category.size, measure.k) * (self.vocabulary - len(category.known))
        # Each category has its own stream, so that adding one does not change the others' samples.
        generator = random.Random(f"{self._seed} {category.name}")  # noqa: S311
        if measure.samples is not None and measure.samples < pairs:
            drawn = subsets.draw(pairs, measure.samples, generator)
            return _SampledPairs(measure, category, gram, tie, drawn, self.vocabulary)
        # Subsets with an OOV word miss without being looked at, so that they cost nothing.
        if math.comb(category.usable, measure.k) > MOST_SUBSETS:
            ranks = subsets.draw(math.comb(category.size, measure.k), DRAWN_SUBSETS, generator)
            drawn_subsets = _DrawnSubsets(category, gram, tie, subsets.unrank(ranks, measure.k))
            return _EveryWord(measure, category, drawn_subsets, self.vocabulary)
        return _EveryWord(measure, category, _AllSubsets(measure.k, category, gram, tie), self.vocabulary)

    def begin(self) -> list[Any]:
        """A state for each category."""
        return [counter.begin() for counter in self._counters]

    def add(self, state: list[Any], start: int, similarities: Floats) -> None:
        """Pass the block on to the counters."""
        for counter, own in zip(self._counters, state, strict=True):
            counter.add(own, start, similarities)

    def scored(self, states: Sequence[list[Any]]) -> list[Subscore]:
        """One part for each category."""
        by_category = zip(*states, strict=True)
        return [counter.part(own) for counter, own in zip(self._counters, by_category, strict=True)]


class _Counter(Protocol):
    """Counts for one category."""

    def begin(self) -> Any: ...  # noqa: ANN401
    def add(self, state: Any, start: int, similarities: Floats) -> None: ...  # noqa: ANN401
    def part(self, states: Sequence[Any]) -> Subscore: ...


def _part(
    measure: OddOneOut,
    category: FoundCategory,
    value: float,
    contributions: Doubles,
    **more: Any,  # noqa: ANN401
) -> Subscore:
    ceiling = measure.ceiling(category)
    return Subscore(
        category.name,
        len(category.words),
        category.oov,
        value,
        category.observations,
        contributions,
        ceiling=ceiling,
        chance=ceiling / (measure.k + 1),
        **more,
    )


def _projected(value: float, by_unit: Doubles, k: int) -> Doubles:
    """The contributions to a U-statistic of order k, from the share of hits among the trials of each unit."""
    return np.asarray(value + influence(len(by_unit), k) * (by_unit - by_unit.mean()))


class _EveryWord:
    """Counts subsets with every word outside, band by band.

    How many hits are those of each word of the category is counted on a sample of each band only: it serves
    intervals, which a sample of a thousand words blurs by less than they can say.
    """

    def __init__(
        self, measure: OddOneOut, category: FoundCategory, counting: _Subsets, vocabulary: int
    ) -> None:
        self._measure, self._category, self._counting = measure, category, counting
        self._bands = FrequencyBands(vocabulary)
        self._sample = set(self._bands.sample())
        self._outside = self._bands.sizes() - self._bands.count(category.known)
        if measure.out == "matched":
            self._weights = _matched_weights(category, self._bands)
        else:
            self._weights = self._outside / self._outside.sum()

    def begin(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Hits by band; on the sample hits by band and word, and words outside by band; hits by subset."""
        shape = self._bands.number, self._category.usable
        bands = np.zeros((2, shape[0]), dtype=np.int64)
        return bands[0], np.zeros(shape, dtype=np.int64), bands[1], self._counting.begin()

    def add(self, state: tuple[Ints, Ints, Ints, Ints], start: int, similarities: Floats) -> None:
        hits, by_word, seen, by_subset = state
        own, outside = _without_members(self._category, start, similarities)
        band = self._bands.of(start)
        if start not in self._sample:
            hits[band] += self._counting.total(own, by_subset)
            return
        of_words = self._counting.by_word(own, by_subset)
        by_word[band] += of_words
        hits[band] += of_words.sum() // self._measure.k
        seen[band] += outside

    def part(self, states: Sequence[tuple[Ints, Ints, Ints, Ints]]) -> Subscore:
        hits, by_word, seen, by_subset = (sum(parts[1:], parts[0]) for parts in zip(*states, strict=True))
        number, of_units = self._counting.trials(self._category.size)
        used = self._weights > 0
        total, pairs = int(hits.sum()), number * int(self._outside.sum())
        matched = self._measure.out == "matched"
        rates = hits[used] / (number * self._outside[used])
        value = float(self._weights[used] @ rates) if matched else total / pairs
        usable, looked = self._category.usable, used & (seen > 0)
        by_unit = np.zeros(self._category.size)
        trials = np.maximum(of_units[:usable], 1) * seen[looked, None]
        by_unit[:usable] = self._weights[looked] @ (by_word[looked] / trials)
        return _part(
            self._measure,
            self._category,
            value,
            _projected(value, by_unit, self._measure.k),
            hits=None if matched else total,
            trials=None if matched else pairs,
            error=self._counting.error(by_subset, int(self._outside.sum())),
        )


def _matched_weights(category: FoundCategory, bands: FrequencyBands) -> Doubles:
    """The share of a category's words in each band that has words outside as well, shape (bands,)."""
    members = bands.count(category.known)
    members = np.where(bands.sizes() > members, members, 0)
    return np.asarray(members / max(members.sum(), 1))


def _without_members(category: FoundCategory, start: int, similarities: Floats) -> tuple[Floats, int]:
    """The rows of a category's words, its own words so near that they are never odd; and how many others."""
    own = similarities[category.rows]
    members = category.known - start
    members = members[(members >= 0) & (members < own.shape[1])]
    own[:, members] = np.inf
    return np.asarray(own), own.shape[1] - len(members)


class _Subsets(ABC):
    """Which subsets are compared with every word."""

    @abstractmethod
    def begin(self) -> Ints:
        """Hits of each subset, where they are needed."""

    @abstractmethod
    def total(self, own: Floats, by_subset: Ints) -> int:
        """How often the words of a block are odd, from their similarities to the category's words."""

    @abstractmethod
    def by_word(self, own: Floats, by_subset: Ints) -> Ints:
        """The same for each word of the category, shape (usable,)."""

    @abstractmethod
    def trials(self, size: int) -> tuple[int, Ints]:
        """How many subsets of n words there are, and of how many each is a member, shape (n,)."""

    @abstractmethod
    def error(self, by_subset: Ints, outside: int) -> float | None:
        """The standard error that comes of drawing them."""


class _AllSubsets(_Subsets):
    """All of them, in compiled loops."""

    def __init__(self, k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any]) -> None:
        self._k, self._usable, self._gram, self._tie = k, category.usable, gram, tie

    def begin(self) -> Ints:
        return np.zeros(0, dtype=np.int64)

    def total(self, own: Floats, by_subset: Ints) -> int:
        from evaluator.engine import kernels

        count = {3: kernels.count_odd_triples, 4: kernels.count_odd_quadruples}.get(self._k)
        if count is not None:
            return int(count(own, self._gram, self._tie))
        return int(self.by_word(own, by_subset).sum()) // self._k

    def by_word(self, own: Floats, by_subset: Ints) -> Ints:  # noqa: ARG002  # subsets are not told apart
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
        for chunk in subsets.chunks(self._usable, self._k):
            hits += _of_members(
                kernels.count_odd_subsets(own, self._gram, chunk, self._tie), chunk, len(hits)
            )
        return hits

    def trials(self, size: int) -> tuple[int, Ints]:
        return math.comb(size, self._k), np.full(size, math.comb(size - 1, self._k - 1))

    def error(self, by_subset: Ints, outside: int) -> float | None:  # noqa: ARG002  # nothing is drawn
        return None


class _DrawnSubsets(_Subsets):
    """Those drawn; a subset with an OOV word misses all."""

    def __init__(self, category: FoundCategory, gram: Floats, tie: np.floating[Any], drawn: Ints) -> None:
        self._drawn, self._gram, self._tie = drawn, gram, tie
        # The OOV words are the last of the n words.
        self._subsets = drawn[(drawn < category.usable).all(axis=1)]
        self._usable = category.usable

    def begin(self) -> Ints:
        return np.zeros(len(self._subsets), dtype=np.int64)

    def total(self, own: Floats, by_subset: Ints) -> int:
        return int(self._hits(own, by_subset).sum())

    def by_word(self, own: Floats, by_subset: Ints) -> Ints:
        return _of_members(self._hits(own, by_subset), self._subsets, self._usable)

    def _hits(self, own: Floats, by_subset: Ints) -> Ints:
        from evaluator.engine.kernels import count_odd_subsets

        hits = count_odd_subsets(own, self._gram, self._subsets, self._tie)
        by_subset += hits
        return hits

    def trials(self, size: int) -> tuple[int, Ints]:
        return len(self._drawn), np.bincount(self._drawn.ravel(), minlength=size)

    def error(self, by_subset: Ints, outside: int) -> float | None:
        hits = np.zeros(len(self._drawn), dtype=np.int64)
        hits[: len(by_subset)] = by_subset
        return float((hits / outside).std(ddof=1)) / math.sqrt(len(hits))


def _of_members(hits: Ints, drawn: Ints, size: int) -> Ints:
    """Hits of each word, from those of each subset, shape (size,)."""
    weights = np.repeat(hits, drawn.shape[1]).astype(np.float64)  # exact up to 2^53
    return np.bincount(drawn.ravel(), weights, minlength=size).astype(np.int64)


class _SampledPairs:
    """Compares the drawn pairs; a pair whose subset has an OOV word is a miss."""

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        gram: Floats,
        tie: np.floating[Any],
        drawn: Sequence[int],
        vocabulary: int,
    ) -> None:
        number = math.comb(category.size, measure.k)
        self._drawn = subsets.unrank([pair % number for pair in drawn], measure.k)
        outside = np.setdiff1d(np.arange(vocabulary), category.known, assume_unique=True)
        words = outside[np.array([pair // number for pair in drawn], dtype=np.int64)]
        usable = (self._drawn < category.usable).all(axis=1)  # the OOV words are the last of the n words
        self._measure, self._category, self._tie = measure, category, tie
        self._subsets, self._words = self._drawn[usable], words[usable]
        self._inner = _inner_sums(gram, self._subsets)
        self._order = np.argsort(self._words, kind="stable")
        self._sorted = self._words[self._order]

    def begin(self) -> Ints:
        return np.zeros(len(self._subsets), dtype=np.int64)

    def add(self, state: Ints, start: int, similarities: Floats) -> None:
        first, last = np.searchsorted(self._sorted, [start, start + similarities.shape[1]])
        here = self._order[first:last]
        rows = self._category.rows[self._subsets[here]]
        to_word = similarities[rows, (self._words[here] - start)[:, None]]
        state[here] = _is_odd(to_word, self._inner[here], self._tie)

    def part(self, states: Sequence[Ints]) -> Subscore:
        hits: Ints = np.sum(states, axis=0)
        total, size = int(hits.sum()), self._category.size
        value = total / len(self._drawn)
        trials = np.bincount(self._drawn.ravel(), minlength=size)
        # A word that was not drawn says nothing, which is the mean.
        by_unit = np.where(trials > 0, _of_members(hits, self._subsets, size) / np.maximum(trials, 1), value)
        return _part(
            self._measure,
            self._category,
            value,
            _projected(value, by_unit, self._measure.k),
            hits=total,
            trials=len(self._drawn),
        )


def _is_odd(to_word: Floats, inner: Floats, tie: np.floating[Any]) -> npt.NDArray[np.bool_]:
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


def _inner_sums(gram: Floats, chosen: Ints) -> Floats:
    """For each word s of each subset, Σ_{t∈S,t≠s} s·t; shape (subsets, k)."""
    similar = gram[chosen[:, :, None], chosen[:, None, :]]
    return np.asarray(similar.sum(axis=2) - similar.diagonal(axis1=1, axis2=2))
