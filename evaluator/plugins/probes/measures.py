"""Measures by probes: a model learns part of a test set from the vectors, and its learning curve is read."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.plugins import (
    ImmediateEvaluation,
    Measure,
    ScoreError,
    Settings,
    Subscore,
    TestSet,
    TestSetField,
    VocabularyLookup,
)
from evaluator.plugins.probes import Probe, SplitPlan
from evaluator.plugins.probes.learners import require
from evaluator.plugins.probes.tasks import TASKS, ProbeItems, SharedVocabulary, TaskName

_LEAST_SPLITS = 3
_INPUTS = 3
_QUANTILE = 0.975  # the upper end of a 95% interval


@dataclass(frozen=True)
class ProbeMeasure(Measure):
    """A measure that reads the learning curve of a model, from Jastrzebski, Leśniak & Czarnecki (2017).

    Attributes:
        model: Which model learns.
        point: Where the curve is read: at its smallest share of the data, at its largest, or over all of it.
        splits: How many times the data is divided.
    """

    trains: ClassVar[bool] = True

    task: ClassVar[TaskName]
    """Which probe."""

    model: str = ""
    point: Literal["auc", "start", "end"] = "auc"
    splits: int = 6

    def __post_init__(self) -> None:
        """Refuse too few splits to see how they vary.

        Raises:
            MeasureError: There are too few, or a choice does not exist.
        """
        super().__post_init__()
        self._refuse(self.splits < _LEAST_SPLITS, f"splits must be {_LEAST_SPLITS} or more")

    @property
    def draws(self) -> bool:
        """Splits depend on a seed."""
        return True

    @abstractmethod
    def chance(self, probe: Probe, vocabulary: int) -> float:
        """The chance level.

        Args:
            probe: Of the models in `fitted`.
            vocabulary: v, the number of words in the vocabulary.
        """

    @property
    def fitted(self) -> tuple[str, ...]:
        """The models to fit: its own, and those that the chance level is read from."""
        return (self.model,)

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> ProbeEvaluation:
        """Look up the words of all items."""
        return ProbeEvaluation(self, test_set, lookup, settings)


@dataclass(frozen=True)
class _ClassProbeMeasure(ProbeMeasure):
    """A measure by a probe that predicts classes; its chance level is that of the most frequent class."""

    @property
    def fitted(self) -> tuple[str, ...]:
        """The most frequent class too."""
        return ("majority", self.model)

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002  # for relations
        """The score of the most frequent class."""
        return probe.curve("majority").mean(self.point)


@dataclass(frozen=True)
class MembershipProbe(_ClassProbeMeasure):
    """The accuracy of a model that learns which category a word is of, as `MembershipProbe(model=svm)`.

    The single-word probe of Jastrzebski, Leśniak & Czarnecki (2017), with as many classes as the test set has
    categories: the model learns from 30% to 100% of four fifths of the words and is tested on the others,
    `splits` times. The value is the area under this learning curve, its mean height; or with `point` the
    accuracy at its start or end. The categories of a test set are one task and have one subscore.

    OOV words are left out, with `oov=wrong` too: a probe cannot learn from nothing. So are words of two
    categories, and categories with fewer than 5 remaining words. In a hierarchy, a word belongs to the lowest
    category that contains it. So vectors that know different words are scored on different ones;
    `evaluator probe` uses the words that all know.

    Observations are splits. Their deviations from the mean are widened by √(1 + J·n_test/n_train), because J
    splits of the same words overlap (Nadeau & Bengio 2003, corrected resampled variance), and by Student's t,
    because they are few. The chance level is the accuracy of the most frequent category.
    """

    scores: ClassVar[TestSetField] = "categories"
    task: ClassVar[TaskName] = "membership"

    model: Literal["logistic", "svm", "knn", "bayes", "forest"] = "logistic"


@dataclass(frozen=True)
class SentenceProbe(_ClassProbeMeasure):
    """The accuracy of a model that learns the class of a text, as `SentenceProbe(model=svm)`.

    The sentence probe of Jastrzebski, Leśniak & Czarnecki (2017): a text is the mean of the unit vectors of
    its words, and for `cnn`, which needs torch, their sequence. The model learns from 30% to 100% of four
    fifths of the texts and is tested on the others, `splits` times. The value is the area under this learning
    curve, its mean height; or with `point` the accuracy at its start or end.

    Words without a vector are left out of their text. A text in which no word has a vector is left out and
    counts as OOV, with `oov=wrong` too: a probe cannot learn from nothing. So are classes with fewer than 5
    remaining texts. The same text with the same class counts once.

    Observations and the chance level are as of `MembershipProbe`.
    """

    scores: ClassVar[TestSetField] = "labelled_texts"
    counted: ClassVar[str] = "texts"
    task: ClassVar[TaskName] = "sentences"

    model: Literal["logistic", "svm", "cnn"] = "logistic"


@dataclass(frozen=True)
class SimilarityProbe(ProbeMeasure):
    """Spearman's correlation of ratings with those that a model has learnt to predict, as `SimilarityProbe`.

    The similarity probe of Jastrzebski, Leśniak & Czarnecki (2017): from 30% to 100% of four fifths of the
    pairs the model learns people's ratings of two words, from the products and differences of their unit
    vectors, and it is tested on the other pairs, `splits` times. The value is the area under this learning
    curve, its mean height; or with `point` the correlation at its start or end. The cosine learns nothing:
    what the other models add to it is information that is in the vectors but not in the cosine.

    A pair with an OOV word is left out, with `oov=wrong` too: a probe cannot learn from nothing. A pair that
    occurs again, in either order, is one pair with the mean rating.

    Observations are splits, as of `MembershipProbe`. The chance level is 0.
    """

    scores: ClassVar[TestSetField] = "rated_pairs"
    counted: ClassVar[str] = "pairs"
    task: ClassVar[TaskName] = "similarity"

    model: Literal["svr", "forest", "cosine"] = "svr"

    @property
    def lowest(self) -> float:
        """The lowest correlation."""
        return -1.0

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002
        """Models that know nothing have a correlation of 0 on average."""
        return 0.0


@dataclass(frozen=True)
class RelationProbe(ProbeMeasure):
    """The share of questions of a relation that a model learns to answer, as `RelationProbe`.

    The analogy probe of Jastrzebski, Leśniak & Czarnecki (2017, appendix B): from pairs of a relation the
    model learns affine maps from three words of two pairs to the fourth, and it is tested on pairs of which
    it has seen no word. The answer is the nearest word of the whole vocabulary except for those three. Before
    it learns, the model is 3CosAdd, which learns nothing, as 3CosMul does. The model sees 30% to 100% of the
    training pairs, `splits` times; the value is the area under this learning curve, its mean height, or with
    `point` the share at its start or end.

    A pair with a word that is not in the vocabulary is left out, with `oov=wrong` too: a probe cannot learn
    from nothing, and words built from subwords cannot be answers. Of several correct answers the first one in
    the vocabulary is used. Questions that a file gives are not used, only its pairs.

    Observations are splits, as of `MembershipProbe`. The chance level is 1/(v-3).
    """

    scores: ClassVar[TestSetField] = "sections"
    counted: ClassVar[str] = "pairs"
    task: ClassVar[TaskName] = "relation"

    model: Literal["relation", "3CosAdd", "3CosMul"] = "relation"

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002
        """That of a word drawn at random from all but those of the question."""
        return 1 / (vocabulary - _INPUTS)


class ProbeEvaluation(ImmediateEvaluation):
    """Needs the vectors of its items and, for relations, the whole vocabulary."""

    def __init__(
        self, measure: ProbeMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Probe everything that the measure is for."""
        if measure.task != "relation":
            require("sklearn")
        self._measure = measure
        self._plan = SplitPlan(splits=measure.splits, seed=settings.seed)
        self._vocabulary = len(lookup.vectors)
        shared = SharedVocabulary([lookup])
        (self._embedding,) = shared.embeddings
        super().__init__(self._subscore(items) for items in TASKS[measure.task].find(test_set, shared))

    def _subscore(self, items: ProbeItems) -> Subscore:
        """What the probe finds, or why it finds nothing."""
        if items.skipped is not None:
            return Subscore.of(items.name, items.size, items.oov, skipped=items.skipped)
        task = TASKS[self._measure.task]
        try:
            probe = task.run(items, self._embedding, self._plan, self._measure.fitted, None)
        except ScoreError as error:
            return Subscore.of(items.name, items.size, items.oov, skipped=str(error))
        curve = probe.curve(self._measure.model)
        scores = np.array(curve.at(self._measure.point))
        return Subscore.of(
            items.name,
            items.size,
            items.oov,
            float(scores.mean()),
            tuple(f"split {number}" for number in range(1, len(scores) + 1)),
            split_pseudovalues(scores, probe),
            chance=self._measure.chance(probe, self._vocabulary),
            extra={
                "AUC": curve.auc,
                "start": curve.mean("start"),
                "end": curve.mean("end"),
                "left out": 1 - len(items.words) / items.size,
            },
        )


def split_pseudovalues(scores: Doubles, probe: Probe) -> Doubles:
    """Pseudo-values of splits, their deviations from the mean widened so that intervals are right.

    By √(1 + J·n_test/n_train): J splits of the same data overlap, so the variance S² of their scores, divided
    by J, is far below the variance that their mean would have with other data. Nadeau & Bengio, "Inference
    for the Generalization Error" (2003), estimate the latter as (1/J + n_test/n_train)·S², the corrected
    resampled
    variance: two splits correlate about as much as their test data overlap, by n_test/n. n_train is all that
        is
    not test data, at every share: that decides how much test data overlap.

    And by t/z, the quantiles of Student's t with J-1 degrees of freedom and of the normal distribution: an
    interval from a few scores needs the former, and an interval of resampled scores has the latter.

    Args:
        scores: One for each split, shape (J,).
        probe: Says how many items are test data.
    """
    from scipy.special import ndtri, stdtrit

    tests = np.array(probe.tests, np.float64)
    overlap = np.sqrt(1 + len(scores) * float(np.mean(tests / (probe.items - tests))))
    few = stdtrit(len(scores) - 1, _QUANTILE) / ndtri(_QUANTILE)
    mean = scores.mean()
    return np.asarray(mean + (scores - mean) * overlap * few)
