"""One trial: a model trained and scored, in any process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluator.errors import ScoreError, TrainingError
from evaluator.measures import parse_measure
from evaluator.results.tuning import CHOICE, COMBINED, Outcome
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.combined import combined
from evaluator.statistics.holdout import TestSetHalf
from evaluator.studies.scores import Score
from evaluator.studies.scoring import score
from evaluator.studies.training import train
from evaluator.text.normalization import Normalizer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class TrialSetup:
    """What all trials of a search have in common.

    Attributes:
        corpus: The prepared corpus.
        views: The test set, or its half, of each view; each category counts for each model.
        measures: The texts of a Topk and an OddOneOut.
        settings: For the scores.
        seed: For training.
        threads: How many threads a trial may use for its scores.
        lemmas: Whether there are lemmas; if not, trials with lemmas are trained without.
    """

    corpus: PreparedCorpus
    views: Mapping[str, TestSetHalf]
    measures: tuple[str, str]
    settings: Settings
    seed: int
    threads: int
    lemmas: bool

    def with_lemmas(self, parameters: Hyperparameters) -> bool:
        """Whether a model is trained on lemmas."""
        return parameters.lemmas and self.lemmas

    def scores(self, vectors: Vectors, parameters: Hyperparameters, view: str) -> tuple[Score, ...] | None:
        """The scores on a view; None if too few of its words are in the vocabulary to score any category."""
        half = self.views[view]
        if self.with_lemmas(parameters):
            half = normalized(half, self.corpus.corpus.normalizer_with(lemmas=True))
        try:
            found = score(
                half.vocabulary(vectors), half.test_set, self.measures, self.settings, threads=self.threads
            )
        except ScoreError:
            return None
        return found.scores


@dataclass(frozen=True)
class Trial:
    """One set of hyper-parameters to try.

    Attributes:
        number: From 0, which has the default hyper-parameters.
        parameters: The hyper-parameters.
        setup: What all trials have in common.
    """

    number: int
    parameters: Hyperparameters
    setup: TrialSetup

    def failure(self, reason: str) -> Outcome:
        """The outcome if the model cannot be trained."""
        return Outcome(self.number, self.parameters, {}, 0, (0.0, 0.0), reason)


def run_trial(trial: Trial) -> Outcome:
    """Train a model and score it; that it cannot be trained is an outcome too."""
    setup, started = trial.setup, time.perf_counter()
    try:
        sentences = setup.corpus.sentences(setup.with_lemmas(trial.parameters))
        vectors = train(sentences, trial.parameters, setup.seed)
    except TrainingError as error:
        return trial.failure(str(error))
    trained = time.perf_counter()
    values = {CHOICE: _values(setup.scores(vectors, trial.parameters, CHOICE), setup)}
    seconds = round(trained - started, 3), round(time.perf_counter() - trained, 3)
    return Outcome(trial.number, trial.parameters, values, len(vectors), seconds)


def _values(scores: tuple[Score, ...] | None, setup: TrialSetup) -> dict[str, float]:
    """The value of each measure, and of Combined.

    A category that cannot be scored, because the model knows too few of its words, counts as 0: other models
    can be scored on it, and a model must not gain by knowing less.
    """
    if scores is None:
        return dict.fromkeys((*(str(parse_measure(each)) for each in setup.measures), COMBINED), 0.0)
    values = {str(each.measure): value_with_skipped(each) for each in scores}
    return {**values, COMBINED: combined(*values.values())}


def value_with_skipped(score: Score) -> float:
    """The mean over all categories, 0 for those that were skipped."""
    weight = sum(part.weight for part in score.subscores)
    return sum(part.weight * (part.value or 0.0) for part in score.subscores) / weight


def normalized(half: TestSetHalf, normalize: Normalizer) -> TestSetHalf:
    """A half with its words normalized once more, for instance to lemmas."""
    categories = tuple(
        replace(
            category,
            items=tuple(
                replace(item, words=tuple(dict.fromkeys(map(normalize, item.words))))
                for item in category.items
            ),
        )
        for category in half.test_set.categories
    )
    own = {word for category in categories for word in category.words}
    excluded = frozenset(map(normalize, half.excluded)) - own
    return TestSetHalf(replace(half.test_set, categories=categories), excluded)
