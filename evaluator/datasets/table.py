"""Rows of fields and the numbers in them, shared by the formats that have a row on a line."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator

from evaluator.datasets.source import DataFile
from evaluator.errors import TestSetError

SPACE = " "
_SPACES = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def rows(document: DataFile, separator: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file that hold something, each with the number of its line, fields stripped.

    Args:
        document: The file.
        separator: A tab, semicolon, comma, or SPACE for any number of spaces; None for the first of these
            that most of the first lines have.

    Yields:
        Line number and fields.

    Raises:
        TestSetError: A quoted field has no end, or no row holds anything.
    """
    separator = separator or separator_of(document.sample)
    found = (
        _quoted_rows(document, separator)
        if separator in ",;"
        else ((number, fields(line, separator)) for number, line in document.lines)
    )
    empty = True
    for number, row in found:
        if any(row):
            empty = False
            yield number, row
    if empty:
        raise TestSetError(f"{document.place}: no row holds anything; fetch or write the file again")


def _quoted_rows(document: DataFile, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((f"{line}\n" for line in document.text.split("\n")), delimiter=separator, strict=True)
    last = 0
    try:
        for row in reader:
            start, last = last + 1, reader.line_num
            yield start, [field.strip() for field in row]
    except csv.Error as error:
        document.fail(last + 1, f"cannot be parted at {separator!r}: {error}; is a quotation mark left open?")


def sample_rows(lines: Iterable[str], separator: str | None = None) -> list[list[str]]:
    """The rows of the first lines of a file, to recognise its format by."""
    lines = list(lines)
    separator = separator or separator_of(lines)
    if separator not in ",;":
        return [fields(line, separator) for line in lines]
    return [[field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)]


def separator_of(lines: list[str]) -> str:
    """The first of tab, semicolon and comma that more than half of the lines have, else SPACE."""
    return next((each for each in "\t;," if most(each in line for line in lines)), SPACE)


def fields(line: str, separator: str) -> list[str]:
    """The fields of a line without quoted fields."""
    parts = _SPACES.split(line.strip(" \t")) if separator == SPACE else line.split(separator)
    return [part.strip() for part in parts]


def number(text: str) -> float | None:
    """A decimal number as people write it, else None: no NaN, no infinity, no `1_000`, no `3,5`."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def most(found: Iterable[bool]) -> bool:
    """Whether more than half are true."""
    answers = list(found)
    return 2 * sum(answers) > len(answers)
