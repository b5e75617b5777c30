"""Rows of fields and the numbers in them, for the formats that have one row per line."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator

from evaluator.datasets.data_files import DataFile
from evaluator.errors import TestSetError

SPACE = " "
_SPACES = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def rows(file: DataFile, separator: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file that are not empty, each with its line number, white space stripped from its fields.

    Args:
        file: The file.
        separator: A tab, semicolon, comma, or SPACE for any number of spaces; None for the first of these
            that most of the first lines contain.

    Yields:
        Line number and fields.

    Raises:
        TestSetError: A quoted field has no end, or all rows are empty.
    """
    separator = separator or separator_of(file.sample)
    found = (
        _quoted_rows(file, separator)
        if separator in ",;"
        else ((number, fields(line, separator)) for number, line in file.lines)
    )
    empty = True
    for number, row in found:
        if any(row):
            empty = False
            yield number, row
    if empty:
        raise TestSetError(f"{file.path}: all rows are empty; fetch or write the file again")


def _quoted_rows(file: DataFile, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((f"{line}\n" for line in file.text.split("\n")), delimiter=separator, strict=True)
    last = 0
    try:
        for row in reader:
            start, last = last + 1, reader.line_num
            yield start, [field.strip() for field in row]
    except csv.Error as error:
        file.fail(
            last + 1, f"cannot be split at {separator!r}: {error}; is a closing quotation mark missing?"
        )


def sample_rows(lines: Iterable[str], separator: str | None = None) -> list[list[str]]:
    """The rows of the first lines of a file, to recognise its format by."""
    lines = list(lines)
    separator = separator or separator_of(lines)
    if separator not in ",;":
        return [fields(line, separator) for line in lines]
    return [[field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)]


def separator_of(lines: list[str]) -> str:
    """The first of tab, semicolon and comma that more than half of the lines contain, else SPACE."""
    return next((each for each in "\t;," if most(each in line for line in lines)), SPACE)


def fields(line: str, separator: str) -> list[str]:
    """The fields of a line without quoted fields."""
    found = _SPACES.split(line.strip(" \t")) if separator == SPACE else line.split(separator)
    return [field.strip() for field in found]


def number(text: str) -> float | None:
    """The value of a decimal number such as `-3.5` or `1e3`; None for other text, such as `nan` or `3,5`."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def most(conditions: Iterable[bool]) -> bool:
    """Whether more than half are true."""
    answers = list(conditions)
    return 2 * sum(answers) > len(answers)
