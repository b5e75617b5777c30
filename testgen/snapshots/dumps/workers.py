"""Extracts from blocks in several worker processes; the results come in the order of the blocks.

One process reads a dump and writes the text of blocks into memory that it shares with the workers: sending
the text through pipes would take as long as unpacking gzip.
"""

from __future__ import annotations

import mmap
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from testgen.errors import SourceError
from testgen.snapshots.dumps.blocks import Block, TextBuffer
from testgen.snapshots.dumps.extraction import Extract, extract
from testgen.snapshots.dumps.required_statements import Requirements
from testgen.snapshots.dumps.statement_filter import StatementFilter
from testgen.system import end_with_parent

_WAITING = 2  # blocks that wait for each worker; more would need more memory


class Extractor:
    """Extracts what is required from blocks, whose text must be in its buffer.

    With one worker, this process does the work itself.
    """

    def __init__(self, requirements: Requirements, workers: int, block_size: int, file: Path) -> None:
        """Reserve memory for blocks; in a file if there are several worker processes, which share it."""
        self._requirements, self.workers, self._file = requirements, workers, file
        if workers == 1:
            self.buffer = TextBuffer(1, block_size)
        else:  # a slot for each waiting block, for the one whose result is next, and for the one being read
            self.buffer = TextBuffer(_WAITING * workers + 2, block_size, file)

    def extract_all(self, blocks: Iterable[Block]) -> Iterator[tuple[Block, Extract]]:
        """Extract from each block, in order. Only some blocks are read ahead.

        Raises:
            SourceError: A worker process died.
        """
        if self.workers == 1:
            filter_ = StatementFilter(self._requirements)
            yield from ((block, _extract(block, filter_, self.buffer.memory)) for block in blocks)
        else:
            yield from self._in_processes(blocks)

    def _in_processes(self, blocks: Iterable[Block]) -> Iterator[tuple[Block, Extract]]:
        waiting: deque[tuple[Block, Future[Extract]]] = deque()
        with ProcessPoolExecutor(
            self.workers, get_context("spawn"), _begin, (self._requirements, self._file)
        ) as pool:
            try:
                for block in blocks:
                    waiting.append((block, pool.submit(_extract_here, block)))
                    if len(waiting) > _WAITING * self.workers:
                        yield _first_result(waiting)
                while waiting:
                    yield _first_result(waiting)
            except BrokenProcessPool as error:
                raise SourceError(
                    "a worker process was killed, perhaps because memory ran out; run the same command again "
                    "with fewer --workers, and it resumes where it stopped"
                ) from error
            finally:
                pool.shutdown(cancel_futures=True)


def _first_result(waiting: deque[tuple[Block, Future[Extract]]]) -> tuple[Block, Extract]:
    block, future = waiting.popleft()
    return block, future.result()


def _extract(block: Block, filter_: StatementFilter, memory: mmap.mmap) -> Extract:
    text = memory[block.start : block.end] if block.text is None else block.text
    return extract(text, block.syntax, filter_)


_of_this_process: tuple[StatementFilter, mmap.mmap]


def _begin(requirements: Requirements, file: Path) -> None:
    """Prepare a worker process."""
    global _of_this_process  # noqa: PLW0603  # the only way to store something in a process of a pool
    with file.open("rb") as opened:
        memory = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    _of_this_process = StatementFilter(requirements), memory
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C interrupts the parent, which ends this process


def _extract_here(block: Block) -> Extract:
    return _extract(block, *_of_this_process)
