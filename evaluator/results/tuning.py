"""Searches for hyper-parameters, as `evaluator tune` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from evaluator.results.base import Count, Difference, Estimate, Number, ResultFile
from evaluator.settings import Hyperparameters
from evaluator.text.corpus import CorpusStatistics

CHOICE: Final = "choice"
REPORT: Final = "report"
WHOLE: Final = "whole"
"""What a model is scored on: the items it is chosen by, the held-out items, and all of them."""

COMBINED = "Combined"


class Outcome(msgspec.Struct, frozen=True):
    """A finished trial: a model trained and scored, or why it could not be trained.

    Attributes:
        number: The number of the trial, from 0, which is that of the default hyper-parameters.
        parameters: What was trained.
        values: The score by each measure, and Combined, by view; empty if training failed. Only `choice` is
            there: nobody looks at the other items before a model is chosen.
        vocabulary: How many words the model has.
        seconds: How long training and scoring took.
        reason: Why training failed; null if it did not.
    """

    number: int
    parameters: Hyperparameters
    values: Mapping[str, Mapping[str, Number]]
    vocabulary: Count
    seconds: tuple[Number, Number]
    reason: str | None = None

    def __post_init__(self) -> None:
        """Check that a trial with scores has the one that models are chosen by."""
        if self.values and COMBINED not in self.values.get(CHOICE, {}):
            raise ValueError(f"values: has no {COMBINED} on {CHOICE!r}")

    @property
    def rank(self) -> tuple[float, float, int]:
        """The greater, the better on CHOICE: by Combined, then by the sum of both; the first of equals."""
        if not self.values:
            return -1.0, -1.0, -self.number
        values = self.values[CHOICE]
        return values[COMBINED], sum(values.values()), -self.number


class WholeScore(msgspec.Struct, frozen=True):
    """What a measure counted on the whole test set.

    Attributes:
        hits: How many hits in all categories together.
        trials: Out of how many.
        signature: All that is needed to count again with the same vectors.
    """

    hits: Count | None
    trials: Count | None
    signature: str


class RetrainedModel(Outcome, frozen=True, kw_only=True):
    """A model trained again with the hyper-parameters of a trial, and scored on all views.

    Attributes:
        estimates: The score by each measure, and Combined, by view.
        whole: What was counted on the whole test set, by measure.
    """

    estimates: Mapping[str, Mapping[str, Estimate]]
    whole: Mapping[str, WholeScore]


class TuningFile(ResultFile, frozen=True, kw_only=True, tag="tuning"):
    """What `evaluator tune` writes.

    Attributes:
        corpus: The name of the corpus.
        statistics: What it holds.
        test_set: The name of the test set.
        language: Its language code.
        categories: How many categories are in each view.
        left_out: Categories that no model of this corpus can be scored on, and why.
        reported_on: The view to report scores on: `report`, the held-out items; or `whole` if there are none.
        best: The best trial by Combined on the selection items, trained again.
        default: gensim's default hyper-parameters, trained again; null if that trial failed.
        differences: How much better the best model is than the default one, by measure.
        combined_difference: The same of Combined; null if there is no default.
        notes: What else there is to know.
        trials: All trials by number.
    """

    command: ClassVar[str] = "evaluator tune"

    version: Literal[3] = 3
    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, Count]
    left_out: Mapping[str, str]
    reported_on: Literal["report", "whole"]
    best: RetrainedModel
    default: RetrainedModel | None
    differences: Mapping[str, Difference]
    combined_difference: Difference | None
    notes: tuple[str, ...]
    trials: tuple[Outcome, ...]

    def __post_init__(self) -> None:
        """Check that the models have scores on the view to report on."""
        for key, model in (("best", self.best), ("default", self.default)):
            if model is not None and self.reported_on not in model.estimates:
                raise ValueError(f"{key}.estimates: has no {self.reported_on!r}, on which the search reports")
