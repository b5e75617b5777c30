"""PairRank: how near the top does the partner of a word stand, among the partners of other words?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.engine.among_words import blocks_among
from evaluator.engine.similarities import Doubles, Floats, Ints, Kind, Rows, Similarities
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    Evaluation,
    Measure,
    Subscore,
    TestSetField,
    jackknife_pseudovalues,
    of_shared_words,
)
from evaluator.settings import Settings

Bools = npt.NDArray[np.bool_]

LEAST_PAIRS = 8
"""How many known pairs a relation must have."""

LEAST_TARGETS = 4
"""How many different second words these must have."""

_NEGLIGIBLE = 1e-9  # what is left between chance and best where all candidates are partners
_AT_A_TIME = 2**18  # ranks


@dataclass(frozen=True)
class PairRank(Measure):
    """How near the top the partners of words stand in the range of their relation, as `PairRank`.

    For a pair (a, b) of a relation, such as Paris and France, the candidates are all known second words of
    its pairs but a, ordered by their cosine with a; ρ(a,b) is the rank of b, where a candidate with the same
    cosine counts as half a word before b, the mean of both orders. L is the mean over all a of the mean of
    ln ρ(a,b) over all partners b of a. In a random order it is expected to be the mean of `E = ln(N!)/N` over
    all a, as a rank is 1 to N, the number of candidates of a, with the same probability. At best the m
    partners of a have the ranks 1 to m, and it is the mean of `B = ln(m!)/m`.

    The score of a relation of n known pairs is `(E-L)/(E-B)`: 0 at chance and 1 at best; it is set to -1 if
    it is lower, which it is only where most candidates are partners and the nearest are none. In the mean
    its weight is `√n·(E-B)`, so that otherwise models are in the order of `-Σ √n·L / Σ √n`. A relation of
    fewer than 8 known pairs, or 4 different second words, is left out.

    With `direction=both` each pair is asked both ways, and L, E and B are sums over the two; a direction with
    fewer than 4 different answers is left out. With `candidates=vocabulary` the candidates are all words of
    the vocabulary but a.

    Only known pairs are asked, whatever `oov` says; of several models that are compared, those that all of
    them know. Of several words of a second item, the first that is known is used. The observation is the
    word: left out, all pairs with it are, and it is no candidate. So intervals and tests are for other words
    of these relations. As both words of a pair decide its rank, and others beside them, influences are
    divided so that their squares sum to the variance of pairs that share words (`of_shared_words`).

    Attributes:
        candidates: Among which words the rank is: the `range` of the relation, or the whole `vocabulary`.
        direction: Whether pairs are asked as they stand, or also the other way.
    """

    scores: ClassVar[TestSetField] = "sections"
    counted: ClassVar[str] = "pairs"
    known_only: ClassVar[bool] = True
    least_ranked: ClassVar[int] = 150
    least_choosing: ClassVar[int | None] = None

    candidates: Literal["range", "vocabulary"] = "range"
    direction: Literal["forward", "both"] = "forward"

    @property
    def asks(self) -> Literal["test words"]:
        """The similarities of test words to each other, and to the vocabulary if that is asked for."""
        return "test words"

    @property
    def by_frequency(self) -> bool:
        """Some relations are of words of similar frequency."""
        return True

    @property
    def lowest(self) -> float:
        """Below chance."""
        return -1.0

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> PairEvaluation:
        """Look up the words of all pairs."""
        return PairEvaluation(self, test_set, lookup, settings)


@dataclass(frozen=True, eq=False)
class _Relation:
    """The known pairs of a relation: their words in alphabetical order, and pairs as numbers of words."""

    name: str
    words: tuple[str, ...]
    pairs: Ints  # shape (n, 2), n ≥ 0
    size: int  # how many pairs there are, known or not

    @cached_property
    def reason(self) -> str | None:
        """Why it is not scored, or None if it is."""
        if len(self.pairs) < LEAST_PAIRS:
            return f"{len(self.pairs)} of {self.size} pairs with both words known, {LEAST_PAIRS} needed"
        targets = len(np.unique(self.pairs[:, 1]))
        return (
            f"{targets} different second words, {LEAST_TARGETS} needed" if targets < LEAST_TARGETS else None
        )

    def directions(self, measure: PairRank) -> Iterator[Ints]:
        """The pairs as they are asked: from first words to second ones, and the other way."""
        yield self.pairs
        if measure.direction == "both" and len(np.unique(self.pairs[:, 0])) >= LEAST_TARGETS:
            yield self.pairs[:, ::-1]


@dataclass(frozen=True, eq=False)
class _Asked:
    """Pairs (a, b) of one direction, and how the candidates stand to b.

    Of the vocabulary, `before` and `number` count all its words, of which only those of the relation can be
    left out.
    """

    pairs: Ints
    columns: Ints  # of the words of the relation that are candidates in `similar`, else -1, shape (words,)
    similar: Doubles  # of all words of the relation to these, shape (words, candidates)
    own: Doubles  # of each pair, shape (n,)
    before: Doubles  # how many candidates stand before b, those that are as similar as halves, shape (n,)
    number: Ints  # how many candidates each word has, shape (words,)

    @cached_property
    def _mean_logarithms(self) -> Doubles:
        """Of ranks from 1 to each number: ln(N!)/N."""
        logarithms = np.cumsum(np.log(np.arange(1, max(self.number.max(), len(self.pairs)) + 1)))
        return np.append(0.0, logarithms / np.arange(1, len(logarithms) + 1))

    def parts(self, without: Ints) -> Doubles:
        """E-L and E-B without each of some words, or of all words for -1; 0 and 0 if no pair is left.

        Of shape (words, 2). Sums are those of what is left alone, to the last bit.
        """
        (a, b), left = self.pairs.T, np.arange(len(self.number)) != without[:, None]
        kept = (a != without[:, None]) & (b != without[:, None])
        columns = np.append(self.columns, -1)[without]
        is_candidate = (columns >= 0)[:, None]
        others = self.similar[a[:, None], columns].T
        before = self.before - is_candidate * ((others > self.own) + (others == self.own) / 2)
        is_pair = np.zeros((len(self.number) + 1, len(self.number)), dtype=np.int64)
        is_pair[b, a] = 1
        partners = (is_pair.sum(axis=0) - is_pair[without]) * left
        asked, number = partners > 0, self.number - is_candidate
        found = _sums(np.log1p(np.where(kept, before, 0.0)) / np.maximum(partners[:, a], 1), kept)
        chance, best = (_sums(self._mean_logarithms[each], asked) for each in (number, partners))
        return np.asarray(
            np.stack([chance - found, chance - best], axis=1) / np.maximum(asked.sum(axis=1), 1)[:, None]
        )

    def shares(self, value: float) -> Doubles:
        """What each pair adds to (E-L) - value·(E-B), shape (n,)."""
        a = self.pairs[:, 0]
        partners = np.bincount(a, minlength=len(self.number))
        chance, best = self._mean_logarithms[self.number[a]], self._mean_logarithms[partners[a]]
        own = chance - np.log1p(self.before) - value * (chance - best)
        return np.asarray(own / partners[a] / np.count_nonzero(partners))


class PairEvaluation(Evaluation):
    """Compares first words with the candidates of their relation, or with the vocabulary."""

    def __init__(
        self,
        measure: PairRank,
        test_set: TestSet,
        lookup: VocabularyLookup,
        settings: Settings,  # noqa: ARG002  # what settings say of unknown words does not matter
    ) -> None:
        self._measure, self._lookup = measure, lookup
        self._relations = [_found(each, lookup) for each in test_set.sections]
        self._scored = [each for each in self._relations if each.reason is None]
        self.names = [each.name for each in self._relations]
        self.skipped = {each.name: each.reason for each in self._relations if each.reason is not None}
        self.known = any(len(each.pairs) for each in self._relations)
        self.asked = sorted({word for each in self._scored for word in each.words})
        self.comparisons = sum(len(each.words) ** 2 for each in self._scored)
        if measure.candidates == "vocabulary":
            self.kind: Kind | None = "cosine"
            asked = [pairs for each in self._scored for pairs in each.directions(measure)]
            self.comparisons += len(lookup.vectors) * sum(map(len, asked))

    def prepare(self, similarities: Similarities) -> None:
        """Find out how similar the words of each pair are."""
        asked = [
            (self._lookup.query_rows(each.words)[pairs])
            for each in self._scored
            for pairs in each.directions(self._measure)
        ]
        rows: Rows = np.concatenate(asked) if asked else np.zeros((0, 2), dtype=np.intp)
        self._first, second = rows.T
        self._of_pairs = similarities.of_pairs(self._first, second).astype(np.float32)[:, None]
        self._own = similarities.vocabulary_rows[rows]
        self._tie = np.float32(similarities.tie)

    def begin(self) -> Doubles:
        """How many words stand before the second word of each pair."""
        return np.zeros(len(self._first))

    def add(self, state: Doubles, start: int, similarities: Floats) -> None:
        """Count the words of a block; those of the pair itself do not count."""
        apart = similarities[self._first] - self._of_pairs
        for own in (self._own - start).T:
            here = np.flatnonzero((own >= 0) & (own < similarities.shape[1]))
            apart[here, own[here]] = -np.inf
        state += (apart > self._tie).sum(axis=1) + (np.abs(apart) <= self._tie).sum(axis=1) / 2

    def subscores(self, states: Sequence[Doubles]) -> list[Subscore]:
        """A subscore for each relation."""
        before = np.sum(states, axis=0) if states else np.zeros(0)
        found = []
        for each in self._relations:
            counts = each.name, each.size, each.size - len(each.pairs)
            if each.reason is not None:
                found.append(Subscore.of(*counts, skipped=each.reason))
                continue
            asked = []
            for pairs in each.directions(self._measure):
                asked.append(self._asked(each, pairs, before[: len(pairs)]))
                before = before[len(pairs) :]
            found.append(_subscore(counts, each, asked))
        return found

    def _asked(self, relation: _Relation, pairs: Ints, before: Doubles) -> _Asked:
        a, b = pairs.T
        of_vocabulary = self._measure.candidates == "vocabulary"
        rows = self._lookup.vocabulary_rows[self._lookup.query_rows(relation.words)]
        candidates = np.flatnonzero(rows >= 0) if of_vocabulary else np.unique(b)
        columns = np.full(len(relation.words), -1, dtype=np.int64)
        columns[candidates] = np.arange(len(candidates))
        similar = np.empty((len(relation.words), len(candidates)))
        own = np.empty(len(pairs))
        for start, block in blocks_among(self._lookup, relation.words):
            similar[start : start + len(block)] = block[:, candidates]
            here = np.flatnonzero((a >= start) & (a < start + len(block)))
            own[here] = block[a[here] - start, b[here]]
        number = (len(self._lookup.vectors) if of_vocabulary else len(candidates)) - (columns >= 0)
        if not of_vocabulary:
            before = np.empty(len(pairs))
            for some in _in_turn(len(pairs), len(candidates)):
                others, of_pairs, itself = similar[a[some]], own[some, None], columns[a[some]]
                others[itself >= 0, itself[itself >= 0]] = -np.inf
                # b, which is among the others, is as similar as itself
                before[some] = (others > of_pairs).sum(axis=1) + ((others == of_pairs).sum(axis=1) - 1) / 2
        return _Asked(pairs, columns, similar, own, before, number)


def _of_pairs(asked: Sequence[_Asked], value: float, best: float) -> Doubles:
    """What each pair adds to a score beside its mean, over all directions; they are in one order."""
    return np.asarray(sum(each.shares(value) for each in asked)) / best


def _scaled(pseudovalues: Doubles, value: float, of_pairs: Doubles, relation: _Relation) -> Doubles:
    """Pseudo-values of words whose variance is that of pairs that share words."""
    names = [(relation.words[first], relation.words[second]) for first, second in relation.pairs.tolist()]
    n = len(names)
    _, shared = of_shared_words(value, value + n * of_pairs, names)
    variance = [float(each.var(ddof=1)) / len(each) for each in (pseudovalues, shared)]
    factor = np.sqrt(min(variance[1] / variance[0], 1.0)) if variance[0] > 0 else 1.0
    return value + (pseudovalues - value) * factor


def _in_turn(number: int, of_each: int) -> Iterator[Ints]:
    """Some of a number of things at a time, of which each takes so much memory."""
    step = max(1, _AT_A_TIME // max(1, of_each))
    for start in range(0, number, step):
        yield np.arange(start, min(start + step, number))


def _sums(values: Doubles, kept: Bools) -> Doubles:
    """The sums of the kept values in each row, shape (rows,): of rows of one length together."""
    lengths, found = kept.sum(axis=1), np.zeros(len(values))
    for length in set(lengths.tolist()) - {0}:
        rows = lengths == length
        found[rows] = values[rows][kept[rows]].reshape(-1, length).sum(axis=1)
    return found


def _subscore(counts: tuple[str, int, int], relation: _Relation, asked: Sequence[_Asked]) -> Subscore:
    def parts(without: Ints) -> Doubles:
        return np.asarray(sum(each.parts(without) for each in asked))

    above, best = parts(np.array([-1]))[0].tolist()
    if best < _NEGLIGIBLE:
        return Subscore.of(*counts, skipped="all candidates are partners")
    value = above / best
    size = max(len(relation.words), len(relation.pairs))
    own, most = np.concatenate([*map(parts, _in_turn(len(relation.words), size))]).T
    without = np.where(most >= _NEGLIGIBLE, own / np.maximum(most, _NEGLIGIBLE), value)
    pseudovalues = jackknife_pseudovalues(value, without)
    pseudovalues = _scaled(pseudovalues, value, _of_pairs(asked, value, best), relation)
    return Subscore.of(
        *(*counts, max(value, -1.0), relation.words, pseudovalues),
        chance=0.0,
        weight=float(np.sqrt(len(relation.pairs)) * best),
    )


def _found(section: AnalogySection, lookup: VocabularyLookup) -> _Relation:
    """Look up the pairs of a relation; those of the same normalized words are one."""
    pairs = dict.fromkeys(
        (first, lookup.normalized_words(answers))
        for word, answers in section.pairs
        if (first := lookup.normalized(word)) is not None
    )
    words = sorted({word for first, answers in pairs for word in (first, *answers)})
    known = frozenset(lookup.known_to_all(words))
    found = {
        (first, second)
        for first, answers in pairs
        if first in known and (second := next((each for each in answers if each in known), first)) != first
    }
    every = len({(first, answers) for first, answers in pairs if answers and answers != (first,)})
    own = sorted({word for pair in found for word in pair})
    place = {word: number for number, word in enumerate(own)}
    numbers = [(place[first], place[second]) for first, second in sorted(found)]
    return _Relation(section.name, tuple(own), np.array(numbers, dtype=np.int64).reshape(-1, 2), every)
