"""The two readings of dumps: for the statements that queries require, then for the names of the answers."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import msgspec

from testgen.errors import OutputError, SourceError
from testgen.queries import Query
from testgen.snapshots.creation import create
from testgen.snapshots.dumps.dump_file import BlockReader, DumpFile, date_in_name
from testgen.snapshots.dumps.entities import id_of_line, names_of
from testgen.snapshots.dumps.extraction import REPORTED, Extract, extract_all, lines_of
from testgen.snapshots.dumps.required_statements import StatementPattern
from testgen.sources import Names, Provenance
from testgen.sources.snapshot import IN_MEMORY, Snapshot
from testgen.system import writing_to

Notify = Callable[[str, int, int], None]
"""Called with what is done; and how many bytes of a dump have been read, and how many there are, or zeros."""

_HASHED = 1 << 20  # bytes at a time
# A file without statements would not be RDF that can be loaded.
_FIRST_STATEMENT = b'<http://wikiba.se/ontology#Dump> <http://schema.org/name> "dump" .\n'


@dataclass(frozen=True)
class ReadOptions:
    """How dumps are read: the number of processes that parse, bytes of text in a block, and who is told."""

    workers: int
    block_size: int
    notify: Notify


class DumpReport(msgspec.Struct):
    """What was read from dumps."""

    task: dict[str, Any]  # what was read, and for what, as JSON values
    entities: int = 0  # lines that look like entities
    total: int = 0  # bytes of text
    statements: int = 0  # statements that were extracted
    broken_count: int = 0  # lines that cannot be used
    broken: list[str] = []  # where the first of them are, and what is wrong
    missing_ends: dict[str, str] = {}  # for each dump that is incomplete, what is missing
    provenance: Provenance = Provenance("dump", "", None)  # names of the dumps, latest date, hashes
    failed: list[str] = []  # why queries were left out
    empty: list[str] = []  # queries about lexemes that have no answer
    items: list[str] = []  # the items whose names the snapshot needs
    named: bool = False  # whether their names have been read too
    without_names: list[str] = []  # items whose names cannot be read, and why


def collect(
    files: Iterable[DumpFile],
    patterns: Collection[StatementPattern],
    report: DumpReport,
    path: Path,
    options: ReadOptions,
) -> None:
    """Write the statements that match patterns into a file, and what was read into a report."""
    names, dates, hashes = [], [], []
    with writing_to(path), path.open("wb") as output:
        output.write(gzip.compress(_FIRST_STATEMENT))
        for file in files:
            date, digest = _collect_from(file, patterns, report, output, options)
            names.append(file.path.name)
            dates.append(date_in_name(file.path) or date)
            hashes.append(digest)
    report.provenance = Provenance("dump", ", ".join(names), max(dates) or None, ", ".join(hashes))


def _collect_from(
    file: DumpFile,
    patterns: Collection[StatementPattern],
    report: DumpReport,
    output: IO[bytes],
    options: ReadOptions,
) -> tuple[str, str]:
    """Returns the date of the latest change in the dump, which may be unknown, and the hash of the file."""
    reader, name, digest = BlockReader(file, options.workers, options.block_size), file.path.name, sha256()
    modified, lines, size = "", 0, 0
    with file.path.open("rb") as hashed:  # along with the other reader, so that the disk is read once
        for extract in extract_all(reader, patterns, options.workers):
            output.write(extract.statements)
            _count(report, extract, name, lines, size)
            modified = max(modified, extract.modified)
            lines, size = lines + extract.lines, size + extract.size
            digest.update(hashed.read(max(0, reader.compressed_offset - hashed.tell())))
            options.notify(f"{name} for statements", reader.compressed_offset, file.size)
        while chunk := hashed.read(_HASHED):
            digest.update(chunk)
    missing = reader.fault or file.missing_end
    if missing:
        report.missing_ends[name] = missing
    return modified[:10], digest.hexdigest()


def _count(report: DumpReport, extract: Extract, name: str, lines: int, size: int) -> None:
    """Count what is in a block, before which there are so many lines and bytes of the dump."""
    for line, offset, reason in extract.broken[: max(0, REPORTED - len(report.broken))]:
        report.broken.append(f"{name}, line {lines + line + 1}, byte {size + offset}: {reason}")
    report.broken_count += extract.broken_count
    report.total += extract.size
    report.entities += extract.entities
    report.statements += extract.statement_count


def answer(
    queries: Collection[Query], report: DumpReport, path: Path, output: Path, *, hierarchy: bool
) -> None:
    """Write a snapshot without names from what was collected, and into the report what it lacks."""
    scratch = path.parent
    source = _Extracted(path, report.provenance, scratch if report.statements > IN_MEMORY else None)
    failed = create(output, queries, source, hierarchy=hierarchy, scratch=scratch / "snapshots")
    answered = [query for query in queries if query.name not in failed]
    report.failed, report.items = list(failed.values()), source.items
    report.empty = [query.name for query in answered if query.worded and not source.answer(query).rows]


class _Extracted(Snapshot):
    """The statements of dumps as a source without names, which notes whose names it was last asked for."""

    def __init__(self, path: Path, provenance: Provenance, folder: Path | None) -> None:
        store = folder and folder / "store"
        if store is not None:
            with writing_to(store):
                store.mkdir()
        super().__init__(path, folder=store)
        self.provenance, self._name = provenance, provenance.name
        self.items: list[str] = []

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:  # noqa: ARG002
        self.items = list(items)
        return iter(())


def read_names(files: Sequence[DumpFile], report: DumpReport, path: Path, options: ReadOptions) -> None:
    """Write the names of the items in a report into a database. This process does all the work itself."""
    path.unlink(missing_ok=True)
    try:
        # Closing the records ends the threads that unpack, also if the database fails.
        with (
            closing(_records(files, report, options)) as records,
            closing(sqlite3.connect(path)) as database,
            database,
        ):
            database.execute("CREATE TABLE names (item TEXT PRIMARY KEY, names BLOB) WITHOUT ROWID")
            database.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", records if report.items else ())
    except sqlite3.Error as error:
        raise OutputError(f"{path}: cannot be written: {error}") from error


def _records(
    files: Iterable[DumpFile], report: DumpReport, options: ReadOptions
) -> Generator[tuple[str, bytes]]:
    wanted, total = frozenset(report.items), 0
    for file in files:
        reader = BlockReader(file, options.workers, options.block_size)
        for block in reader:
            total += len(block)
            for _, _, line in lines_of(block):
                item = id_of_line(line)
                if item in wanted:
                    yield from _record(item, line, report)
            options.notify(f"{file.path.name} for names", reader.compressed_offset, file.size)
    if total != report.total:
        raise SourceError(
            f"{report.provenance.name}: {total:,} bytes of text were read for the names, and "
            f"{report.total:,} for the statements; do not change the file, and run the same command again"
        )


def _record(item: str, line: bytes, report: DumpReport) -> Iterator[tuple[str, bytes]]:
    try:
        names = names_of(line)
    except ValueError as error:
        report.without_names.append(f"{item}: {error}")
        return
    if names.labels or names.aliases:
        yield item, msgspec.json.encode(names)


def stored_names(path: Path, items: Iterable[str]) -> Iterator[Names]:
    """The names of those items that have any, from the database, in the order of the items."""
    decoder = msgspec.json.Decoder(Names)
    with closing(sqlite3.connect(path)) as database:
        for item in items:
            row = database.execute("SELECT names FROM names WHERE item = ?", (item,)).fetchone()
            if row:
                yield decoder.decode(row[0])
