"""Making snapshots, looking into them, comparing them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

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
) -> None:
    """Write a snapshot on which the chosen queries give the answers that they give today."""
    from testgen.queries import choose
    from testgen.snapshots import create as make

    chosen = choose(category or (), class_ or (), query or (), every_language=True)
    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        path = make(output, chosen, asked, hierarchy=hierarchy)
        typer.echo(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


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
