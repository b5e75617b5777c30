r"""The text of one row: a word, then d numbers, parted by spaces or tabs.

Fields are parted by ASCII space and tab only, because words may hold anything else: no-break spaces, line
separators, form feeds. Words may hold spaces as well ("New York"; ". . ." in GloVe), so numbers are counted
from the right.

Numbers become what ``np.float32(float(text))`` gives, to the last bit.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np

from evaluator.vectors.rows import ADVICE, BadRowError, show
from evaluator.vectors.table import Matrix

NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan(?:\([\w]*\))?|inf(?:inity)?)",
    re.IGNORECASE,
)
PLAIN_NUMBERS = b"0123456789+-.eE "
FIELD = re.compile(rb"[^ \t]+")


def numeric_tail(line: bytes) -> int:
    """How many fields at the end of a line are numbers, its first field not counted."""
    count = 0
    for field in reversed(FIELD.findall(line.rstrip(b" \t\r"))[1:]):
        if not NUMBER.fullmatch(field):
            break
        count += 1
    return count


def split_row(line: bytes, dimension: int) -> tuple[bytes, bytes]:
    """Parts a line into its word and the text of its numbers, single spaces between them.

    Raises:
        BadRowError: the line has not ``dimension`` numbers after a word.
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
    """Tells too many numbers from a word with spaces.

    "windows 10 0.12 0.34" is a word of two parts and two numbers; "windows 0.11 0.12 0.34" is a
    word and one number too many. So a part that is written like the row's own numbers is a number.
    """
    whole = not any(set(value) & set(b".eE") for value in values)
    extra = [
        part
        for part in FIELD.findall(word)[1:]
        if NUMBER.fullmatch(part) and part[-1:].isdigit() and (whole or set(part) & set(b".eE"))
    ]
    if extra:
        raise BadRowError(
            f"more than the {len(values)} numbers expected: {show(extra[0])} looks like one more",
            FIELD.findall(word)[0],
            'If it belongs to the word, join them with "_". Otherwise correct the row, or leave '
            'bad rows out with bad_rows="drop".',
        )


def parse_numbers(texts: Sequence[bytes], dimension: int) -> Matrix | None:
    """Parses the numbers of many rows at once.

    Args:
        texts: of each row, ``dimension`` fields with single spaces between them.
        dimension: d.

    Returns:
        float32, shape (len(texts), d); or None if anything is not a plain decimal number.
    """
    joined = b" ".join(texts)
    if joined.translate(None, PLAIN_NUMBERS):
        return None
    try:
        with warnings.catch_warnings():
            # What newer numpy raises for text that is no number, older numpy only warns of.
            warnings.simplefilter("error", DeprecationWarning)
            flat = np.fromstring(joined, dtype=np.float32, sep=" ")
    except (DeprecationWarning, ValueError):
        return None
    # No field is empty and all text was used, so the count is right only if each field is one
    # number: "1-2" would be two.
    return flat.reshape(-1, dimension) if flat.size == len(texts) * dimension else None


def parse_row(word: bytes, text: bytes) -> Matrix:
    """Parses the numbers of one row, shape (1, d), with NaN and infinity allowed.

    Raises:
        BadRowError: a field is no number.
    """
    fields = text.split(b" ")
    row = parse_numbers([text], len(fields))
    if row is not None:
        return row
    for place, field in enumerate(fields, start=1):
        if not NUMBER.fullmatch(field):
            problem = f"{show(field)}, number {place} of {len(fields)}, is no number"
            hint = "Write it with a decimal point. " if b"," in field else ""
            raise BadRowError(problem, word, hint + ADVICE)
    values = [float(field.partition(b"(")[0]) for field in fields]
    with np.errstate(over="ignore"):
        return np.array([values], dtype=np.float64).astype(np.float32)
