"""The result of a search: all trials, and the best model and the default, trained again and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from evaluator.results.base import Difference
from evaluator.results.tuning import REPORT, WHOLE, Outcome, TuningFile
from evaluator.studies.tuning.finalists import Finalist, differences_of
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
        outcomes: All finished trials by number; 0 has the default hyper-parameters.
        ranked_by: The measure that trials are ranked by, or Combined.
        settings: Those of the scores, and what the words of the corpus are.
        best: The best of them on the selection half, trained again.
        default: The one with gensim's default hyper-parameters, trained again; None if that trial failed.
        notes: Remarks for the user.
    """

    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, int]
    left_out: Mapping[str, str]
    outcomes: Sequence[Outcome]
    ranked_by: str
    settings: Mapping[str, str]
    best: Finalist
    default: Finalist | None
    notes: Sequence[str] = ()

    @property
    def view(self) -> Literal["report", "whole"]:
        """The view to report: the held-out half, or the whole test set if it was not divided."""
        return REPORT if REPORT in self.best.scores else WHOLE

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """By measure, and Combined, how much better the best model is than the default, on that view."""
        if self.default is None or self.default is self.best:
            return {}
        return differences_of(self.default, self.best, self.view)

    @property
    def failed(self) -> list[str]:
        """Why the best model has no score on the view to report, if one is missing."""
        reason = self.best.reasons.get(self.view)
        return [] if reason is None else [f"trial {self.best.outcome.number}: {reason}"]

    def __repr__(self) -> str:
        """In a line."""
        return (
            f"<tuning of {self.corpus} on {self.test_set}: {len(self.outcomes)} trials. "
            f"{self.record().conclusion}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.record()._repr_html_()

    def frame(self) -> pd.DataFrame:
        """A table with a row for each trial, the best first.

        The columns are the trial, the hyper-parameters, the vocabulary, and each value; values of failed
        trials are missing, and `reason` says why. There are no times in it, so that the same search gives the
        same table on every machine.
        """
        import pandas as pd

        rows = [
            {
                "trial": outcome.number,
                **asdict(outcome.parameters),
                "vocabulary": outcome.vocabulary,
                **{f"{view} {name}": v for view, own in outcome.values.items() for name, v in own.items()},  # noqa: PD011 - no table
                "reason": outcome.reason,
            }
            for outcome in sorted(self.outcomes, key=lambda each: each.rank, reverse=True)
        ]
        return pd.DataFrame(rows)

    @property
    def _judges(self) -> list[str]:
        """What the best must be above chance and frequency in: what ranks, and if that is Combined its parts.

        Combined alone is above a frequency of nearly 0 as soon as one neighbour is right.
        """
        heads = ("Topk", "OddOneOut") if self.ranked_by == "Combined" else ()
        measured = self.best.estimates(self.view)
        return (
            [self.ranked_by, *(each for each in measured if each.startswith(heads))]
            if heads
            else [self.ranked_by]
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
            best=self.best.record,
            default=None if self.default is None else self.default.record,
            found=self.view == REPORT
            and all(self.best.record.above(self.view, each) for each in self._judges),
            differences=self.differences,
            failed=tuple(self.failed),
            notes=tuple(self.notes),
            trials=tuple(self.outcomes),
        )
