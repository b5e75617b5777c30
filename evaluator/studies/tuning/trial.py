"""One trial: a model trained and scored, in whatever process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluator.errors import ScoreError, TrainingError
from evaluator.measures import parse_measure
from evaluator.results.tuning import CHOICE, COMBINED, Outcome
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.combined import combined
from evaluator.statistics.holdout import Half
from evaluator.studies.scoring import Score, score
from evaluator.studies.training import train
from evaluator.studies.tuning.corpora import PreparedCorpus
from evaluator.text.normalization import Form
from evaluator.vectors import Vectors

Views = Mapping[str, Half]
"""What a model is scored on: CHOICE, the half it is chosen by; REPORT, the other half; WHOLE, both."""


@dataclass(frozen=True)
class Job:
    """What all trials of a study have in common.

    Attributes:
        corpus: The corpus, prepared.
        views: On what models are scored, by name; every category counts for every model.
        measures: By what: a Topk and an OddOneOut, as texts.
        settings: What holds for the scores.
        seed: For training.
        threads: How many a trial may use for its scores.
        lemmas: Whether there are lemmas; if not, trials with lemmas are trained without.
    """

    corpus: PreparedCorpus
    views: Views
    measures: tuple[str, str]
    settings: Settings
    seed: int
    threads: int
    lemmas: bool

    def with_lemmas(self, parameters: Hyperparameters) -> bool:
        """Whether a model is trained on lemmas."""
        return parameters.lemmas and self.lemmas

    def scores(self, vectors: Vectors, parameters: Hyperparameters, view: str) -> tuple[Score, ...] | None:
        """The scores on one of the views; None if the vocabulary lacks too many words to score any of it."""
        half = self.views[view]
        if self.with_lemmas(parameters):
            half = in_form(half, self.corpus.form(lemmas=True))
        try:
            found = score(
                half.vocabulary(vectors), half.test_set, self.measures, self.settings, threads=self.threads
            )
        except ScoreError:
            return None
        return found.scores


@dataclass(frozen=True)
class Trial:
    """One set of hyper-parameters to be tried.

    Attributes:
        number: From 0, which is that of the default hyper-parameters.
        parameters: What to train with.
        job: What holds for all trials.
    """

    number: int
    parameters: Hyperparameters
    job: Job


def run_trial(trial: Trial) -> Outcome:
    """Train a model and score it; that it cannot be trained is an outcome too."""
    job, begun = trial.job, time.perf_counter()
    try:
        sentences = job.corpus.sentences(job.with_lemmas(trial.parameters))
        vectors = train(sentences, trial.parameters, job.seed)
    except TrainingError as error:
        return Outcome(trial.number, trial.parameters, {}, 0, (0.0, 0.0), str(error))
    trained = time.perf_counter()
    values = {CHOICE: _values(job.scores(vectors, trial.parameters, CHOICE), job)}
    seconds = round(trained - begun, 3), round(time.perf_counter() - trained, 3)
    return Outcome(trial.number, trial.parameters, values, len(vectors), seconds)


def _values(scores: tuple[Score, ...] | None, job: Job) -> dict[str, float]:
    """The value of each measure, and of Combined.

    A category that a model cannot be scored on, for want of words, counts as 0: other models can, and a model
    must not become better by knowing less.
    """
    if scores is None:
        return dict.fromkeys((*(str(parse_measure(each)) for each in job.measures), COMBINED), 0.0)
    values = {str(each.measure): value_with_skipped(each) for each in scores}
    return {**values, COMBINED: combined(*values.values())}


def value_with_skipped(score: Score) -> float:
    """The mean over all parts, 0 for those skipped."""
    weight = sum(part.weight for part in score.subscores)
    return sum(part.weight * (part.value or 0.0) for part in score.subscores) / weight


def in_form(half: Half, form: Form) -> Half:
    """A half with its words in another form, such as that of lemmas."""
    categories = tuple(
        replace(
            category,
            items=tuple(
                replace(item, words=tuple(dict.fromkeys(map(form, item.words)))) for item in category.items
            ),
        )
        for category in half.test_set.categories
    )
    own = {word for category in categories for word in category.words}
    return Half(replace(half.test_set, categories=categories), frozenset(map(form, half.others)) - own)
