"""The space of hyper-parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from evaluator.errors import StudyError
from evaluator.settings import ARCHITECTURES, MODELS, Hyperparameters
from evaluator.text.corpus import MIN_COUNTS

_DIMENSIONS = (*range(5, 51, 5), *range(60, 101, 10), *range(125, 501, 25))


@dataclass(frozen=True)
class Space:
    """The values that each hyper-parameter is chosen from, all of them equally likely.

    Those of the paper (Table 2 of "Evaluating Word Embeddings on Low-Resource Languages") unless given.

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
    min_count: Sequence[int] = field(default=MIN_COUNTS)
    lemmas: Sequence[bool] = (False, True)

    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The values of each hyper-parameter by its name."""
        return {name: tuple(values) for name, values in asdict(self).items()}

    def narrowed(self, given: Mapping[str, str]) -> Space:
        """The same with some hyper-parameters restricted.

        Args:
            given: Values by name, as texts with commas between them: `{"dimension": "50,100"}`.

        Raises:
            StudyError: There is no such hyper-parameter, or a text is none of its values.
        """
        return replace(self, **{name: _parsed(name, text) for name, text in given.items()})

    def samples(self, number: int, seed: int) -> list[Hyperparameters]:
        """Samples that depend on their number, the seed and the space only: the same for all corpora."""
        generator = np.random.default_rng(seed)
        return [
            Hyperparameters(
                **{name: values[generator.integers(len(values))] for name, values in self.choices().items()}
            )
            for _ in range(number)
        ]


PAPER = Space()

_TYPES = {"dimension": int, "window": int, "min_count": int, "learning_rate": float}
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def _parsed(name: str, text: str) -> tuple[Any, ...]:
    names = [each.name for each in fields(Space)]
    if name not in names:
        raise StudyError(f"{name}: no such hyper-parameter; choose from {', '.join(names)}")
    texts = [each.strip() for each in text.split(",")]
    if name == "lemmas":
        values: list[Any] = [_TRUTHS.get(each.lower()) for each in texts]
    else:
        values = [_number(each, _TYPES[name]) if name in _TYPES else each for each in texts]
    wrong = [text for text, value in zip(texts, values, strict=True) if value is None]
    if wrong:
        raise StudyError(f"{name}: {wrong[0]!r} is no value of it")
    for value in values:
        Hyperparameters(**{name: value})  # which refuses what does not exist
    return tuple(values)


def _number(text: str, kind: type) -> int | float | None:
    try:
        return kind(text)  # type: ignore[no-any-return]
    except ValueError:
        return None
