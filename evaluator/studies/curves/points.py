"""A point of a learning curve: a model of one size and seed, trained and scored in any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure, Subscore, parse_measure
from evaluator.results.scores import Score
from evaluator.settings import Hyperparameters, Settings
from evaluator.statistics.inference import LEAST_OBSERVATIONS, influences, observations_of
from evaluator.studies.curves.subsets import temporary_subset, write_subset
from evaluator.studies.curves.test_sets import CurveTestSets
from evaluator.studies.scoring import score
from evaluator.studies.trainers import Trainer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class CurveSetup:
    """What all points of a curve have in common.

    Attributes:
        corpus: The whole corpus, prepared.
        tests: The test sets.
        measures: The texts of the measures.
        parameters: The hyper-parameters.
        settings: For the scores.
        machine: How many threads a point may use for its scores.
        trainer: What trains the models.
    """

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

    Attributes:
        size: In tokens.
        seed: For the order of the lines, and for training.
        setup: What all points have in common.
    """

    size: int
    seed: int
    setup: CurveSetup

    def __str__(self) -> str:
        """Its name in messages."""
        return f"{self.size:,} tokens, seed {self.seed}"


@dataclass(frozen=True)
class PointSubscore:
    """The score on a category or a section.

    Attributes:
        name: The name of the category or section.
        value: The score; None if the test set has too few words of it.
        chance: The chance level; None if it is not scored.
        oov: The number of its words, or questions, without a vector.
        weight: Its weight in the mean.
        influences: How much the value owes to each word, question or group; none if they are too few.
        left: The share of the jackknife's variance that is left (`evaluator.statistics.inference.Spread`).
    """

    name: str
    value: float | None
    chance: float | None
    oov: int
    weight: float
    influences: Mapping[str, float] = field(default_factory=dict)
    left: float = 1.0

    @classmethod
    def of(cls, found: Subscore) -> PointSubscore:
        """What a point keeps of a score."""
        own = found.name, found.value, found.chance, found.oov or 0, found.weight
        if found.value is None or len(observations_of(found).influences) < LEAST_OBSERVATIONS:
            return cls(*own)
        owed = influences([found])
        return cls(*own, dict(owed.single), owed.spread.left)


@dataclass(frozen=True)
class PointScore:
    """The score of one measure for a model.

    Attributes:
        value: The mean over categories or sections; those with too few known words count as 0. None if
            nothing could be scored.
        chance: The mean of the chance levels; None if nothing could be scored.
        baseline: The score of the frequency baseline with the same vocabulary; None likewise.
        subscores: The score on each category or section.
        influences: How much the value owes to each word, question or group, by name.
        reason: Why nothing could be scored; None if something could.
    """

    value: float | None = None
    chance: float | None = None
    baseline: float | None = None
    subscores: tuple[PointSubscore, ...] = ()
    influences: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True)
class Point:
    """A model of one size and seed.

    Attributes:
        size: The number of tokens it was trained on.
        seed: For the order of the lines, and for training.
        vocabulary: The number of its words; 0 if it could not be trained.
        scores: By measure.
        reason: Why it could not be trained; None if it could.
    """

    size: int
    seed: int
    vocabulary: int
    scores: Mapping[str, PointScore]
    reason: str | None = None

    def __str__(self) -> str:
        """Its scores in a line."""
        shown = (
            f"{name} {'–' if each.value is None else f'{each.value:.4f}'}"
            for name, each in self.scores.items()
        )
        return self.reason or ", ".join(shown)


def run_point(task: PointTask) -> Point:
    """Train a model on a subset and score it; a model that cannot be trained is a point without scores."""
    setup = task.setup
    try:
        whole = setup.corpus.file(lemmas=False)
        with temporary_subset(whole.parent) as path:
            subset = write_subset(whole, task.seed, task.size, path)
            vectors = setup.trainer.train(subset, setup.parameters, task.seed, None)
    except TrainingError as error:
        nothing = {name: PointScore(reason=str(error)) for name in setup.measures}
        return Point(task.size, task.seed, 0, nothing, str(error))
    measures = [parse_measure(each) for each in setup.measures]
    scores = {str(measure): _point_score(measure, vectors, setup) for measure in measures}
    return Point(task.size, task.seed, len(vectors), scores)


def _point_score(measure: Measure, vectors: Vectors, setup: CurveSetup) -> PointScore:
    """The score of a measure; a reason if nothing can be scored."""
    try:
        own, baseline = (_score(measure, each, setup) for each in (vectors, frequency_baseline(vectors)))
    except ScoreError as error:
        return PointScore(reason=str(error))
    subscores = tuple(map(PointSubscore.of, own.subscores))
    single = dict(influences(own.subscores).single)
    return PointScore(own.value, own.chance, baseline.value, subscores, single)


def _score(measure: Measure, vectors: Vectors, setup: CurveSetup) -> Score:
    """Each measure is scored alone: some need fewer known words than others."""
    test_set = setup.tests.of(measure)
    if test_set is None:
        raise ScoreError(f"nothing for {measure}")
    return score(vectors, test_set, measure, setup.settings, machine=setup.machine).scores[0]
