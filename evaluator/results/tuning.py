"""Searches for hyper-parameters, as `evaluator tune` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

from evaluator.measures.base import Count, Number
from evaluator.results.base import Difference, Estimate, ResultFile
from evaluator.results.numbers import rate
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
        values: The score by each measure, and Combined, by view; empty if training failed or nothing was
            scored. Only `choice` is there: nobody looks at the other items before a model is chosen.
        value: The one of them that trials are ranked by; null if there is none.
        vocabulary: How many words the model has.
        seconds: How long training and scoring took.
        reason: Why training failed, or nothing was scored; null if all went well.
    """

    number: int
    parameters: Hyperparameters
    values: Mapping[str, Mapping[str, Number]]
    value: Number | None
    vocabulary: Count
    seconds: tuple[Number, Number]
    reason: str | None = None

    def __post_init__(self) -> None:
        """Check that a trial that is ranked has the scores that it is ranked by."""
        if self.value is not None and not self.values.get(CHOICE):
            raise ValueError(f"values: has no scores on {CHOICE!r}")

    @property
    def rank(self) -> tuple[float, float, int]:
        """The greater, the better on CHOICE: by `value`, then by the sum of all; the first of equals."""
        if self.value is None:
            return -2.0, -2.0, -self.number
        return self.value, sum(self.values.get(CHOICE, {}).values()), -self.number


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
        estimates: The score by each measure, and Combined, by view, the mean over the seeds; a measure that
            can score nothing is missing.
        baseline: The scores of the frequency baseline with the same vocabulary.
        whole: What was counted on the whole test set with the first seed, by measure.
        seeds: With how many seeds it was trained.
    """

    estimates: Mapping[str, Mapping[str, Estimate]]
    baseline: Mapping[str, Mapping[str, Number]]
    whole: Mapping[str, WholeScore]
    seeds: Count

    def above(self, view: str, measure: str) -> bool:
        """Whether the 95% interval is above the chance level, and above the frequency baseline's score."""
        found = self.estimates.get(view, {}).get(measure)
        if found is None or found.low is None:
            return False
        return found.low > max(found.chance or 0.0, self.baseline.get(view, {}).get(measure, 0.0))


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
        ranked_by: The measure that trials are ranked by, or Combined.
        settings: The settings of the scores, as in signatures, what the words of the corpus are, and what
            trained the models if not gensim.
        best: The best trial by `ranked_by` on the selection items, trained again.
        default: gensim's default hyper-parameters, trained again; null if that trial failed.
        found: Whether the best model is above chance and the frequency baseline, by `ranked_by`, on the
            held-out items; never if there are none, as the items that chose a model do not judge it.
        differences: How much better the best model is than the default one, by measure, and Combined.
        failed: What could not be scored, and why.
        notes: What else there is to know.
        trials: All trials by number.
    """

    command: ClassVar[str] = "evaluator tune"

    version: Literal[4] = 4
    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, Count]
    left_out: Mapping[str, str]
    reported_on: Literal["report", "whole"]
    ranked_by: str
    settings: Mapping[str, str]
    best: RetrainedModel
    default: RetrainedModel | None
    found: bool
    differences: Mapping[str, Difference]
    failed: tuple[str, ...]
    notes: tuple[str, ...]
    trials: tuple[Outcome, ...]

    def __post_init__(self) -> None:
        """Check that the models have the view to report on."""
        for key, model in (("best", self.best), ("default", self.default)):
            if model is not None and self.reported_on not in model.estimates:
                raise ValueError(f"{key}.estimates: has no {self.reported_on!r}, on which the search reports")

    @property
    def conclusion(self) -> str:
        """What the search found, in a sentence or two."""
        best, by = self.best, self.ranked_by
        own = best.estimates.get(self.reported_on, {}).get(by)
        if own is None:
            return f"No model was found: the best of the search, trial {best.number}, has no {by} there."
        level = f"chance level {rate(own.chance)}, frequency baseline {rate(self._baseline)}"
        shown = f"{by} {rate(own.value)} ({rate(own.low)} to {rate(own.high)}; {level})"
        if self.reported_on == WHOLE:
            text = "Without a held-out half, nothing says how good the best is"
            return f"{text}; trial {best.number} has {shown}."
        if self.found:
            parts = ", also in Topk and OddOneOut" if by == "Combined" else ""
            return f"Trial {best.number} is above chance and frequency baseline{parts}: {shown}."
        where = " in Combined, Topk and OddOneOut" if by == "Combined" else ""
        text = f"No model was found above chance and frequency baseline{where}; the best of the search"
        return f"{text}, trial {best.number}, has {shown}.{self._of_default}"

    @property
    def _of_default(self) -> str:
        """That the default is better than what was chosen, if it is."""
        other = self.default
        if (
            other is None
            or other.number == self.best.number
            or not other.above(self.reported_on, self.ranked_by)
        ):
            return ""
        return " The default hyper-parameters, which were not chosen, are above both."

    @property
    def told(self) -> Mapping[str, Difference]:
        """The differences by measures in which one of the two models is above chance and baseline.

        None without a held-out half: what chose a model does not say by how much it is better.
        """
        if self.reported_on == WHOLE:
            return {}
        pair = [each for each in (self.best, self.default) if each is not None]
        return {
            name: each
            for name, each in self.differences.items()
            if any(model.above(self.reported_on, name) for model in pair)
        }

    @property
    def _baseline(self) -> float | None:
        return self.best.baseline.get(self.reported_on, {}).get(self.ranked_by)
