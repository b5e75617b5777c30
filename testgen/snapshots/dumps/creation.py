"""Creates a snapshot from dumps in two readings: one for the statements, one for the names."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from testgen.errors import SourceError
from testgen.queries import Query
from testgen.snapshots.creation import check_ending, description, write
from testgen.snapshots.dumps.dump_file import BLOCK_SIZE, dump_file
from testgen.snapshots.dumps.readings import (
    DumpReport,
    Notify,
    ReadOptions,
    answer,
    collect,
    read_names,
    stored_names,
)
from testgen.snapshots.dumps.required_statements import required_patterns
from testgen.system import atomic_write, cores, locked, sweep, writing_to

_VERSION = 5  # of the files in the folder
_REPORT, _ANSWERS, _NAMES = "report.json", "answers.ttl.gz", "names.sqlite"


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
    """Create a snapshot from dumps of Wikidata in JSON, which are read twice.

    What has been read stays in a folder beside the output until the snapshot is written: after an
    interruption, the same call repeats only the reading that was interrupted. With 0 workers, all cores are
    used.
    """
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

    with atomic_write(path) as beside, gzip.open(folder / _ANSWERS) as answers:
        quads = parse(answers, RdfFormat.TURTLE)  # type: ignore[arg-type]  # it is a binary file
        statements = (f"{quad.triple} ." for quad in quads)
        names = stored_names(folder / _NAMES, report.items)
        write(beside, statements, names, description(report.provenance))
