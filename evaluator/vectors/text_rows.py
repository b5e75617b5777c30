r"""The rows of text formats: a compiled loop parses blocks of plain lines, the careful parser all others.

A plain line is a word without spaces, and d finite decimal numbers, with one space before each. In others
only ASCII spaces and tabs separate fields, because words may contain anything else, such as line separators.
Words may contain spaces as well ("New York"; ". . ." in GloVe), so numbers are counted from the end of the
line. Numbers become what `np.float32(float(text))` gives, to the last bit.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from itertools import repeat
from typing import BinaryIO

import numpy as np

from evaluator.errors import VectorsError
from evaluator.execution.machine import cores
from evaluator.vectors.files import OpenedFile, RowCollector
from evaluator.vectors.table import ADVICE, DROP, BadRowError, Matrix, show

BOM = b"\xef\xbb\xbf"
BLOCK_BYTES = 1 << 22
LARGE = 3 << 23
"""From so many bytes on, loading numba and the compiled loop takes less time than it saves."""
LARGE_IF_LOADED = 1 << 20
"""The same where numba is loaded, as by the score of another model."""
LONGEST_LINE = 1 << 26
NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan(?:\([\w]*\))?|inf(?:inity)?)",
    re.IGNORECASE,
)
PLAIN_NUMBERS = b"0123456789+-.eE "
FIELD = re.compile(rb"[^ \t]+")


PlainRows = tuple[list[bytes], Matrix]
"""The words of some rows, and their numbers, float32 of shape (n, d)."""

SplitRow = tuple[int, bytes, bytes]
"""The number of a line, its word, and the text of its numbers with single spaces between them."""


def line_blocks(stream: BinaryIO) -> Iterator[bytes]:
    r"""Blocks of a few MiB of whole lines; the last one may lack its newline, the first one loses a BOM.

    Lines end at "\n" only, because words may contain any other character that ends a line elsewhere.
    """
    if stream.tell() == 0 and stream.read(len(BOM)) != BOM:
        stream.seek(0)
    while block := stream.read(BLOCK_BYTES):
        yield block if block.endswith(b"\n") else block + stream.readline(LONGEST_LINE)


def read_rows(
    file: OpenedFile, blocks: Iterator[bytes], rows: RowCollector, dimension: int, first_line: int = 1
) -> None:
    """Read all rows of a text file, or the first ones."""
    # Text that is compressed is about three times as long.
    size = 3 * file.path.stat().st_size if file.size is None else file.size
    large = size >= LARGE or ("numba" in sys.modules and size >= LARGE_IF_LOADED)
    ahead = closing(_parse_ahead(blocks, dimension)) if large else nullcontext(zip(blocks, repeat(None)))
    with ahead as parsed:
        for block, plain in parsed:
            if len(block) >= BLOCK_BYTES + LONGEST_LINE:
                number = first_line + block.count(b"\n")
                raise VectorsError(
                    f"{file.path}, line {number}: longer than {LONGEST_LINE >> 20} MiB, so this is not a "
                    "text file of vectors. Name its format if it is a binary one."
                )
            first_line += _add_block(rows, block, plain, dimension, first_line)
            if rows.complete:
                return


def _add_block(
    rows: RowCollector, block: bytes, plain: PlainRows | None, dimension: int, first_line: int
) -> int:
    """Add the rows of a block, as many as are wanted, and say how many lines it has."""
    lines: list[tuple[int, bytes]] = []
    if plain is None:
        every = block.removesuffix(b"\n").split(b"\n")
        lines = [entry for entry in enumerate(every, first_line) if not is_blank(entry[1])]
        numbers, count = [number for number, _ in lines], len(every)
    else:
        count = len(plain[0])
        numbers = list(range(first_line, first_line + count))
    wanted = rows.take(len(numbers))
    last = block[block.rfind(b"\n") + 1 :]
    is_cut = not is_blank(last) and wanted == len(numbers) and rows.read < (rows.expected or 0)
    added = wanted - 1 if is_cut else wanted
    if plain is None:
        add_lines(rows, lines[:added], dimension)
    else:
        rows.add(numbers[:added], plain[0][:added], plain[1][:added])
    if is_cut:
        rows.reject(numbers[-1], _cut_row(rows, last))
    rows.check_more(numbers[wanted:])
    return count


def _cut_row(rows: RowCollector, line: bytes) -> BadRowError:
    """The complaint about the last row of a file that breaks off: its last number may lack digits."""
    problem = (
        f"the file ends within this row, row {rows.read} of the {rows.expected} that the header says: "
        "it is cut off"
    )
    advice = f"Fetch it again, or read the rows that are there {DROP}."
    return BadRowError(problem, line.split(b" ", 1)[0], advice)


def _parse_ahead(blocks: Iterator[bytes], dimension: int) -> Generator[tuple[bytes, PlainRows | None]]:
    """Parse several blocks at a time, and yield them in order; an error of reading is raised in its turn."""
    waiting: deque[tuple[bytes, Future[PlainRows | None]]] = deque()
    failure: Exception | None = None
    threads = cores()
    with ThreadPoolExecutor(threads) as pool:
        while failure is None:
            try:
                block = next(blocks)
            except StopIteration:
                break
            except Exception as error:  # raised below
                failure = error
            else:
                waiting.append((block, pool.submit(_parse_plain, block, dimension)))
            if len(waiting) > threads:
                block, parsed = waiting.popleft()
                yield block, parsed.result()
        for block, parsed in waiting:
            yield block, parsed.result()
    if failure is not None:
        raise failure


def _parse_plain(block: bytes, dimension: int) -> PlainRows | None:
    """Parse a block with the compiled loop; None if a line is not plain."""
    from evaluator.vectors.loops import read_lines

    block = _with_plain_ends(block)
    count = block.count(b"\n")
    ends = np.empty((count, 2), dtype=np.int64)
    matrix = np.empty((count, dimension), dtype=np.float32)
    if not read_lines(np.frombuffer(block, dtype=np.uint8), ends, matrix):
        return None
    return [block[start:end] for start, end in ends.tolist()], matrix


def _with_plain_ends(block: bytes) -> bytes:
    """Take away spaces and carriage returns at the ends of lines, if they are those of the first line."""
    if not block.endswith(b"\n"):
        block += b"\n"
    first = block[: block.index(b"\n")]
    end = re.search(rb"[ \t]*\r?\Z", first)
    return block.replace(end[0] + b"\n", b"\n") if end and end[0] else block


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
    """Parse lines, none of which is blank, and add them to the rows of a file."""
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
    """Split a line into its word and the text of its numbers, with single spaces between them."""
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
    """The numbers of many rows, shape (n, d); None if anything is not a plain decimal number.

    Each text has d fields with single spaces between them.
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
    """Parse the numbers of one row, shape (1, d); NaN and infinity are allowed."""
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
