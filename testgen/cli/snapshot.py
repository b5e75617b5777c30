"""The commands that create, inspect and compare snapshots."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.mistakes import check_languages
from testgen.cli.options import MACHINE, OUTPUT, SOURCE, option
from testgen.cli.output import print_table, show
from testgen.cli.progress import SILENCE, duration
from testgen.errors import ConfigError, SourceError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from testgen.queries import Query
    from testgen.snapshots.dumps.creation import DumpReport, Notify

snapshot_app = typer.Typer(no_args_is_help=True, help="Save what a source says today; compare snapshots.")

SnapshotFile = Annotated[Path, typer.Argument(metavar="SNAPSHOT", help="A snapshot file.")]


@dataclass(frozen=True)
class SavedSourceOptions(options.SourceOptions):
    """The source of a snapshot."""

    source: options.SourceOption = "wikidata"


@dataclass(frozen=True)
class ReadingOptions:
    """The dumps to read instead of asking a source, and how to read them."""

    dump: Annotated[
        list[Path] | None,
        option(
            SOURCE,
            "Read a dump of Wikidata instead of asking a source: JSON or truthy N-Triples, plain or "
            "compressed with gzip, bzip2 or Zstandard. May be repeated.",
            "--dump",
            metavar="FILE",
        ),
    ] = None
    allow_truncated: Annotated[
        bool, option(SOURCE, "Accept a dump whose end is missing.", "--allow-truncated")
    ] = False
    workers: Annotated[
        int,
        option(
            MACHINE,
            "Processes that read a dump; 0: as many as there are cores.",
            "--workers",
            metavar="N",
            min=0,
        ),
    ] = 0


@snapshot_app.command()
@options.grouped
def create(
    *,
    queries: options.QueryOptions,
    hierarchy: options.Hierarchy = False,
    source: SavedSourceOptions,
    reading: ReadingOptions,
    output: Annotated[Path, option(OUTPUT, "The file to write.", "--output", "-o", metavar="FILE.ttl.gz")],
    force: options.Force = False,
) -> None:
    """Write a snapshot on which the chosen queries give the same answers as today.

    For example: testgen snapshot create --category country --category capital --output today.ttl.gz
    """
    from testgen.snapshots import create as create_snapshot

    chosen = queries.choose(every_language=True)
    if reading.dump:
        if source != SavedSourceOptions():
            raise SourceError("--dump cannot be combined with --source and its options")
        _create_from_dumps(output, chosen, reading, hierarchy=hierarchy, force=force)
        return
    with source.opened() as opened:
        create_snapshot(output, chosen, opened, hierarchy=hierarchy, force=force)
    _print_size(output)


def _create_from_dumps(
    output: Path, queries: list[Query], reading: ReadingOptions, *, hierarchy: bool, force: bool
) -> None:
    try:
        from testgen.snapshots.dumps.creation import DumpOptions, create_from_dumps
    except ImportError as error:
        raise ConfigError(
            f"reading dumps needs another library ({error.name}): pip install 'testgen-evaluator[dump]'"
        ) from error
    dump_options = DumpOptions(reading.workers, reading.allow_truncated)
    with _progress_shown() as notify:
        report = create_from_dumps(
            output,
            queries,
            reading.dump or (),
            hierarchy=hierarchy,
            force=force,
            options=dump_options,
            notify=notify,
        )
    _print_report(report)
    _print_size(output)
    if report.failed:
        raise typer.Exit(1)


def _print_size(path: Path) -> None:
    typer.echo(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


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
@options.grouped
def info(snapshot: SnapshotFile, as_json: options.Json = False) -> None:
    """Show where a snapshot is from, and what is in it.

    For example: testgen snapshot info today.ttl.gz
    """
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
@options.grouped
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A snapshot file.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A later one.")],
    language: options.Language = None,
    *,
    queries: options.QueryOptions,
    results: options.ResultOptions,
) -> None:
    """Show which items and words were gained, lost, renamed or merged, by category and language.

    For example: testgen snapshot diff last-year.ttl.gz today.ttl.gz --language la
    """
    from testgen.languages import canonical
    from testgen.snapshots import diff as compare
    from testgen.sources import Snapshot

    check_languages(language or ())
    codes = [canonical(code) for code in language] if language else None
    changes = compare(Snapshot(old), Snapshot(new), queries.choose(every_language=False), codes)
    show(changes, results, lambda: _print_changes(changes, with_words=bool(language)))


def _print_changes(changes: pd.DataFrame, *, with_words: bool) -> None:
    for change, rows in changes.groupby("change"):
        typer.echo(f"{change}: {len(rows)} words, {rows['item'].nunique()} items")
    if changes.empty:
        typer.echo("no differences")
    elif with_words:
        print_table(changes)
    else:
        typer.echo("give --language to see the words")
