"""Extracts from blocks in several worker processes; the results come in the order of the blocks."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from testgen.errors import SourceError
from testgen.snapshots.dumps.extraction import Extract, extract
from testgen.snapshots.dumps.required_statements import StatementPattern
from testgen.snapshots.dumps.statement_filter import StatementFilter
from testgen.system import end_with_parent

_WAITING = 4  # blocks that wait for each worker; more would need more memory


def extract_all(
    blocks: Iterable[bytes], patterns: Sequence[Collection[StatementPattern]], workers: int
) -> Iterator[Extract]:
    """Extract statements from each block, for each of some sets of patterns; only some blocks are read ahead.

    With one worker, this process does the work itself.
    """
    if workers == 1:
        filters = [StatementFilter(each) for each in patterns]
        yield from (extract(block, filters) for block in blocks)
        return
    waiting: deque[Future[Extract]] = deque()
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (patterns,)) as pool:
        try:
            for block in blocks:
                waiting.append(pool.submit(_extract_here, block))
                if len(waiting) > _WAITING * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise SourceError(
                "a worker process was killed, perhaps because memory ran out; run the same command again "
                "with fewer --workers"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


_of_this_process: list[StatementFilter]


def _begin(patterns: Sequence[Collection[StatementPattern]]) -> None:
    global _of_this_process  # noqa: PLW0603  # the only way to store something in a process of a pool
    _of_this_process = [StatementFilter(each) for each in patterns]
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C interrupts the parent, which ends this process


def _extract_here(block: bytes) -> Extract:
    return extract(block, _of_this_process)
