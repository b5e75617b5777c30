"""What measures by probes have in common: a model learns from parts of a test set, and its curve is read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from evaluator.datasets.testset import TestSet
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import ScoreError
from evaluator.measures.base import Doubles, Evaluation, Measure, Subscore, TestSetField
from evaluator.probes import Probe, SplitPlan
from evaluator.probes.learners import require_sklearn
from evaluator.probes.tasks import TASKS, ProbeItems, SharedVocabulary, TaskName, listed
from evaluator.settings import Settings

_LEAST = 3
_INPUTS = 3
_QUANTILE = 0.975  # the upper end of a 95% interval


@dataclass(frozen=True)
class ProbeMeasure(Measure):
    """A measure that reads the learning curve of a model, in one of three ways.

    Attributes:
        model: What learns.
        point: Where the curve is read: at its smallest share of the data, at its largest, or over all of it.
        splits: How many times the data is divided anew.
    """

    task: ClassVar[TaskName]
    """Which probe."""

    model: str = ""
    point: Literal["auc", "start", "end"] = "auc"
    splits: int = 6

    def __post_init__(self) -> None:
        """Refuse a model or point that does not exist, and splits that say nothing of how they vary.

        Raises:
            MeasureError: Naming what must be chosen.
        """
        models = TASKS[self.task].models
        self._refuse(self.model not in models, f"model is one of {', '.join(models)}")
        self._refuse(self.point not in ("auc", "start", "end"), "point is auc, start or end")
        self._refuse(self.splits < _LEAST, f"splits must be {_LEAST} or more")

    @property
    def draws(self) -> bool:
        """Splits depend on a seed."""
        return True

    @abstractmethod
    def chance(self, probe: Probe, vocabulary: int) -> float:
        """What a model that knows nothing is expected to reach.

        Args:
            probe: Of the measure's model and the ones that learn nothing.
            vocabulary: v, the number of words in the vocabulary.
        """

    @property
    def fitted(self) -> tuple[str, ...]:
        """The models to fit: its own, and what chance is read from."""
        return (self.model,)

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> ProbeEvaluation:
        """Look up the words of all items."""
        return ProbeEvaluation(self, test_set, lookup, settings)


@dataclass(frozen=True)
class MembershipProbe(ProbeMeasure):
    """The accuracy of a model that learns which category a word is of, as `MembershipProbe(model=svm)`.

    The single-word probe of Jastrzebski, Leśniak & Czarnecki (2017), with as many classes as the test set has
    categories: the model learns from 30% to 100% of four fifths of the words and is asked for the others,
    `splits` times. The value is the area under this learning curve, its mean height; or with `point` the
    accuracy at its start or end. The categories of a test set are one task and make one part.

    A word without a vector leaves, with `oov=wrong` too: a probe cannot learn from nothing. So does one that
    is in two categories, and a category with fewer than 5 words left. In a hierarchy a word is of the lowest
    category that holds it. Vectors that know different words are therefore scored on different ones;
    `evaluator probe` takes those that all know.

    The unit is the split. Its deviations from the mean are widened by √(1 + J·n_test/n_train), since J splits
    of the same words overlap (Nadeau & Bengio 2003, corrected resampled variance), and by Student's t, since
    they are few. Chance is what the most frequent category reaches.
    """

    scores: ClassVar[TestSetField] = "categories"
    task: ClassVar[TaskName] = "membership"

    model: Literal["logistic", "svm", "knn", "bayes", "forest"] = "logistic"

    @property
    def fitted(self) -> tuple[str, ...]:
        """The most frequent category too."""
        return ("majority", self.model)

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002  # for relations
        """What the most frequent category reaches."""
        return probe.curve("majority").mean(self.point)


@dataclass(frozen=True)
class SimilarityProbe(ProbeMeasure):
    """Spearman's correlation of ratings with those a model has learnt to predict, as `SimilarityProbe`.

    The similarity probe of Jastrzebski, Leśniak & Czarnecki (2017): from 30% to 100% of four fifths of the
    pairs the model learns what people say of two words, from the products and differences of their unit
    vectors, and it is asked for the other pairs, `splits` times. The value is the area under this learning
    curve, its mean height; or with `point` the correlation at its start or end. The cosine learns nothing:
    what the others add to it is what is in the vectors and the cosine does not see.

    A pair of which a word has no vector leaves, with `oov=wrong` too: a probe cannot learn from nothing. A
    pair that comes again, in either order, is one pair with the mean rating.

    The unit is the split. Its deviations from the mean are widened by √(1 + J·n_test/n_train), since J splits
    of the same pairs overlap (Nadeau & Bengio 2003, corrected resampled variance), and by Student's t, since
    they are few. Models that know nothing correlate 0 on average.
    """

    scores: ClassVar[TestSetField] = "rated_pairs"
    counted: ClassVar[str] = "pairs"
    task: ClassVar[TaskName] = "similarity"

    model: Literal["svr", "forest", "cosine"] = "svr"

    @property
    def lowest(self) -> float:
        """That of a correlation."""
        return -1.0

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002
        """Models that know nothing correlate 0 on average."""
        return 0.0


@dataclass(frozen=True)
class RelationProbe(ProbeMeasure):
    """The share of questions of a relation that a model learns to answer, as `RelationProbe`.

    The analogy probe of Jastrzebski, Leśniak & Czarnecki (2017, appendix B): from pairs of a relation the
    model learns affine maps that lead from three words of two pairs to the fourth, and it is asked for pairs
    of which it has seen no word. The answer is the nearest word of the whole vocabulary but for those three.
    The model begins as 3CosAdd, which learns nothing, as 3CosMul does. The model sees 30% to 100% of the
    training pairs, `splits` times; the value is the area under this learning curve, its mean height, or with
    `point` the share at its start or end.

    A pair of which a word is not in the vocabulary leaves, with `oov=wrong` too: a probe cannot learn from
    nothing, and words built from subwords cannot be answers. Of several right answers the first one in the
    vocabulary is asked for. Questions that a file gives are not used, only its pairs.

    The unit is the split. Its deviations from the mean are widened by √(1 + J·n_test/n_train), since J splits
    of the same pairs overlap (Nadeau & Bengio 2003, corrected resampled variance), and by Student's t, since
    they are few. A blind guess is right once in v-3.
    """

    scores: ClassVar[TestSetField] = "sections"
    counted: ClassVar[str] = "pairs"
    task: ClassVar[TaskName] = "relation"

    model: Literal["relation", "3CosAdd", "3CosMul"] = "relation"

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002
        """A blind guess among all words but those of the question."""
        return 1 / (vocabulary - _INPUTS)


@dataclass(frozen=True)
class SentenceProbe(ProbeMeasure):
    """The accuracy of a model that learns the class of a text, as `SentenceProbe(model=svm)`.

    The sentence probe of Jastrzebski, Leśniak & Czarnecki (2017): a text is the mean of the unit vectors of
    its words. The model learns from 30% to 100% of four fifths of the texts and is asked for the others,
    `splits` times. The value is the area under this learning curve, its mean height; or with `point` the
    accuracy at its start or end.

    Words without a vector leave their text. A text of which no word has one leaves and counts as OOV, with
    `oov=wrong` too: a probe cannot learn from nothing. So do classes with fewer than 5 texts left. The same
    text with the same class counts once.

    The unit is the split. Its deviations from the mean are widened by √(1 + J·n_test/n_train), since J splits
    of the same texts overlap (Nadeau & Bengio 2003, corrected resampled variance), and by Student's t, since
    they are few. Chance is what the most frequent class reaches.
    """

    scores: ClassVar[TestSetField] = "labelled_texts"
    counted: ClassVar[str] = "texts"
    task: ClassVar[TaskName] = "sentences"

    model: Literal["logistic", "svm"] = "logistic"

    @property
    def fitted(self) -> tuple[str, ...]:
        """The most frequent class too."""
        return ("majority", self.model)

    def chance(self, probe: Probe, vocabulary: int) -> float:  # noqa: ARG002  # for relations
        """What the most frequent class reaches."""
        return probe.curve("majority").mean(self.point)


class ProbeEvaluation(Evaluation):
    """Needs the vectors of its items and, for relations, the vocabulary as it is; nothing passes by."""

    def __init__(
        self, measure: ProbeMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words of all items."""
        if measure.task != "relation":
            require_sklearn()
        self._measure = measure
        self._test_set = test_set.name
        self._plan = SplitPlan(splits=measure.splits, seed=settings.seed)
        self._vocabulary = len(lookup.vectors)
        shared = SharedVocabulary([lookup])
        (self._embedding,) = shared.embeddings
        self._all = TASKS[measure.task].find(test_set, shared)
        self.names = [items.name for items in self._all]
        self.skipped = {items.name: items.skipped for items in self._all if items.skipped is not None}

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:  # noqa: ARG002  # nothing has passed by
        """A part for each part of the test set, in its order.

        Raises:
            ScoreError: None of them can be probed.
        """
        parts = [self._part(items) for items in self._all]
        if all(part.value is None for part in parts):
            reasons = listed([(part.name, part.skipped) for part in parts])
            raise ScoreError(f"{self._test_set}: {self._measure} can score nothing of it ({reasons})")
        return parts

    def _part(self, items: ProbeItems) -> Subscore:
        """What the probe finds, or why it finds nothing."""
        if items.skipped is not None:
            return Subscore(items.name, items.size, items.oov, skipped=items.skipped)
        task = TASKS[self._measure.task]
        try:
            probe = task.run(items, self._embedding, self._plan, self._measure.fitted, None)
        except ScoreError as error:
            return Subscore(items.name, items.size, items.oov, skipped=str(error))
        curve = probe.curve(self._measure.model)
        scores = np.array(curve.at(self._measure.point))
        return Subscore(
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
    """What splits contribute to their mean, their deviations widened so that intervals hold.

    By √(1 + J·n_test/n_train): J splits of the same data overlap, so that the variance S² of their scores,
    divided by J, is far below the variance that their mean would have with other data. Nadeau & Bengio,
    "Inference for the Generalization Error" (2003), estimate that as (1/J + n_test/n_train)·S², the corrected
    resampled variance: two splits correlate about as far as their test parts overlap, by n_test/n. n_train is
    all that is not for testing, at every share: that is what decides how far test parts overlap.

    And by t/z, the quantiles of Student's t with J-1 degrees of freedom and of the normal distribution: their
    interval takes the former, as a few scores tell little of S², and that of resampled scores the latter.

    Args:
        scores: One for each split, shape (J,).
        probe: Which knows how many items were for testing.
    """
    from scipy.special import ndtri, stdtrit

    tests = np.array(probe.tests, np.float64)
    overlap = np.sqrt(1 + len(scores) * float(np.mean(tests / (probe.items - tests))))
    few = stdtrit(len(scores) - 1, _QUANTILE) / ndtri(_QUANTILE)
    mean = scores.mean()
    return np.asarray(mean + (scores - mean) * overlap * few)
