"""Translation: are the right words of another language near a word, in two sets of aligned vectors?"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Literal

import numpy as np

from evaluator.plugins import (
    Doubles,
    Evaluation,
    Measure,
    ScoreError,
    Settings,
    TestSet,
    VocabularyLookup,
)

Method = Literal["NN", "CSLS", "spelling"]


@dataclass(frozen=True)
class TranslationMeasure(Measure):
    """A measure of the ranks of right translations; `translate` finds the ranks."""

    scores: ClassVar[str] = "translations"

    method: Method = "NN"

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:  # noqa: ARG002
        """Refuse a single set of vectors."""
        raise ScoreError(f"{self} needs the vectors of two languages; score them with `evaluator translate`")

    @abstractmethod
    def values(self, ranks: Doubles) -> Doubles:
        """The value of each question.

        Args:
            ranks: Of the best right answer, from 1, infinite where it cannot be found; shape (n,).
        """


@dataclass(frozen=True)
class Translation(TranslationMeasure):
    """The share of words with a right translation among the k nearest words of the other language.

    P@k of Conneau et al. (2018), "Word Translation Without Parallel Data", as `Translation@1`. With several
    right translations one of them is enough. The nearest words y to a word x with the vector Wx are by

    - `NN`: cos(Wx, y);
    - `CSLS`: 2·cos(Wx, y) - r(Wx) - r(y), with r the mean cosine to the 10 nearest words of the other
      language, so that words that are near to everything are less so (equation for CSLS there);
    - `spelling`: the same word, and no other: what can be known without vectors.

    Of equally near words the more frequent ones count as nearer. The chance level is k/v with one right
    translation.

    Attributes:
        method: How near words are found.
        k: How many of the nearest words are looked at.
    """

    k: int = 1

    def values(self, ranks: Doubles) -> Doubles:
        """1 where the rank is k or better."""
        return (ranks <= self.k).astype(np.float64)


@dataclass(frozen=True)
class MRR(TranslationMeasure):
    """The mean reciprocal rank of the best right translation: 1 where it is the nearest word, 1/2, 1/3, ….

    It has the methods of `Translation`.

    Attributes:
        method: How near words are found.
    """

    def values(self, ranks: Doubles) -> Doubles:
        """1/rank."""
        return np.asarray(1 / ranks)


@cache
def chance_of_ranks(measure: TranslationMeasure, answers: int, vocabulary: int) -> float:
    """What a question is expected to score if words are in random order.

    The best of m right answers among v words is at rank r with the probability
    P(rank ≥ r) - P(rank ≥ r+1), where P(rank > r) = Π_{i<r} (v-m-i)/(v-i).
    """
    ranks = np.arange(1, vocabulary - answers + 2, dtype=np.float64)
    above = np.cumprod((vocabulary - answers - ranks + 1) / (vocabulary - ranks + 1))
    shares = np.concatenate([[1.0], above[:-1]]) - above
    return float(shares @ measure.values(ranks))
