"""Extracts from blocks of a dump, in worker processes, the statements that queries require."""

from __future__ import annotations

import gzip
import signal
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from multiprocessing import get_context
from typing import NamedTuple

from testgen.errors import SourceError
from testgen.snapshots.dumps import entities
from testgen.snapshots.dumps.required_statements import StatementPattern
from testgen.snapshots.dumps.statement_filter import StatementFilter
from testgen.system import end_with_parent

REPORTED = 10
"""How many broken lines are reported in detail."""

_WAITING = 4  # blocks that wait for each worker; more would need more memory


_NO_ENTITY = "it does not begin and end with a brace, as entities do"


class BrokenLine(NamedTuple):
    """A line that cannot be used: its number in the block and the offset where it begins, from 0, and why."""

    line: int
    offset: int
    reason: str


class Extract(NamedTuple):
    """What is extracted from a block."""

    statements: list[bytes]  # for each filter, lines of N-Triples in gzip
    statement_count: int  # the number of those for the first filter
    lines: int  # the number of lines of the block
    size: int  # the number of its bytes
    entities: int  # the number of its lines that look like entities
    broken: list[BrokenLine]  # the first broken lines
    broken_count: int  # the number of broken lines
    modified: str  # when one of its entities was last changed; empty if the dump does not say this


def extract(block: bytes, filters: Sequence[StatementFilter]) -> Extract:
    """Extract what each of some filters selects from a block of whole lines.

    Only the first may select statements that do not have the best rank.
    """
    statements: list[list[str]] = [[] for _ in filters]
    broken: list[BrokenLine] = []
    looked_at, modified = 0, ""
    for number, offset, line in lines_of(block):
        if not (line.startswith(b"{") and line.endswith(b"}")):
            broken.append(BrokenLine(number, offset, _NO_ENTITY))
            continue
        looked_at += 1
        try:
            parsed = entities.parse(line, filters[0].properties_of_any_rank)
            selected = [[each for entity in parsed for each in filter_.select(entity)] for filter_ in filters]
        except (LookupError, TypeError, ValueError) as error:  # msgspec's errors are ValueErrors
            broken.append(BrokenLine(number, offset, str(error)))
            continue
        for known, new in zip(statements, selected, strict=True):
            known.extend(new)
        modified = max(modified, parsed[0].modified)
    return Extract(
        [_compressed(lines) for lines in statements],
        len(statements[0]),
        block.count(b"\n"),
        len(block),
        looked_at,
        broken[:REPORTED],
        len(broken),
        modified,
    )


def _compressed(lines: Sequence[str]) -> bytes:
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    return gzip.compress(text, compresslevel=1) if text else b""


def lines_of(block: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a block that may hold entities, without commas at the end: number from 0, offset, text."""
    begin = 0
    for number in count():
        if begin >= len(block):
            return
        newline = block.find(b"\n", begin)
        end = newline if newline >= 0 else len(block)
        # Lines are cut out one by one, without their comma: each further copy would cost as much as parsing.
        line = block[begin : end - block.endswith(b",", begin, end)].strip().removesuffix(b",").rstrip()
        if line not in (b"", b"[", b"]"):
            yield number, begin, line
        begin = end + 1


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
