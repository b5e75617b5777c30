"""What measures on categories have in common: categories are looked up, and those too small are skipped."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from evaluator.datasets.testset import TestSet
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup, find_category
from evaluator.measures.base import Evaluation, Measure, Subscore, TestSetField
from evaluator.settings import Settings


@dataclass(frozen=True)
class CategoryMeasure(Measure):
    """A measure of how words of a category belong together."""

    scores: ClassVar[TestSetField] = "categories"

    @abstractmethod
    def why_not(self, category: FoundCategory, vocabulary: int) -> str | None:
        """Why the category cannot be scored, or None if it can.

        Args:
            category: The category, looked up.
            vocabulary: v, the number of words in the vocabulary.
        """


class CategoryEvaluation(Evaluation):
    """Looks up all categories, and gives a part for each: scored by a subclass, or skipped."""

    def __init__(
        self, measure: CategoryMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words.

        Args:
            measure: Which says what cannot be scored.
            test_set: Whose categories.
            lookup: Where words are found.
            settings: Of the run.
        """
        self.vocabulary = len(lookup.vectors)
        self._all = [find_category(category, lookup, settings) for category in test_set.categories]
        reasons = {each.name: measure.why_not(each, self.vocabulary) for each in self._all}
        self.names = list(reasons)
        self.skipped = {name: reason for name, reason in reasons.items() if reason is not None}
        self.categories = [each for each in self._all if each.name not in self.skipped]

    @abstractmethod
    def scored(self, states: Sequence[Any]) -> list[Subscore]:
        """A part for each of `categories`, from states that have seen all blocks together."""

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:
        """A part for each category, in the order of the test set."""
        scored = {part.name: part for part in self.scored(states)}
        return [
            scored.get(each.name)
            or Subscore(each.name, len(each.words), each.oov, skipped=self.skipped[each.name])
            for each in self._all
        ]
