"""OddOneOut: of some category words and a word from outside, is the latter farthest from their mean?"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import NEIGHBOURS, Circle, FrequencyBands, rank_neighbours
from evaluator.engine.odd_subsets import (
    AllReplaced,
    AllSubsets,
    DrawnReplaced,
    DrawnSubsets,
    OnCircle,
    draw,
    of_members,
    unrank,
)
from evaluator.engine.similarities import Doubles, Floats, Similarities
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup
from evaluator.measures.base import (
    LEAST_WORDS,
    CategoryEvaluation,
    CategoryMeasure,
    Subscore,
    influence,
)
from evaluator.settings import Settings

Ints = npt.NDArray[np.int64]

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
    that has fewer than 10 words. A word built from subwords or from several words is rarer than all of V: its
    M are the last words of V - C. If S or r is OOV, all 10 (or |V - C|) triples are misses.

    Attributes:
        k: The size of S.
        samples: How many pairs to draw from P, without replacement; None for all of P.
        out: Which words w are: `any` word outside the category, or those `matched` in frequency.
    """

    least_k: ClassVar[int] = 2  # with one word in S every pair is a tie

    k: int = 3
    samples: int | None = None
    out: Literal["any", "matched"] = "any"

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
        if not any(map(self._is_drawn, self.categories)):
            self.collects = tuple(category.name for category in self.categories)
        self.comparisons = sum(self._comparisons(category) for category in self.categories)

    def _is_drawn(self, category: FoundCategory) -> bool:
        """Whether not all pairs of a category are counted; what is drawn depends on OOV words, too."""
        measure = self._measure
        if measure.out == "matched":
            return _too_many_matched(measure.k, category)
        return measure.samples is not None or math.comb(category.usable, measure.k) > MOST_SUBSETS

    def _comparisons(self, category: FoundCategory) -> int:
        measure = self._measure
        if measure.samples is not None:
            return measure.samples
        if measure.out == "matched":
            drawn = DRAWN_SUBSETS * (measure.k + 1) if _too_many_matched(measure.k, category) else None
            return 2 * NEIGHBOURS * (drawn or _matched_pairs(measure.k, category.usable))
        number = math.comb(category.usable, measure.k)
        return (number if number <= MOST_SUBSETS else DRAWN_SUBSETS) * self.vocabulary

    def prepare(self, similarities: Similarities) -> None:
        """Start a counter for each category."""
        self._counters = [self._counter(category, similarities) for category in self.categories]

    def _counter(
        self, category: FoundCategory, similarities: Similarities
    ) -> _WithEveryWord | _WithRankNeighbours | _SampledPairs:
        measure = self._measure
        gram = similarities.among(category.rows)
        # Of the type of the sums that are compared, so that they are compared in their own precision.
        tie = gram.dtype.type((measure.k - 1) * similarities.tie)
        pairs = math.comb(category.size, measure.k) * (self.vocabulary - len(category.known))
        # Each category has its own random numbers, so that another category does not change its sample.
        generator = random.Random(f"{self._seed} {category.name}")  # noqa: S311
        if measure.samples is not None and measure.samples < pairs:
            drawn = draw(pairs, measure.samples, generator)
            return _SampledPairs(measure, category, gram, tie, drawn, self.vocabulary)
        if measure.out == "matched":
            matched = _matched_counting(measure.k, category, gram, tie, generator)
            return _WithRankNeighbours(measure, category, matched, self.vocabulary)
        counting = _counting(measure.k, category, gram, tie, generator)
        return _WithEveryWord(measure, category, counting, self.vocabulary)

    def begin(self) -> list[Any]:
        """A state for each category."""
        return [counter.begin() for counter in self._counters]

    def add(self, state: list[Any], start: int, similarities: Floats) -> None:
        """Pass the block on to the counters."""
        for counter, own in zip(self._counters, state, strict=True):
            counter.add(own, start, similarities)

    def by_rank(self, circle: Circle) -> list[Any] | None:
        """Of all words outside; for samples of words there is no quicker way."""
        counters = [each for each in self._counters if isinstance(each, _WithEveryWord)]
        return [each.by_rank(circle) for each in counters] if len(counters) == len(self._counters) else None

    def scored(self, states: Sequence[list[Any]]) -> list[Subscore]:
        """One subscore for each category."""
        by_category = zip(*states, strict=True)
        return [counter.subscore(own) for counter, own in zip(self._counters, by_category, strict=True)]


def _subscore(
    measure: OddOneOut,
    category: FoundCategory,
    value: float,
    shares: Doubles,
    order: int,
    **more: Any,  # noqa: ANN401
) -> Subscore:
    """The subscore of a U-statistic, from the shares of hits of its words."""
    ceiling = measure.ceiling(category)
    return Subscore.of(
        category.name,
        len(category.words),
        category.oov,
        value,
        category.observations,
        np.asarray(value + influence(len(shares), order) * (shares - shares.mean())),
        unknown=category.unknown,
        ceiling=ceiling,
        chance=ceiling / (measure.k + 1),
        shares=shares,
        **more,
    )


def _counting(
    k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any], generator: random.Random
) -> AllSubsets | DrawnSubsets:
    """Counts all subsets, or a sample of them if there are too many."""
    # Subsets with an OOV word are misses that need no comparisons.
    if math.comb(category.usable, k) <= MOST_SUBSETS:
        return AllSubsets(k, category, gram, tie)
    ranks = draw(math.comb(category.size, k), DRAWN_SUBSETS, generator)
    return DrawnSubsets(category, gram, tie, unrank(ranks, k))


class _WithEveryWord:
    """Counts subsets with every word outside.

    The hits of each word of the category are counted on a sample of each band only. They are needed for
    intervals alone, whose width a sample of a thousand words hardly changes.
    """

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        counting: AllSubsets | DrawnSubsets,
        vocabulary: int,
    ) -> None:
        self._measure, self._category, self._counting = measure, category, counting
        self._bands = FrequencyBands(vocabulary)
        self._sample = set(self._bands.sample())
        self._outside = self._bands.sizes() - self._bands.count(category.known)
        self._weights = self._outside / self._outside.sum()

    def begin(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Hits; on the sample, by band: hits by word, and words outside; hits by subset."""
        bands, n = self._bands.number, self._category.usable
        hits, by_word, seen = (np.zeros(shape, dtype=np.int64) for shape in ((1,), (bands, n), (bands,)))
        return hits, by_word, seen, self._counting.begin()

    def add(self, state: tuple[Ints, Ints, Ints, Ints], start: int, similarities: Floats) -> None:
        hits, by_word, seen, by_subset = state
        own, outside = _without_members(self._category, start, similarities)
        if start not in self._sample:
            hits += self._counting.total(own, by_subset)
            return
        band = self._bands.of(start)
        of_words = self._counting.counts(own, by_subset)
        by_word[band] += of_words
        hits += of_words.sum() // self._measure.k
        seen[band] += outside

    def by_rank(self, circle: Circle) -> tuple[Ints, Ints, Ints, Ints]:
        """The same from all words outside at once, which stand in one band for all."""
        hits, by_word, _, by_subset = self.begin()
        category = self._category
        place = OnCircle(circle.words, circle.queries[category.rows], np.sort(category.known))
        band = int(self._outside.argmax())
        by_word[band] = self._counting.on_circle(place, by_subset)
        hits += by_word.sum() // self._measure.k
        return hits, by_word, self._outside, by_subset

    def subscore(self, states: Sequence[tuple[Ints, Ints, Ints, Ints]]) -> Subscore:
        hits, by_word, seen, by_subset = (sum(each[1:], each[0]) for each in zip(*states, strict=True))
        n = self._category.size
        number, of_words = self._counting.trials(n)
        total, pairs = int(hits.sum()), number * int(self._outside.sum())
        shares = self._shares(by_word, seen, of_words[: self._category.usable])
        return _subscore(
            self._measure,
            self._category,
            total / pairs,
            _padded(shares, n),
            self._measure.k,
            hits=total,
            trials=pairs,
            error=self._counting.error(by_subset, int(self._outside.sum())),
        )

    def _shares(self, hits: Ints, seen: Ints, trials: Ints) -> Doubles:
        """The share of hits among so many subsets, on the sample; shape (n,)."""
        sampled = (self._weights > 0) & (seen > 0)
        of_band = self._weights[sampled] / seen[sampled]
        return np.asarray(of_band @ hits[sampled] / np.maximum(trials, 1))


def _padded(shares: Doubles, size: int) -> Doubles:
    """With zeros for OOV words, which are the last ones."""
    return np.pad(shares, (0, size - len(shares)))


def _without_members(category: FoundCategory, start: int, similarities: Floats) -> tuple[Floats, int]:
    """Similarities to a category's words, infinite for its own words; and how many words are not its own."""
    own = similarities[category.rows]
    members = category.known - start
    members = members[(members >= 0) & (members < own.shape[1])]
    own[:, members] = np.inf
    return np.asarray(own), own.shape[1] - len(members)


def _matched_pairs(k: int, words: int) -> int:
    return (k + 1) * math.comb(words, k + 1)


def _matched_counting(
    k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any], generator: random.Random
) -> AllReplaced | DrawnReplaced:
    """Counts all (S, r), or a sample of them if there are too many."""
    if not _too_many_matched(k, category):
        return AllReplaced(k, AllSubsets(k, category, gram, tie))
    ranks = draw(math.comb(category.size, k + 1), DRAWN_SUBSETS, generator)
    return DrawnReplaced(category, gram, tie, unrank(ranks, k + 1))


def _too_many_matched(k: int, category: FoundCategory) -> bool:
    return _matched_pairs(k, category.usable) > MATCHED_FACTOR * MOST_SUBSETS


class _WithRankNeighbours:
    """Counts subsets S with the words outside that are next in rank to another word r of the category."""

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        counting: AllReplaced | DrawnReplaced,
        vocabulary: int,
    ) -> None:
        self._measure, self._category, self._counting = measure, category, counting
        self._neighbours = rank_neighbours(category.vocabulary_rows, vocabulary)

    def begin(self) -> tuple[Ints, Ints]:
        """Hits by word, in S or as r; hits by drawn set."""
        return np.zeros(self._category.usable, np.int64), self._counting.begin()

    def add(self, state: tuple[Ints, Ints], start: int, similarities: Floats) -> None:
        by_word, by_set = state
        here = (self._neighbours >= start) & (self._neighbours < start + similarities.shape[1])
        for replaced in np.flatnonzero(here.any(axis=1)):
            columns = self._neighbours[replaced, here[replaced]] - start
            own = similarities[np.ix_(self._category.rows, columns)]
            by_word += self._counting.counts(own, int(replaced), by_set)

    def subscore(self, states: Sequence[tuple[Ints, Ints]]) -> Subscore:
        by_word, by_set = (sum(each[1:], each[0]) for each in zip(*states, strict=True))
        n, order, width = self._category.size, self._measure.k + 1, self._neighbours.shape[1]
        pairs, of_words = self._counting.trials(n)
        # S and r are k+1 words, each of which takes part in all hits of its set.
        hits, trials = int(by_word.sum()) // order, pairs * width
        of_words = np.maximum(of_words, 1)[: len(by_word)] * width
        return _subscore(
            self._measure,
            self._category,
            hits / trials,
            _padded(by_word / of_words, n),
            order,
            hits=hits,
            trials=trials,
            error=self._counting.error(by_set, order * width),
        )


class _SampledPairs:
    """A sample of pairs; a pair whose subset has an OOV word is a miss."""

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
        self._drawn = unrank([pair % number for pair in drawn], measure.k)
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

    def subscore(self, states: Sequence[Ints]) -> Subscore:
        hits: Ints = np.sum(states, axis=0)
        total, size = int(hits.sum()), self._category.size
        value = total / len(self._drawn)
        trials = np.bincount(self._drawn.ravel(), minlength=size)
        # A word that was not drawn has the mean.
        by_word = np.where(trials > 0, of_members(hits, self._subsets, size) / np.maximum(trials, 1), value)
        return _subscore(
            self._measure,
            self._category,
            value,
            by_word,
            self._measure.k,
            hits=total,
            trials=len(self._drawn),
        )


def _is_odd(to_word: Floats, inner: Floats, tie: np.floating[Any]) -> npt.NDArray[np.bool_]:
    """Whether words are the odd ones beside subsets."""
    # Σ_{t≠s} s·t > Σ_{t≠s} t·w for every s, with s·w added to both sides.
    margin = (inner + to_word).min(axis=-1) - to_word.sum(axis=-1)
    return np.asarray(margin > tie)


def _inner_sums(gram: Floats, chosen: Ints) -> Floats:
    """For each word s of each subset, Σ_{t∈S,t≠s} s·t; shape (subsets, k)."""
    similar = gram[chosen[:, :, None], chosen[:, None, :]]
    return np.asarray(similar.sum(axis=2) - similar.diagonal(axis1=1, axis2=2))
