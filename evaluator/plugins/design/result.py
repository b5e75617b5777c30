"""Which words of test sets tell models apart, and how many are needed: `evaluator items` and `plan`."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec
import pandas as pd

from evaluator.plugins import Count, NonEmpty, Number, ResultFile, ScoreValue


class ItemFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How models do on one category of a test set, or on one of its words.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        measure: The text of the measure.
        category: The name of the category.
        title: The same for people.
        word: The word, or the id of an item of several words; null for the category as a whole.
        models: How many models were scored.
        known: How many of them know the word, or a word of the category.
        above: In how many its score is above its chance level.
        value: Its mean score in the models that know it; null if none does. That of a word is the share of
            the comparisons with it that are right.
        discrimination: Spearman's correlation of its score with that of the rest of the test set, over the
            models that know it; null of fewer than four, or if it is the same in all.
        low: The lower end of its 95% confidence interval.
        high: The upper end of the interval.
    """

    test_set: str
    language: str
    measure: str
    category: str
    title: str
    word: str | None
    models: Count
    known: Count
    above: Count
    value: ScoreValue | None
    discrimination: ScoreValue | None = None
    low: ScoreValue | None = None
    high: ScoreValue | None = None

    @property
    def finding(self) -> str:
        """What is wrong with it, if anything."""
        if not self.known:
            return "no model knows it"
        if not self.above:
            return "no model is above chance"
        return "against the rest" if self.high is not None and self.high < 0 else ""


class ItemsFile(ResultFile, frozen=True, kw_only=True, tag="items"):
    """What `evaluator items --json` writes.

    Attributes:
        items: Of each test set and measure, the categories, each followed by its words.
    """

    command: ClassVar[str] = "evaluator items --json"

    version: Literal[1] = 1
    items: NonEmpty[ItemFigures]

    def frame(self) -> pd.DataFrame:
        """A table: a row for each category and word, with what is wrong with it."""
        return pd.DataFrame([msgspec.structs.asdict(each) | {"finding": each.finding} for each in self.items])


class PlannedSize(msgspec.Struct, frozen=True):
    """A test set of some size, whose categories are like those of the pilot.

    Attributes:
        words: How many words it has, in all categories.
        categories: How many categories.
        over_words: The smallest difference that a test over words finds in four of five cases; null if no
            model can be so much better.
        over_categories: The same of a test over categories; null also below six categories, or if it is not
            known how differences vary between categories.
    """

    words: Count
    categories: Count
    over_words: ScoreValue | None
    over_categories: ScoreValue | None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What tests by one measure can show.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        measure: The text of the measure.
        value: The score of the worse of two models.
        most: The best score that a model can reach with the words that the better one knows.
        models: How many pilot models say on which words both are right: 1 if that is assumed, or 2.
        correlation: How far two models are right on the same words.
        sizes: The test set as it is, and with more such categories.
        difference: What is aimed at.
        words: How many words are needed for it, in a test over words; null if it cannot be found.
        categories: How many categories are needed for it, in a test over categories.
    """

    test_set: str
    language: str
    measure: str
    value: ScoreValue
    most: ScoreValue = 1.0
    models: Count
    correlation: Number
    sizes: NonEmpty[PlannedSize]
    difference: ScoreValue
    words: Count | None
    categories: Count | None


class PlanFile(ResultFile, frozen=True, kw_only=True, tag="plan"):
    """What `evaluator plan --json` writes.

    Attributes:
        plans: One for each test set and measure.
    """

    command: ClassVar[str] = "evaluator plan --json"

    version: Literal[1] = 1
    plans: NonEmpty[Plan]

    def frame(self) -> pd.DataFrame:
        """A table: a row for each size of each test set, by each measure."""
        return pd.DataFrame(
            [
                {
                    key: getattr(each, key)
                    for key in ("test_set", "language", "measure", "value", "correlation")
                }
                | msgspec.structs.asdict(size)
                for each in self.plans
                for size in each.sizes
            ]
        )
