"""Looking at what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from testgen.cli.options import (
    DEFAULT,
    Aliases,
    Case,
    Category,
    Class,
    Comma,
    Json,
    KeepGoing,
    Language,
    MaxAge,
    Mul,
    Normalization,
    Offline,
    Parentheses,
    QueryFile,
    Refresh,
    SeveralWords,
    Slash,
    SourceOption,
    policy,
)
from testgen.cli.output import print_json, print_table
from testgen.cli.progress import opened


def categories(
    source: SourceOption = "shipped",
    offline: Offline = False,
    refresh: Refresh = False,
    max_age: MaxAge = None,
    as_json: Json = False,
) -> None:
    """List the shipped categories and relations, and how many items a source has for each."""
    import pandas as pd

    from testgen.errors import SourceError
    from testgen.queries import Query, shipped_queries

    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:

        def items(query: Query) -> int | None:
            try:
                return len(asked.answer(query).rows)
            except SourceError as error:
                if error.final:
                    raise
                return None

        rows = [
            (query.topic, query.name, query.kind, items(query), query.summary)
            for query in shipped_queries().values()
        ]
    frame = pd.DataFrame(rows, columns=["topic", "name", "kind", "items", "summary"]).astype(
        {"items": "Int64"}
    )
    print_json(frame) if as_json else print_table(frame)


def languages(
    min_words: Annotated[
        int, typer.Option("--min-words", metavar="N", help="Only languages with this many usable words.")
    ] = 1,
    category: Category = None,
    source: SourceOption = "shipped",
    offline: Offline = False,
    refresh: Refresh = False,
    max_age: MaxAge = None,
    keep_going: KeepGoing = False,
    as_json: Json = False,
) -> None:
    """List the languages of a source with the usable words that each has."""
    from testgen.generate import coverage as table
    from testgen.languages import languages as known

    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        words = table(categories=category or (), source=asked, keep_going=keep_going)
    frame = words.sum(axis=1).to_frame("words")
    frame.insert(0, "name", [known()[code].name for code in frame.index])
    frame.insert(1, "scripts", [" ".join(known()[code].scripts) for code in frame.index])
    frame["categories"] = (words > 0).sum(axis=1)
    frame = frame[frame["words"] >= min_words].reset_index(names="language")
    print_json(frame) if as_json else print_table(frame)


def coverage(
    language: Language = None,
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    source: SourceOption = "shipped",
    offline: Offline = False,
    refresh: Refresh = False,
    max_age: MaxAge = None,
    keep_going: KeepGoing = False,
    normalization: Normalization = DEFAULT.normalization,
    case: Case = DEFAULT.case,
    several_words: SeveralWords = DEFAULT.several_words,
    parentheses: Parentheses = DEFAULT.parentheses,
    comma: Comma = DEFAULT.comma,
    slash: Slash = DEFAULT.slash,
    aliases: Aliases = DEFAULT.aliases,
    mul: Mul = DEFAULT.mul,
    as_json: Json = False,
) -> None:
    """Show how many usable words each category has in each language."""
    from testgen.generate import coverage as table

    chosen = policy(normalization, case, several_words, parentheses, comma, slash, aliases, mul, 1)
    with opened(source, offline=offline, refresh=refresh, max_age=max_age) as asked:
        frame = table(
            language or None,
            categories=category or (),
            classes=class_ or (),
            queries=query or (),
            source=asked,
            policy=chosen,
            keep_going=keep_going,
        )
    if as_json:
        print_json(
            frame.astype(object).apply(dict, axis=1).rename("words").rename_axis("language").reset_index()
        )
    elif len(frame) <= len(frame.columns):
        print_table(frame.T.rename_axis("category").reset_index())
    else:
        print_table(frame.reset_index())
