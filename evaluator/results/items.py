"""Which words and categories of test sets tell models apart, as `evaluator items --json` writes it."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec
import pandas as pd

from evaluator.measures.base import Count, ScoreValue
from evaluator.results.base import NonEmpty, ResultFile


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
