"""The second reading of dumps: takes the names of the items that the answers hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from testgen.errors import OutputError, SourceError
from testgen.snapshots.dumps.blocks import BlockReader
from testgen.snapshots.dumps.dump_file import DumpFile
from testgen.snapshots.dumps.entities import id_of_line, names_of
from testgen.snapshots.dumps.extraction import lines_of
from testgen.snapshots.dumps.statements import DumpReport, ReadOptions
from testgen.sources import Names


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
