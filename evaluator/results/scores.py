"""Scores of models on test sets, as `evaluator score --json` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.results.base import Count, Difference, Estimate, Name, NonEmpty, Number, ResultFile

ScoreValue = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
"""Larger scores than these do not exist."""


class SubscoreRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The score on one category, section, list of pairs or group of a test set.

    Attributes:
        name: The category, section, list of pairs or group.
        title: The same for people; not there if it is the name.
        size: How many words, questions, pairs or texts it has.
        oov: How many of them lack a vector.
        value: The score; null if it was skipped.
        low: The lower end of the 95% confidence interval; null if too few words tell how they vary.
        high: The upper end of the interval.
        chance: The chance level.
        ceiling: The best that any model with this vocabulary could reach.
        hits: What was counted, where the value is a share.
        trials: Out of how many.
        skipped: Why there is no value.
        error: The standard error of the value; not there unless subsets were drawn.
        extra: Further figures by name; not there if there are none.
    """

    name: str
    title: str | UnsetType = UNSET
    size: Count | None = None
    oov: Count | None = None
    value: ScoreValue | None
    low: Number | None = None
    high: Number | None = None
    chance: Number | None = None
    ceiling: Number | None = None
    hits: Count | None = None
    trials: Count | None = None
    skipped: str | None = None
    error: Number | UnsetType = UNSET
    extra: Mapping[str, Number] | UnsetType = UNSET

    @property
    def heading(self) -> str:
        """What people are shown."""
        return self.title or self.name


class ScoreRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What one measure says of a model on a test set.

    Attributes:
        measure: The text of the measure.
        value: The score.
        low: The lower end of the 95% confidence interval for other words of these categories.
        high: The upper end of the interval.
        categories_low: The lower end of that for other categories like these; null below six categories.
        categories_high: The upper end of that.
        chance: The chance level.
        hits: What was counted, where the score is a share.
        trials: Out of how many.
        unit: What the size of a subscore counts: words, questions, pairs or texts.
        signature: All that is needed to get the score again from the same vectors.
        frequency: The score of a model that knows only how frequent words are.
        seeds: The score of each training run, if the value is the mean over several.
        subscores: The score on each category, section, list of pairs or group.
    """

    measure: Name
    value: ScoreValue
    low: Number | None = None
    high: Number | None = None
    categories_low: Number | None = None
    categories_high: Number | None = None
    chance: Number | None = None
    hits: Count | None = None
    trials: Count | None = None
    unit: str = "words"
    signature: Name
    frequency: Number | None = None
    seeds: tuple[Number, ...] = ()
    subscores: tuple[SubscoreRecord, ...] = ()


class Failure(msgspec.Struct, frozen=True):
    """A measure that could not be scored.

    Attributes:
        measure: The text of the measure.
        reason: Why there is no score.
    """

    measure: Name
    reason: str


class ScoresRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one model on one test set.

    Attributes:
        vectors: The name of the model's vectors.
        vocabulary: How many words were scored.
        dimension: d of the vectors.
        test_set: The name of the test set.
        language: Its language code.
        sha256: The digest of the test set's file.
        known_words: How many different test words have a vector.
        words: How many different test words there are.
        combined: The harmonic mean of Topk and OddOneOut; null where one is missing.
        above_chance: The mean of both, each as the share of the way from its chance level to 1.
        combined_frequency: `combined` of a model that knows only how frequent words are.
        above_chance_frequency: The same of `above_chance`.
        multiword: How many of the test words consist of `several` words, of how many `words`.
        scores: One for each measure that could be scored.
        known: The same on the words that have a vector alone, without subscores.
        failures: The measures that could not be scored.
    """

    vectors: Name
    vocabulary: Count | None = None
    dimension: Count | None = None
    test_set: Name
    language: str
    sha256: str = ""
    known_words: Count | None = None
    words: Count | None = None
    combined: Estimate | None = None
    above_chance: Estimate | None = None
    combined_frequency: Number | None = None
    above_chance_frequency: Number | None = None
    multiword: Mapping[str, Count] = {}
    scores: NonEmpty[ScoreRecord]
    known: tuple[ScoreRecord, ...] = ()
    failures: tuple[Failure, ...] = ()


class ModelFailure(msgspec.Struct, frozen=True):
    """A model that could not be scored on a test set.

    Attributes:
        vectors: The name of the model's vectors.
        test_set: The name of the test set; null if the vectors could not be loaded.
        reason: Why there are no scores.
    """

    vectors: Name
    test_set: str | None
    reason: str


class TestedDifference(Difference, frozen=True, kw_only=True):
    """How much better the second of two models is than the first, by one measure on one test set.

    Attributes:
        test_set: The name of the test set.
        measure: The text of the measure.
        first: The name of the first model.
        second: The name of the second model.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    test_set: str
    measure: str
    first: str
    second: str


class ScoresFile(ResultFile, frozen=True, kw_only=True, tag="scores"):
    """What `evaluator score --json` writes.

    Attributes:
        results: One for each model and test set.
        differences: Each other model compared with the first.
        failures: What could not be scored.
    """

    command: ClassVar[str] = "evaluator score --json"

    version: Literal[3] = 3
    results: NonEmpty[ScoresRecord]
    differences: tuple[TestedDifference, ...] = ()
    failures: tuple[ModelFailure, ...] = ()


class TranslationFile(ScoresFile, frozen=True, kw_only=True, tag="translation"):
    """What `evaluator translate --json` writes: the scores of two sets of vectors on a dictionary."""

    command: ClassVar[str] = "evaluator translate --json"

    version: Literal[1] = 1  # type: ignore[assignment]  # of this format
