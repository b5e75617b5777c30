"""Analogy: a is to b as c is to which word of the vocabulary?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.engine.similarities import Floats, Ints, Kind, Similarities, best_first
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import Evaluation, Measure, Subscore, TestSetField, share_pseudovalues
from evaluator.measures.oddoneout import draw
from evaluator.settings import Settings

Pair = tuple[str, tuple[str, ...]]
Method = Literal["3CosAdd", "3CosMul", "PairDirection"]

_METHODS = ("3CosAdd", "3CosMul", "PairDirection")
_EPSILON = 1e-6
_INPUTS = 3
_SPARE = 4
_UNSURE = 2.0**-17  # rounding may order answers wrongly whose values differ by less than this
_NEAR = 1e-6  # the offset of a word from another that is no farther has no direction
_SURE = 2.0**-16  # that of one nearer than this has not enough digits, if it is computed from the cosine


@dataclass(frozen=True)
class Analogy(Measure):
    """The share of questions "a is to b as c is to …" that are answered correctly, as `Analogy@1`.

    The answer is the word w of the vocabulary, none of a, b and c, with the greatest

    - `3CosAdd`: cos(w,b) - cos(w,a) + cos(w,c) (Mikolov et al. 2013, "Linguistic Regularities");
    - `3CosMul`: cos'(w,b)·cos'(w,c) / (cos'(w,a)+ε) with cos' = (1+cos)/2 (Levy & Goldberg 2014, eq. 4; ε is
      0.000001 as in gensim);
    - `PairDirection`: cos(b-a, w-c) of unit vectors (Levy & Goldberg 2014, eq. 2); 0 if one of these offsets
      is not longer than 0.000001.

    An answer is correct if one of the k best words is accepted. In a relation, every pair is asked with every
    other. With `inputs=included`, a, b and c may be answers too, which they often are (Linzen 2016, "Issues
    in Evaluating Semantic Spaces"); `inputs first` is the share of questions in which one of them is the best
    of all words, and is reported in either case. The chance level is k/(v-3), or k/v if inputs may be
    answers.

    With `direction=reversed`, the question is "b is to a as d is to …", as which a model that finds no more
    than the nearest words of c may do much worse (Linzen 2016; Che et al. 2017). If a word is the answer of
    several pairs, as a continent is of its countries, any of these is correct.

    Attributes:
        method: How an answer is found.
        inputs: Whether the words of the question may be answers.
        samples: How many questions to draw from each section, without replacement; None for all.
        direction: Whether questions are asked as they stand, or the other way.
        k: How many of the best words are looked at.
    """

    scores: ClassVar[TestSetField] = "sections"
    counted: ClassVar[str] = "questions"

    method: Method = "3CosAdd"
    inputs: Literal["excluded", "included"] = "excluded"
    samples: int | None = None
    direction: Literal["forward", "reversed"] = "forward"
    k: int = 1

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        super().__post_init__()
        self._refuse(self.samples is not None and self.samples < 1, "samples must be 1 or more")

    def evaluation(
        self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> AnalogyEvaluation:
        """Look up the words of all questions."""
        return AnalogyEvaluation(self, test_set, lookup, settings)


@dataclass(frozen=True, eq=False)
class _Section:
    """The questions of a section."""

    name: str
    observations: tuple[str, ...]  # its pairs
    known: npt.NDArray[np.bool_]  # which of them have vectors
    asked: Ints  # all questions as two pairs each, shape (n, 2)
    usable: npt.NDArray[np.bool_]  # which of them have all words in the vocabulary, shape (n,)
    rows: Ints  # of a, b, c of the usable ones among the queries, shape (usable, 3)
    answers: list[frozenset[int]]  # for each pair the vocabulary rows of the accepted words
    counted: int  # how many questions count


class AnalogyEvaluation(Evaluation):
    """Keeps the best answers to each question so far: a few more than k, in case of inputs and ties."""

    def __init__(
        self, measure: Analogy, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        self._measure = measure
        self.kind: Kind = "cosine" if measure.method == "3CosAdd" else "double cosine"  # others divide
        self._vocabulary = len(lookup.vectors)
        self._spellings = lookup.spellings
        sections = test_set.sections if measure.direction == "forward" else test_set.reversed_sections
        self._all = [_find(section, measure, lookup, settings) for section in sections]
        self.names = [section.name for section in self._all]
        self.known = any(section.usable.any() for section in self._all)
        reasons = {section.name: self._why_not(section, settings) for section in self._all}
        self.skipped = {name: reason for name, reason in reasons.items() if reason is not None}
        self._sections = [section for section in self._all if section.name not in self.skipped]
        rows = [section.rows for section in self._sections]
        self._questions = np.concatenate(rows) if rows else np.zeros((0, 3), dtype=np.int64)
        self._kept = min(measure.k + _INPUTS + _SPARE, self._vocabulary)
        self.comparisons = len(self._questions) * self._vocabulary
        self.collects = tuple(section.name for section in self._sections if len(section.rows))

    def _why_not(self, section: _Section, settings: Settings) -> str | None:
        """Why a section is not scored: with `oov=wrong` one of which no word is known scores 0."""
        if not (section.usable.any() if settings.oov == "skip" else len(section.asked)):
            return f"0 of {len(section.asked)} questions with all words in the vocabulary"
        if self._measure.k + _INPUTS > self._vocabulary:
            return f"the vocabulary has only {self._vocabulary} words"
        return None

    def prepare(self, similarities: Similarities) -> None:
        """Compute what does not depend on the answer."""
        self._similarities = similarities
        a, b, c = self._questions.T
        self._bases = np.zeros(len(a))
        if self._measure.method == "PairDirection":
            self._bases[:] = similarities.of_pairs(b, c) - similarities.of_pairs(a, c)

    def begin(self) -> _State:
        """Values and words of the best answers, shape (questions, kept), and which words have near copies."""
        shape = len(self._questions), self._kept
        values = np.full(shape, -np.inf, dtype=np.float32 if self.kind == "cosine" else np.float64)
        return values, np.full(shape, -1, dtype=np.int64), np.zeros((len(self._questions), 1), dtype=bool)

    def add(self, state: _State, start: int, similarities: Floats) -> None:
        """Merge the block's best answers into those so far."""
        from evaluator.engine.kernels import keep_best_answers

        values, words, near = state
        of_a, of_b, of_c = _factors(self._measure.method, similarities)
        method = _METHODS.index(self._measure.method)
        if self._measure.method == "PairDirection":
            # Half of the square may be wrong where it is this small; what is nearer is the same word.
            unlike = 1 - similarities
            copied = np.any((unlike > _NEAR**2 / 4) & (unlike < _SURE**2 / 2), axis=1)
            near[copied[self._questions[:, 2]]] = True
        bases = self._bases.astype(similarities.dtype)
        keep_best_answers(method, of_b, of_a, of_c, self._questions, bases, start, values, words)

    def subscores(self, states: Sequence[_State]) -> list[Subscore]:
        """A subscore for each section, in the order of the test set."""
        values, words, near = (np.hstack(each) for each in zip(*states, strict=True))
        needed = self._measure.k + _INPUTS
        unsure = np.where(near.any(axis=1, keepdims=True), np.inf, _UNSURE)
        best = best_first(values, words, needed, self._kept, self._vocabulary, unsure, self._exactly)
        scored, first = {}, 0
        for section in self._sections:
            last = first + len(section.rows)
            scored[section.name] = self._subscore(section, best[first:last])
            first = last
        return [
            scored.get(each.name)
            or Subscore.of(
                each.name, len(each.asked), int((~each.usable).sum()), skipped=self.skipped[each.name]
            )
            for each in self._all
        ]

    def _exactly(self, questions: Ints, words: Ints) -> npt.NDArray[np.float64]:
        """Values of some words as answers, in double precision, rounded so that ties are equal."""
        rows = self._questions[questions]
        if self._measure.method == "PairDirection":
            return np.asarray(np.rint(self._similarities.directions(rows, words, _NEAR) * 2.0**36))
        a, b, c = (self._similarities.exactly(rows[:, each], words) * 2.0**-40 for each in range(3))
        if self._measure.method == "3CosAdd":
            found = b - a + c
        else:
            found = (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + _EPSILON)
        return np.asarray(np.rint(found * 2.0**36))

    def _subscore(self, section: _Section, best: Ints) -> Subscore:
        """The subscore of a section, from the best words for each usable question, shape (usable, kept)."""
        asked = section.asked[section.usable]
        right = np.zeros(len(section.asked), dtype=np.int64)
        inputs = self._similarities.vocabulary_rows[section.rows]
        firsts = 0
        found = []
        # If several spellings are the same word, the first one.
        best = best if self._spellings is None else self._spellings[best]
        for (_, pair), own, words in zip(asked.tolist(), inputs.tolist(), best.tolist(), strict=True):
            firsts += words[0] in own
            allowed = [w for w in words if w not in own] if self._measure.inputs == "excluded" else words
            found.append(not section.answers[pair].isdisjoint(allowed[: self._measure.k]))
        right[section.usable] = found
        counted = np.ones(len(right), dtype=bool) if section.counted == len(right) else section.usable
        pairs, n = section.asked[counted].ravel(), len(section.observations)
        hits, trials = np.bincount(pairs, np.repeat(right[counted], 2), n), np.bincount(pairs, minlength=n)
        inside = trials > 0
        total, known = int(right.sum()), int(section.usable.sum())
        others = _INPUTS if self._measure.inputs == "excluded" else 0  # which cannot be answers
        return Subscore.of(
            section.name,
            len(section.asked),
            int((~section.usable).sum()),
            total / section.counted,
            tuple(itertools.compress(section.observations, inside)),
            share_pseudovalues(hits[inside], trials[inside], order=2),
            unknown=itertools.compress(section.observations, inside & ~section.known),
            hits=total,
            trials=section.counted,
            ceiling=known / section.counted,
            chance=self._measure.k / (self._vocabulary - others) * known / section.counted,
            extra={"inputs first": firsts / len(asked)} if len(asked) else {},
        )


_State = tuple[Floats, Ints, npt.NDArray[np.bool_]]


def _factors(method: Method, cosines: Floats) -> tuple[Floats, Floats, Floats]:
    """What a, b and c contribute to the value of an answer, for `keep_best_answers`; shape (q, block)."""
    if method == "3CosAdd":
        return cosines, cosines, cosines
    if method == "3CosMul":
        half = (cosines + 1) / 2
        return 1 / (half + _EPSILON), half, half
    away = np.sqrt(np.maximum(2 - 2 * cosines, 0))
    return cosines, cosines, np.where(away > _NEAR, 1 / np.maximum(away, _NEAR), 0)


def _find(
    section: AnalogySection, measure: Analogy, lookup: VocabularyLookup, settings: Settings
) -> _Section:
    pairs, questions = pairs_and_questions(section, lookup)
    every = [*itertools.permutations(range(len(pairs)), 2)] if questions is None else questions
    if measure.direction == "reversed":  # pairs of one answer are joined, and ask nothing of each other
        every = [(i, j) for i, j in every if i != j]
    if measure.samples is not None and measure.samples < len(every):
        generator = random.Random(f"{settings.seed} {section.name}")  # noqa: S311
        every = [every[each] for each in sorted(draw(len(every), measure.samples, generator))]
    asked = np.array(every, dtype=np.int64).reshape(-1, 2)  # two pairs each
    left = lookup.query_rows(word for word, _ in pairs)
    of_answers = [rows[rows >= 0] for rows in (lookup.query_rows(answers) for _, answers in pairs)]
    right = [rows[0] if len(rows) else -1 for rows in of_answers]
    vocabulary_rows = lookup.vocabulary_rows
    accepted = [frozenset(vocabulary_rows[rows].tolist()) - {-1} for rows in of_answers]
    rows = np.array([[left[i], right[i], left[j]] for i, j in every], dtype=np.int64).reshape(-1, 3)
    known = np.array([bool(each) for each in accepted], dtype=np.bool_)
    usable = (rows >= 0).all(axis=1) & known[asked[:, 1]]
    return _Section(
        section.name,
        names_of(pairs),
        known & (left >= 0),
        asked,
        usable,
        rows[usable],
        accepted,
        len(asked) if settings.oov == "wrong" else int(usable.sum()),
    )


def pairs_and_questions(
    section: AnalogySection, lookup: VocabularyLookup
) -> tuple[list[Pair], list[tuple[int, int]] | None]:
    """Its pairs of normalized words, none twice; and its questions by their numbers, None for all."""
    every = [(lookup.normalized(word), lookup.normalized_words(answers)) for word, answers in section.pairs]
    pairs = [(word, answers) if word is not None and answers else None for word, answers in every]
    number_of = {pair: number for number, pair in enumerate(dict.fromkeys(filter(None, pairs)))}
    if section.questions is None:
        return list(number_of), None
    asked = [(pairs[i], pairs[j]) for i, j in section.questions]
    return list(number_of), [(number_of[one], number_of[other]) for one, other in asked if one and other]


def names_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """What observations of pairs are called."""
    return tuple(f"{word}:{'/'.join(answers)}" for word, answers in pairs)
