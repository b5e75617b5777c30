"""What all kinds of result files have in common, and the types of the numbers in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.execution.inputs import Input
from evaluator.measures.base import Count, Number, ScoreValue, refuse_no_number
from evaluator.results.numbers import interval, p_value, signed

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

SIGNIFICANT = 0.05

UNFINISHED = (
    "is not complete: wait until the run that writes it has ended, or run its command again to resume"
)
"""What is said of a last line without an end: a run writes it, was killed, or the file was cut off."""

_DIGEST = "sha256"

NonEmpty = Annotated[tuple[T, ...], msgspec.Meta(min_length=1)]
"""A list that holds something."""

Name = Annotated[str, msgspec.Meta(min_length=1)]
"""A text that is not empty."""


class ResultFile(msgspec.Struct, frozen=True, kw_only=True, tag_field="format"):
    """What a result file holds. Each kind has a `format`, a `version`, and a command that writes it.

    The version rises when a key gets another name or another meaning, and not when a key is added.

    Attributes:
        arguments: What the command was given, without how the work is done and where results go; not there
            if no command wrote the file. Of an absolute path only the name.
        inputs: What all results depend on, besides the inputs that each of them lists itself; not there if
            there is nothing else.
        sha256: The digest of all else in the file; not there if no command wrote it.
    """

    command: ClassVar[str]

    arguments: tuple[str, ...] | UnsetType = UNSET
    inputs: tuple[Input, ...] | UnsetType = UNSET
    sha256: str | UnsetType = UNSET

    @property
    def all_inputs(self) -> tuple[Input, ...]:
        """All that its results depend on, each input once."""
        own = (self.inputs or (), *(getattr(each, "inputs", ()) for each in getattr(self, "results", ())))
        return tuple(dict.fromkeys(each for several in own for each in several))

    def latex(self) -> str:
        """The tables for LaTeX; they need the package booktabs."""
        import evaluator  # what shows results stands above them, so the package is asked for it

        return evaluator.as_latex(self)

    def _repr_html_(self) -> str:
        import evaluator

        return evaluator.as_html(self)


def frame_with_names(rows: Any, **how: Any) -> pd.DataFrame:  # noqa: ANN401  # as pandas takes them
    """A table with names of files, which may be no text in UTF-8: strings of pyarrow refuse them."""
    import pandas as pd

    with pd.option_context("mode.string_storage", "python"):
        return pd.DataFrame(rows, **how)


def format_of(kind: type[ResultFile]) -> str:
    """The `format` that files of a kind name."""
    return str(kind.__struct_config__.tag)


class Tested(msgspec.Struct, frozen=True):
    """The interval of a difference, and p from the same distribution.

    Attributes:
        low: The lower end of its 95% confidence interval.
        high: The upper end of the interval.
        p: The p-value of a two-sided t-test: below 0.05 if and only if the interval does not contain 0.
        error: The standard error of the difference.
        degrees: Degrees of freedom of the t distribution.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    low: ScoreValue
    high: ScoreValue
    p: Number
    error: Number
    degrees: Number

    def __post_init__(self) -> None:
        refuse_no_number(self, "a difference")


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much better the second of two models is than the first.

    Attributes:
        value: The mean difference in score over the categories, sections, lists or groups.
        of_categories: For other categories like these; null below six categories.
        of_words: For other words of exactly these categories.
        subscores: How many categories, sections, lists of pairs or groups there are.
        observations: How many different words, pairs, groups or texts there are.
        unit: Which of these they are; null if they are words.
    """

    value: ScoreValue
    of_categories: Tested | None
    of_words: Tested
    subscores: Count
    observations: Count
    unit: str | None = None

    def shows(self, tested: Tested | None) -> bool:
        """Whether one of its tests shows that the second is better."""
        return tested is not None and self.value > 0 and tested.p < SIGNIFICANT

    @property
    def is_none(self) -> bool:
        """Whether both have the same scores, word by word, so that an interval would say nothing of them."""
        return not self.value and self.of_words.error == 1 / self.observations

    @property
    def tested(self) -> Tested:
        """What is shown first: for other categories like these, if there are enough of them."""
        return self.of_categories or self.of_words

    @property
    def tests(self) -> list[tuple[str, Tested]]:
        """What each test is over, such as "12 categories", and the test; what is shown first comes first."""
        words = (f"{self.observations:,} {self.unit or 'words'}", self.of_words)
        return ([(f"{self.subscores:,} categories", self.of_categories)] if self.of_categories else []) + [
            words
        ]

    def __repr__(self) -> str:
        if self.is_none:
            return "<second minus first: the same scores>"
        tests = "; ".join(
            f"{interval(each.low, each.high, '+')} and p {p_value(each.p)} over {over}"
            for over, each in self.tests
        )
        return f"<second minus first: {signed(self.value)}, paired t-tests: {tests}>"


def to_json(content: Any) -> str:  # noqa: ANN401  # any of the types of results
    """What a result file holds, as JSON."""
    return json.dumps(builtins_of(content), ensure_ascii=False, indent=1, allow_nan=False)


def builtins_of(content: Any) -> Any:  # noqa: ANN401  # JSON
    """What a result file holds, as dicts, lists, texts and numbers."""
    return msgspec.to_builtins(content, enc_hook=lambda number: number.item())  # numbers of numpy


def digest_of(content: Mapping[str, Any]) -> str:
    """The SHA-256 of the content of a result file as JSON, without its key `sha256`."""
    # Bytes of file names that are not UTF-8 count as question marks, as they are printed.
    kept = {key: value for key, value in content.items() if key != _DIGEST}
    return hashlib.sha256(json.dumps(kept, ensure_ascii=False).encode(errors="replace")).hexdigest()


def signed_line(content: Mapping[str, Any]) -> bytes:
    """A line of JSON that ends with its digest; bytes of file names that are not UTF-8 become escapes."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return _signed(text.removesuffix("}").encode(errors="backslashreplace"))


def _signed(start: bytes) -> bytes:
    return start + f', "{_DIGEST}": "{hashlib.sha256(start).hexdigest()}"}}\n'.encode()


def is_unchanged(line: bytes) -> bool:
    """Whether a line is what `signed_line` gave, to the byte."""
    return line == _signed(line.rpartition(f', "{_DIGEST}": '.encode())[0])
