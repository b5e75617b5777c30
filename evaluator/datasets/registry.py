"""What a format of data sets is, and which one a file, folder or archive is in.

A format is one function in ``formats/``, marked with ``dataset_format``: it is found there, and its name
becomes a value of the argument ``format`` of ``read_testset``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evaluator.datasets.source import DataSetSource
from evaluator.datasets.testset import (
    AnalogySection,
    Category,
    LabelledTexts,
    OutlierGroup,
    RatedPairs,
    Relation,
)
from evaluator.errors import TestSetError


@dataclass(frozen=True)
class TestSetContent:
    """What the reader of a format returns; the fields are those of ``TestSet``.

    A ``language`` of None is the one that the caller names.
    """

    categories: tuple[Category, ...] = ()
    relations: tuple[Relation, ...] = ()
    analogies: tuple[AnalogySection, ...] = ()
    rated_pairs: tuple[RatedPairs, ...] = ()
    outlier_groups: tuple[OutlierGroup, ...] = ()
    labelled_texts: tuple[LabelledTexts, ...] = ()
    language: str | None = None
    named_in: str | None = None


Reader = Callable[[DataSetSource], TestSetContent]


@dataclass(frozen=True)
class Format:
    """A format: its name, how to recognise it, how to read it.

    Attributes:
        name: The ``format`` argument that asks for it.
        rank: Of the formats that a file looks like, those of the lowest rank count; several of them are
            ambiguous. 1 is for what nothing else looks like, 2 for what is very likely, 3 for the rest.
        looks_like: Whether a file, folder or archive is in this format, by its first lines.
        read: Reads it.
    """

    name: str
    rank: int
    looks_like: Callable[[DataSetSource], bool] = field(repr=False)
    read: Reader = field(repr=False)


_FORMATS: dict[str, Format] = {}


def dataset_format(
    name: str, *, rank: int, looks_like: Callable[[DataSetSource], bool]
) -> Callable[[Reader], Reader]:
    """Makes a function the reader of a format; see ``Format`` for the arguments."""

    def register(read: Reader) -> Reader:
        _FORMATS[name] = Format(name, rank, looks_like, read)
        return read

    return register


def format_names() -> list[str]:
    """The names of all formats."""
    return sorted(_FORMATS)


def find_format(name: str, source: DataSetSource) -> Format:
    """The format with a name, or for "auto" the one that a file, folder or archive looks like.

    Raises:
        TestSetError: There is no such format, it looks like none, or it looks like several.
    """
    if name != "auto":
        if name not in _FORMATS:
            raise TestSetError(
                f"{source.path}: no format is called {name!r}; use auto, {', '.join(format_names())}"
            )
        return _FORMATS[name]
    alike = [each for each in _FORMATS.values() if each.looks_like(source)]
    best = [each for each in alike if each.rank == min(other.rank for other in alike)]
    if len(best) == 1:
        return best[0]
    if best:
        names = sorted(each.name for each in best)
        raise TestSetError(
            f"{source.path}: its content can be read in several ways: {', '.join(names)}; "
            f'name the right one, such as format="{names[0]}" (--test-format {names[0]})'
        )
    first = source.documents[0]
    begin = first.text[:40]  # complains if it is no text at all
    raise TestSetError(
        f"{first.place}: not recognised as a data set; it starts with {begin!r}; "
        f"if it is in one of these formats, name it: {', '.join(format_names())}"
    )
