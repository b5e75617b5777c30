"""Synonym questions: which of several given words means the same as a word?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evaluator.datasets.testset import SynonymQuestion, SynonymQuestions, TestSet
from evaluator.engine.similarities import Doubles, Rows, in_double_precision, unit_rows
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    LEAST_WORDS,
    Evaluation,
    ImmediateEvaluation,
    Measure,
    Subscore,
    TestSetField,
    share_pseudovalues,
)
from evaluator.settings import Settings

_TIE = 2.0**-40  # cosines in double precision that differ by no more are equal


@dataclass(frozen=True)
class SynonymChoice(Measure):
    """The share of synonym questions that are answered rightly, as `SynonymChoice`.

    A question is a word and several options, as in the test of English as a foreign language (Landauer &
    Dumais 1997, "A solution to Plato's problem"). It is right if an option that is an answer has a higher
    cosine with the word than each option that is none; a tie is a miss. The chance level of a question with r
    answers among n options is r/n.

    With `oov=wrong`, a question with an OOV word is a miss. With `oov=skip`, OOV options are left out, and
    questions whose word, answers or other options have no vector. Observations are the words that are asked
    about.
    """

    scores: ClassVar[TestSetField] = "synonym_questions"
    counted: ClassVar[str] = "questions"

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Score the lists one by one; only the vectors of their words are needed."""
        lists = [(each, _questions(each, lookup)) for each in test_set.synonym_questions]
        subscores = [_subscore(each.name, asked, lookup.queries, settings) for each, asked in lists]
        return ImmediateEvaluation(subscores, known=any(q.can_be_right for _, asked in lists for q in asked))


@dataclass(frozen=True, eq=False)
class _Question:
    """A question whose words have been looked up: rows among the queries, -1 for words without a vector."""

    name: str
    word: int
    answers: Rows
    others: Rows

    @property
    def can_be_right(self) -> bool:
        """Whether the word, an answer and another option have a vector."""
        return self.word >= 0 and bool((self.answers >= 0).any() and (self.others >= 0).any())

    @property
    def is_known(self) -> bool:
        """Whether all its words have a vector."""
        return self.word >= 0 and bool((self.answers >= 0).all() and (self.others >= 0).all())

    @property
    def chance(self) -> float:
        """The share of answers among the options that have a vector."""
        answers, others = (int((rows >= 0).sum()) for rows in (self.answers, self.others))
        return answers / (answers + others)

    def is_right(self, queries: Doubles) -> bool:
        """Whether an answer is nearer than all other options."""
        known = [rows[rows >= 0] for rows in (np.array([self.word]), self.answers, self.others)]
        word, answers, others = (unit_rows(in_double_precision(queries, rows)) for rows in known)
        return bool((answers @ word[0]).max() > (others @ word[0]).max() + _TIE)


def _questions(several: SynonymQuestions, lookup: VocabularyLookup) -> list[_Question]:
    """The questions that the settings do not leave out; an option that is an answer counts as one alone."""
    found = (_question(each, lookup) for each in several.questions)
    return [each for each in found if each is not None]


def _question(asked: SynonymQuestion, lookup: VocabularyLookup) -> _Question | None:
    word = lookup.normalized(asked.word)
    answers = [each for each in lookup.normalized_words(asked.answers) if each != word]
    others = [each for each in lookup.normalized_words(asked.others) if each not in (word, *answers)]
    if word is None or not answers or not others:
        return None
    (row,) = lookup.query_rows([word]).tolist()
    return _Question(word, row, lookup.query_rows(answers), lookup.query_rows(others))


def _subscore(name: str, asked: list[_Question], queries: Doubles, settings: Settings) -> Subscore:
    skip = settings.oov == "skip"
    counted = [each for each in asked if each.can_be_right] if skip else asked
    oov = sum(not each.is_known for each in asked)
    needed = LEAST_WORDS if settings.small_categories == "skip" else 1
    words, of_word = np.unique([each.name for each in counted], return_inverse=True)
    if len(words) < needed:
        reason = f"questions about different words: {len(words)}, {needed} needed"
        return Subscore.of(name, len(asked), oov, skipped=reason)
    answered = [each for each in counted if skip or each.is_known]
    right = np.array([each in answered and each.is_right(queries) for each in counted], dtype=np.float64)
    hits, trials = np.bincount(of_word, right), np.bincount(of_word)
    return Subscore.of(
        name,
        len(asked),
        oov,
        float(right.mean()),
        words.tolist(),
        share_pseudovalues(hits, trials),
        unknown=set(words.tolist()) - {each.name for each in answered},
        hits=int(right.sum()),
        trials=len(counted),
        ceiling=len(answered) / len(counted),
        chance=sum(each.chance for each in answered) / len(counted),
    )
