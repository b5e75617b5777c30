"""Measures of categories that are one function: everything else has a default."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Floats, Rows
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup
from evaluator.errors import EvaluatorError, ScoreError
from evaluator.measures.base import (
    CategoryEvaluation,
    CategoryMeasure,
    Subscore,
    jackknife_pseudovalues,
    of_category,
)
from evaluator.settings import Settings

_ROUNDING = 1e-6


@dataclass(frozen=True)
class SimpleMeasure(CategoryMeasure):
    """A measure whose author writes one function, `value`; see docs/extending.md.

    The score of a category is the value of its words that have a vector. With `oov=wrong` it is multiplied by
    the share of words that have one, so that the others count as 0.

    Pseudo-values are those of the delete-one jackknife: the value is computed again without each word, while
    the category and the vocabulary stay as they are. Where so few words are left that there is no such value,
    all pseudo-values are the score, and the interval has no width.
    """

    least: ClassVar[int] = 2
    """How many words `value` needs; a category scores 0 if a model knows fewer of its words."""

    @abstractmethod
    def value(self, vectors: Floats, words: FoundCategory, lookup: VocabularyLookup) -> float:
        """The value of some words of a category, from `lowest` to 1.

        Args:
            vectors: Their raw vectors, shape (n, d), n ≥ `least`.
            words: The same words as rows of the vocabulary; `words.known` is still the whole category.
            lookup: Has the vocabulary: `lookup.vectors.words` and `lookup.vectors.matrix`.
        """

    def chance(self, category: FoundCategory, lookup: VocabularyLookup) -> float | None:  # noqa: ARG002
        """The chance level of a category; None if it is not known."""
        return None

    @property
    def least_possible(self) -> int:
        """As many as `value` needs."""
        return self.least

    def can_score(self, category: FoundCategory, vocabulary: int) -> bool:  # noqa: ARG002
        """With as many known words as `value` needs."""
        return category.usable >= self.least

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> SimpleEvaluation:
        """Look up the words of all categories."""
        return SimpleEvaluation(self, test_set, lookup, settings)


class SimpleEvaluation(CategoryEvaluation):
    """Computes the value of each category, and again without each of its words."""

    def __init__(
        self, measure: SimpleMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        super().__init__(measure, test_set, lookup, settings)
        self._measure = measure
        self._lookup = lookup
        self.comparisons = sum(category.usable**2 for category in self.categories)

    def scored(self, states: Sequence[Any]) -> list[Subscore]:  # noqa: ARG002  # no blocks are needed
        """The value of each category."""
        queries = self._lookup.queries.astype(np.float32)
        return [self._subscore(category, queries[category.rows]) for category in self.categories]

    def _subscore(self, category: FoundCategory, vectors: Floats) -> Subscore:
        every = np.arange(category.usable)
        total = self._value(category, vectors, every) * category.usable  # words without a vector add 0
        score = total / category.size
        pseudovalues = np.full(category.size, score)
        if category.usable > self._measure.least:
            without = np.full(category.size, total)
            for word in every:
                without[word] = self._value(category, vectors, np.delete(every, word)) * (len(every) - 1)
            pseudovalues = jackknife_pseudovalues(score, without / (category.size - 1))
        chance = self._measure.chance(category, self._lookup)
        return of_category(category, score, pseudovalues, chance=chance)

    def _value(self, category: FoundCategory, vectors: Floats, kept: Rows) -> float:
        words = replace(
            category,
            words=tuple(category.words[word] for word in kept),
            oov=0,
            size=len(kept),
            rows=category.rows[kept],
            vocabulary_rows=category.vocabulary_rows[kept],
        )
        what = f"{self._measure} of category {category.name!r}"
        try:
            value = float(self._measure.value(vectors[kept], words, self._lookup))
        except EvaluatorError:
            raise
        except Exception as error:  # a measure of somebody else's may raise anything
            raise ScoreError(f"{what} failed: {type(error).__name__}: {error}") from error
        if not self._measure.lowest - _ROUNDING <= value <= 1 + _ROUNDING:
            limits = f"a number from {self._measure.lowest:g} to 1"
            raise ScoreError(f"{what} is {value}; it must be {limits}")
        return value
