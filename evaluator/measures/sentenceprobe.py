"""SentenceProbe: how fast a model learns the class of a text from the mean of its words' vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from evaluator.measures.base import TestSetField
from evaluator.measures.on_probes import ProbeMeasure
from evaluator.probes import Probe
from evaluator.probes.tasks import TaskName


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
