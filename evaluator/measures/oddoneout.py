"""OddOneOut: of some category words and a word from outside, is the latter farthest from their mean?"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine import subsets
from evaluator.engine.frequency import NEIGHBOURS, FrequencyBands, rank_neighbours
from evaluator.engine.similarities import Doubles, Floats, Similarities
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup
from evaluator.measures.base import LEAST_WORDS, CategoryEvaluation, CategoryMeasure, Subscore, influence
from evaluator.settings import Settings

Ints = npt.NDArray[np.int64]

MOST_SUBSETS = 2**25
"""If a category has more subsets than this (for k = 3, more than 586 words), a sample of them is drawn."""

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

    k: int = 3
    samples: int | None = None
    out: Literal["any", "matched"] = "any"

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense.

        Raises:
            MeasureError: k is below 2, so that every pair would be a tie; samples is below 1, or given with
                `out=matched`, which counts all pairs; or there is no such `out`.
        """
        super().__post_init__()
        self._refuse(self.k < 2, "k must be 2 or more")
        if self.samples is not None:
            self._refuse(self.samples < 1, "samples must be 1 or more; leave it out to count all pairs")
            self._refuse(self.out == "matched", "out=matched counts all pairs; leave samples out")

    @property
    def draws(self) -> bool:
        """Samples depend on a seed."""
        return self.samples is not None

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
        """Look up the words of all categories."""
        super().__init__(measure, test_set, lookup, settings)
        self.kind = "cosine" if settings.norm == "unit" else "euclidean"
        if measure.samples is None:
            self.collects = tuple(category.name for category in self.categories)
        self._measure, self._seed = measure, settings.seed
        self.comparisons = sum(self._comparisons(category) for category in self.categories)

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
            drawn = subsets.draw(pairs, measure.samples, generator)
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

    def scored(self, states: Sequence[list[Any]]) -> list[Subscore]:
        """One subscore for each category."""
        by_category = zip(*states, strict=True)
        return [counter.subscore(own) for counter, own in zip(self._counters, by_category, strict=True)]


def _subscore(
    measure: OddOneOut,
    category: FoundCategory,
    value: float,
    pseudovalues: Doubles,
    **more: Any,  # noqa: ANN401
) -> Subscore:
    ceiling = measure.ceiling(category)
    return Subscore(
        category.name,
        len(category.words),
        category.oov,
        value,
        category.observations,
        pseudovalues,
        ceiling=ceiling,
        chance=ceiling / (measure.k + 1),
        **more,
    )


def _u_statistic_pseudovalues(value: float, shares: Doubles, k: int) -> Doubles:
    """Pseudo-values of a U-statistic of order k, from the share of hits of each observation."""
    return np.asarray(value + influence(len(shares), k) * (shares - shares.mean()))


def _counting(
    k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any], generator: random.Random
) -> _AllSubsets | _DrawnSubsets:
    """Counts all subsets, or a sample of them if there are too many."""
    # Subsets with an OOV word are misses that need no comparisons.
    if math.comb(category.usable, k) <= MOST_SUBSETS:
        return _AllSubsets(k, category, gram, tie)
    ranks = subsets.draw(math.comb(category.size, k), DRAWN_SUBSETS, generator)
    return _DrawnSubsets(category, gram, tie, subsets.unrank(ranks, k))


class _WithEveryWord:
    """Counts subsets with every word outside.

    The hits of each word of the category are counted on a sample of each band only. They are needed for
    intervals alone, whose width a sample of a thousand words hardly changes.
    """

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        counting: _AllSubsets | _DrawnSubsets,
        vocabulary: int,
    ) -> None:
        self._measure, self._category, self._counting = measure, category, counting
        self._bands = FrequencyBands(vocabulary)
        self._sample = set(self._bands.sample())
        self._outside = self._bands.sizes() - self._bands.count(category.known)
        self._weights = self._outside / self._outside.sum()

    def begin(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Hits; on the sample, hits by band and word, and words outside by band; hits by subset."""
        bands = self._bands.number
        by_word = np.zeros((bands, self._category.usable), dtype=np.int64)
        return np.zeros(1, dtype=np.int64), by_word, np.zeros(bands, dtype=np.int64), self._counting.begin()

    def add(self, state: tuple[Ints, Ints, Ints, Ints], start: int, similarities: Floats) -> None:
        hits, by_word, seen, by_subset = state
        own, outside = _without_members(self._category, start, similarities)
        if start not in self._sample:
            hits += self._counting.total(own, by_subset)
            return
        band = self._bands.of(start)
        of_words = self._counting.by_word(own, by_subset)
        by_word[band] += of_words
        hits += of_words.sum() // self._measure.k
        seen[band] += outside

    def subscore(self, states: Sequence[tuple[Ints, Ints, Ints, Ints]]) -> Subscore:
        hits, by_word, seen, by_subset = (sum(each[1:], each[0]) for each in zip(*states, strict=True))
        number, of_words = self._counting.trials(self._category.size)
        total, pairs = int(hits.sum()), number * int(self._outside.sum())
        value = total / pairs
        shares = self._word_shares(by_word, seen, of_words)
        return _subscore(
            self._measure,
            self._category,
            value,
            _u_statistic_pseudovalues(value, shares, self._measure.k),
            hits=total,
            trials=pairs,
            error=self._counting.error(by_subset, int(self._outside.sum())),
        )

    def _word_shares(self, hits: Ints, seen: Ints, of_words: Ints) -> Doubles:
        """The share of hits of each word of the category, on the sample; shape (size,)."""
        usable, sampled = self._category.usable, (self._weights > 0) & (seen > 0)
        trials = np.maximum(of_words[:usable], 1) * seen[sampled, None]
        shares = np.zeros(self._category.size)
        shares[:usable] = self._weights[sampled] @ (hits[sampled] / trials)
        return shares


def _without_members(category: FoundCategory, start: int, similarities: Floats) -> tuple[Floats, int]:
    """Similarities to a category's words, infinite for its own words; and how many words are not its own."""
    own = similarities[category.rows]
    members = category.known - start
    members = members[(members >= 0) & (members < own.shape[1])]
    own[:, members] = np.inf
    return np.asarray(own), own.shape[1] - len(members)


def _matched_pairs(k: int, words: int) -> int:
    """How many (S, r) there are."""
    return (k + 1) * math.comb(words, k + 1)


def _matched_counting(
    k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any], generator: random.Random
) -> _AllReplaced | _DrawnReplaced:
    """Counts all (S, r), or a sample of them if there are too many."""
    if not _too_many_matched(k, category):
        return _AllReplaced(k, _AllSubsets(k, category, gram, tie))
    ranks = subsets.draw(math.comb(category.size, k + 1), DRAWN_SUBSETS, generator)
    return _DrawnReplaced(category, gram, tie, subsets.unrank(ranks, k + 1))


def _too_many_matched(k: int, category: FoundCategory) -> bool:
    return _matched_pairs(k, category.usable) > MATCHED_FACTOR * MOST_SUBSETS


class _WithRankNeighbours:
    """Counts subsets S with the words outside that are next in rank to another word r of the category."""

    def __init__(
        self,
        measure: OddOneOut,
        category: FoundCategory,
        counting: _AllReplaced | _DrawnReplaced,
        vocabulary: int,
    ) -> None:
        self._measure, self._category, self._counting = measure, category, counting
        self._neighbours = rank_neighbours(category.vocabulary_rows, vocabulary)

    def begin(self) -> tuple[Ints, Ints]:
        """Hits by word, in S or as r; hits by drawn set."""
        return np.zeros(self._category.usable, dtype=np.int64), self._counting.begin()

    def add(self, state: tuple[Ints, Ints], start: int, similarities: Floats) -> None:
        by_word, by_set = state
        here = (self._neighbours >= start) & (self._neighbours < start + similarities.shape[1])
        for replaced in np.flatnonzero(here.any(axis=1)):
            columns = self._neighbours[replaced, here[replaced]] - start
            own = similarities[np.ix_(self._category.rows, columns)]
            hits = self._counting.by_word(own, int(replaced), by_set)
            by_word += hits
            by_word[replaced] += hits.sum() // self._measure.k

    def subscore(self, states: Sequence[tuple[Ints, Ints]]) -> Subscore:
        by_word, by_set = (sum(each[1:], each[0]) for each in zip(*states, strict=True))
        order, width = self._measure.k + 1, self._neighbours.shape[1]
        pairs, of_words = self._counting.trials(self._category.size)
        # S and r are k+1 words, each of which takes part in all hits of its set.
        hits, trials = int(by_word.sum()) // order, pairs * width
        shares = np.zeros(self._category.size)
        shares[: len(by_word)] = by_word / (np.maximum(of_words, 1)[: len(by_word)] * float(width))
        return _subscore(
            self._measure,
            self._category,
            hits / trials,
            _u_statistic_pseudovalues(hits / trials, shares, order),
            hits=hits,
            trials=trials,
            error=self._counting.error(by_set, order * width),
        )


class _AllReplaced:
    """All (S, r)."""

    def __init__(self, k: int, every: _AllSubsets) -> None:
        self._k, self._every = k, every

    def begin(self) -> Ints:
        """Nothing is drawn."""
        return self._every.begin()

    def by_word(self, own: Floats, replaced: int, by_set: Ints) -> Ints:
        """How often words are odd beside sets without r, for each word of S; shape (usable,)."""
        own[replaced] = np.inf  # beside a set with r, none is
        return self._every.by_word(own, by_set)

    def trials(self, size: int) -> tuple[int, Doubles]:
        """How many (S, r) there are of n words, and in how many each word takes part, shape (n,)."""
        with_one = (self._k + 1) * math.comb(size - 1, self._k)
        return _matched_pairs(self._k, size), np.full(size, float(with_one))

    def error(self, by_set: Ints, trials: int) -> float | None:
        """The standard error that is due to drawing."""
        return self._every.error(by_set, trials)


class _DrawnReplaced:
    """A sample of sets of k+1 words, each of which is r once; a set with an OOV word has only misses."""

    def __init__(self, category: FoundCategory, gram: Floats, tie: np.floating[Any], drawn: Ints) -> None:
        self._drawn, self._gram, self._tie = drawn, gram, tie
        # The OOV words are the last of the n words.
        self._sets = drawn[(drawn < category.usable).all(axis=1)]
        self._order = np.argsort(self._sets, axis=None, kind="stable")
        counts = np.bincount(self._sets.ravel(), minlength=category.usable)
        self._ends = np.concatenate(([0], np.cumsum(counts)))
        self._usable = category.usable

    def begin(self) -> Ints:
        return np.zeros(len(self._sets), dtype=np.int64)

    def by_word(self, own: Floats, replaced: int, by_set: Ints) -> Ints:
        from evaluator.engine.kernels import count_odd_subsets

        size = self._sets.shape[1]
        with_it = self._order[self._ends[replaced] : self._ends[replaced + 1]] // size
        sets = self._sets[with_it]
        others = sets[sets != replaced].reshape(-1, size - 1)
        hits = count_odd_subsets(own, self._gram, others, self._tie)
        by_set[with_it] += hits
        return _of_members(hits, others, self._usable)

    def trials(self, size: int) -> tuple[int, Doubles]:
        number, order = self._drawn.shape
        return number * order, order * np.bincount(self._drawn.ravel(), minlength=size).astype(np.float64)

    def error(self, by_set: Ints, trials: int) -> float | None:
        return _standard_error(by_set, len(self._drawn), trials)


class _AllSubsets:
    """All subsets, in compiled loops."""

    def __init__(self, k: int, category: FoundCategory, gram: Floats, tie: np.floating[Any]) -> None:
        self._k, self._usable, self._gram, self._tie = k, category.usable, gram, tie

    def begin(self) -> Ints:
        """The initial hits of each subset; none, as they are not needed."""
        return np.zeros(0, dtype=np.int64)

    def total(self, own: Floats, by_subset: Ints) -> int:
        """How often words of a block are odd, given their similarities to the category's words."""
        from evaluator.engine import kernels

        count = {3: kernels.count_odd_triples, 4: kernels.count_odd_quadruples}.get(self._k)
        if count is not None:
            return int(count(own, self._gram, self._tie))
        return int(self.by_word(own, by_subset).sum()) // self._k

    def by_word(self, own: Floats, by_subset: Ints) -> Ints:  # noqa: ARG002  # hits of subsets are not needed
        """The same for each word of the category, shape (usable,)."""
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
        """How many subsets of n words there are, and of how many each word is a member, shape (n,)."""
        return math.comb(size, self._k), np.full(size, math.comb(size - 1, self._k - 1))

    def error(self, by_subset: Ints, outside: int) -> float | None:  # noqa: ARG002  # nothing is drawn
        """The standard error that is due to drawing subsets."""
        return None


class _DrawnSubsets:
    """A sample of subsets; one with an OOV word has only misses."""

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
        return _standard_error(by_subset, len(self._drawn), outside)


def _standard_error(hits: Ints, drawn: int, trials: int) -> float:
    """The standard error of the share of hits in drawn sets of so many trials each; the others have none."""
    every = np.zeros(drawn, dtype=np.int64)
    every[: len(hits)] = hits
    return float((every / trials).std(ddof=1)) / math.sqrt(drawn)


def _of_members(hits: Ints, drawn: Ints, size: int) -> Ints:
    """Hits of each word, from those of each subset, shape (size,)."""
    weights = np.repeat(hits, drawn.shape[1]).astype(np.float64)  # exact up to 2^53
    return np.bincount(drawn.ravel(), weights, minlength=size).astype(np.int64)


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

    def subscore(self, states: Sequence[Ints]) -> Subscore:
        hits: Ints = np.sum(states, axis=0)
        total, size = int(hits.sum()), self._category.size
        value = total / len(self._drawn)
        trials = np.bincount(self._drawn.ravel(), minlength=size)
        # A word that was not drawn has the mean.
        by_word = np.where(trials > 0, _of_members(hits, self._subsets, size) / np.maximum(trials, 1), value)
        return _subscore(
            self._measure,
            self._category,
            value,
            _u_statistic_pseudovalues(value, by_word, self._measure.k),
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
