"""What all kinds of result files have in common, and the types of the numbers in them."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec

from evaluator.results.notebook import html_table, shown_interval

T = TypeVar("T")

Number = Annotated[float, msgspec.Meta(ge=-1e308, le=1e308)]
"""A finite number."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""How many of something there are."""

NonEmpty = Annotated[tuple[T, ...], msgspec.Meta(min_length=1)]
"""A list that holds something."""

Name = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that is not empty."""


class ResultFile(msgspec.Struct, frozen=True, kw_only=True, tag_field="format"):
    """What a result file holds. Each kind has a `format`, a `version`, and a command that writes it.

    The version rises when a key gets another name or another meaning, and not when a key is added.
    """

    command: ClassVar[str]


class Estimate(msgspec.Struct, frozen=True):
    """A value with its 95% confidence interval.

    Attributes:
        value: The value.
        low: The lower end of the interval; null if it was not computed.
        high: The upper end of the interval.
        chance: The chance level; null where there is none, as for a difference.
    """

    value: Number
    low: Number | None = None
    high: Number | None = None
    chance: Number | None = None


class Difference(msgspec.Struct, frozen=True):
    """How much better the second of two models is than the first.

    Attributes:
        value: The mean difference in score, on the words, questions, pairs or texts that both were scored on.
        low: The lower end of its 95% confidence interval.
        high: The upper end of the interval.
        p: The p-value of a paired permutation test, two-sided.
        subscores: On how many categories, sections, lists of pairs or groups.
        units: On how many words, questions, pairs or texts.
    """

    value: Number
    low: Number
    high: Number
    p: Number
    subscores: Count
    units: Count

    def _repr_html_(self) -> str:
        """For notebooks."""
        cells = (
            *("second minus first", f"{self.value:+.4f}", shown_interval((self.low, self.high))),
            *(f"{self.p:.4f}", str(self.subscores), str(self.units)),
        )
        columns = ("", "difference", "95% interval", "p", "subscores", "observations")
        return html_table("Paired permutation test", columns, [cells])


def to_json(content: Any, indent: int | None = 1) -> str:  # noqa: ANN401  # any of the types of results
    """What a result file holds, as JSON.

    Args:
        content: Such as a `ResultFile`.
        indent: By how many spaces keys are indented; None for one line.

    Raises:
        ValueError: A number is not finite.
    """
    return json.dumps(builtins_of(content), ensure_ascii=False, indent=indent, allow_nan=False)


def builtins_of(content: Any) -> Any:  # noqa: ANN401  # JSON
    """What a result file holds, as dicts, lists, texts and numbers."""
    return msgspec.to_builtins(content, enc_hook=lambda number: number.item())  # numbers of numpy
