"""The rows of word2vec's binary format; where they end, only a word's space and the dimension say.

A word with a space looks as if it ended there: the rest of it becomes numbers, and the end of its numbers a
part of the next word. The original tool writes a newline after each row, by which such words are found; other
programs do not, and then a file that has such words is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile, RowCollector
from evaluator.vectors.formats.binary_words import LONGEST_WORD, AlignmentError, Rows, WordChecks, is_text
from evaluator.vectors.table import DROP, BadRowError, Matrix, Vectors, show

BLOCK_BYTES = 1 << 20
_SAMPLE = 10
_FEWEST = 8  # so many different numbers show what type they are of, in rows that are whole
_MANY = 100  # so many show it where some of the rows are not there
_OTHER = {
    ">f4": "big-endian float32",
    "<f8": "float64",
    ">f8": "big-endian float64",
    "<f2": "float16",
    ">f2": "float16",
}


def other_numbers(data: bytes, rows: int, dimension: int, encoding: str) -> str:
    """What numbers a file has, going by its first rows, if not little-endian float32; else ""."""
    if _sound(data, rows, dimension, "<f4", encoding):
        return ""
    return next((name for kind, name in _OTHER.items() if _sound(data, rows, dimension, kind, encoding)), "")


def read_binary_rows(
    file: OpenedFile, options: LoadOptions, number: int, dimension: int, capacity: int | None
) -> Vectors:
    """The rows after a header, which says how many there are, and d.

    Raises:
        VectorsError: A row is bad, and bad rows are refused; or it is not certain where rows end.
    """
    chunk = file.stream.read(max(BLOCK_BYTES, 16 * dimension))
    newlines = _end_with_newline(chunk, dimension, options.encoding)
    checks = WordChecks(options.encoding, number, strict=options.drop and not newlines)
    rows = RowCollector(file.path, "row", dimension, options, number, capacity, aligned=newlines)
    try:
        ended, rest = _add_rows(file, chunk, rows, checks, newlines=newlines)
        if rest and not rows.complete:
            if not rows.take(1):
                rows.check_more([rows.read + 1])
            problem = "the file ends within this row: it is cut off, or the header is wrong"
            advice = f"Fetch it again, or read the rows that are there {DROP}."
            rows.reject(rows.read, BadRowError(problem, advice=advice))
        checks.settle(ended=ended, left=bool(rest))
    except AlignmentError as error:
        problem = f"{file.path}, row {error.row + 1}: {error.problem}. {error.advice}"
        raise VectorsError(problem) from error
    return rows.finish()


def _add_rows(
    file: OpenedFile, chunk: bytes, rows: RowCollector, checks: WordChecks, *, newlines: bool
) -> tuple[bool, bytes]:
    """Read rows, of which the first bytes are known; whether to the end of the file, and what is left there.

    Where rows are dropped the file is read to its end, also beyond those that were asked for.
    """
    rest, last = b"", False
    while not last and not (rows.complete and not (checks.strict and rows.dropped)):
        last = not chunk
        words, matrix, rest = _split_rows(rest + chunk, rows.dimension, checks, newlines=newlines, last=last)
        numbers = range(rows.read + 1, rows.read + len(words) + 1)
        wanted = rows.take(len(numbers))
        rows.add(numbers[:wanted], words[:wanted], matrix[:wanted])
        if numbers[wanted:]:
            checks.settle()
        rows.check_more(numbers[wanted:])
        chunk = file.stream.read(max(BLOCK_BYTES, 8 * rows.dimension))
        if len(rest) > LONGEST_WORD and b" " not in rest[: LONGEST_WORD + 1]:
            raise VectorsError(
                f"{file.path}, row {rows.read + 1}: no word ends here, so the rows do not have the "
                "length that the header says. Check the dimension in the header, or fetch the file again."
            )
    return last, rest.strip(b"\r\n")


def _end_with_newline(data: bytes, dimension: int, encoding: str) -> bool:
    """Whether a newline follows each row, going by the first two."""
    first = next(_ends(data, 0, dimension, encoding), len(data))
    after = first + 2 + 4 * dimension
    if data[after - 1 : after] != b"\n":
        return False
    # A later space than the first is only believed if the next row fits, too.
    return first == data.find(b" ") or after == len(data) or any(_ends(data, after, dimension, encoding))


def _split_rows(
    data: bytes, dimension: int, checks: WordChecks, *, newlines: bool, last: bool
) -> tuple[list[bytes], Matrix, bytes]:
    """The words of whole rows, their numbers, shape (n, d), and what is left after them.

    Args:
        data: The file from the start of a row on.
        dimension: d.
        checks: What is known of the rows before these; words are checked if rows do not end with a newline.
        newlines: Whether rows end with a newline.
        last: Whether the data go to the end of the file.

    Raises:
        AlignmentError: A word has a space, and there is no newline to find its end by; or a row has no end.
    """
    spaces = _first_spaces(data, dimension, newlines=newlines, last=last)
    starts, words = _words(data, spaces, dimension, newlines=newlines)
    if newlines and not (_end_with_newlines(data, starts) and _all_text(b"".join(words), checks.encoding)):
        spaces = _realigned(data, dimension, checks, last=last)
        starts, words = _words(data, spaces, dimension, newlines=True)
    if not last:  # how a row ends is certain when the next word is known
        spaces, starts, words = spaces[:-1], starts[: len(words)], words[:-1]
    if not words:
        return [], np.empty((0, dimension), dtype=np.float32), data
    windows = sliding_window_view(np.frombuffer(data, np.uint8), 4 * dimension)
    rows = windows[np.array(spaces, dtype=np.int64) + 1]
    if not newlines:
        checks.check(Rows(data, starts, spaces, rows))
    checks.before += len(words)
    return words, rows.view("<f4"), data[starts[-1] :]


def _first_spaces(data: bytes, dimension: int, *, newlines: bool, last: bool) -> list[int]:
    """Where the first space of each row is, if no word has one."""
    found: list[int] = []
    position, find = 0, data.find
    step = 1 + 4 * dimension + newlines
    most = len(data) - 1 - 4 * dimension - (newlines and not last)
    while 0 <= (space := find(b" ", position, position + LONGEST_WORD)) <= most:
        found.append(space)
        position = space + step
    return found


def _words(
    data: bytes, spaces: list[int], dimension: int, *, newlines: bool
) -> tuple[list[int], list[bytes]]:
    """Where each row starts, and the next one; and the words, which end before these spaces."""
    step = 1 + 4 * dimension + newlines
    starts = [0, *[space + step for space in spaces]]
    return starts, [data[start:space] for start, space in zip(starts, spaces, strict=False)]


def _end_with_newlines(data: bytes, starts: list[int]) -> bool:
    """Whether there is a newline before each start; the last row of a file may lack its own."""
    ends = np.array(starts[1:], dtype=np.int64) - 1
    return bool((np.frombuffer(data, np.uint8)[ends[ends < len(data)]] == 10).all())


def _realigned(data: bytes, dimension: int, checks: WordChecks, *, last: bool) -> list[int]:
    """The space after each word, where words may have spaces and newlines, and rows end with a newline."""
    found: list[tuple[int, int]] = []
    position, size, encoding = 0, 4 * dimension, checks.encoding
    while True:
        space = data.find(b" ", position, position + LONGEST_WORD)
        end = space + 1 + size
        if space < 0 or end > len(data) or (end == len(data) and not last):
            return [space for _, space in found]
        aligned = end == len(data) or data[end] == 10
        if not aligned or not is_text(data[position:space], encoding):
            # Either this word has spaces, or the one before it, which then ends within its numbers.
            before = _within(data, found[-1], position, dimension, encoding) if found else []
            own = [] if aligned else list(_ends(data, position, dimension, encoding, space))
            own = [end for end in own if b"\n" not in data[position:end]] or own
            if aligned and not before:
                own = [space]
            if len(before) + len(own) != 1:
                what = (
                    "more than one end fits" if before else "no newline follows its numbers, as in other rows"
                )
                word = show(data[position:space], encoding)
                problem = f"the end of the row of {word} cannot be found: {what}"
                raise AlignmentError(checks.before + len(found), problem)
            if before:
                position, _ = found.pop()
            space = (before or own)[0]
        found.append((position, space))
        position = space + 2 + size


def _within(data: bytes, row: tuple[int, int], end: int, dimension: int, encoding: str) -> list[int]:
    """Where the word of a row may end instead, if the row as it was read ends within its numbers."""
    others = _ends(data, row[0], dimension, encoding, row[1])
    return [each for each in others if each < end - 1]


def _ends(data: bytes, start: int, dimension: int, encoding: str, after: int = -1) -> Iterator[int]:
    """The spaces after which a row can have its numbers and then a newline: the first, and others in text."""
    size, first = 4 * dimension, data.find(b" ", start, start + LONGEST_WORD)
    space = max(first, after + 1) if first >= 0 else -1
    while (space := data.find(b" ", space, start + LONGEST_WORD)) >= 0:
        if space > first and not is_text(data[start:space].replace(b"\n", b""), encoding):
            return
        if space + 1 + size == len(data) or data[space + 1 + size : space + 2 + size] == b"\n":
            yield space
        space += 1


def _sound(data: bytes, rows: int, dimension: int, kind: str, encoding: str) -> bool:
    """Whether the first rows have words of text and numbers of a common size, if these are of a type."""
    size, position = dimension * np.dtype(kind).itemsize, 0
    numbers, fewest = set[float](), _FEWEST
    for number in range(min(rows, _SAMPLE)):
        space = data.find(b" ", position, position + LONGEST_WORD)
        end = space + 1 + size
        if space <= position:
            return False
        if end > len(data):  # the sample, or the file, is not longer
            fewest = _FEWEST if kind == "<f4" else _MANY
            break
        with np.errstate(invalid="ignore"):  # a NaN of the kind that signals
            values = np.abs(np.frombuffer(data[space + 1 : end], kind).astype(np.float64))
        values = values[values != 0]
        if not is_text(data[position:space], encoding) or not ((values > 1e-9) & (values < 1e6)).all():
            return False
        numbers.update(values.tolist())
        position = end + (data[end : end + 1] == b"\n")
        if number == rows - 1 and data[position:].strip(b"\r\n"):
            return False  # more follows than the rows that there are
    return len(numbers) >= fewest


def _all_text(joined: bytes, encoding: str) -> bool:
    return not joined or is_text(joined, encoding)
