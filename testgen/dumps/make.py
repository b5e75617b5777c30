"""A snapshot from dumps: one pass over them, and then everything as with any other source."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from testgen.dumps.blocks import SIZE, Cutting
from testgen.dumps.dumpfile import DumpFile, dump_file
from testgen.dumps.needs import Needs, needs_of
from testgen.dumps.parallel import cores, run_each
from testgen.dumps.pieces import read_block
from testgen.dumps.source import Gathered, twice
from testgen.dumps.spill import Spill, State
from testgen.errors import QueryFaultError, SourceError
from testgen.queries import Query
from testgen.snapshots import check_ending, create
from testgen.sources import Answer, Provenance

_VERSION = 1  # of the files in the folder of a pass
_HEAD = 1 << 20

Notify = Callable[[str, int, int], None]
"""Told what is read, how many bytes of the dumps have been, and how many there are; or what else is done."""


@dataclass(frozen=True)
class Settings:
    """How dumps are read; none of it changes the snapshot.

    Attributes:
        workers: How many processes read.
        allow_truncated: Whether a dump that is not whole will do.
        block_size: Bytes of text in a block.
        scheduler: The Dask cluster that reads, as `run_each` takes it; None for this machine.
    """

    workers: int = 0
    allow_truncated: bool = False
    block_size: int = SIZE
    scheduler: str | None = None


@dataclass(frozen=True)
class Report:
    """What was read.

    Attributes:
        path: The snapshot.
        read: Bytes of text.
        entities: Entities that were taken apart.
        statements: Statements that were kept on the way.
        faulty: Lines that could not be used.
        faults: Where the first of them are and what is wrong.
        ends: What is missing of dumps that are not whole.
        empty: Queries about lexemes without an answer.
        failed: Why queries were left out.
    """

    path: Path
    read: int
    entities: int
    statements: int
    faulty: int
    faults: Sequence[str]
    ends: Sequence[str]
    empty: Sequence[str]
    failed: Sequence[str]


def create_from_dumps(
    output: str | Path,
    queries: Iterable[Query],
    dumps: Iterable[str | Path],
    *,
    hierarchy: bool = False,
    settings: Settings | None = None,
    notify: Notify = lambda _what, _read, _size: None,
) -> Report:
    """Make a snapshot from dumps of Wikidata, in one pass and in memory that does not grow with them.

    What has been found is kept in a folder beside the output until the snapshot is written. If the program is
    ended before, the same call goes on where it was.

    Args:
        output: The file to write, `.ttl` or `.ttl.gz`.
        queries: The queries that are to give the same answers on it as on all of Wikidata.
        dumps: JSON or truthy N-Triples, plain or packed.
        hierarchy: Whether it is to give the same levels of categories as well.
        settings: How to read.
        notify: Told how far it is.

    Raises:
        QueryError: A query cannot be answered from a dump.
        SourceError: A dump cannot be read, is none, or is not whole; or the cluster was lost.
        ConfigError: The cluster cannot be used.
        OutputError: Something cannot be written.
    """
    from filelock import FileLock, Timeout

    path, chosen, settings = Path(output), list(queries), settings or Settings()
    check_ending(path)
    needs = needs_of(chosen, hierarchy=hierarchy)
    files = [dump_file(Path(dump).resolve()) for dump in dumps]
    if settings.scheduler is not None:
        _need_splitting(files)
    if not settings.allow_truncated:
        for file in files:
            _refuse(file.path.name, file.cut_off)
    folder = path.with_name(f".part.{path.name}.dump")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / "lock", timeout=0):
            _remove_left(path)
            spill = Spill(folder, _plan(files, chosen, hierarchy=hierarchy, settings=settings))
            try:
                hashes = _pass(spill, files, needs, settings, notify)
            finally:
                spill.close()
            try:
                report = _finish(spill, path, chosen, hierarchy=hierarchy, hashes=hashes, notify=notify)
            except SourceError:
                spill.delete()  # it would be the same again
                raise
    except Timeout as error:
        raise SourceError(f"{folder}: another process is making {path.name}; wait for it") from error
    spill.delete()
    return report


def _remove_left(path: Path) -> None:
    """Remove what runs that were killed have written of the snapshot; no other makes it now."""
    mark = re.compile(rf"\.part\.[0-9]+\.{re.escape(path.name)}")
    for left in path.parent.iterdir():
        if mark.fullmatch(left.name) and left.is_file():
            left.unlink(missing_ok=True)


def _need_splitting(files: Iterable[DumpFile]) -> None:
    for file in files:
        if not file.splits:
            raise SourceError(
                f"{file.path.name}: can be read from its beginning only, and not by many machines at once; "
                "take the dump that is packed with bzip2, or unpack it"
            )


def _refuse(name: str, fault: str | None) -> None:
    if fault:
        raise SourceError(
            f"{name} is not whole: {fault}. Get it again, or take what there is of it with --allow-truncated"
        )


def _plan(
    files: Sequence[DumpFile], queries: Sequence[Query], *, hierarchy: bool, settings: Settings
) -> object:
    """What a pass is of, and for what, so that it is gone on with by the same command only."""
    return {
        "dumps": [_identity(file) for file in files],
        "queries": [[query.name, query.sha256] for query in queries],
        "settings": [hierarchy, settings.block_size],
        "version": _VERSION,
    }


def _identity(file: DumpFile) -> list[str | int]:
    """By what a file is known again without reading all of it."""
    with file.path.open("rb") as opened:
        head = hashlib.sha256(opened.read(_HEAD)).hexdigest()
    return [str(file.path.resolve()), file.size, file.path.stat().st_mtime_ns, head]


class _Hash:
    """The hash of a file, which is read along with the pass, so that it comes from the disk once."""

    def __init__(self, file: DumpFile) -> None:
        self._digest, self._opened = hashlib.sha256(), file.path.open("rb")

    def up_to(self, position: int) -> None:
        while (length := min(_HEAD, position - self._opened.tell())) > 0:
            chunk = self._opened.read(length)
            if not chunk:
                return
            self._digest.update(chunk)

    def finish(self, size: int) -> str:
        self.up_to(size)
        return self._digest.hexdigest()

    def close(self) -> None:
        self._opened.close()


def _pass(
    spill: Spill, files: Sequence[DumpFile], needs: Needs, settings: Settings, notify: Notify
) -> list[str]:
    """Read what is left of the dumps.

    Returns:
        The hash of each of them.

    Raises:
        SourceError: One is not whole.
    """
    hashes, workers = [], settings.workers or cores()
    whole, before = sum(file.size for file in files), 0
    for number, file in enumerate(files):
        name = file.path.name
        with closing(_Hash(file)) as digest:
            if number >= spill.state.dump:
                cutting = Cutting(file, spill.state.position, settings.block_size)
                read = partial(read_block, needs)
                for block, piece in run_each(read, cutting.blocks(), workers, settings.scheduler):
                    spill.add(piece, name, block.after)
                    digest.up_to(block.packed)
                    notify(name, before + block.packed, whole)
                unclosed = "its last line is not ]" if file.closes and not spill.state.closed else None
                spill.next_dump(name, cutting.fault or file.cut_off or unclosed)
            hashes.append(digest.finish(file.size))
        before += file.size
    if not settings.allow_truncated:
        for name, fault in spill.state.ends.items():
            read_of = f"{fault}; {spill.state.total:,} bytes of text were read"
            _refuse(name, read_of)
    return hashes


def _finish(
    spill: Spill,
    path: Path,
    queries: Sequence[Query],
    *,
    hierarchy: bool,
    hashes: Sequence[str],
    notify: Notify,
) -> Report:
    """Answer the queries from what was found, and write the snapshot."""
    state = spill.state
    double = twice(spill.folder)
    if double is not None:
        raise SourceError(
            f"what is said of Q{double} does not stand together in the dump; sort its lines: LC_ALL=C sort -u"
        )
    notify("answering the queries", 0, 0)
    source = Gathered(spill.folder, _provenance(state, hashes), state.kept)
    try:
        answers, failed = _answers(source, queries)
        source.pick(item for answer in answers.values() for item in answer.unnamed)
        create(path, answers, source, hierarchy=hierarchy, room=source.room())
    finally:
        source.close()
    ends = [f"{name}: {fault}" for name, fault in state.ends.items()]
    empty = [query.name for query, answer in answers.items() if query.worded and not answer.rows]
    return Report(path, state.total, state.read, state.kept, state.faulty, state.faults, ends, empty, failed)


def _answers(source: Gathered, queries: Sequence[Query]) -> tuple[dict[Query, Answer], list[str]]:
    """The answers, and why some queries have none: hours of reading are not to be in vain for one of them.

    Raises:
        QueryFaultError: No query has an answer.
    """
    answers: dict[Query, Answer] = {}
    failed: list[str] = []
    for query in queries:
        try:
            answers[query] = source.answer(query)
        except QueryFaultError as error:
            failed.append(str(error))
            if len(failed) == len(queries):
                raise
    return answers, failed


def _provenance(state: State, hashes: Sequence[str]) -> Provenance:
    """The dumps by name, their day, and their hashes."""
    names = [Path(path).name for path, *_ in state.plan["dumps"]]
    named = [DumpFile(Path(path), "JSON", "none", 0, closes=False).date for path, *_ in state.plan["dumps"]]
    dates = [date or state.dates.get(name) for name, date in zip(names, named, strict=True)]
    known = [date for date in dates if date]
    return Provenance("dump", ", ".join(names), max(known, default=None), ", ".join(hashes))
