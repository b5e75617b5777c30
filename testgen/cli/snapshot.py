"""The commands that create, inspect and compare snapshots."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli.options import (
    Category,
    Class,
    Hierarchy,
    Json,
    Language,
    MaxAge,
    Offline,
    QueryFile,
    Refresh,
    SourceOption,
)
from testgen.cli.output import print_json, print_table
from testgen.cli.progress import SILENCE, duration, opened
from testgen.errors import ConfigError, SourceError

if TYPE_CHECKING:
    from rich.console import Console

    from testgen.queries import Query
    from testgen.snapshots.dumps.creation import DumpReport, Notify

snapshot_app = typer.Typer(no_args_is_help=True, help="Save what a source says today; compare snapshots.")

SnapshotFile = Annotated[Path, typer.Argument(metavar="SNAPSHOT", help="A snapshot file.")]


@snapshot_app.command()
def create(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.ttl.gz", help="The file to write.")],
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    hierarchy: Hierarchy = False,
    source: SourceOption = "wikidata",
    offline: Offline = False,
    refresh: Refresh = False,
    max_age: MaxAge = None,
    dump: Annotated[
        list[Path] | None,
        typer.Option(
            "--dump",
            metavar="FILE",
            help="Read this dump of Wikidata instead of asking a source: JSON or truthy N-Triples, plain or "
            "compressed with gzip, bzip2 or Zstandard; may be repeated.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="N",
            help="Worker processes for reading a dump; 0: as many as there are cores.",
            min=0,
        ),
    ] = 0,
    allow_truncated: Annotated[
        bool, typer.Option("--allow-truncated", help="Accept a dump whose end is missing.")
    ] = False,
) -> None:
    """Write a snapshot on which the chosen queries give the same answers as today."""
    from testgen.queries import choose
    from testgen.snapshots import create as create_snapshot

    chosen = choose(category or (), class_ or (), query or (), every_language=True)
    if dump:
        if source != "wikidata" or offline or refresh or max_age is not None:
            raise SourceError("--dump cannot be combined with --source and its options")
        _create_from_dumps(output, chosen, dump, hierarchy, workers, allow_truncated)
        return
    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        path = create_snapshot(output, chosen, asked, hierarchy=hierarchy)
        typer.echo(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


def _create_from_dumps(
    output: Path,
    queries: list[Query],
    dumps: list[Path],
    hierarchy: bool,
    workers: int,
    allow_truncated: bool,
) -> None:
    try:
        from testgen.snapshots.dumps.creation import DumpOptions, create_from_dumps
    except ImportError as error:
        raise ConfigError(
            f"reading dumps needs another library ({error.name}): pip install 'testgen-evaluator[dump]'"
        ) from error
    options = DumpOptions(workers=workers, allow_truncated=allow_truncated)
    with _progress_shown() as notify:
        report = create_from_dumps(
            output, queries, dumps, hierarchy=hierarchy, options=options, notify=notify
        )
    _print_report(report)
    typer.echo(f"{output}: {output.stat().st_size / 1000:,.0f} kB")


@contextmanager
def _progress_shown() -> Iterator[Notify]:
    """A function that shows how far a dump has been read: steadily on a terminal, else now and then."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:
        yield _DumpProgress(console, status.update)


class _DumpProgress:
    """Shows how much of the dumps has been read, and how long the rest will take at the present rate."""

    def __init__(self, console: Console, update: Callable[[str], object]) -> None:
        self._console, self._update = console, update
        self._first, self._start, self._last_line = -1, time.monotonic(), time.monotonic()

    def __call__(self, what: str, read: int, size: int) -> None:
        if self._first < 0:  # a resumed pass begins in the middle
            self._first, self._start = read, time.monotonic()
        done = read - self._first
        text = f"reading {what}: {read / size:.1%} of {size / 1e9:,.2f} GB" if size else what
        if done > 0 and read < size:
            text += f", about {duration((time.monotonic() - self._start) * (size - read) / done)} left"
        if self._console.is_terminal:
            self._update(text)
        elif time.monotonic() - self._last_line > SILENCE:
            self._console.print(f"testgen: {text}", soft_wrap=True)
            self._last_line = time.monotonic()


def _print_report(report: DumpReport) -> None:
    read = f"{report.entities:,} entities in {report.read / 1e6:,.1f} MB of text read"
    lines = [f"{read}; {report.statements:,} statements extracted"]
    if report.broken_count:
        more = report.broken_count - len(report.broken)
        lines += [f"{report.broken_count:,} broken lines left out:", *(f"  {each}" for each in report.broken)]
        lines += [f"  and {more:,} more"] if more else []
    lines += [f"incomplete, as allowed: {each}" for each in report.missing_ends]
    lines += [f"left out: {each}" for each in report.failed]
    if report.empty:
        lines.append(
            f"no answer to {', '.join(report.empty)}: lexemes are in a separate dump, "
            "latest-lexemes.json.gz; give it with another --dump"
        )
    for line in lines:
        typer.echo(line, err=True)


@snapshot_app.command()
def info(snapshot: SnapshotFile, as_json: Json = False) -> None:
    """Show where a snapshot is from, and what is in it."""
    from testgen.queries import choose
    from testgen.snapshots import info as count_contents
    from testgen.sources import Snapshot

    found = count_contents(Snapshot(snapshot), choose())
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False, indent=1))
        return
    for key, value in found.provenance.as_dict().items():
        typer.echo(f"{key}: {value}")
    typer.echo(
        f"{found.statements} statements; names of {found.items} items in {len(found.labels)} languages"
    )
    answers = ", ".join(f"{name} {rows}" for name, rows in found.answers.items())
    typer.echo(f"answers {len(found.answers)} of the shipped queries: {answers}")


@snapshot_app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A snapshot file.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A later one.")],
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    language: Language = None,
    as_json: Json = False,
) -> None:
    """Show which items and words were gained, lost, renamed or merged, by category and language."""
    from testgen.languages import canonical
    from testgen.queries import choose
    from testgen.snapshots import diff as compare
    from testgen.sources import Snapshot

    codes = [canonical(code) for code in language] if language else None
    changes = compare(Snapshot(old), Snapshot(new), choose(category or (), class_ or (), query or ()), codes)
    if as_json:
        print_json(changes)
        return
    for change, rows in changes.groupby("change"):
        typer.echo(f"{change}: {len(rows)} words, {rows['item'].nunique()} items")
    if language and not changes.empty:
        print_table(changes)
    elif changes.empty:
        typer.echo("no differences")
    else:
        typer.echo("give --language to see the words")
