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
from evaluator.measures.base import Doubles, Evaluation, Measure, Subscore
from evaluator.probes import Probe, SplitPlan
from evaluator.probes.models import require_sklearn
from evaluator.probes.shared import SharedVocabulary
from evaluator.probes.tasks import TASKS, ProbeItems, TaskName, listed
from evaluator.settings import Settings

_LEAST = 3
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
