"""The result of a search: all trials, and the best model and the default, trained again and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from evaluator.results.scores import COMBINED, ModelFailure, Scores, TestedDifference, frame_of
from evaluator.results.tuning import REPORT, WHOLE, Trial, TuningFile
from evaluator.statistics.scores import combined_difference, differences
from evaluator.text.corpus import CorpusStatistics

if TYPE_CHECKING:
    import pandas as pd


ONE_SEED = "one seed: intervals do not contain how scores differ between training runs; --seeds 3 adds that"


@dataclass(frozen=True, eq=False, repr=False)
class TuningResult:
    """The result of a search.

    Attributes:
        corpus: The name of the corpus.
        statistics: Its size and scripts.
        test_set: The name of the test set.
        language: Its code.
        categories: The number of categories of each view.
        left_out: Categories that no model of this corpus can be scored on, and why.
        trials: All finished trials by number; 0 has the default hyper-parameters.
        ranked_by: The measure that trials are ranked by, or Combined.
        settings: Those of the scores, and what the words of the corpus are.
        best: The best of them on the selection half.
        default: The one with gensim's default hyper-parameters; None if that trial failed.
        seeds: With how many seeds both were trained again.
        results: The scores of both, on each view, with the keys `trial` and `view`.
        failures: What of these could not be scored.
        notes: Remarks for the user.
    """

    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, int]
    left_out: Mapping[str, str]
    trials: Sequence[Trial]
    ranked_by: str
    settings: Mapping[str, str]
    best: Trial
    default: Trial | None
    seeds: int
    results: Sequence[Scores]
    failures: Sequence[ModelFailure] = ()
    notes: Sequence[str] = ()

    @property
    def view(self) -> Literal["report", "whole"]:
        """The view to report: the held-out half, or the whole test set if it was not divided."""
        return REPORT if REPORT in self.categories else WHOLE

    def scores(self, trial: Trial | None) -> Scores | None:
        """The scores of a model that was trained again, on that view; None if there are none."""
        wanted = trial and {"trial": trial.number, "view": self.view}
        return next((each for each in self.results if each.keys == wanted), None)

    @cached_property
    def differences(self) -> tuple[TestedDifference, ...]:
        """By measure, and Combined, how much better the best model is than the default, on that view."""
        best, default = self.scores(self.best), self.scores(self.default)
        if best is None or default is None or best is default:
            return ()
        combined = combined_difference(default, best)
        return (*differences(default, best), *([combined] if combined else []))

    @property
    def failed(self) -> list[str]:
        """Why the best model has no score on the view to report, if one is missing."""
        wanted = {"trial": self.best.number, "view": self.view}
        return [f"trial {self.best.number}: {each.reason}" for each in self.failures if each.keys == wanted]

    def __repr__(self) -> str:
        """In a line."""
        return (
            f"<tuning of {self.corpus} on {self.test_set}: {len(self.trials)} trials. "
            f"{self.record().conclusion}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.record()._repr_html_()

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
        parameters = pd.DataFrame(
            [{"trial": each.number, **asdict(each.parameters)} for each in self.trials]
        ).rename(columns={"model": "kind"})
        return frame_of([*scored, *self.results], unscored).merge(parameters, on="trial", how="left")

    @property
    def _found(self) -> bool:
        """Whether the best is above chance and frequency in what ranks, and if that is Combined in its parts.

        Combined alone is above a frequency of nearly 0 as soon as one neighbour is right.
        """
        scores = self.scores(self.best)
        if self.view == WHOLE or scores is None or self.ranked_by not in scores:
            return False
        heads = ("Topk", "OddOneOut") if self.ranked_by == COMBINED else ()
        return all(
            each.above_baseline
            for each in scores
            if each.measure == self.ranked_by or each.measure.startswith(heads)
        )

    def record(self) -> TuningFile:
        """The content of the result file."""
        return TuningFile(
            corpus=self.corpus,
            statistics=self.statistics,
            test_set=self.test_set,
            language=self.language,
            categories=self.categories,
            left_out=self.left_out,
            reported_on=self.view,
            ranked_by=self.ranked_by,
            settings=self.settings,
            best=self.best.number,
            default=None if self.default is None else self.default.number,
            seeds=self.seeds,
            results=tuple(each.record() for each in self.results),
            found=self._found,
            differences=self.differences,
            failed=tuple(self.failed),
            notes=tuple(self.notes),
            trials=tuple(self.trials),
        )
