"""A point of a learning curve: what is scored on, and a model of one size and seed, in any process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from msgspec import structs

from evaluator.datasets import testset
from evaluator.datasets.testset import AnalogySection, Category, TestSet
from evaluator.errors import ScoreError, StudyError, TrainingError
from evaluator.execution.machine import Machine
from evaluator.measures import Measure, parse_measure
from evaluator.results.scores import Scores
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.subsets import Unit, temporary_subset, write_subset
from evaluator.studies.scoring import Scored, score_vectors
from evaluator.studies.trainers import GensimTrainer, SvdTrainer, Trainer, check_trainer
from evaluator.text.prepared_corpus import PreparedCorpus
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class CurveTestSets:
    """Test sets with nothing but categories, and nothing but analogies.

    `origin` has the section that a category was made of, by the name of the category.
    """

    categories: TestSet
    analogies: TestSet
    origin: Mapping[str, str] = field(default_factory=dict)

    def of(self, measure: Measure) -> TestSet | None:
        """The test set for a measure; None if there is nothing to score."""
        if measure.scores not in ("categories", "sections"):
            raise StudyError(f"{measure}: curves have only measures of categories or of analogies")
        test_set = self.categories if measure.scores == "categories" else self.analogies
        return test_set if getattr(test_set, measure.scores) else None

    @property
    def fingerprint(self) -> dict[str, str]:
        """Digests of the files, and of the names of all categories and sections that are used."""
        used = self.categories.categories, self.analogies.sections
        names = [[each.name for each in own] for own in used]
        return {
            "categories": self.categories.sha256,
            "analogies": self.analogies.sha256,
            "parts": hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16],
        }


def curve_test_sets(test_set: TestSet | None, analogies: TestSet | None) -> CurveTestSets:
    """The categories of one test set and the analogies of another, or of the same."""
    # If there are no categories they are made of the analogies, two of each section: the first words of its
    # pairs and the second words, as in the paper "Evaluating Word Embeddings on Low-Resource Languages".
    if analogies is not None and not analogies.sections:
        raise StudyError(f"{analogies.name}: has no analogies")
    source = analogies or test_set
    if source is None:
        raise StudyError("nothing to score models on; give a test set, analogies, or both")
    sections = replace(_empty(source), analogies=source.sections)
    if test_set is not None and (test_set.categories or test_set is not source):
        if not test_set.categories:
            raise StudyError(f"{test_set.name}: has no categories; without it they are made of the analogies")
        return CurveTestSets(replace(_empty(test_set), categories=test_set.categories), sections)
    if not source.sections:
        raise StudyError(f"{source.name}: has neither categories nor analogies")
    made = [(each, section) for section in source.sections for each in categories_of(section)]
    categories = replace(_empty(source), categories=tuple(each for each, _ in made))
    return CurveTestSets(categories, sections, {each.name: section.name for each, section in made})


def categories_of(section: AnalogySection) -> tuple[Category, ...]:
    """The first words of a section's pairs and the second words, each once."""
    first = [word for word, _ in section.pairs]
    second = [word for _, words in section.pairs for word in words]
    return testset.categories_of({f"{section.name}, first": first, f"{section.name}, second": second})


def _empty(test_set: TestSet) -> TestSet:
    return TestSet(
        test_set.language, test_set.name, test_set.sha256, named_in=test_set.named_in, inputs=test_set.inputs
    )


MEASURES = ("Topk@3", "OddOneOut@3", "Analogy@1")


PAPER = Hyperparameters(architecture="skip-gram", epochs=1)
"""The hyper-parameters of the paper's learning curve."""

COUNTED = Hyperparameters("svd")
"""Those of a curve of `SvdTrainer`, which reads each subset once."""


@dataclass(frozen=True)
class CurveOptions:
    """Which models to train, and how to score them.

    Attributes:
        first: The smallest size, in `unit`.
        last: The largest; None for the whole corpus.
        seeds: The number of models of each size, each with its own order of lines.
        seeds_up_to: Above this size there is one model only; None for no such limit.
        parameters: The hyper-parameters of all models; those of the paper by default.
        measures: Measures of categories, and of analogies.
        settings: For the scores; case and profile are those of the corpus, and the seed is the first seed.
        trainer: What trains the models.
        unit: What sizes are in: `tokens`, or `types`, different words ("unique tokens").
    """

    first: int = 2**10
    last: int | None = None
    seeds: int = 1
    seeds_up_to: int | None = None
    parameters: Hyperparameters = PAPER
    measures: tuple[str, ...] = MEASURES
    settings: Settings = field(default_factory=Settings)
    trainer: Trainer = field(default_factory=GensimTrainer)
    unit: Unit = "tokens"

    def __post_init__(self) -> None:
        for name in ("first", "last", "seeds", "seeds_up_to"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise StudyError(f"{name} is {value}; it must be 1 or more")
        if self.unit not in get_args(Unit):
            raise StudyError(f"unit is {self.unit!r}; choose from {', '.join(get_args(Unit))}")
        if self.settings.seed + self.seeds > 2**32:
            raise StudyError(f"seed is {self.settings.seed}; all seeds must be below 2^32")
        if self.settings.oov != "wrong":
            raise StudyError("oov is 'skip'; a curve needs 'wrong', because sizes differ in the known words")
        if self.parameters.lemmas:
            raise StudyError("lemmas: a curve is of the corpus as it is; give it a corpus of lemmas")
        if not self.measures:
            raise StudyError("no measures given")
        texts = tuple(dict.fromkeys(str(parse_measure(each)) for each in self.measures))
        object.__setattr__(self, "measures", texts)
        # With svd, other seeds are other subsets, of which other models are trained.
        seeds = 1 if isinstance(self.trainer, SvdTrainer) else self.seeds
        check_trainer(self.trainer, seeds, {"model": [self.parameters.model]})


@dataclass(frozen=True)
class CurveSetup:
    """What all points of a curve have in common."""

    corpus: PreparedCorpus
    tests: CurveTestSets
    options: CurveOptions
    machine: Machine


@dataclass(frozen=True)
class PointTask:
    """A point to be made, of a size; the seed is for the order of the lines, and for training."""

    size: int
    seed: int
    setup: CurveSetup

    def __str__(self) -> str:
        return f"{self.size:,} {self.setup.options.unit}, seed {self.seed}"


@dataclass(frozen=True)
class Point:
    """A model of one size and seed, with its scores on `categories` and on `sections` of analogies.

    `frequency` and `spelling` have those of its baselines, on `categories` alone, as these solve no analogy.
    `reasons` say why there are no scores by a measure, and `reason` why it could not be trained.
    """

    size: int
    seed: int
    vocabulary: int
    scores: Mapping[str, Scores]
    reasons: Mapping[str, str]
    reason: str | None = None
    frequency: Mapping[str, Scores] = field(default_factory=dict)
    spelling: Mapping[str, Scores] = field(default_factory=dict)

    def on(self, kind: str) -> Scored | None:
        """What was found on categories or sections; None if it could not be scored."""
        if kind not in self.scores:
            return None
        return Scored(self.scores[kind], self.frequency.get(kind), self.spelling.get(kind))

    def why(self, measure: str) -> str:
        """Why there is no score by a measure."""
        failures = {each.measure: each.reason for scores in self.scores.values() for each in scores.failures}
        return failures.get(measure) or self.reasons[measure]

    def __str__(self) -> str:
        values = {each.measure: each.value for scores in self.scores.values() for each in scores.measured}
        failed = [each.measure for scores in self.scores.values() for each in scores.failures]
        shown = [f"{name} {value:.4f}" for name, value in values.items()]
        return self.reason or ", ".join([*shown, *(f"{name} –" for name in (*failed, *self.reasons))])


def run_point(task: PointTask) -> Point:
    """Train a model on a subset and score it; a model that cannot be trained is a point without scores."""
    setup, options = task.setup, task.setup.options
    try:
        whole = setup.corpus.file(lemmas=False)
        with temporary_subset(whole.parent) as path:
            subset = write_subset(whole, task.seed, task.size, path, options.unit)
            vectors = options.trainer.train(subset, options.parameters, task.seed, None)
    except TrainingError as error:
        return Point(task.size, task.seed, 0, {}, dict.fromkeys(options.measures, str(error)), str(error))
    scored: dict[str, Scored] = {}
    reasons: dict[str, str] = {}
    for kind in dict.fromkeys(parse_measure(each).scores for each in options.measures):
        measures = [each for each in options.measures if parse_measure(each).scores == kind]
        try:
            scored[kind] = _scored(vectors, measures, task)
        except ScoreError as error:
            reasons |= dict.fromkeys(measures, str(error))
    scores = {kind: each.scores for kind, each in scored.items()}
    frequency = {kind: each.frequency for kind, each in scored.items() if each.frequency is not None}
    spelling = {kind: each.spelling for kind, each in scored.items() if each.spelling is not None}
    return Point(task.size, task.seed, len(vectors), scores, reasons, None, frequency, spelling)


def _scored(vectors: Vectors, measures: list[str], task: PointTask) -> Scored:
    setup = task.setup
    test_set = setup.tests.of(parse_measure(measures[0]))
    if test_set is None:
        raise ScoreError(f"nothing for {', '.join(measures)}")
    found = score_vectors(vectors, test_set, measures, setup.options.settings, machine=setup.machine)
    model, keys = f"{setup.corpus.corpus.name}, {task}", {"size": task.size, "seed": task.seed}
    return replace(found, scores=structs.replace(found.scores, model=model, keys=keys, inputs=()))
