"""Creates a snapshot from dumps in two readings: one for the statements, one for the names."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import msgspec

from testgen.errors import OutputError, SourceError
from testgen.queries import Query
from testgen.snapshots.creation import check_ending, create, description, write
from testgen.snapshots.dumps.dump_file import BLOCK_SIZE, BlockReader, DumpFile, date_in_name, dump_file
from testgen.snapshots.dumps.entities import id_of_line, names_of
from testgen.snapshots.dumps.extraction import REPORTED, extract_all, lines_of
from testgen.snapshots.dumps.required_statements import StatementPattern, required_patterns
from testgen.sources import Names, Provenance
from testgen.sources.snapshot import IN_MEMORY, Snapshot
from testgen.system import atomic_write, cores, locked, sweep, writing_to

_VERSION = 5  # of the files in the folder
_REPORT, _ANSWERS, _NAMES = "report.json", "answers.ttl.gz", "names.sqlite"
Notify = Callable[[str, int, int], None]
"""Called with what is done; and how many bytes of a dump have been read, and how many there are, or zeros."""
_HASHED = 1 << 20  # bytes at a time
# A file without statements would not be RDF that can be loaded.
_FIRST_STATEMENT = b'<http://wikiba.se/ontology#Dump> <http://schema.org/name> "dump" .\n'


def create_from_dumps(
    output: str | Path,
    queries: Iterable[Query],
    dumps: Iterable[str | Path],
    *,
    hierarchy: bool = False,
    workers: int = 0,
    allow_truncated: bool = False,
    block_size: int = BLOCK_SIZE,
    notify: Notify = lambda _what, _read, _size: None,
) -> DumpReport:
    """Create a snapshot from dumps of Wikidata in JSON, which are read twice."""
    # What has been read stays in a folder beside the output until the snapshot is written: the same call then
    # repeats only a reading that was interrupted. With 0 workers, all cores are used.
    path, chosen = Path(output), list(queries)
    check_ending(path)
    patterns = required_patterns(chosen, hierarchy=hierarchy)
    files = [dump_file(Path(dump).resolve()) for dump in dumps]
    missing_ends = {file.path.name: file.missing_end for file in files if file.missing_end}
    _check_complete(missing_ends, allow_truncated=allow_truncated)
    folder = path.with_name(f".part.{path.name}.dump")
    options = ReadOptions(workers or cores(), block_size, notify)
    with _locked(folder, path):
        task = {
            "dumps": [[str(file.path), file.size, file.path.stat().st_mtime_ns] for file in files],
            "queries": [[query.name, query.sha256] for query in chosen],
            "settings": [hierarchy],
            "version": _VERSION,
        }
        report = _saved_report(folder, task)
        if report is None:
            report = DumpReport(task)
            with TemporaryDirectory(dir=folder) as scratch:
                statements = Path(scratch) / "statements.nt.gz"
                collect(files, patterns, report, statements, options)
                _check_complete(report.missing_ends, allow_truncated=allow_truncated)
                notify("answering the queries", 0, 0)
                answer(chosen, report, statements, folder / _ANSWERS, hierarchy=hierarchy)
            _save(report, folder)
        _check_complete(report.missing_ends, allow_truncated=allow_truncated)
        if not report.named:
            read_names(files, report, folder / _NAMES, options)
            report.named = True
            _save(report, folder)
        _write(path, report, folder)
        (folder / _REPORT).unlink()
    return report


@contextmanager
def _locked(folder: Path, path: Path) -> Iterator[None]:
    """Let no other process create the same snapshot; keep the folder only if it has a finished reading."""
    with ExitStack() as held:
        with writing_to(path):
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(folder))
        sweep(path)
        for left in filter(Path.is_dir, folder.iterdir()):
            shutil.rmtree(left, ignore_errors=True)
        try:
            yield
        finally:
            if not (folder / _REPORT).exists():
                shutil.rmtree(folder, ignore_errors=True)


def _check_complete(missing_ends: Mapping[str, str], *, allow_truncated: bool) -> None:
    if missing_ends and not allow_truncated:
        name, reason = next(iter(missing_ends.items()))
        raise SourceError(
            f"{name} is incomplete: {reason}. Download it again, or use what there is with --allow-truncated"
        )


def _saved_report(folder: Path, task: Mapping[str, Any]) -> DumpReport | None:
    path = folder / _REPORT
    if not path.exists():
        return None
    try:
        report = msgspec.json.decode(path.read_bytes(), type=DumpReport)
    except ValueError as error:
        raise SourceError(f"{path}: cannot be read ({error}); delete {folder} to start again") from error
    different = [key for key in task if report.task.get(key) != task[key]]
    if different:
        raise SourceError(
            f"{folder} holds what was read with other {different[0]}; run that command again, write to "
            "another file, or delete the folder"
        )
    return report


def _save(report: DumpReport, folder: Path) -> None:
    with atomic_write(folder / _REPORT) as beside:
        beside.write_bytes(msgspec.json.encode(report))


def _write(path: Path, report: DumpReport, folder: Path) -> None:
    from pyoxigraph import RdfFormat, parse

    decoder = msgspec.json.Decoder(Names)
    with (
        atomic_write(path) as beside,
        gzip.open(folder / _ANSWERS) as answers,
        closing(sqlite3.connect(folder / _NAMES)) as database,
    ):
        quads = parse(answers, RdfFormat.TURTLE)  # type: ignore[arg-type]  # it is a binary file
        statements = (f"{quad.triple} ." for quad in quads)
        select = "SELECT names FROM names WHERE item = ?"
        found = (database.execute(select, (item,)).fetchone() for item in report.items)
        names = (decoder.decode(row[0]) for row in found if row)
        write(beside, statements, names, description(report.provenance))


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
            for line, offset, reason in extract.broken[: max(0, REPORTED - len(report.broken))]:
                report.broken.append(f"{name}, line {lines + line + 1}, byte {size + offset}: {reason}")
            report.broken_count += extract.broken_count
            report.total += extract.size
            report.entities += extract.entities
            report.statements += extract.statement_count
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
                if item not in wanted:
                    continue
                try:
                    names = names_of(line)
                except ValueError as error:
                    report.without_names.append(f"{item}: {error}")
                    continue
                if names.labels or names.aliases:
                    yield item, msgspec.json.encode(names)
            options.notify(f"{file.path.name} for names", reader.compressed_offset, file.size)
    if total != report.total:
        raise SourceError(
            f"{report.provenance.name}: {total:,} bytes of text were read for the names, and "
            f"{report.total:,} for the statements; do not change the file, and run the same command again"
        )
