r"""Rows of text that polars does not read, one by one: a word, then d numbers, separated by spaces or tabs.

Only ASCII spaces and tabs separate fields, because words may contain anything else: no-break spaces, line
separators, form feeds. Words may contain spaces as well ("New York"; ". . ." in GloVe), so numbers are
counted from the end of the line.

Numbers become what `np.float32(float(text))` gives, to the last bit.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from evaluator.vectors.row_checks import ADVICE, DROP, BadRowError, RowCollector, show
from evaluator.vectors.table import Matrix

NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan(?:\([\w]*\))?|inf(?:inity)?)",
    re.IGNORECASE,
)
PLAIN_NUMBERS = b"0123456789+-.eE "
FIELD = re.compile(rb"[^ \t]+")

SplitRow = tuple[int, bytes, bytes]
"""The number of a line, its word, and the text of its numbers with single spaces between them."""


def is_blank(line: bytes) -> bool:
    """Whether a line has nothing but spaces, tabs and carriage returns."""
    return not line.strip(b" \t\r")


def numeric_tail(line: bytes) -> int:
    """How many fields at the end of a line are numbers, not counting its first field."""
    count = 0
    for field in reversed(FIELD.findall(line.rstrip(b" \t\r"))[1:]):
        if not NUMBER.fullmatch(field):
            break
        count += 1
    return count


def add_lines(rows: RowCollector, numbered: Iterable[tuple[int, bytes]], dimension: int) -> None:
    """Parse lines and add them to the rows of a file.

    Args:
        rows: The rows of the file.
        numbered: Line numbers and lines, none of them blank.
        dimension: The number of values in a row, d.

    Raises:
        VectorsError: A row is bad, and bad rows are refused.
    """
    split: list[SplitRow] = []
    for number, line in numbered:
        try:
            split.append((number, *split_row(line, dimension)))
        except BadRowError as bad:
            # The rows before it go first, so that the message is about the first bad row of the file.
            _add_split(rows, split, dimension)
            split = []
            rows.reject(number, bad)
    _add_split(rows, split, dimension)


def _add_split(rows: RowCollector, split: list[SplitRow], dimension: int) -> None:
    """Add rows together if their numbers can be parsed together, one by one otherwise."""
    if not split:
        return
    numbers, words, texts = zip(*split, strict=True)
    matrix = parse_numbers(texts, dimension)
    if matrix is not None:
        rows.add(numbers, words, matrix)
        return
    for number, word, text in split:
        try:
            row = parse_row(word, text)
        except BadRowError as bad:
            rows.reject(number, bad)
        else:
            rows.add([number], [word], row)


def split_row(line: bytes, dimension: int) -> tuple[bytes, bytes]:
    """Split a line into its word and the text of its numbers, with single spaces between them.

    Raises:
        BadRowError: The line does not have `dimension` numbers after a word.
    """
    line = line.removesuffix(b"\r").rstrip(b" \t")
    if line.count(b" ") == dimension and b"\t" not in line and b"  " not in line:
        word, _, numbers = line.partition(b" ")
        return word, numbers
    fields = list(FIELD.finditer(line))
    wordless = line[:1] in {b" ", b"\t"}
    found = len(fields) - (not wordless)
    if found < dimension:
        first = b"" if wordless or not fields else fields[0].group()
        raise BadRowError(f"{found} numbers where {dimension} are expected", first)
    values = [field.group() for field in fields[-dimension:]]
    word = line[: fields[-dimension].start()].rstrip(b" \t")
    _refuse_numbers_in_word(word, values)
    return word, b" ".join(values)


def _refuse_numbers_in_word(word: bytes, values: list[bytes]) -> None:
    """Tell too many numbers from a word with spaces.

    "windows 10 0.12 0.34" is a word with a space and two numbers; "windows 0.11 0.12 0.34" is a word and one
    number too many. So what is written like the row's own numbers is a number.
    """
    whole = not any(set(value) & set(b".eE") for value in values)
    extra = [
        field
        for field in FIELD.findall(word)[1:]
        if NUMBER.fullmatch(field) and field[-1:].isdigit() and (whole or set(field) & set(b".eE"))
    ]
    if extra:
        raise BadRowError(
            f"more than the {len(values)} numbers expected: {show(extra[0])} looks like one more",
            FIELD.findall(word)[0],
            'If it belongs to the word, join them with "_". Otherwise correct the row, or leave bad rows out '
            f"{DROP}.",
        )


def parse_numbers(texts: Sequence[bytes], dimension: int) -> Matrix | None:
    """Parse the numbers of many rows at once.

    Args:
        texts: For each row, `dimension` fields with single spaces between them.
        dimension: The number of values in a row, d.

    Returns:
        float32, shape (len(texts), d); or None if anything is not a plain decimal number.
    """
    joined = b" ".join(texts)
    if joined.translate(None, PLAIN_NUMBERS):
        return None
    try:
        with warnings.catch_warnings():
            # What newer versions of numpy raise for text that is not a number, older ones only warn of.
            warnings.simplefilter("error", DeprecationWarning)
            flat = np.fromstring(joined, dtype=np.float32, sep=" ")
    except (DeprecationWarning, ValueError):
        return None
    # No field is empty and all text was used, so the count is right only if each field is one
    # number: "1-2" would be two.
    return flat.reshape(-1, dimension) if flat.size == len(texts) * dimension else None


def parse_row(word: bytes, text: bytes) -> Matrix:
    """Parse the numbers of one row, shape (1, d); NaN and infinity are allowed.

    Raises:
        BadRowError: A field is not a number.
    """
    fields = text.split(b" ")
    row = parse_numbers([text], len(fields))
    if row is not None:
        return row
    for number, field in enumerate(fields, start=1):
        if not NUMBER.fullmatch(field):
            problem = f"{show(field)}, number {number} of {len(fields)}, is not a number"
            hint = "Write it with a decimal point. " if b"," in field else ""
            raise BadRowError(problem, word, hint + ADVICE)
    values = [float(field.partition(b"(")[0]) for field in fields]
    with np.errstate(over="ignore"):
        return np.array([values], dtype=np.float64).astype(np.float32)
