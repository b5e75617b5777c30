"""A point of a learning curve: a model of one size and seed trained and scored, in whatever process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError, TrainingError
from evaluator.measures import Measure, Subscore, parse_measure
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.material import Material
from evaluator.studies.curves.rooms import room
from evaluator.studies.curves.subsets import write_subset
from evaluator.studies.scoring import Score, score
from evaluator.studies.training import train
from evaluator.studies.tuning.corpora import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class Job:
    """What all points of a curve have in common.

    Attributes:
        corpus: The whole corpus, prepared.
        tests: What models are scored on.
        measures: By what, as texts.
        parameters: What models are trained with.
        settings: What holds for the scores.
        threads: How many a point may use for its scores.
    """

    corpus: PreparedCorpus
    tests: Material
    measures: tuple[str, ...]
    parameters: Hyperparameters
    settings: Settings
    threads: int


@dataclass(frozen=True)
class Task:
    """A point to be made.

    Attributes:
        size: In tokens.
        seed: Of the order of the lines, and of training.
        job: What holds for all points.
    """

    size: int
    seed: int
    job: Job


@dataclass(frozen=True)
class PartScore:
    """The score on a category or a section.

    Attributes:
        name: Of the category or the section.
        value: The score; 0 where too few words are known to score it.
        chance: What a model that knows nothing is expected to reach, 0 where it is not scored.
        oov: How many of its words, or questions, lack a vector.
        weight: How much it weighs in the mean.
        contributions: What each unit contributes, in the order of the units' names, so that points can be
            compared unit by unit; empty where all contribute 0.
    """

    name: str
    value: float
    chance: float
    oov: int
    weight: float
    contributions: tuple[float, ...]

    @property
    def part(self) -> Subscore:
        """As what is resampled."""
        contributions = np.array(self.contributions or (0.0,))
        units = tuple(map(str, range(len(contributions))))
        return Subscore(self.name, len(units), 0, self.value, units, contributions, weight=self.weight)


@dataclass(frozen=True)
class PointScore:
    """What one measure says of a model.

    Attributes:
        value: The mean over all parts; those that cannot be scored for want of words count as 0.
        chance: The mean over all parts of what a model that knows nothing is expected to reach.
        baseline: The score of the frequency baseline on the same vocabulary.
        parts: By category or section.
        reason: Why nothing could be scored; None if something could.
    """

    value: float
    chance: float
    baseline: float
    parts: tuple[PartScore, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Point:
    """A model of one size and seed.

    Attributes:
        size: How many tokens it was trained on.
        seed: Of the order of the lines, and of training.
        vocabulary: How many words it has; 0 if it could not be trained.
        scores: By measure.
        reason: Why it could not be trained; None if it could.
    """

    size: int
    seed: int
    vocabulary: int
    scores: Mapping[str, PointScore]
    reason: str | None = None


def run_point(task: Task) -> Point:
    """Train a model on a subset and score it; that it cannot be trained is a point too, with the scores 0."""
    job = task.job
    try:
        whole = job.corpus.file(lemmas=False)
        with room(whole.parent) as path:
            subset = write_subset(whole, task.seed, task.size, path)
            vectors = train(subset, job.parameters, task.seed)
    except TrainingError as error:
        nothing = {name: PointScore(0.0, 0.0, 0.0, reason=str(error)) for name in job.measures}
        return Point(task.size, task.seed, 0, nothing, str(error))
    measures = [parse_measure(each) for each in job.measures]
    return Point(task.size, task.seed, len(vectors), {str(m): _score(m, vectors, job) for m in measures})


def _score(measure: Measure, vectors: Vectors, job: Job) -> PointScore:
    """What a measure says of a model; 0, with a reason, if none of its parts can be scored."""
    try:
        own, baseline = (_scored(measure, each, job) for each in (vectors, frequency_baseline(vectors)))
    except ScoreError as error:
        return PointScore(0.0, 0.0, 0.0, reason=str(error))
    parts = tuple(_part_score(part) for part in own.subscores)
    value, chance = _mean(parts, "value"), _mean(parts, "chance")
    return PointScore(
        value, chance, _mean([_part_score(part) for part in baseline.subscores], "value"), parts
    )


def _scored(measure: Measure, vectors: Vectors, job: Job) -> Score:
    """By each measure for itself: some need fewer words than others."""
    test_set = job.tests.of(measure)
    if test_set is None:
        raise ScoreError(f"nothing for {measure}")
    return score(vectors, test_set, measure, job.settings, threads=job.threads).scores[0]


def _part_score(part: Subscore) -> PartScore:
    order = sorted(range(len(part.observations)), key=part.observations.__getitem__)
    contributions = tuple(part.pseudovalues[order].tolist()) if order else ()
    if not any(contributions):
        contributions = ()
    value, chance = float(part.value or 0.0), float(part.chance or 0.0)
    return PartScore(part.name, value, chance, part.oov, part.weight, contributions)


def _mean(parts: Sequence[PartScore], what: str) -> float:
    weight = sum(part.weight for part in parts)
    return float(sum(part.weight * getattr(part, what) for part in parts) / weight)
