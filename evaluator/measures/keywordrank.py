"""KeywordRank: are words that stand under one symbol near each other?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from evaluator.datasets.testset import RelatedWords, TestSet
from evaluator.engine.among_words import MANY, blocks_among, units_among
from evaluator.engine.similarities import Doubles, Ints
from evaluator.engine.spelling import alike
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    LEAST_WORDS,
    Evaluation,
    Measure,
    Subscore,
    TestSetField,
)
from evaluator.settings import Settings

ALIKE = 0.5
"""Words of this K or more (see `evaluator.engine.spelling`) are taken for forms of one word."""


@dataclass(frozen=True)
class KeywordRank(Measure):
    """How near the top a keyword's related words stand among all other keywords, as `KeywordRank`.

    Keywords are the words of all groups of a family, such as the words that stand under one symbol in CLDR;
    two are related if a group has both. Vectors are scaled to length 1, their mean over the n known keywords
    is taken away, and cosines are compared. For each keyword with a related one, the others are ordered by
    their cosine with it, without those that share half of their trigrams with it (K of 0.5 or more, as dance
    and dancing), which spelling alone finds; they are not related either. Its value is the reciprocal of the
    rank of the first related word (`MRR`; Voorhees 1999, "The TREC-8 Question Answering Track Report"), or
    the average precision of all of them (`MAP`). Of words with the same cosine, those that are not related
    count as half a word before each of the others: the mean of both orders.

    With M the mean of these values, and c what it is expected to be if all orders are equally likely, the
    score is `(M-c)/(1-c)`: 0 at chance and 1 at best; it is set to -1 if it is lower. If m of N others are
    related,

    - the reciprocal rank of the first is expected to be `m/(N-m+1) · (H_N - H_(m-1))`, with H_i the sum of
      1 to 1/i: it is `Σ_r C(N-r,m-1)/r / C(N,m)`, and the sum is `C(N,m-1)·(H_N - H_(m-1))` (Graham, Knuth
      and Patashnik, "Concrete Mathematics", eq. 7.43);
    - the average precision is expected to be `(H_N + (m-1)/(N-1)·(N-H_N))/N`: at rank r there is a related
      word with probability m/N, and of the r-1 before it, (r-1)·(m-1)/(N-1) are expected to be (Bestgen 2015,
      "Exact Expected Average Precision of the Random Baseline for System Evaluation").

    Only known words are asked, whatever `oov` says; of several models that are compared, those that all of
    them know. The observation is the keyword. Its value is decided by two words, itself and its nearest
    related one, so that keywords which share one of these vary together (`evaluator.statistics.inference`).
    Intervals and tests are for other words of these groups, which docs/evidence/statistics.md simulates.

    Attributes:
        value: Of a keyword: the reciprocal rank, or the average precision.
    """

    scores: ClassVar[TestSetField] = "groups"
    known_only: ClassVar[bool] = True
    least_ranked: ClassVar[int] = 200
    least_choosing: ClassVar[int | None] = 400

    value: Literal["MRR", "MAP"] = "MRR"

    @property
    def asks(self) -> Literal["test words"]:
        """The similarities of test words to each other."""
        return "test words"

    @property
    def lowest(self) -> float:
        """Below chance."""
        return -1.0

    def chance(self, related: Ints, others: Ints) -> Doubles:
        """The expected value of keywords of which so many others are related; 0 if none is.

        Args:
            related: m of each keyword, from 0 to that of `others`, shape (n,).
            others: N of each keyword; where it is 0, none is related.
        """
        harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, max(others.max(), 1) + 1)))
        m, others = np.maximum(related, 1), np.maximum(others, 1)
        if self.value == "MRR":
            found = m / (others - m + 1) * (harmonic[others] - harmonic[m - 1])
        else:
            found = (
                harmonic[others] + (m - 1) / np.maximum(others - 1, 1) * (others - harmonic[others])
            ) / others
        return np.where(related > 0, found, 0.0)

    def evaluation(
        self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> KeywordEvaluation:
        """Look up the words of all groups."""
        return KeywordEvaluation(self, test_set, lookup, settings)


@dataclass(frozen=True)
class _Keywords:
    """The known words of a family of groups, in alphabetical order, and which of them are related.

    One object for a model, its baselines, and others that know the same: `_kept` gives it.
    """

    name: str
    words: tuple[str, ...]
    size: int  # how many words there are, known or not
    groups: tuple[tuple[str, ...], ...]

    @cached_property
    def alike(self) -> tuple[Ints, Ints]:
        """The numbers of the words that are spelled like each one, and where those of each begin."""
        return alike(self.words, ALIKE)

    @cached_property
    def others(self) -> Ints:
        """N of each word: how many there are without it and those spelled alike, shape (n,)."""
        return np.asarray(len(self.words) - 1 - np.diff(self.alike[1]))

    @cached_property
    def related(self) -> tuple[Ints, Ints]:
        """The numbers of the words related to each one, and where those of each begin, shape (n + 1,)."""
        place = {word: number for number, word in enumerate(self.words)}
        found: list[set[int]] = [set() for _ in self.words]
        for group in self.groups:
            known = [place[word] for word in group if word in place]
            for each in known:
                found[each].update(known)
        unasked, starts = (each.tolist() for each in self.alike)
        every = [
            sorted(own - {number, *unasked[starts[number] : starts[number + 1]]})
            for number, own in enumerate(found)
        ]
        flat = [each for own in every for each in own]
        return np.array(flat, dtype=np.int64), np.cumsum([0, *map(len, every)], dtype=np.int64)

    @cached_property
    def counts(self) -> Ints:
        """M of each word, shape (n,)."""
        return np.diff(self.related[1])

    @property
    def reason(self) -> str | None:
        """Why they cannot be scored, or None if they can."""
        n = len(self.words)
        if n < LEAST_WORDS:
            return f"of its {self.size} words {n} are known, {LEAST_WORDS} needed"
        if not self.counts.any():
            return f"of its {n} known words none has a related word that is known"
        return "all known words are related" if (self.counts == self.others).all() else None


@lru_cache(maxsize=8)
def _kept(found: _Keywords) -> _Keywords:
    """The first of equal ones, which may have found out already what is related."""
    return found


class KeywordEvaluation(Evaluation):
    """Compares the known words of each family of groups with each other."""

    def __init__(
        self,
        measure: KeywordRank,
        test_set: TestSet,
        lookup: VocabularyLookup,
        settings: Settings,  # noqa: ARG002  # what settings say of unknown words does not matter
    ) -> None:
        self._measure, self._lookup = measure, lookup
        self._families = [_found(each, lookup) for each in test_set.groups]
        self.names = [each.name for each in self._families]
        reasons = ((each.name, each.reason) for each in self._families)
        self.skipped = {name: reason for name, reason in reasons if reason is not None}
        self.known = any(each.words for each in self._families)
        self.asked = [word for each in self._families for word in each.words]
        self.comparisons = sum(len(each.words) ** 2 for each in self._families)

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:  # noqa: ARG002  # there are no states
        """A subscore for each family."""
        return [self._subscore(each) for each in self._families]

    def _subscore(self, family: _Keywords) -> Subscore:
        from evaluator.engine.ranks import average_precisions, rank_first, reciprocal_ranks

        n = len(family.words)
        counted = family.name, family.size, family.size - n
        if family.name in self.skipped:
            return Subscore.of(*counted, skipped=self.skipped[family.name])
        values, nearest = np.zeros(n), np.zeros(n, dtype=np.int64)
        average, of_vectors = self._measure.value == "MAP", not self._lookup.letters
        if of_vectors and not average and self._lookup.vectors.dimension >= MANY:
            units = units_among(self._lookup, family.words, centred=True)
            values, nearest = reciprocal_ranks(units, family.related, family.alike)
        else:
            rank, how = average_precisions if average else rank_first, (*family.related, *family.alike)
            for start, similar in blocks_among(self._lookup, family.words, centred=True):
                rank(similar, start, *how, values, nearest)
        asked = family.counts > 0
        chances = self._measure.chance(family.counts, family.others)
        best = asked.sum() - chances.sum()
        value = (values.sum() - chances.sum()) / best
        away = values - chances - value * (asked - chances)  # 0 of words that are not asked
        return Subscore.of(
            *(*counted, max(float(value), -1.0), family.words, value + np.sqrt(n * (n - 1)) * away / best),
            decided_by={family.words[each]: (family.words[nearest[each]],) for each in np.flatnonzero(asked)},
            chance=0.0,
            extra={
                "raw": float(values.sum() / asked.sum()),
                "raw_chance": float(chances.sum() / asked.sum()),
            },
        )


def _found(family: RelatedWords, lookup: VocabularyLookup) -> _Keywords:
    """Look up the words of a family; those of a group that the settings make equal are one."""
    groups, words = lookup.normalized_groups(family)
    return _kept(_Keywords(family.name, lookup.known_to_all(words), len(words), groups))
