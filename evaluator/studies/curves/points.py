"""A point of a learning curve: a model of one size and seed, trained and scored in any process."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from msgspec import structs

from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.results.scores import Scores
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.scores import with_baseline
from evaluator.studies.curves.subsets import temporary_subset, write_subset
from evaluator.studies.curves.test_sets import CurveTestSets
from evaluator.studies.scoring import score
from evaluator.studies.trainers import Trainer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class CurveSetup:
    """What all points of a curve have in common."""

    corpus: PreparedCorpus
    tests: CurveTestSets
    measures: tuple[str, ...]
    parameters: Hyperparameters
    settings: Settings
    machine: Machine
    trainer: Trainer


@dataclass(frozen=True)
class PointTask:
    """A point to be made.

    The size is in tokens; the seed is for the order of the lines, and for training.
    """

    size: int
    seed: int
    setup: CurveSetup

    def __str__(self) -> str:
        """Its name in messages."""
        return f"{self.size:,} tokens, seed {self.seed}"


@dataclass(frozen=True)
class Point:
    """A model of one size and seed.

    Attributes:
        size: The number of tokens it was trained on.
        seed: For the order of the lines, and for training.
        vocabulary: The number of its words; 0 if it could not be trained.
        scores: On `categories` and on `sections` of analogies, with the keys `size` and `seed`; missing where
            nothing could be scored.
        reasons: Why, by the measures that have no scores there.
        reason: Why it could not be trained; None if it could.
    """

    size: int
    seed: int
    vocabulary: int
    scores: Mapping[str, Scores]
    reasons: Mapping[str, str]
    reason: str | None = None

    def why(self, measure: str) -> str:
        """Why there is no score by a measure."""
        failures = {each.measure: each.reason for scores in self.scores.values() for each in scores.failures}
        return failures.get(measure) or self.reasons[measure]

    def __str__(self) -> str:
        """Its scores in a line."""
        values = {each.measure: each.value for scores in self.scores.values() for each in scores.measured}
        failed = [each.measure for scores in self.scores.values() for each in scores.failures]
        shown = [f"{name} {value:.4f}" for name, value in values.items()]
        return self.reason or ", ".join([*shown, *(f"{name} –" for name in (*failed, *self.reasons))])


def run_point(task: PointTask) -> Point:
    """Train a model on a subset and score it; a model that cannot be trained is a point without scores."""
    setup = task.setup
    try:
        whole = setup.corpus.file(lemmas=False)
        with temporary_subset(whole.parent) as path:
            subset = write_subset(whole, task.seed, task.size, path)
            vectors = setup.trainer.train(subset, setup.parameters, task.seed, None)
    except TrainingError as error:
        return Point(task.size, task.seed, 0, {}, dict.fromkeys(setup.measures, str(error)), str(error))
    scores: dict[str, Scores] = {}
    reasons: dict[str, str] = {}
    for kind in dict.fromkeys(parse_measure(each).scores for each in setup.measures):
        measures = [each for each in setup.measures if parse_measure(each).scores == kind]
        try:
            scores[kind] = _scores(vectors, measures, task)
        except ScoreError as error:
            reasons |= dict.fromkeys(measures, str(error))
    return Point(task.size, task.seed, len(vectors), scores, reasons)


def _scores(vectors: Vectors, measures: list[str], task: PointTask) -> Scores:
    """The scores on one kind of test set, beside the frequency baseline, without pairs of observations."""
    setup = task.setup
    test_set = setup.tests.of(parse_measure(measures[0]))
    if test_set is None:
        raise ScoreError(f"nothing for {', '.join(measures)}")
    scores = score(vectors, test_set, measures, setup.settings, machine=setup.machine)
    with suppress(ScoreError):  # it knows no word if all vectors are built from subwords
        frequency = frequency_baseline(vectors)
        levels = score(frequency, test_set, measures, setup.settings, machine=setup.machine, sha256="")
        scores = with_baseline(scores, levels)
    model = f"{setup.corpus.corpus.name}, {task}"
    return structs.replace(scores, model=model, keys={"size": task.size, "seed": task.seed})
