"""Making test sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli.options import (
    DEFAULT,
    Aliases,
    Case,
    Category,
    Class,
    Comma,
    Hierarchy,
    Json,
    KeepGoing,
    Language,
    MaxAge,
    MinimumWords,
    Mul,
    Normalization,
    Offline,
    Parentheses,
    QueryFile,
    Refresh,
    SeveralWords,
    Show,
    Slash,
    SourceOption,
    StandIn,
    policy,
)
from testgen.cli.output import print_json, print_table
from testgen.cli.progress import opened, print_plan
from testgen.levels import MINIMUM_ITEMS

if TYPE_CHECKING:
    import pandas as pd


def generate(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")] = Path(
        "testsets"
    ),
    language: Language = None,
    all_languages: Annotated[
        bool, typer.Option("--all-languages", help="Every language with enough words for any category.")
    ] = False,
    stand_in: StandIn = None,
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    hierarchy: Hierarchy = False,
    minimum_items: Annotated[
        int,
        typer.Option(
            "--minimum-items",
            metavar="N",
            min=MINIMUM_ITEMS,
            help="With --hierarchy: leave out classes with fewer items.",
        ),
    ] = MINIMUM_ITEMS,
    source: SourceOption = "shipped",
    offline: Offline = False,
    refresh: Refresh = False,
    max_age: MaxAge = None,
    keep_going: KeepGoing = False,
    show: Show = False,
    normalization: Normalization = DEFAULT.normalization,
    case: Case = DEFAULT.case,
    several_words: SeveralWords = DEFAULT.several_words,
    parentheses: Parentheses = DEFAULT.parentheses,
    comma: Comma = DEFAULT.comma,
    slash: Slash = DEFAULT.slash,
    aliases: Aliases = DEFAULT.aliases,
    mul: Mul = DEFAULT.mul,
    minimum_words: MinimumWords = DEFAULT.minimum_words,
    as_json: Json = False,
) -> None:
    """Write test sets, one JSON file per language."""
    from testgen.generate import write_test_sets
    from testgen.queries import choose

    if bool(language) == all_languages:
        raise typer.BadParameter("name languages with --language CODE, or ask for --all-languages, not both")
    chosen = policy(
        normalization, case, several_words, parentheses, comma, slash, aliases, mul, minimum_words
    )
    codes = None if all_languages else language
    queries = choose(category or (), class_ or (), query or (), every_language=all_languages)
    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        if show:
            print_plan(asked, queries, codes, minimum_items if hierarchy else None)
            return
        frame = write_test_sets(
            output,
            queries,
            codes,
            source=asked,
            policy=chosen,
            stand_ins=stand_in or (),
            keep_going=keep_going,
            minimum_items=minimum_items if hierarchy else None,
        )
    left_out = {each.name for each in queries}.difference(frame["name"])
    if left_out and (category or class_ or query):
        listed = ", ".join(sorted(left_out))
        typer.echo(f"testgen: in no test set, for want of items or usable words: {listed}", err=True)
    if as_json:
        print_json(frame)
        return
    if frame["language"].nunique() <= 20:  # more would scroll the summary away
        print_table(_summary(frame))
    names = frame.groupby("kind")["name"].nunique()
    levels = f" Levels: {names.get('level', 0)}." if hierarchy else ""
    typer.echo(
        f"Test sets in {output}: {frame['language'].nunique()}. Categories: {names.get('category', 0)}. "
        f"Relations: {names.get('relation', 0)}.{levels}"
    )


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a language: how many categories with how many words, how many relations with how many pairs.

    And how many levels, where there are any; their words are words of the categories.
    """
    rows = []
    for code, parts in frame.groupby("language"):
        of_kind = {kind: parts.loc[parts["kind"] == kind, "size"] for kind in ("category", "relation")}
        counts = [count for sizes in of_kind.values() for count in (len(sizes), sizes.sum())]
        nested = {"levels": (parts["kind"] == "level").sum()} if "level" in set(frame["kind"]) else {}
        row = {"language": code, **dict(zip(_COUNTS, counts, strict=True)), **nested}
        rows.append({**row, "file": parts["file"].iloc[0]})
    return type(frame)(rows)


_COUNTS = ("categories", "words", "relations", "pairs")
