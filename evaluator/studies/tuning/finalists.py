"""The best model and the default, trained again, and scored so that they can be compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evaluator.errors import StudyError
from evaluator.measures.base import Subscore
from evaluator.results.tuning import WHOLE, Outcome
from evaluator.studies.scoring import Score
from evaluator.studies.training import trained_model, write_model
from evaluator.studies.tuning.trial import TrialSetup
from evaluator.vectors import from_gensim

ViewScores = dict[str, tuple[Score, ...]]
"""The scores of a model by view, without views that it cannot be scored on."""


@dataclass(frozen=True)
class Finalists:
    """Scores of the best model and of the default.

    Attributes:
        setup: What all trials have in common.
        best: The best finished trial.
        default: That with the default hyper-parameters, which may have failed, or be the best.
    """

    setup: TrialSetup
    best: Outcome
    default: Outcome

    def scores(self, folder: Path) -> dict[int, ViewScores]:
        """Train both again, to the same vectors, and score them on all views; writes the best model.

        Categories that one of them cannot be scored on count as 0 for it.

        Args:
            folder: For the best model.

        Returns:
            The scores by trial number; without the default if it failed.

        Raises:
            StudyError: Neither model can be scored on a view.
            OutputError: The model cannot be written.
        """
        outcomes = {each.number: each for each in (self.best, self.default) if each.values}
        scores = {number: self._train_and_score(each, folder) for number, each in outcomes.items()}
        if any(not any(view in own for own in scores.values()) for view in self.setup.views):
            name = self.setup.views[WHOLE].test_set.name
            raise StudyError(
                f"{name}: neither the best model nor the default knows enough words of any category of each "
                "half. More trials, or lower min counts (--only min_count=3), may help"
            )
        return {
            number: self._with_skipped(str(each.parameters), scores[number], scores[other])
            for (number, each), other in zip(outcomes.items(), reversed(outcomes), strict=True)
        }

    def _train_and_score(self, outcome: Outcome, folder: Path) -> ViewScores:
        setup, parameters = self.setup, outcome.parameters
        sentences = setup.corpus.sentences(setup.with_lemmas(parameters))
        model = trained_model(sentences, parameters, setup.seed)
        vectors = from_gensim(model, str(parameters))
        if outcome is self.best:
            written = write_model(model, folder)
            for old in {"model.vec", "model.bin"} - {written.name}:  # the best model of fewer trials
                (folder / old).unlink(missing_ok=True)
        found = {view: setup.scores(vectors, parameters, view) for view in setup.views}
        return {view: scores for view, scores in found.items() if scores is not None}

    def _with_skipped(self, name: str, own: ViewScores, other: ViewScores) -> ViewScores:
        """The scores of a model, in which skipped categories count as 0."""
        found = {}
        for view in self.setup.views:
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
