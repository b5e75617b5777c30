"""The commands that create, inspect and compare snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.importing import import_app
from testgen.cli.options import OUTPUT, option
from testgen.cli.output import echo, lines_on_failures, print_json, print_table

if TYPE_CHECKING:
    import pandas as pd

snapshot_app = typer.Typer(no_args_is_help=True, help="Create, inspect and compare snapshots.")

SnapshotFile = Annotated[Path, typer.Argument(metavar="SNAPSHOT", help="A snapshot file.")]


@dataclass(frozen=True)
class LiveSourceOptions(options.AgingSourceOptions):
    """The source, which is Wikidata by default."""

    source: options.SourcesOption = ("wikidata",)  # type: ignore[assignment]  # Typer gives a list


def create(
    *,
    queries: options.QueryOptions,
    hierarchy: options.Hierarchy = False,
    source: LiveSourceOptions,
    output: Annotated[Path, option(OUTPUT, "The file to write.", "--output", "-o", metavar="FILE.jsonl.gz")],
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Write a snapshot: what a source answers today to the chosen queries, and to no others.

    For example: testgen snapshot create --category country --output 2026-11.jsonl.gz
    """
    from testgen.queries import OWN_CATEGORIES
    from testgen.snapshots.creation import create as create_snapshot
    from testgen.snapshots.creation import is_snapshot
    from testgen.sources import own_categories
    from testgen.sources.asking import answers_of, what_is_missing
    from testgen.system import check_overwrite

    request = queries.request()
    check_overwrite(output, is_snapshot, force=force)
    with source.opened() as opened:
        chosen = request.chosen_queries(opened, worded=False)
        own = [OWN_CATEGORIES] if own_categories(opened) else []
        asked = [*chosen, *own]
        left_out = create_snapshot(output, asked, opened, hierarchy=hierarchy, keywords=request.with_keywords)
        answers, _ = answers_of(opened, (query for query in chosen if query.name not in left_out))
        missing = what_is_missing(opened, {query: len(answer.rows) for query, answer in answers.items()})
    for line in [*([f"testgen: {missing}"] if missing else []), *lines_on_failures(left_out)]:
        echo(line, err=True)
    size = output.stat().st_size
    made = {"file": str(output), "bytes": size, "left_out": list(left_out)}
    if as_json:
        print_json(made)
    else:
        echo(f"{output}: {size / 1000:,.0f} kB")
    if left_out:
        raise typer.Exit(1)


def info(snapshot: SnapshotFile, as_json: options.Json = False) -> None:
    """Show the origin of a snapshot or of a file of RDF, and what is in it.

    For example: testgen snapshot info 2026-11.jsonl.gz
    """
    from testgen.snapshots.comparison import info as count_contents
    from testgen.sources.opening import open_file

    content = count_contents(open_file(snapshot))
    if as_json:
        print_json(content)
        return
    for key, value in content["provenance"].as_dict().items():
        if key != "sources" and value is not None:
            echo(f"{key}: {_first_line(value)}")
    for part in content["provenance"].parts:
        stated = (value for key, value in part.as_dict().items() if value and key != "languages")
        echo("source: " + ", ".join(map(_first_line, stated)))
    echo(f"names of {content['items']:,} items in {len(content['labels'])} languages")
    if content["keywords"]:
        echo(f"keywords of symbols in {content['keywords']} languages")
    answers = ", ".join(f"{name} {rows}" for name, rows in content["answers"].items())
    echo(f"answers {len(content['answers'])} queries: {answers}")


def _first_line(value: object) -> str:
    return str(value).partition("\n")[0]


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A snapshot file.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A later one.")],
    *,
    category: options.Category = None,
    language: options.Language = None,
    results: options.ResultOptions,
) -> None:
    """Show which items and words were gained, lost, renamed or merged, by category and language.

    For example: testgen snapshot diff 2026-10.jsonl.gz 2026-11.jsonl.gz --language la
    """
    from testgen.generation.request import language_codes
    from testgen.snapshots.comparison import diff as compare
    from testgen.sources import held_by
    from testgen.sources.opening import open_file

    request = options.QueryOptions(category).request(language or None)
    snapshots = open_file(old), open_file(new)
    first, second = (each.provenance.retrieved or each.provenance.date or "" for each in snapshots)
    if second and first > second:
        echo(f"testgen: OLD is of {first} and NEW of {second}, which is earlier; are they swapped?", err=True)
    chosen = request.chosen_queries()
    if not request.names_categories:
        chosen = held_by(snapshots[0], held_by(snapshots[1], chosen))
    changes = compare(*snapshots, chosen, language_codes(request.languages))
    results.show(changes, lambda: _print_changes(changes, with_words=bool(language)))


def _print_changes(changes: pd.DataFrame, *, with_words: bool) -> None:
    for change, rows in changes.groupby("change"):
        echo(f"{change}: {len(rows)} words, {rows['item'].nunique()} items")
    if changes.empty:
        echo("no differences")
    elif with_words:
        print_table(changes)
    else:
        echo("give --language to see the words")


for command in (create, info, diff):
    snapshot_app.command()(options.grouped(command))
snapshot_app.add_typer(import_app, name="import")
