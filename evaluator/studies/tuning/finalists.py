"""The finalists of a search: the best model and the default, trained again, with scores to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs

from evaluator.engine.similarities import Doubles
from evaluator.errors import StudyError
from evaluator.measures.base import Subscore
from evaluator.results.base import Estimate
from evaluator.results.tuning import COMBINED, WHOLE, Outcome, RetrainedModel, WholeScore
from evaluator.statistics.combined import combined, combined_replicates
from evaluator.statistics.resampling import interval
from evaluator.studies.scoring import Score
from evaluator.studies.training import trained_model, write_model
from evaluator.studies.tuning.trial import TrialSetup
from evaluator.vectors import from_gensim

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
        low, high = interval(self.combined_replicates(view), 0, 1)
        value = combined(*(score.value for score in scores))
        chance = combined(*(score.chance or 0.0 for score in scores))
        return {**found, COMBINED: Estimate(value, low, high, chance)}

    def combined_replicates(self, view: str) -> Doubles:
        """Replicates of Combined on a view, shape (resamples,)."""
        topk, odd_one_out = self.scores[view]
        return combined_replicates(topk.subscores, odd_one_out.subscores, topk.settings.seed)

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
    outcomes = {each.number: each for each in (best, default) if each.values}
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
