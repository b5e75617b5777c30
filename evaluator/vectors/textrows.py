"""Rows of text, shared by the text formats: blocks of lines are parsed side by side and collected in order.

Most lines are plain and are parsed by compiled code; the others, and all lines of small files, by ``fields``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice, pairwise

import numpy as np
import numpy.typing as npt

from evaluator.vectors.fields import parse_numbers, parse_row, split_row
from evaluator.vectors.header import Header
from evaluator.vectors.lines import Block, is_blank
from evaluator.vectors.registry import ReadOptions
from evaluator.vectors.rows import BadRowError, RowCollector
from evaluator.vectors.table import Matrix

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """The lines of a block that are not blank; the plain ones are parsed already.

    Attributes:
        numbers: the number of each line, counted from 0 at the start of the block, shape (n,).
        spans: where each starts and ends in the data of the block, shape (n, 2).
        plain: which are parsed, shape (n,).
        values: the numbers of the parsed ones, float32, shape (parsed, d).
        words: the words of the parsed ones, a newline after each.
        count: how many lines there are, blank ones included.
        block: where they come from.
    """

    numbers: Ints
    spans: Ints
    plain: npt.NDArray[np.bool_]
    values: Matrix
    words: bytes
    count: int
    block: Block

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self.numbers)

    def line(self, row: int) -> bytes:
        """The text of one of them, without its newline."""
        start, end = self.spans[row]
        return self.block.data[start:end].tobytes()


def _parse_block(block: Block, dimension: int) -> Rows:
    """Parses the lines that are plain; without the interpreter's lock, so it can run in threads."""
    from evaluator.vectors.compiled import parse_lines

    lines, plain, values, words, count = parse_lines(block.data, dimension)
    return Rows(lines[:, 0], lines[:, 1:], plain, values, words.tobytes(), count, block)


def _find_lines(block: Block, dimension: int) -> Rows:
    """The same with no line parsed, for files too small to load a compiler for."""
    ends = np.flatnonzero(block.data == ord("\n"))
    spans = np.column_stack((np.append(0, ends + 1)[:-1], ends))
    kept = [row for row, (start, end) in enumerate(spans) if not is_blank(block.data[start:end].tobytes())]
    rows = np.array(kept, dtype=np.int64)
    unparsed = np.zeros(len(rows), dtype=np.bool_), np.zeros((0, dimension), np.float32), b""
    return Rows(rows, spans[rows], *unparsed, len(ends), block)


def _parse_blocks(blocks: Iterator[Block], dimension: int, threads: int) -> Generator[Rows]:
    """Parses blocks, several at a time, and yields them in their order."""
    first = list(islice(blocks, 1))
    blocks = chain(first, blocks)
    if not any(block.large for block in first):
        yield from (_find_lines(block, dimension) for block in blocks)
    elif threads == 1:
        yield from (_parse_block(block, dimension) for block in blocks)
    else:
        with ThreadPoolExecutor(threads) as pool:
            yield from _parse_in_threads(pool, blocks, dimension, threads)


def _parse_in_threads(
    pool: ThreadPoolExecutor, blocks: Iterator[Block], dimension: int, threads: int
) -> Iterator[Rows]:
    """Reads some blocks ahead; an error in reading them is raised only when their turn has come."""
    waiting: deque[Future[Rows]] = deque()
    failure: Exception | None = None
    while failure is None:
        try:
            waiting.append(pool.submit(_parse_block, next(blocks), dimension))
        except StopIteration:
            break
        except Exception as error:  # raised below
            failure = error
        if len(waiting) > threads:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
    if failure is not None:
        raise failure


def read_rows(
    blocks: Iterator[Block],
    rows: RowCollector,
    dimension: int,
    options: ReadOptions,
    header: Header | None = None,
) -> None:
    """Reads all rows of a file, or the first ones.

    Args:
        blocks: the lines, from the first row on.
        rows: where the rows go.
        dimension: numbers in a row, d.
        options: what the reader was asked for.
        header: what the file says of itself, if it does.

    Raises:
        VectorsError: a row is bad and bad rows are refused; or there are more or fewer rows than
            the header says, unless bad rows are dropped.
    """
    read, before = 0, 0
    with closing(_parse_blocks(blocks, dimension, options.threads)) as parsed:
        for block in parsed:
            before += block.block.before
            numbers = (block.numbers + before + 1).tolist()
            wanted = len(block) if options.limit is None else min(len(block), options.limit - read)
            if header is not None:
                header.check_more(read, numbers[:wanted], options)
                if not block.block.complete and wanted > 0 and read + wanted < header.rows:
                    wanted -= 1
                    _reject_cut(rows, block, numbers[-1], read + len(block), header)
            _add(rows, block, numbers[:wanted], dimension)
            read += len(block)
            before += block.count
            if options.limit is not None and read >= options.limit:
                return
    if header is not None:
        header.check_fewer(read, options)


def _reject_cut(rows: RowCollector, block: Rows, number: int, row: int, header: Header) -> None:
    """Rejects the last row of a file that breaks off: its last number may lack digits."""
    problem = (
        f"the file ends within this row, row {row} of the {header.rows} that the header says: it is cut off"
    )
    advice = 'Fetch it again, or take what is there with bad_rows="drop" (--bad-rows drop).'
    word = block.line(len(block) - 1).split(b" ", 1)[0]
    rows.reject(number, BadRowError(problem, word, advice))


def _add(rows: RowCollector, block: Rows, numbers: list[int], dimension: int) -> None:
    """Adds the first rows of a block, as many as there are numbers, parsing those that are not parsed yet."""
    count = len(numbers)
    plain = block.plain[:count]
    if count == len(block) and plain.all():
        rows.add_usable(numbers, block.words, b"\n", block.values)
        return
    words = block.words.split(b"\n")
    parsed = 0
    for start, stop in pairwise([0, *(np.flatnonzero(np.diff(plain)) + 1).tolist(), count]):
        if plain[start:stop].any():
            end = parsed + stop - start
            rows.add(numbers[start:stop], words[parsed:end], block.values[parsed:end])
            parsed = end
        else:
            lines = map(block.line, range(start, stop))
            _add_lines(rows, zip(numbers[start:stop], lines, strict=True), dimension)


def _add_lines(rows: RowCollector, numbered: Iterable[tuple[int, bytes]], dimension: int) -> None:
    """Parses lines and adds them to the rows.

    Args:
        rows: where they go.
        numbered: line numbers and lines.
        dimension: d.

    Raises:
        VectorsError: a row is bad, and bad rows are refused.
    """
    split: list[tuple[int, bytes, bytes]] = []
    for number, line in numbered:
        try:
            split.append((number, *split_row(line, dimension)))
        except BadRowError as bad:
            # What comes before it goes first, so that the first bad row of a file is the one that is told.
            _add_split(rows, split, dimension)
            split = []
            rows.reject(number, bad)
    _add_split(rows, split, dimension)


def _add_split(rows: RowCollector, split: list[tuple[int, bytes, bytes]], dimension: int) -> None:
    """Adds rows of number, word and text; at once if they can be parsed at once."""
    if not split:
        return
    numbers, words, texts = zip(*split, strict=True)
    matrix = parse_numbers(texts, dimension)
    if matrix is not None:
        rows.add(numbers, words, matrix)
    else:
        _add_singly(rows, split)


def _add_singly(rows: RowCollector, split: list[tuple[int, bytes, bytes]]) -> None:
    """Adds rows one by one, after they could not be parsed at once."""
    for number, word, text in split:
        try:
            row = parse_row(word, text)
        except BadRowError as bad:
            rows.reject(number, bad)
        else:
            rows.add([number], [word], row)
