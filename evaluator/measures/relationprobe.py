"""RelationProbe: how fast a model learns which word stands to another as in other pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from evaluator.measures.base import TestSetField
from evaluator.measures.on_probes import ProbeMeasure
from evaluator.probes import Probe
from evaluator.probes.tasks import TaskName

_INPUTS = 3


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
