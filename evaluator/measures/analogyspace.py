"""AnalogySpace: are the offsets of pairs in the same relation similar?"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.engine.similarities import Doubles, Ints, Rows, in_double_precision, unit_rows
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.analogy import names_of, pairs_and_questions
from evaluator.measures.base import (
    Evaluation,
    ImmediateEvaluation,
    Measure,
    Subscore,
    TestSetField,
    share_pseudovalues,
)
from evaluator.settings import Settings

Vectors = npt.NDArray[np.floating[Any]]
Method = Literal["Cos", "Euc", "N-Cos", "N-Euc"]

_ROWS_AT_A_TIME = 256
_DRAWN = 1000  # words to estimate chance with, at least
_ZERO = 2.0**-40  # an offset of unit vectors that is no longer than this is rounding


@dataclass(frozen=True)
class AnalogySpace(Measure):
    """How similar the offsets r1 = b-a and r2 = d-c of "a is to b as c is to d" are, as `AnalogySpace`.

    The vocabulary is not searched (Che et al. 2017, "Traversal-Free Word Vector Evaluation in Analogy
    Space"). The score is the mean over all questions of

    - `Cos`: cos(r1, r2), from -1 to 1;
    - `Euc`: 1 - |r1-r2| / (|r1|+|r2|), from 0 to 1; 1 - √((1-Cos)/2) if both are equally long, else less;
    - `N-Cos`, `N-Euc`: the same after all words' vectors are scaled to length 1. Which vectors are compared
      depends on the method alone, not on the run's `norm`.

    In a relation, every pair is asked with every other; pairs of the same normalized words are one. Of
    several answers the first that has a vector is used. An offset of zero has no direction: compared with any
    offset, it gives 0.

    A question with an OOV word is left out with `oov=skip`. With `oov=wrong` it counts as 0: for the cosines
    no relation, for the others the lowest value.

    The chance level is the mean over the same questions with a word drawn from the whole vocabulary as d. It
    is above 0 if a and c are of one kind, because their offsets to any word are similar. `shuffled` is the
    mean with another pair's answer as d: what it is worth to know the kind of d, but not which one. `spread`
    is the standard deviation over questions.

    Attributes:
        method: How offsets are compared.
    """

    scores: ClassVar[TestSetField] = "sections"
    counted: ClassVar[str] = "questions"

    method: Method = "Cos"

    @property
    def lowest(self) -> float:
        """The lowest cosine; Euc and N-Euc are never below 0."""
        return -1.0 if self.method.endswith("Cos") else 0.0

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Compare the offsets of all pairs, and of a few words drawn from the vocabulary for the chance."""
        sections = [_find(section, lookup) for section in test_set.sections]
        queries = lookup.queries
        subscores = [self._subscore(section, queries, lookup, settings) for section in sections]
        return ImmediateEvaluation(subscores, known=any(section.usable.size for section in sections))

    def _subscore(
        self, section: _Section, queries: Vectors, lookup: VocabularyLookup, settings: Settings
    ) -> Subscore:
        """The score of a section, from its questions without OOV words; the others are 0 if they count."""
        if not section.usable.size:
            return _without_questions(section, settings)
        a, b = (self._vectors(queries, side) for side in section.rows[section.known].T)
        sums, squares = _tally(self.method, _offsets(a, b), _offsets(a, b), section.usable)
        hits, trials = np.zeros(len(section.observations)), np.zeros(len(section.observations))
        hits[section.known], trials[section.known] = sums, section.usable.of_pairs
        counted = section.usable.size
        if settings.oov == "wrong":
            trials[:] = section.questions.of_pairs
            counted = section.questions.size
        inside = trials > 0
        value = float(sums.sum()) / 2 / counted
        generator = np.random.default_rng([settings.seed, zlib.crc32(section.name.encode())])
        rounds = math.ceil(_DRAWN / len(a))
        matrix = lookup.vectors.matrix
        drawn = self._vectors(matrix, generator.integers(len(matrix), size=rounds * len(a)))
        dealt = b[np.concatenate([_derangement(len(b), generator) for _ in range(rounds)])]
        # The sums over all questions with the answer d drawn at random, and with d from another pair.
        every, right = np.tile(a, (rounds, 1)), _offsets(a, b)
        chance, shuffled = (
            float(_tally(self.method, right, _offsets(every, answers), section.usable)[0].sum() / 2 / rounds)
            for answers in (drawn, dealt)
        )
        return Subscore.of(
            section.name,
            section.questions.size,
            section.oov,
            value,
            tuple(itertools.compress(section.observations, inside)),
            share_pseudovalues(hits[inside], trials[inside], order=2),
            unknown=itertools.compress(section.observations, inside & ~section.known),
            chance=chance / counted,
            extra={
                "shuffled": shuffled / counted,
                "spread": math.sqrt(max(0.0, squares / counted - value**2)),
            },
        )

    def _vectors(self, vectors: Vectors, rows: Rows) -> Doubles:
        """Some vectors, scaled if the method says so, shape (rows, d)."""
        found = in_double_precision(vectors, rows)
        return unit_rows(found) if self.method.startswith("N-") else found


@dataclass(frozen=True, eq=False)
class _Questions:
    """Which of n pairs are asked with which."""

    n: int
    asked: Ints | None  # two different pairs each, shape (questions, 2); None for all possible ones

    @property
    def size(self) -> int:
        """How many questions there are."""
        return self.n * (self.n - 1) if self.asked is None else len(self.asked)

    @property
    def of_pairs(self) -> Ints:
        """How many questions each pair takes part in, shape (n,)."""
        if self.asked is None:
            return np.full(self.n, 2 * (self.n - 1), dtype=np.int64)
        return np.bincount(self.asked.ravel(), minlength=self.n)

    def weights(self, start: int, stop: int) -> Doubles:
        """How often some pairs are asked with each pair, shape (stop - start, n)."""
        shape = stop - start, self.n
        if self.asked is None:
            return 1 - np.eye(*shape, k=start)
        one, other = self.asked[(start <= self.asked[:, 0]) & (self.asked[:, 0] < stop)].T
        counts = np.bincount((one - start) * self.n + other, minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float64)

    def among(self, pairs: npt.NDArray[np.bool_]) -> _Questions:
        """The questions of which both pairs are selected; the selected pairs are numbered again."""
        number = np.cumsum(pairs) - 1
        asked = None if self.asked is None else number[self.asked[pairs[self.asked].all(axis=1)]]
        return _Questions(int(pairs.sum()), asked)


@dataclass(frozen=True, eq=False)
class _Section:
    """A section whose words have been looked up."""

    name: str
    observations: tuple[str, ...]  # its n pairs, none twice
    rows: Rows  # of their words among the queries, -1 for words without a vector, shape (n, 2)
    known: npt.NDArray[np.bool_]  # which pairs have vectors, shape (n,)
    questions: _Questions
    usable: _Questions  # those between pairs that have vectors

    @property
    def oov(self) -> int:
        """How many questions contain an OOV word."""
        return self.questions.size - self.usable.size


def _without_questions(section: _Section, settings: Settings) -> Subscore:
    """The score of a section of which nothing is known."""
    counts = section.name, section.questions.size, section.oov
    if settings.oov == "skip" or not section.questions.size:
        reason = f"0 of {section.questions.size} questions with all words in the vocabulary"
        return Subscore.of(*counts, skipped=reason)
    in_questions = section.questions.of_pairs > 0
    asked = tuple(itertools.compress(section.observations, in_questions))
    unknown = itertools.compress(section.observations, in_questions & ~section.known)
    extra = {"shuffled": 0.0, "spread": 0.0}
    return Subscore.of(*counts, 0.0, asked, np.zeros(len(asked)), unknown=unknown, chance=0.0, extra=extra)


def _derangement(n: int, generator: np.random.Generator) -> Ints:
    """A random permutation of n things that moves each of them, shape (n,)."""
    cycle = generator.permutation(n)
    moved = np.empty_like(cycle)
    moved[cycle] = np.roll(cycle, 1)
    return moved


def _find(section: AnalogySection, lookup: VocabularyLookup) -> _Section:
    """Look up the words of pairs; pairs of the same normalized words are one."""
    pairs, asked = pairs_and_questions(section, lookup)
    rows = [(*lookup.query_rows([word]), _first_row(lookup, answers)) for word, answers in pairs]
    in_rows = np.array(rows, dtype=np.intp).reshape(-1, 2)
    known = np.asarray((in_rows >= 0).all(axis=1))
    different = None if asked is None else [(i, j) for i, j in asked if i != j]
    questions = _Questions(
        len(pairs), None if different is None else np.array(different, dtype=np.int64).reshape(-1, 2)
    )
    return _Section(section.name, names_of(pairs), in_rows, known, questions, questions.among(known))


def _first_row(lookup: VocabularyLookup, words: Sequence[str]) -> int:
    """The row among the queries of the first word that has a vector; -1 if none has."""
    return next((row for word in words if (row := lookup.find(word)) is not None), -1)


def _offsets(start: Doubles, end: Doubles) -> Doubles:
    """From each word to its answer, shape (n, d); offsets that are only rounding errors become 0."""
    offsets = end - start
    rounding = _lengths(offsets) <= _ZERO * (_lengths(start) + _lengths(end))
    offsets[rounding] = 0
    return offsets


def _tally(method: Method, first: Doubles, second: Doubles, questions: _Questions) -> tuple[Doubles, float]:
    """Sum how similar the offsets of all questions are, by blocks of pairs, so that memory stays bounded."""
    times = len(second) // questions.n
    sums, squares = np.zeros(questions.n), 0.0
    for start in range(0, questions.n, _ROWS_AT_A_TIME):
        stop = min(start + _ROWS_AT_A_TIME, questions.n)
        alike = _similarity(method, first[start:stop], second)
        weighted = alike * np.tile(questions.weights(start, stop), times)
        sums[start:stop] += weighted.sum(axis=1)
        sums += weighted.sum(axis=0).reshape(times, -1).sum(axis=0)
        squares += float((weighted * alike).sum())
    return sums, squares


def _similarity(method: Method, first: Doubles, second: Doubles) -> Doubles:
    """How similar each of some offsets is to each of others, shape (first, second)."""
    one, other = _lengths(first)[:, None], _lengths(second)
    product = np.where(one * other == 0, np.inf, one * other)
    cosine = np.clip(first @ second.T / product, -1, 1)
    if method.endswith("Cos"):
        return np.asarray(cosine)
    apart = np.sqrt((one - other) ** 2 + 2 * one * other * (1 - cosine))
    return np.where(product == np.inf, 0, 1 - apart / np.where(product == np.inf, 1, one + other))


def _lengths(vectors: Doubles) -> Doubles:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))
