"""What a measure is: a value, written as text, that counts hits among trials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluator.errors import MeasureError
from evaluator.similarities import Floats, Kind
from evaluator.task import CategoryTask, Task

Norm = Literal["unit", "none"]
Among = Callable[[npt.NDArray[np.intp]], Floats]
"""From rows of `Task.queries` to the similarities of these words to each other, shape (rows, rows)."""


@dataclass(frozen=True)
class Count:
    """What was counted for one category: the score is hits / trials."""

    hits: int
    trials: int


class Counter(Protocol):
    """Counts while the vocabulary passes by, so that all measures can share one pass over it."""

    def add(self, start: int, similarities: Floats) -> None:
        """Take in a block of the vocabulary.

        Args:
            start: The vocabulary row of its first word.
            similarities: Of all test words to the block's words, shape (q, words in the block).
        """

    def counts(self) -> Sequence[Count]:
        """One count for each category the counter was made for, once all blocks have been added."""


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
    def counter(self, task: Task, categories: Sequence[CategoryTask], among: Among, seed: int) -> Counter:
        """Start counting.

        Args:
            task: The whole task.
            categories: Those of its categories that can be scored.
            among: Gives similarities of test words to each other.
            seed: For measures that draw.
        """
