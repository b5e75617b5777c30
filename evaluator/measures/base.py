"""What a measure is: a value, written as text, that counts hits among trials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

from evaluator.errors import MeasureError
from evaluator.similarities import Floats, Kind, Similarities
from evaluator.task import CategoryTask, Task

Norm = Literal["unit", "none"]


@dataclass(frozen=True)
class Count:
    """What was counted for one category: the score is hits / trials.

    Attributes:
        hits: How often the answer was right.
        trials: How often it was asked.
        error: The standard error of the score if only some of the subsets were drawn; 0 if all were counted.
    """

    hits: int
    trials: int
    error: float = 0.0


class Counter(Protocol):
    """Counts while the vocabulary passes by, so that all measures can share one pass over it.

    Several threads see different blocks at a time, each with a state of its own.
    """

    def begin(self) -> Any:  # noqa: ANN401  # each counter has its own kind of state
        """A state that has seen nothing."""

    def add(self, state: Any, start: int, similarities: Floats) -> None:  # noqa: ANN401
        """Take a block of the vocabulary into a state.

        Args:
            state: What `begin` gave.
            start: The vocabulary row of the block's first word.
            similarities: Of all test words to the block's words, shape (q, words in the block).
        """

    def counts(self, states: Sequence[Any]) -> Sequence[Count]:
        """One count for each category of the counter, from states that have seen all blocks together."""


@dataclass(frozen=True)
class Measure(ABC):
    """A measure over categories of words. Equal and hashable by its text.

    Attributes:
        k: The order: how many neighbours, or how many words of the category at a time.
    """

    k: int = 3

    def __post_init__(self) -> None:
        """Refuse an order that makes no sense.

        Raises:
            MeasureError: k is too small.
        """
        if self.k < self.least_k():
            raise MeasureError(f"{self}: k must be {self.least_k()} or more")

    def __str__(self) -> str:
        """The text that names the measure on the command line, in code and in results."""
        options = [
            f"{field.name}={value}"
            for field in fields(self)
            if field.name != "k" and (value := getattr(self, field.name)) != field.default
        ]
        in_brackets = f"({','.join(options)})" if options else ""
        return f"{type(self).__name__}{in_brackets}@{self.k}"

    @classmethod
    def least_k(cls) -> int:
        """The smallest order that makes sense."""
        return 1

    @property
    def draws(self) -> bool:
        """Whether the score depends on a seed."""
        return False

    @abstractmethod
    def kind(self, norm: Norm) -> Kind:
        """Which similarities the measure counts on."""

    @abstractmethod
    def why_not(self, category: CategoryTask, vocabulary: int) -> str | None:
        """Why the category cannot be scored, or None if it can.

        Args:
            category: The category, looked up.
            vocabulary: v, the number of words in the vocabulary.
        """

    @abstractmethod
    def ceiling(self, category: CategoryTask) -> float:
        """The best score that any model could reach on the category, from 0 to 1."""

    @abstractmethod
    def comparisons(self, category: CategoryTask, vocabulary: int) -> int:
        """How many comparisons it takes to score a category: an estimate of the cost.

        Args:
            category: The category, looked up.
            vocabulary: v, the number of words in the vocabulary.
        """

    @abstractmethod
    def counter(
        self, task: Task, categories: Sequence[CategoryTask], similarities: Similarities, seed: int
    ) -> Counter:
        """Start counting.

        Args:
            task: The whole task.
            categories: Those of its categories that can be scored.
            similarities: Of the kind that the measure counts on.
            seed: For measures that draw.
        """
