"""The space of hyper-parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from evaluator.errors import StudyError
from evaluator.settings import ARCHITECTURES, MODELS, Hyperparameters
from evaluator.text.corpus import MIN_COUNTS

_DIMENSIONS = (*range(5, 51, 5), *range(60, 101, 10), *range(125, 501, 25))


@dataclass(frozen=True)
class Space:
    """The values of each hyper-parameter, all equally likely.

    The defaults are those of the paper (Table 2 of "Evaluating Word Embeddings on Low-Resource Languages").

    Attributes:
        model: word2vec or fastText.
        architecture: Skip-gram or CBOW.
        dimension: 31 values from 5 to 500.
        window: 3 to 11 words.
        learning_rate: 0.001, 0.01 or 0.1.
        min_count: 3 to 11.
        lemmas: Without and with.
    """

    model: Sequence[str] = MODELS
    architecture: Sequence[str] = ARCHITECTURES
    dimension: Sequence[int] = _DIMENSIONS
    window: Sequence[int] = tuple(range(3, 12))
    learning_rate: Sequence[float] = (0.001, 0.01, 0.1)
    min_count: Sequence[int] = MIN_COUNTS
    lemmas: Sequence[bool] = (False, True)

    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The values of each hyper-parameter by its name."""
        return {name: tuple(values) for name, values in asdict(self).items()}

    def narrowed(self, given: Mapping[str, str]) -> Space:
        """The same space with other values for some hyper-parameters.

        Args:
            given: Values by name, as texts with commas between them: `{"dimension": "50,100"}`.

        Raises:
            StudyError: A hyper-parameter does not exist, or a text is not a value of it.
            TrainingError: A value is out of range.
        """
        return replace(self, **{name: _parsed(name, text) for name, text in given.items()})

    def samples(self, number: int, seed: int, epochs: int = 5) -> list[Hyperparameters]:
        """Random samples; they depend on their number, the seed and the space only, not on the corpus."""
        generator = np.random.default_rng(seed)
        choices = self.choices().items()
        return [
            Hyperparameters(
                **{name: values[generator.integers(len(values))] for name, values in choices}, epochs=epochs
            )
            for _ in range(number)
        ]


PAPER = Space()

_TYPES = {"dimension": int, "window": int, "min_count": int, "learning_rate": float}
_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


def _parsed(name: str, text: str) -> tuple[Any, ...]:
    names = [each.name for each in fields(Space)]
    if name not in names:
        raise StudyError(f"{name}: no such hyper-parameter; choose from {', '.join(names)}")
    values = tuple(_value(name, each.strip()) for each in text.split(","))
    for value in values:
        Hyperparameters(**{name: value})  # checks the value
    return values


def _value(name: str, text: str) -> Any:  # noqa: ANN401 - of the hyper-parameter's type
    try:
        return _BOOLEANS[text.lower()] if name == "lemmas" else _TYPES.get(name, str)(text)
    except (ValueError, KeyError) as error:
        raise StudyError(f"{name}: {text!r} is not a value of it") from error
