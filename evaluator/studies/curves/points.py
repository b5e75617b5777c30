"""A point of a learning curve: a model of one size and seed, trained and scored in any process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError, TrainingError
from evaluator.measures import Measure, Subscore, parse_measure
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.subsets import temporary_subset, write_subset
from evaluator.studies.curves.test_sets import CurveTestSets
from evaluator.studies.scores import Score
from evaluator.studies.scoring import score
from evaluator.studies.training import train
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
        threads: How many threads a point may use for its scores.
    """

    corpus: PreparedCorpus
    tests: CurveTestSets
    measures: tuple[str, ...]
    parameters: Hyperparameters
    settings: Settings
    threads: int


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


@dataclass(frozen=True)
class PointSubscore:
    """The score on a category or a section.

    Attributes:
        name: The name of the category or section.
        value: The score; 0 if too few words are known to score it.
        chance: The chance level; 0 if it is not scored.
        oov: The number of its words, or questions, without a vector.
        weight: Its weight in the mean.
    """

    name: str
    value: float
    chance: float
    oov: int
    weight: float


@dataclass(frozen=True)
class PointScore:
    """The score of one measure for a model.

    Attributes:
        value: The mean over categories or sections; those with too few known words count as 0.
        chance: The mean of the chance levels.
        baseline: The score of the frequency baseline with the same vocabulary.
        subscores: The score on each category or section.
        influences: How much the value owes to each word, question or group, by name.
        reason: Why nothing could be scored; None if something could.
    """

    value: float
    chance: float
    baseline: float
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


def run_point(task: PointTask) -> Point:
    """Train a model on a subset and score it; a model that cannot be trained is a point with the scores 0."""
    setup = task.setup
    try:
        whole = setup.corpus.file(lemmas=False)
        with temporary_subset(whole.parent) as path:
            subset = write_subset(whole, task.seed, task.size, path)
            vectors = train(subset, setup.parameters, task.seed)
    except TrainingError as error:
        nothing = {name: PointScore(0.0, 0.0, 0.0, reason=str(error)) for name in setup.measures}
        return Point(task.size, task.seed, 0, nothing, str(error))
    measures = [parse_measure(each) for each in setup.measures]
    scores = {str(measure): _point_score(measure, vectors, setup) for measure in measures}
    return Point(task.size, task.seed, len(vectors), scores)


def _point_score(measure: Measure, vectors: Vectors, setup: CurveSetup) -> PointScore:
    """The score of a measure; 0, with a reason, if nothing can be scored."""
    try:
        own, baseline = (_score(measure, each, setup) for each in (vectors, frequency_baseline(vectors)))
    except ScoreError as error:
        return PointScore(0.0, 0.0, 0.0, reason=str(error))
    subscores = tuple(map(_point_subscore, own.subscores))
    value, chance = _mean(subscores, "value"), _mean(subscores, "chance")
    of_baseline = _mean(list(map(_point_subscore, baseline.subscores)), "value")
    return PointScore(value, chance, of_baseline, subscores, dict(own.influences.single))


def _score(measure: Measure, vectors: Vectors, setup: CurveSetup) -> Score:
    """Each measure is scored alone: some need fewer known words than others."""
    test_set = setup.tests.of(measure)
    if test_set is None:
        raise ScoreError(f"nothing for {measure}")
    return score(vectors, test_set, measure, setup.settings, threads=setup.threads).scores[0]


def _point_subscore(found: Subscore) -> PointSubscore:
    value, chance = float(found.value or 0.0), float(found.chance or 0.0)
    return PointSubscore(found.name, value, chance, found.oov, found.weight)


def _mean(subscores: Sequence[PointSubscore], attribute: str) -> float:
    weight = sum(each.weight for each in subscores)
    return float(sum(each.weight * getattr(each, attribute) for each in subscores) / weight)
