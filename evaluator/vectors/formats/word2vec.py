"""The formats of the word2vec tool, text (as `.vec`) and binary; and GloVe's, text without a header."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from evaluator.errors import VectorsError
from evaluator.vectors.files import HEAD_BYTES, INCOMPLETE, LoadOptions, OpenedFile, RowCollector
from evaluator.vectors.foreign import refuse_columns
from evaluator.vectors.reading import HEADER, SAMPLE_LINES
from evaluator.vectors.table import Vectors
from evaluator.vectors.text_rows import BOM, FIELD, is_blank, line_blocks, numeric_tail, read_rows

LONGEST_HEADER = 256
MAX_DIMENSION = 1_000_000


def read_header(file: OpenedFile) -> tuple[int, int, int]:
    """Rows and dimension, from the first line that is not blank; and how many lines come before the rows."""
    line, lines = file.stream.readline(LONGEST_HEADER).removeprefix(BOM), 1
    while line.endswith(b"\n") and is_blank(line[:-1]):
        line, lines = file.stream.readline(LONGEST_HEADER), lines + 1
    match = HEADER.fullmatch(line)
    if match is None:
        raise VectorsError(
            f"{file.path}, line 1: the header must be the number of rows and the dimension, like "
            f'"5000 100", not {line[:40]!r}. If there is no header, use format="glove".'
        )
    rows, dimension = int(match[1]), int(match[2])
    if rows < 1 or not 1 <= dimension <= MAX_DIMENSION:
        raise VectorsError(
            f"{file.path}, line 1: the header says {rows} rows of {dimension} numbers, which cannot be "
            f"(at least 1 of each, dimension up to {MAX_DIMENSION}). Correct it, or fetch the file again."
        )
    return rows, dimension, lines


def _capacity(
    file: OpenedFile, rows: int, dimension: int, row_bytes: int, options: LoadOptions
) -> int | None:
    """How many rows to reserve memory for, checked against the size of the file."""
    if file.size is None:
        return None
    wanted = rows if options.limit is None else min(rows, options.limit)
    most = max(0, file.size + 1 - file.stream.tell()) // row_bytes  # 1: the last newline may be missing
    if most < 1 or (most < wanted and not options.drop):
        raise VectorsError(
            f"{file.path}, line 1: the header says {rows} rows of {dimension} numbers, but a "
            f"file of this size has at most {most}: the file is truncated or the header wrong. {INCOMPLETE}"
        )
    return min(wanted, most)


def read_word2vec_text(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A header, then lines of a word and d numbers."""
    number, dimension, lines = read_header(file)
    capacity = _capacity(file, number, dimension, 2 * dimension + 2, options)
    rows = RowCollector(file.path, "line", dimension, options, number, capacity)
    _check_columns(file, dimension, lines)
    read_rows(file, line_blocks(file.stream), rows, dimension, lines + 1)
    return rows.finish()


def _check_columns(file: OpenedFile, dimension: int, before: int) -> None:
    """Refuse a table with other columns than a word and its numbers, going by the first rows."""
    sample = []
    whole = file.head[: file.head.rfind(b"\n") + 1] if len(file.head) == HEAD_BYTES else file.head
    lines = whole.split(b"\n")[: before + SAMPLE_LINES]
    for number, line in enumerate(lines[before:], before + 1):
        found = list(FIELD.finditer(line.rstrip(b" \t\r")))
        if len(found) > dimension:
            word = line[: found[-dimension].start()].strip(b" \t")
            sample.append((number, word, [field.group() for field in found[-dimension:]]))
    refuse_columns(str(file.path), sample)


def read_glove(file: OpenedFile, options: LoadOptions) -> Vectors:
    """Lines of a word and d numbers; most of the first 100 lines end in d numbers."""
    blocks = line_blocks(file.stream)
    first = next(blocks, b"")
    sample = [line for line in first.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES] if not is_blank(line)]
    lengths = Counter(map(numeric_tail, sample))
    dimension = lengths.most_common(1)[0][0] if lengths else 0
    if dimension < 1:
        raise VectorsError(
            f"{file.path}, line 1: no numbers after the word, so this is not a GloVe file. "
            "Check the file, or name another format."
        )
    _check_columns(file, dimension, 0)
    rows = RowCollector(file.path, "line", dimension, options)
    read_rows(file, chain([first], blocks), rows, dimension)
    return rows.finish()


def read_word2vec_binary(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A header, then rows of word, space, d little-endian float32, and a newline or none."""
    from evaluator.vectors.formats.binary_rows import other_numbers, read_binary_rows

    number, dimension, _ = read_header(file)
    sample = file.head[file.stream.tell() :]
    if other := other_numbers(sample, number, dimension, options.encoding):
        raise VectorsError(
            f"{file.path}: its numbers look like {other}, and the format has little-endian float32. Write "
            'them so: matrix.astype("<f4").'
        )
    capacity = _capacity(file, number, dimension, 4 * dimension + 1, options)
    return read_binary_rows(file, options, number, dimension, capacity)
