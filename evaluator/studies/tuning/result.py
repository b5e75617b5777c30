"""The result of a search: all trials, and the best model and the default, trained again and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import structs

from evaluator.errors import StudyError
from evaluator.measures.base import Subscore
from evaluator.results.base import Difference, Estimate, Tested
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.results.tuning import (
    COMBINED,
    REPORT,
    WHOLE,
    Outcome,
    RetrainedModel,
    TuningFile,
    WholeScore,
)
from evaluator.statistics.combined import combined, combined_of
from evaluator.statistics.inference import Influences, difference, interval, test
from evaluator.studies.scores import Score
from evaluator.studies.training import trained_model, write_model
from evaluator.studies.tuning.trial import TrialSetup
from evaluator.text.corpus import CorpusStatistics
from evaluator.vectors import from_gensim

if TYPE_CHECKING:
    import pandas as pd


ViewScores = Mapping[str, tuple[Score, ...]]
"""Topk and OddOneOut by view."""


@dataclass(frozen=True, eq=False)
class Finalist:
    """A model trained again, and its scores.

    Attributes:
        outcome: Its trial.
        scores: Its scores on each view; categories that it cannot be scored on have the value 0.
    """

    outcome: Outcome
    scores: ViewScores

    def estimates(self, view: str) -> dict[str, Estimate]:
        """Each measure, and Combined, on a view.

        The chance level of Combined is that of the chance levels of both measures.
        """
        scores = self.scores[view]
        found = {str(each.measure): Estimate(each.value, *each.interval, each.chance) for each in scores}
        both = self.combined(view)
        chance = combined(*(score.chance or 0.0 for score in scores))
        return {**found, COMBINED: Estimate(both.value, *interval(both.value, both.spread), chance)}

    def combined(self, view: str) -> Influences:
        """Combined on a view, and how much it owes to each item of the test set."""
        topk, odd_one_out = self.scores[view]
        return combined_of(topk.subscores, odd_one_out.subscores)

    def record(self) -> RetrainedModel:
        """The entry in the result file."""
        whole = {
            str(score.measure): WholeScore(score.hits, score.trials, score.signature)
            for score in self.scores[WHOLE]
        }
        estimates = {view: self.estimates(view) for view in self.scores}
        return RetrainedModel(**structs.asdict(self.outcome), estimates=estimates, whole=whole)


def train_finalists(
    setup: TrialSetup, best: Outcome, default: Outcome, folder: Path
) -> tuple[Finalist, Finalist | None]:
    """Train the best model and the default again, to the same vectors, and score both on all views.

    Categories that one of them cannot be scored on count as 0 for it.

    Args:
        setup: What all trials have in common.
        best: The best finished trial.
        default: The one with the default hyper-parameters; it may have failed, or be the best.
        folder: For the file of the best model.

    Returns:
        Both models; None for the default if it failed.

    Raises:
        StudyError: Neither model can be scored on a view.
        OutputError: The best model cannot be written.
    """
    outcomes = {each.number: each for each in (best, default) if each.values}  # noqa: PD011 - no table
    scores = {
        number: _train_and_score(setup, each, folder if each is best else None)
        for number, each in outcomes.items()
    }
    if any(not any(view in own for own in scores.values()) for view in setup.views):
        raise StudyError(
            f"{setup.views[WHOLE].test_set.name}: neither the best model nor the default knows enough words "
            "of any category of each half. More trials, or lower min counts (--only min_count=3), may help"
        )
    finalists = {
        number: Finalist(each, _with_skipped(setup, str(each.parameters), scores[number], scores[other]))
        for (number, each), other in zip(outcomes.items(), reversed(outcomes), strict=True)
    }
    return finalists[best.number], finalists.get(default.number)


def _train_and_score(setup: TrialSetup, outcome: Outcome, folder: Path | None) -> ViewScores:
    """The scores on all views that the model can be scored on; the model is written if there is a folder."""
    parameters = outcome.parameters
    sentences = setup.corpus.sentences(setup.with_lemmas(parameters))
    model = trained_model(sentences, parameters, setup.seed)
    if folder is not None:
        written = write_model(model, folder)
        for old in {"model.vec", "model.bin"} - {written.name}:  # the best model of fewer trials
            (folder / old).unlink(missing_ok=True)
    vectors = from_gensim(model, str(parameters))
    found = {view: setup.scores(vectors, parameters, view) for view in setup.views}
    return {view: scores for view, scores in found.items() if scores is not None}


def _with_skipped(setup: TrialSetup, name: str, own: ViewScores, other: ViewScores) -> ViewScores:
    """The scores of a model, in which skipped categories count as 0."""
    found = {}
    for view in setup.views:
        scores = own.get(view) or tuple(all_skipped(each, name) for each in other[view])
        likes = other.get(view, scores)
        found[view] = tuple(with_skipped(a, b) for a, b in zip(scores, likes, strict=True))
    return found


def with_skipped(own: Score, other: Score | None) -> Score:
    """A score in which skipped categories count as 0, observation by observation.

    Args:
        own: The score.
        other: That of another model, which may know the words of categories that this one lacks.
    """
    known = {} if other is None else {part.name: part for part in other.subscores if part.value is not None}
    parts = (part if part.value is not None else _zero(part, known.get(part.name)) for part in own.subscores)
    return replace(own, subscores=tuple(parts))


def all_skipped(like: Score, vectors: str) -> Score:
    """The score of a model that cannot be scored on any category.

    Args:
        like: That of another model, which can.
        vectors: The name of the model.
    """
    parts = tuple(_zero(part, None if part.value is None else part) for part in like.subscores)
    return replace(like, vectors=vectors, subscores=parts)


def _zero(part: Subscore, like: Subscore | None) -> Subscore:
    """A skipped part with the value 0 for each observation; these have no names if no model was scored."""
    if like is None:
        names: tuple[str, ...] = tuple(map(str, range(max(part.size, 1))))
        zeros = np.zeros(len(names))
        return replace(part, value=0.0, observations=names, pseudovalues=zeros, hits=0, chance=0.0)
    return replace(like, value=0.0, pseudovalues=np.zeros(len(like.observations)), hits=0, chance=0.0)


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
        best: The best by Combined on the selection half, trained again.
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
    best: Finalist
    default: Finalist | None
    notes: Sequence[str] = ()

    @property
    def view(self) -> Literal["report", "whole"]:
        """The view to report: the held-out half, or the whole test set if it was not divided."""
        return REPORT if REPORT in self.best.scores else WHOLE

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """By measure, how much better the best model is than the default, on the view to report."""
        if self.default is None:
            return {}
        pairs = zip(self.default.scores[self.view], self.best.scores[self.view], strict=True)
        found = {str(b.measure): difference(a.subscores, b.subscores) for a, b in pairs}
        return {name: each for name, each in found.items() if each is not None}

    @cached_property
    def combined_difference(self) -> Difference | None:
        """The same for Combined, for other words of the same categories."""
        if self.default is None:
            return None
        change = self.best.combined(self.view) - self.default.combined(self.view)
        tested = Tested(*test(change.value, change.spread))
        categories = len(self.best.scores[self.view][0].subscores)
        return Difference(change.value, None, tested, categories, len(change.single))

    def __repr__(self) -> str:
        """In a line."""
        found = self.best.estimates(self.view)[COMBINED]
        return (
            f"<tuning of {self.corpus} on {self.test_set}: {len(self.outcomes)} trials, the best is "
            f"{self.best.outcome.number} ({self.best.outcome.parameters}), {COMBINED} on {self.view} "
            f"{shown(found.value)} ({shown_interval((found.low, found.high))})>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the best model and the default, on the view to report."""
        models = {"best": self.best, **({"default": self.default} if self.default else {})}
        rows = [
            (
                *(f"{name} ({model.outcome.number})", measure, shown(each.value)),
                *(shown_interval((each.low, each.high)), shown(each.chance)),
            )
            for name, model in models.items()
            for measure, each in model.estimates(self.view).items()
        ]
        caption = f"{self.corpus} on {self.test_set}: {len(self.outcomes)} trials; scores on {self.view}"
        columns = ("model", "measure", "score", "95% interval", "chance")
        notes = [f"best ({self.best.outcome.number}): {self.best.outcome.parameters}"]
        if self.view == WHOLE:
            notes.append("on the same test set that the model was chosen by, so the scores are too good")
        return html_table(caption, columns, rows, [*notes, *self.notes])

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
            best=self.best.record(),
            default=None if self.default is None else self.default.record(),
            differences=self.differences,
            combined_difference=self.combined_difference,
            notes=tuple(self.notes),
            trials=tuple(self.outcomes),
        )
