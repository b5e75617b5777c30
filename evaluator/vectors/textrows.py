r"""Rows of text: a word, then d numbers, parted by spaces or tabs.

Lines end at "\n" only and fields are parted by ASCII space and tab only, because words may hold
anything else: no-break spaces, line separators, form feeds. Words may hold spaces as well ("New
York"; ". . ." in GloVe), so numbers are counted from the right.

Numbers become what ``np.float32(float(text))`` gives, to the last bit.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from evaluator.errors import VectorsError
from evaluator.vectors.header import Header
from evaluator.vectors.registry import ReadOptions
from evaluator.vectors.rows import ADVICE, BadRowError, RowCollector, show
from evaluator.vectors.source import BOM
from evaluator.vectors.table import Matrix

BLOCK_BYTES = 1 << 20
LONGEST_LINE = 1 << 26

NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan(?:\([\w]*\))?|inf(?:inity)?)",
    re.IGNORECASE,
)
PLAIN_NUMBERS = b"0123456789+-.eE "
FIELD = re.compile(rb"[^ \t]+")


class Lines:
    """The lines of a stream, numbered from 1, in blocks; a byte order mark is taken off.

    Attributes:
        complete: False once the stream has ended within a line, that is without a newline.
    """

    def __init__(self, file: str, stream: BinaryIO) -> None:
        """Prepares to read ``stream`` from where it stands; ``file`` is its name in messages."""
        self.complete = True
        self._file = file
        self._stream = stream

    def blocks(self) -> Iterator[list[tuple[int, bytes]]]:
        """Yields lists of (number, line without newline), about 1 MiB together; blank lines left out.

        Raises:
            VectorsError: a line is longer than 64 MiB.
        """
        number = 1
        rest = b""
        while chunk := self._stream.read(BLOCK_BYTES):
            block = rest + (chunk.removeprefix(BOM) if number == 1 and not rest else chunk)
            end = block.rfind(b"\n")
            if end < 0 and len(block) > LONGEST_LINE:
                raise VectorsError(
                    f"{self._file}, line {number}: longer than {LONGEST_LINE >> 20} MiB, so this is "
                    "no text file of vectors. Name its format if it is a binary one."
                )
            if end >= 0:
                lines = block[:end].split(b"\n")
                yield _numbered(number, lines)
                number += len(lines)
            rest = block[end + 1 :]
        if rest:
            self.complete = False
            yield _numbered(number, [rest])


def _numbered(first: int, lines: list[bytes]) -> list[tuple[int, bytes]]:
    return [(number, line) for number, line in enumerate(lines, first) if line.strip(b" \t\r")]


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


def parse_numbers(texts: list[bytes], dimension: int) -> Matrix | None:
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


def read_rows(
    lines: Lines,
    blocks: Iterable[list[tuple[int, bytes]]],
    rows: RowCollector,
    dimension: int,
    options: ReadOptions,
    header: Header | None = None,
) -> None:
    """Reads all rows of a file, or the first ones.

    Args:
        lines: where the blocks come from.
        blocks: numbered lines, from the first row on.
        rows: where the rows go.
        dimension: numbers in a row, d.
        options: what the reader was asked for.
        header: what the file says of itself, if it does.

    Raises:
        VectorsError: a row is bad and bad rows are refused; or there are more or fewer rows than
            the header says, unless bad rows are dropped.
    """
    read = 0
    for block in blocks:
        wanted = block if options.limit is None else block[: options.limit - read]
        if header is not None:
            header.check_more(read, [number for number, _ in wanted], options)
        if header is not None and not lines.complete and read + len(wanted) < header.rows:
            wanted = _without_cut(wanted, read, rows, header)
        add_block(rows, wanted, dimension)
        read += len(block)
        if options.limit is not None and read >= options.limit:
            return
    if header is not None:
        header.check_fewer(read, options)


def _without_cut(
    block: list[tuple[int, bytes]], read: int, rows: RowCollector, header: Header
) -> list[tuple[int, bytes]]:
    """Rejects the last row of a file that breaks off: its last number may lack digits."""
    if block:
        rows.reject(
            block[-1][0],
            BadRowError(
                f"the file ends within this row, row {read + len(block)} of the {header.rows} that "
                "the header says: it is cut off",
                block[-1][1].split(b" ", 1)[0],
                'Fetch it again, or take what is there with bad_rows="drop" (--bad-rows drop).',
            ),
        )
    return block[:-1]


def add_block(rows: RowCollector, numbered: Iterable[tuple[int, bytes]], dimension: int) -> None:
    """Parses lines and adds them to the rows.

    Args:
        rows: where they go.
        numbered: line numbers and lines.
        dimension: d.

    Raises:
        VectorsError: a row is bad, and bad rows are refused.
    """
    numbers, words, texts = [], [], []
    for number, line in numbered:
        try:
            word, text = split_row(line, dimension)
        except BadRowError as bad:
            rows.reject(number, bad)
        else:
            numbers.append(number)
            words.append(word)
            texts.append(text)
    if not texts:
        return
    matrix = parse_numbers(texts, dimension)
    if matrix is not None:
        rows.add(numbers, words, matrix)
    else:
        _add_singly(rows, numbers, words, texts)


def _add_singly(rows: RowCollector, numbers: list[int], words: list[bytes], texts: list[bytes]) -> None:
    """Adds rows one by one, after their block could not be parsed at once."""
    for number, word, text in zip(numbers, words, texts, strict=True):
        try:
            row = parse_row(word, text)
        except BadRowError as bad:
            rows.reject(number, bad)
        else:
            rows.add([number], [word], row)
