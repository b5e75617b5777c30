"""One trial: a model trained and scored, in any process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.errors import ScoreError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure, parse_measure
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.results.scores import Score
from evaluator.results.tuning import CHOICE, COMBINED, Outcome
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.combined import combined
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

    Attributes:
        corpus: The prepared corpus.
        views: The test set, or its half, of each view; each category counts for each model.
        measures: The texts of the measures that models are judged by.
        settings: For the scores.
        vocabulary: How many words of each model are used; None for all.
        seed: For training.
        machine: How many threads a trial may use for its scores.
        lemmas: Whether there are lemmas; if not, trials with lemmas are trained without.
        trainer: What trains the models.
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

    @property
    def ranked_by(self) -> str:
        """What trials are ranked by."""
        return ranked_by(self.measures)

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
    ) -> tuple[dict[str, Score], str | None]:
        """The scores on a view by the text of the measure, and why one is missing, if one is."""
        half = self.half(view, parameters)
        settings = self.settings
        if self.vocabulary is not None:
            settings = replace(settings, vocabulary=max(1, self.vocabulary - len(half.excluded)))
        try:
            # All at once: fastText builds the vectors of unknown words again for each call.
            found = score(half.vocabulary(vectors), half.test_set, measures, settings, machine=self.machine)
        except ScoreError as error:
            return {}, str(error)
        by_text = {each.measure: each for each in found.measured}
        return by_text, [None, *(each.reason for each in found.failures)][-1]


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
        return Outcome(self.number, self.parameters, {}, None, 0, (0.0, 0.0), reason)


def run_trial(trial: Trial) -> Outcome:
    """Train a model and score it; that it cannot be trained is an outcome too."""
    setup, started = trial.setup, time.perf_counter()
    try:
        sentences = setup.corpus.sentences(setup.with_lemmas(trial.parameters))
        vectors = setup.trainer.train(sentences, trial.parameters, setup.seed, None)
    except TrainingError as error:
        return trial.failure(str(error))
    trained = time.perf_counter()
    measures = [sampled(parse_measure(each)) for each in setup.measures]
    scores, reason = setup.scores(vectors, trial.parameters, CHOICE, measures)
    values = values_of({name: each.value for name, each in scores.items()})
    value = values.get(ranked_by([str(each) for each in measures]))
    seconds = round(trained - started, 3), round(time.perf_counter() - trained, 3)
    found = {CHOICE: values} if values else {}
    return Outcome(trial.number, trial.parameters, found, value, len(vectors), seconds, reason)


def ranked_by(measures: Sequence[str]) -> str:
    """What trials are ranked by: Combined if there are a Topk and an OddOneOut, else the first measure."""
    return measures[0] if pair_of(measures) is None else COMBINED


def pair_of(measures: Sequence[str]) -> tuple[str, str] | None:
    """The first Topk and the first OddOneOut, of which Combined is computed; None if one is missing."""
    parsed = {text: parse_measure(text) for text in measures}
    topk = next((text for text, each in parsed.items() if isinstance(each, Topk)), None)
    odd = next((text for text, each in parsed.items() if isinstance(each, OddOneOut)), None)
    return None if topk is None or odd is None else (topk, odd)


def values_of(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores by measure, with Combined if there are both that it is computed of."""
    pair = pair_of(list(scores))
    return dict(scores) if pair is None else {**scores, COMBINED: combined(*(scores[each] for each in pair))}


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
