"""Searches for hyper-parameters, as `evaluator tune` writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.measures.base import Count, Number
from evaluator.results.base import Difference, ResultFile
from evaluator.results.kept import listed
from evaluator.results.numbers import interval, rate
from evaluator.results.score import ABOVE_CHANCE, Score
from evaluator.results.scores import ModelFailure, Scores, TestedDifference, frame_of
from evaluator.settings import Hyperparameters
from evaluator.text.corpus import CorpusStatistics

if TYPE_CHECKING:
    import pandas as pd

CHOICE: Final = "choice"
REPORT: Final = "report"
WHOLE: Final = "whole"
"""What a model is scored on: the items it is chosen by, the held-out items, and all of them."""


class Trial(msgspec.Struct, frozen=True):
    """A finished trial: a model trained and scored, or why it could not be trained.

    Attributes:
        number: The number of the trial, from 0, which is that of the default hyper-parameters.
        parameters: What was trained.
        vocabulary: How many words the model has; 0 if training failed.
        seconds: How long training and scoring took.
        value: The score that trials are ranked by; null if there is none.
        scores: The scores on the view `choice`, without those of each category, and with the keys `trial` and
            `view`; null if nothing was scored. Nobody looks at the other items before a model is chosen.
        reason: Why training failed, or something was not scored; null if all went well.
    """

    number: int
    parameters: Hyperparameters
    vocabulary: Count = 0
    seconds: tuple[Number, Number] = (0.0, 0.0)
    value: Number | None = None
    scores: Scores | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and self.value not in (each.value for each in self.scores or ()):
            raise ValueError("value: is the value of none of its scores")

    @property
    def values(self) -> dict[str, float]:
        """The score by each measure, and Combined."""
        return {each.measure: each.value for each in self.scores or () if each.measure != ABOVE_CHANCE}

    @property
    def rank(self) -> tuple[float, float, int]:
        """The greater, the better: by `value`, then by the sum of all; the first of equals."""
        if self.value is None:
            return -2.0, -2.0, -self.number
        return self.value, sum(self.values.values()), -self.number


def scores_on(results: Sequence[Scores], trial: int | None, view: str) -> Scores | None:
    """The scores of a model that was trained again; None if there are none on that view."""
    wanted = {"trial": trial, "view": view}
    return next((each for each in results if each.keys == wanted), None)


class TuningFile(ResultFile, frozen=True, kw_only=True, tag="tuning"):
    """The result of a search: what `evaluator tune` writes, and `evaluator.tune` gives.

    Attributes:
        corpus: The name of the corpus.
        statistics: What it holds.
        test_set: The name of the test set.
        language: Its language code.
        categories: How many categories are in each view.
        keywords: How many related words each view has, which all models know; not there if the test set has
            none.
        left_out: Categories that no model of this corpus can be scored on, and why.
        reported_on: The view to report scores on: `report`, the held-out items; or `whole` if there are none.
        ranked_by: The measure that trials are ranked by.
        settings: The settings of the scores, as in signatures, what the words of the corpus are, and what
            trained the models if not gensim.
        best: The number of the best trial by `ranked_by` on the selection items.
        default: That of the default hyper-parameters (gensim's, or those of svd), 0; null if that trial
            failed.
        seeds: With how many seeds both were trained again.
        results: The scores of both, trained again, on each view: the means over
            seeds, with the keys `trial` and `view`.
        found: Whether the best model is above chance and the baselines that there are, by `ranked_by`, on
            the held-out items; never if there are none, as the items that chose a model do not judge it.
        differences: How much better the best model is than the default one, by measure, and Combined.
        failed: Why the best model has no score on the view to report, if one is missing.
        notes: What else there is to know.
        trials: All trials by number.
    """

    command: ClassVar[str] = "evaluator tune"

    version: Literal[5] = 5
    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, Count]
    keywords: Mapping[str, Count] | UnsetType = UNSET
    left_out: Mapping[str, str]
    reported_on: Literal["report", "whole"]
    ranked_by: str
    settings: Mapping[str, str]
    best: Count
    default: Count | None
    seeds: Count
    results: tuple[Scores, ...]
    found: bool
    differences: tuple[TestedDifference, ...]
    failed: tuple[str, ...]
    notes: tuple[str, ...]
    trials: tuple[Trial, ...]

    def __post_init__(self) -> None:
        for key in ("best", "default"):
            if getattr(self, key) not in {None, *(each.number for each in self.trials)}:
                raise ValueError(f"{key}: is no trial")

    def scores(self, trial: int | None) -> Scores | None:
        """The scores of a model that was trained again, on the view to report; None if there are none."""
        return scores_on(self.results, trial, self.reported_on)

    def score(self, trial: int | None, measure: str) -> Score | None:
        """That by a measure, or by Combined."""
        scores = self.scores(trial)
        return None if scores is None else scores.get(measure)

    def frame(self) -> pd.DataFrame:
        """A table of all scores, as `Scores.frame`: of all trials, the best first, then of both models again.

        A failed trial has a row with the reason. Further columns are `trial`, `view` and the
        hyper-parameters, of which `model` is called `kind`. There are no times in it, so that the same search
        gives the same table on every machine.
        """
        import pandas as pd

        ranked = sorted(self.trials, key=lambda each: each.rank, reverse=True)
        scored = [each.scores for each in ranked if each.scores is not None]
        unscored = [
            ModelFailure(str(each.parameters), self.test_set, each.reason or "", {"trial": each.number})
            for each in ranked
            if each.scores is None
        ]
        parameters = [{"trial": each.number, **each.parameters.own} for each in self.trials]
        named = pd.DataFrame(parameters).rename(columns={"model": "kind"})
        return frame_of([*scored, *self.results], unscored).merge(named, on="trial", how="left")

    def __repr__(self) -> str:
        return f"<tuning of {self.corpus} on {self.test_set}: {len(self.trials)} trials. {self.conclusion}>"

    @property
    def conclusion(self) -> str:
        """What the search found, in a sentence or two."""
        best, by = self.score(self.best, self.ranked_by), self.ranked_by
        trial = f"trial {self.best}"
        if best is None:
            return f"No model was found: the best of the search, {trial}, has no {by} there."
        levels = {"frequency": best.baseline, "spelling": best.spelling}
        told = (f"{name} baseline {rate(level)}" for name, level in levels.items() if level is not None)
        level = ", ".join((f"chance level {rate(best.chance)}", *told))
        shown = f"{rate(best.value)} ({interval(best.low, best.high)}; {level})"
        if self.reported_on == WHOLE:
            text = "Without a held-out half, nothing says how good the best is"
            return f"{text}; {trial} has {by} {shown}."
        if self.found:
            text = f"The best of the search, {trial}, is above {listed(('chance', *best.baselines))}"
        else:
            text = f"The best of the search, {trial}, is not shown to be above {listed(best.lacking, 'or')}"
        tests = f" By a paired test of the difference: {', '.join(best.paired_tests)}."
        return f"{text} by {by}: {shown}.{tests if best.paired_tests else ''}{self._of_default}"

    @property
    def _of_default(self) -> str:
        """That the default has a higher score than what was chosen, or is above more, if it is so."""
        best, default = (self.score(trial, self.ranked_by) for trial in (self.best, self.default))
        if best is None or default is None or self.default == self.best:
            return ""
        told = ""
        if default.value > best.value:
            told = f" The default hyper-parameters, which were not chosen, have more: {rate(default.value)}."
        if default.is_contender and not self.found:
            levels = listed(("chance", *default.baselines))
            told += f" {'They' if told else 'The default hyper-parameters'} are above {levels}."
        return told

    @property
    def told(self) -> Mapping[str, Difference]:
        """The differences by measures in which one of the two models is above chance and baseline.

        None without a held-out half: what chose a model does not say by how much it is better.
        """
        if self.reported_on == WHOLE:
            return {}
        return {
            each.measure: each
            for each in self.differences
            if any(
                score.is_contender
                for trial in (self.best, self.default)
                if (score := self.score(trial, each.measure)) is not None
            )
        }
