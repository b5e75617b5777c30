"""The formats of the word2vec tool, text and binary; fastText's ``.vec`` is the text one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.vectors.fields import numeric_tail
from evaluator.vectors.header import LONGEST_HEADER, is_header, parse_header
from evaluator.vectors.lines import Block, Lines
from evaluator.vectors.registry import Loaded, ReadOptions, vector_format
from evaluator.vectors.rows import BadRowError, RowCollector, usable
from evaluator.vectors.source import BOM, Source
from evaluator.vectors.table import Matrix
from evaluator.vectors.textrows import read_rows

BLOCK_BYTES = 1 << 20
LONGEST_WORD = 1 << 16
CONTROL = bytes(set(range(32)) - set(b"\t\n\r"))


def _starts_with_header(head: bytes) -> bool:
    return is_header(head.removeprefix(BOM).partition(b"\n")[0])


def _binary_after_header(head: bytes) -> bool:
    """Tells binary from text; text with errors in it has to pass as text, to be told of them."""
    if not _starts_with_header(head):
        return False
    header, _, body = head.removeprefix(BOM).partition(b"\n")
    enough = min(3, int(header.split()[1]))
    if any(numeric_tail(line) >= enough for line in body.split(b"\n")[:10]):
        return False
    return len(body.translate(None, CONTROL)) < len(body) or not _is_utf8(body)


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(body) - 4 and error.reason == "unexpected end of data"
    return True


@vector_format("word2vec-binary", rank=30, looks_like=_binary_after_header)
def read_binary(source: Source, options: ReadOptions) -> Loaded:
    """A header, then rows of word, space, d little-endian float32, and a newline or none.

    Raises:
        VectorsError: the header, the number of rows, or (unless dropped) a row is wrong.
    """
    file = str(source.path)
    line = source.stream.readline(LONGEST_HEADER)
    header = parse_header(file, "row", line.removesuffix(b"\n"))
    row_bytes = 4 * header.dimension + 1
    capacity = header.capacity(source.size, row_bytes, options)
    rows = RowCollector(file, "row", header.dimension, options, capacity)
    blocks = BinaryBlocks(file, source.stream, header.dimension)
    read = 0
    for words, matrix, good in blocks:
        end = len(matrix) if options.limit is None else min(len(matrix), options.limit - read)
        numbers = range(read + 1, read + end + 1)
        header.check_more(read, numbers, options)
        if end == len(matrix) and good.all():
            rows.add_usable(numbers, words, b" ", matrix)
        else:
            rows.add(numbers, words.split(b" ")[:end], matrix[:end])
        read += end
        if options.limit is not None and read >= options.limit:
            return rows.finish()
    if blocks.rest:
        header.check_more(read, [read + 1], options)
        cut = "the file ends within this row: it is cut off, or the header is wrong"
        advice = 'Fetch it again, or take what is there with bad_rows="drop" (--bad-rows drop).'
        rows.reject(read + 1, BadRowError(cut, advice=advice))
    header.check_fewer(read, options)
    return rows.finish()


class BinaryBlocks:
    """Iterates over the rows of a binary file in blocks.

    Attributes:
        rest: what is left at the end of the file and is no whole row.
    """

    def __init__(self, file: str, stream: BinaryIO, dimension: int) -> None:
        """Prepares to read ``stream`` from where it stands; ``file`` is its name in messages."""
        self.rest = b""
        self._file = file
        self._stream = stream
        self._dimension = dimension
        self._rows = 0

    def __iter__(self) -> Iterator[tuple[bytes, Matrix, npt.NDArray[np.bool_]]]:
        """Yields blocks of a few MiB: words with a space after each, float32 of shape (n, d), usable (n,).

        Raises:
            VectorsError: a word does not end.
        """
        size = max(BLOCK_BYTES, 8 * self._dimension)
        split = None
        while chunk := self._stream.read(size):
            data = self.rest + chunk
            # A file that one block holds is not worth loading a compiler for.
            if split is None:
                split = _split_compiled if len(chunk) == size else _split
            words, matrix, good, end, endless = split(data, self._dimension)
            self._rows += len(matrix)
            if endless:
                raise self._no_word()
            self.rest = data[end:]
            yield words, matrix, good
        self.rest = self.rest.strip(b"\r\n")

    def _no_word(self) -> VectorsError:
        return VectorsError(
            f"{self._file}, row {self._rows + 1}: no word ends here, so the rows do not have the length "
            "that the header says. Check the dimension in the header, or fetch the file again."
        )


_Parts = tuple[bytes, Matrix, npt.NDArray[np.bool_], int, bool]


def _split(data: bytes, dimension: int) -> _Parts:
    """Parts binary rows; what it returns is explained at ``compiled.split_binary``."""
    words, vectors = [], []
    position = 0
    while True:
        # The original tool writes a newline after each vector, most others do not.
        start = position + (data[position : position + 1] == b"\n")
        space = data.find(b" ", start, start + LONGEST_WORD)
        end = space + 1 + 4 * dimension
        if space < 0 or end > len(data):
            break
        words.append(data[start : space + 1])
        vectors.append(data[space + 1 : end])
        position = end
    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, dimension)
    endless = space < 0 and len(data) - start >= LONGEST_WORD
    return b"".join(words), matrix, usable(matrix), position, endless


def _split_compiled(data: bytes, dimension: int) -> _Parts:
    from evaluator.vectors.compiled import split_binary

    matrix, good, words, end, endless = split_binary(np.frombuffer(data, np.uint8), dimension, LONGEST_WORD)
    return words.tobytes(), matrix, good, end, endless


@vector_format("word2vec-text", rank=40, looks_like=_starts_with_header)
def read_text(source: Source, options: ReadOptions) -> Loaded:
    """A header, then lines of a word and d numbers.

    Raises:
        VectorsError: the header, the number of rows, or (unless dropped) a row is wrong.
    """
    file = str(source.path)
    blocks = Lines(file, source.stream).blocks()
    first = next(blocks, Block(np.zeros(0, np.uint8)))
    line, first = first.without_first()
    header = parse_header(file, "line", line)
    size = None if source.size is None else source.size + 1  # the last newline may be missing
    capacity = header.capacity(size, 2 * header.dimension + 2, options)
    rows = RowCollector(file, "line", header.dimension, options, capacity)
    read_rows(chain([first], blocks), rows, header.dimension, options, header)
    return rows.finish()
