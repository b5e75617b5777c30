"""What a measure is: a value, written as text, that is evaluated on the parts of a test set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Floats, Kind, Similarities
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup, find_category
from evaluator.errors import MeasureError
from evaluator.settings import Settings

TestSetField = Literal["categories", "sections", "rated_pairs", "outlier_groups", "labelled_texts"]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Subscore:
    """What a measure says of one part of a test set: of a category, a section, a group.

    Statistics come first and scores second: a part holds what each of its units, such as a word, contributes
    to its value. Intervals and tests of every measure are made of these contributions alone.

    Attributes:
        name: The part.
        size: How many words, questions, pairs or texts it has.
        oov: How many of them cannot be answered for want of a vector.
        value: The score; None if the part was skipped.
        observations: What could have been another one of its kind: words, pairs, groups; shape (n,).
        pseudovalues: What each unit contributes, as pseudo-values of the jackknife (Tukey 1958), centred,
            shape (n,): their mean is `value`, and their variance divided by n estimates the variance that
            `value` would have if the units were drawn anew.
        hits: What was counted, where the value is a share.
        trials: Out of how many.
        ceiling: The best that any model with this vocabulary could reach.
        chance: What a model that knows nothing is expected to reach.
        error: The standard error of the value, if only some of what could be counted was drawn.
        skipped: Why there is no value.
        weight: How much the value weighs in the mean over parts.
        extra: Further figures, by name.
    """

    name: str
    size: int
    oov: int
    value: float | None = None
    observations: tuple[str, ...] = ()
    pseudovalues: Doubles = field(default_factory=lambda: np.zeros(0))
    hits: int | None = None
    trials: int | None = None
    ceiling: float | None = None
    chance: float | None = None
    error: float | None = None
    skipped: str | None = None
    weight: float = 1.0
    extra: Mapping[str, float] = field(default_factory=dict)


def share_pseudovalues(hits: npt.ArrayLike, trials: npt.ArrayLike, order: int = 1) -> Doubles:
    """What units contribute to a share of hits among trials.

    Args:
        hits: Of each unit, shape (n,).
        trials: Of each unit, shape (n,); not all 0.
        order: How many units take part in each trial, each of which counts it as its own.

    Returns:
        Shape (n,); the mean is Σ hits / Σ trials.
    """
    hits, trials = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    share = hits.sum() / trials.sum()
    return np.asarray(share + leverage(len(hits), order) * (hits - share * trials) / trials.mean())


def leverage(n: int, order: int) -> float:
    """How far a unit moves a mean over all subsets of some order, times n, per unit of its own deviation.

    If θ is the mean of a value over all k-subsets of n units (a U-statistic; Hoeffding 1948), and θ_i that
    over those which hold unit i, then leaving i out moves θ by k/(n-k)·(θ-θ_i), so that the pseudo-value
    n·θ - (n-1)·θ_(-i) is θ + k·(n-1)/(n-k)·(θ_i-θ).
    """
    return order * (n - 1) / (n - order) if n > order else float(order)


class Evaluation(ABC):
    """A measure at work on one test set with one vocabulary.

    It is made in two steps, so that all measures can share one pass over the vocabulary: when it is made, all
    words are looked up; then blocks of similarities of all these words pass by, if `kind` says which; then it
    gives its parts. Several threads see different blocks at a time, each with a state of its own.
    """

    kind: Kind | None = None
    """Which similarities must pass by; None if the measure needs none."""

    comparisons: int = 0
    """How many comparisons the work takes: an estimate of the cost."""

    skipped: Mapping[str, str]
    """The parts that cannot be scored, by name, and why."""

    names: Sequence[str]
    """All parts."""

    def prepare(self, similarities: Similarities) -> None:  # noqa: B027  # most have nothing to do
        """Get ready for the blocks."""

    def begin(self) -> Any:  # noqa: ANN401  # each evaluation has its own kind of state
        """A state that has seen nothing."""
        return None

    def add(self, state: Any, start: int, similarities: Floats) -> None:  # noqa: ANN401, B027
        """Take a block of the vocabulary into a state.

        Args:
            state: What `begin` gave.
            start: The vocabulary row of the block's first word.
            similarities: Of all test words to the block's words, shape (q, words in the block).
        """

    @abstractmethod
    def subscores(self, states: Sequence[Any]) -> list[Subscore]:
        """All parts, in the order of `names`, from states that have seen all blocks together."""


@dataclass(frozen=True)
class Measure(ABC):
    """A measure. Equal and hashable by its text, which names its parameters: `OddOneOut(samples=1000)@3`.

    A parameter `k` is written after @; the order it stands for is explained by each measure.
    """

    scores: ClassVar[TestSetField]
    """What in a test set it scores."""

    counted: ClassVar[str] = "words"
    """What the size of a part counts."""

    def __str__(self) -> str:
        """The text that names the measure on the command line, in code and in results."""
        options = [
            f"{each.name}={value}"
            for each in fields(self)
            if each.name != "k" and (value := getattr(self, each.name)) != each.default
        ]
        in_brackets = f"({','.join(options)})" if options else ""
        order = getattr(self, "k", None)
        return f"{type(self).__name__}{in_brackets}{'' if order is None else f'@{order}'}"

    @property
    def lowest(self) -> float:
        """The least that a value can be; 1 is the greatest."""
        return 0.0

    @property
    def draws(self) -> bool:
        """Whether the score depends on a seed."""
        return False

    @abstractmethod
    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Look up the words of a test set, and get to work on it."""

    def _refuse(self, wrong: bool, message: str) -> None:
        """Refuse a parameter that makes no sense.

        Raises:
            MeasureError: It is wrong.
        """
        if wrong:
            raise MeasureError(f"{self}: {message}")


@dataclass(frozen=True)
class CategoryMeasure(Measure):
    """A measure of how words of a category belong together."""

    scores: ClassVar[TestSetField] = "categories"

    @abstractmethod
    def why_not(self, category: FoundCategory, vocabulary: int) -> str | None:
        """Why the category cannot be scored, or None if it can.

        Args:
            category: The category, looked up.
            vocabulary: v, the number of words in the vocabulary.
        """


class CategoryEvaluation(Evaluation):
    """Looks up all categories, and gives a part for each: scored by a subclass, or skipped."""

    def __init__(
        self, measure: CategoryMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words.

        Args:
            measure: Which says what cannot be scored.
            test_set: Whose categories.
            lookup: Where words are found.
            settings: Of the run.
        """
        self.vocabulary = len(lookup.vectors)
        self._all = [find_category(category, lookup, settings) for category in test_set.categories]
        reasons = {each.name: measure.why_not(each, self.vocabulary) for each in self._all}
        self.names = list(reasons)
        self.skipped = {name: reason for name, reason in reasons.items() if reason is not None}
        self.categories = [each for each in self._all if each.name not in self.skipped]

    @abstractmethod
    def scored(self, states: Sequence[Any]) -> list[Subscore]:
        """A part for each of `categories`, from states that have seen all blocks together."""

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:
        """A part for each category, in the order of the test set."""
        scored = {part.name: part for part in self.scored(states)}
        return [
            scored.get(each.name)
            or Subscore(each.name, len(each.words), each.oov, skipped=self.skipped[each.name])
            for each in self._all
        ]
