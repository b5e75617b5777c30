"""SimilarityProbe: how fast a model learns people's ratings of pairs of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from evaluator.measures.base import TestSetField
from evaluator.measures.on_probes import ProbeMeasure
from evaluator.probes import Probe
from evaluator.probes.tasks import TaskName


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
