"""Making snapshots, looking into them, comparing them."""

from __future__ import annotations

import json
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
from testgen.cli.progress import opened
from testgen.cli.reading import tell, told
from testgen.errors import ConfigError, SourceError

if TYPE_CHECKING:
    from testgen.queries import Query

snapshot_app = typer.Typer(no_args_is_help=True, help="Freeze what a source says today, or compare two days.")

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
            "packed with gzip, bzip2 or Zstandard; may be repeated.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option("--workers", metavar="N", help="Processes that read a dump; 0: all cores.", min=0),
    ] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask cluster to read a dump on: tcp://host:8786, or slurm: or pbs: and settings for "
            "dask-jobqueue.",
        ),
    ] = None,
    allow_truncated: Annotated[
        bool, typer.Option("--allow-truncated", help="Take what there is of a dump that is not whole.")
    ] = False,
) -> None:
    """Write a snapshot on which the chosen queries give the answers that they give today."""
    from testgen.queries import choose
    from testgen.snapshots import create as make

    chosen = choose(category or (), class_ or (), query or (), every_language=True)
    if dump:
        if source != "wikidata" or offline or refresh or max_age is not None:
            raise SourceError("--dump is a source of its own: leave --source and its options out")
        _create_from_dumps(output, chosen, dump, hierarchy, workers, scheduler, allow_truncated)
        return
    if scheduler is not None:
        raise SourceError("--scheduler is for reading a dump: name one with --dump")
    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        path = make(output, chosen, asked, hierarchy=hierarchy)
        typer.echo(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


def _create_from_dumps(
    output: Path,
    queries: list[Query],
    dumps: list[Path],
    hierarchy: bool,
    workers: int,
    scheduler: str | None,
    allow_truncated: bool,
) -> None:
    try:
        from testgen.dumps.make import Settings, create_from_dumps
    except ImportError as error:
        raise ConfigError(
            f"reading dumps needs more libraries ({error.name} is missing): "
            "pip install 'testgen-evaluator[dump]'"
        ) from error
    settings = Settings(workers=workers, allow_truncated=allow_truncated, scheduler=scheduler)
    with told() as notify:
        report = create_from_dumps(
            output, queries, dumps, hierarchy=hierarchy, settings=settings, notify=notify
        )
    tell(report)
    typer.echo(f"{output}: {output.stat().st_size / 1000:,.0f} kB")


@snapshot_app.command()
def info(snapshot: SnapshotFile, as_json: Json = False) -> None:
    """Show where a snapshot is from, and what is in it."""
    from testgen.queries import choose
    from testgen.snapshots import info as look
    from testgen.sources import Snapshot

    found = look(Snapshot(snapshot), choose())
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False, indent=1))
        return
    for key, value in found.provenance.as_dict().items():
        typer.echo(f"{key}: {value}")
    typer.echo(
        f"{found.statements} statements; names of {found.items} things in {len(found.labels)} languages"
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
        typer.echo("no difference")
    else:
        typer.echo("name languages with --language to see the words")
