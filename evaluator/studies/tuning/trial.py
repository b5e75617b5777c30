"""One trial: a model trained and scored, in any process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from evaluator.errors import ScoreError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure, parse_measure
from evaluator.measures.oddoneout import OddOneOut
from evaluator.results.scores import Scores
from evaluator.results.tuning import CHOICE, Trial
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.holdout import TestSetHalf
from evaluator.studies.scoring import score
from evaluator.studies.trainers import Trainer
from evaluator.text.normalization import Normalizer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors

SAMPLES = 1000
"""How many pairs of OddOneOut are drawn for a trial, as in the papers: all pairs take far longer."""


@dataclass(frozen=True)
class TrialSetup:
    """What all trials of a search have in common.

    A view is a test set or its half. If there are no `lemmas`, trials with lemmas are trained without.
    """

    corpus: PreparedCorpus
    views: Mapping[str, TestSetHalf]
    measures: tuple[str, ...]
    settings: Settings
    vocabulary: int | None
    seed: int
    machine: Machine
    lemmas: bool
    trainer: Trainer

    def with_lemmas(self, parameters: Hyperparameters) -> bool:
        """Whether a model is trained on lemmas."""
        return parameters.lemmas and self.lemmas

    def half(self, view: str, parameters: Hyperparameters) -> TestSetHalf:
        """The test set of a view, in lemmas if the model is."""
        half = self.views[view]
        if self.with_lemmas(parameters):
            return normalized(half, self.corpus.corpus.normalizer_with(lemmas=True))
        return half

    def scores(
        self, vectors: Vectors, parameters: Hyperparameters, view: str, measures: Sequence[Measure]
    ) -> Scores:
        """The scores on a view."""
        half = self.half(view, parameters)
        settings = self.settings
        if self.vocabulary is not None:
            settings = replace(settings, vocabulary=max(1, self.vocabulary - len(half.excluded)))
        # All at once: fastText builds the vectors of unknown words again for each call.
        scores = score(half.vocabulary(vectors), half.test_set, measures, settings, machine=self.machine)
        return structs.replace(scores, model=str(parameters))


@dataclass(frozen=True)
class TrialTask:
    """One set of hyper-parameters to try; number 0 has the default ones."""

    number: int
    parameters: Hyperparameters
    setup: TrialSetup

    def failure(self, reason: str) -> Trial:
        """The result if the model cannot be trained."""
        return Trial(self.number, self.parameters, reason=reason)


def run_trial(task: TrialTask) -> Trial:
    """Train a model and score it; that it cannot be trained is a result too."""
    setup, parameters, started = task.setup, task.parameters, time.perf_counter()
    try:
        sentences = setup.corpus.sentences(setup.with_lemmas(parameters))
        vectors = setup.trainer.train(sentences, parameters, setup.seed, None)
    except TrainingError as error:
        return task.failure(str(error))
    trained, value, scores, reason = time.perf_counter(), None, None, None
    measures = [sampled(parse_measure(each)) for each in setup.measures]
    try:
        scores = _in_short(setup.scores(vectors, parameters, CHOICE, measures), task.number)
    except ScoreError as error:
        reason = str(error)
    else:
        ranking = scores.get(str(measures[0]))
        value = None if ranking is None else ranking.value
        reason = scores.failures[-1].reason if scores.failures else None
    seconds = round(trained - started, 3), round(time.perf_counter() - trained, 3)
    return Trial(task.number, parameters, len(vectors), seconds, value, scores, reason)


def _in_short(scores: Scores, number: int) -> Scores:
    return structs.replace(
        scores,
        keys={"trial": number, "view": CHOICE},
        scores=tuple(structs.replace(each, subscores=()) for each in scores),
    )


def sampled(measure: Measure) -> Measure:
    """An OddOneOut over all pairs as one over a sample; all other measures as they are."""
    if isinstance(measure, OddOneOut) and measure.samples is None and measure.out == "any":
        return replace(measure, samples=SAMPLES)
    return measure


def normalized(half: TestSetHalf, normalize: Normalizer) -> TestSetHalf:
    """A half with its words normalized once more, for instance to lemmas."""
    categories = tuple(
        replace(
            category,
            items=tuple(item.with_words(map(normalize, item.words)) for item in category.items),
        )
        for category in half.test_set.categories
    )
    own = {word for category in categories for word in category.words}
    excluded = frozenset(map(normalize, half.excluded)) - own
    return TestSetHalf(replace(half.test_set, categories=categories), excluded)
