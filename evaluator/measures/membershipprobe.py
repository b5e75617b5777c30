"""MembershipProbe: how fast a model learns which category a word is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from evaluator.measures.base import TestSetField
from evaluator.measures.on_probes import ProbeMeasure
from evaluator.probes import Probe
from evaluator.probes.tasks import TaskName


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
