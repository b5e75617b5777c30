"""The commands `categories`, `languages` and `coverage`: what a source has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import completion, options
from testgen.cli.options import MADE, option
from testgen.cli.output import echo, exit_if_incomplete, print_json, print_table

if TYPE_CHECKING:
    import pandas as pd


def categories(
    topic: Annotated[
        list[str] | None,
        option(
            MADE,
            "Only this topic. May be repeated.",
            "--topic",
            metavar="NAME",
            autocompletion=completion.topics,
        ),
    ] = None,
    *,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """List the shipped categories and relations, and how many items a source has for each.

    A service does not count the pairs of lexemes, which take a request for each language.

    For example: testgen categories --topic geography
    """
    import pandas as pd

    from testgen.errors import SourceError
    from testgen.queries import Query, choose, shipped_topics
    from testgen.sources import RemoteSource, own_categories

    for name in topic or ():
        if name not in shipped_topics():
            raise typer.BadParameter(f"unknown topic {name!r}; the topics are {', '.join(shipped_topics())}")
    with source.opened() as opened:

        def items(query: Query) -> int | None:
            if query.by_language and isinstance(opened, RemoteSource):
                return None  # hundreds of requests for one number
            try:
                return len(opened.answer(query).rows)
            except SourceError as error:
                if error.final:
                    raise
                return None

        rows = [
            (query.topic, query.name, query.kind, items(query), query.summary)
            for query in choose(own=own_categories(opened))
            if not topic or query.topic in topic
        ]
    frame = pd.DataFrame(rows, columns=["topic", "name", "kind", "items", "summary"])
    frame = frame.astype({"items": "Int64"})
    name = opened.provenance.name
    results.show(frame, lambda: _print_categories(frame, name, remote=isinstance(opened, RemoteSource)))


def _print_categories(frame: pd.DataFrame, source: str, *, remote: bool) -> None:
    """The categories that a source answers; then the names of the others, and what would answer them."""
    without = frame["items"].eq(0).fillna(value=False)
    answered = frame[~without]
    if len(answered):
        print_table(answered)
    if without.any():
        names = ", ".join(frame.loc[without, "name"])
        advice = "" if remote else ". Wikidata has items for them: --source wikidata"
        echo(f"{source} has items for {len(answered)} of {len(frame)}, and none for {names}{advice}")


def languages(
    category: options.Category = None,
    minimum_words: Annotated[
        int,
        option(MADE, "Only languages with this many usable words.", "--minimum-words", metavar="N", min=1),
    ] = 1,
    *,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """List the languages of a source, and how many different usable words each has.

    The column `stand_in` has, for a language without labels in Wikidata, one that `--stand-in` could use.

    For example: testgen languages --category country --minimum-words 100
    """
    import pandas as pd

    from testgen.generation import coverage as count_words
    from testgen.languages import languages as known
    from testgen.languages import without_labels

    request = options.QueryOptions(category).request()
    with source.opened() as opened:
        words = count_words(request, source=opened)
    frame = pd.Series(words.attrs["words"], index=words.index, dtype=int).to_frame("words")
    frame["categories"] = (words > 0).sum(axis=1)
    enough = set(frame.index[frame["words"] >= minimum_words])
    stand_ins = {code: other for code, other in without_labels().items() if other in enough}
    frame = frame.reindex(sorted({*enough, *stand_ins}), fill_value=0)
    frame.insert(0, "name", [known()[code].name for code in frame.index])
    frame.insert(1, "scripts", [" ".join(known()[code].scripts) for code in frame.index])
    frame["stand_in"] = [stand_ins.get(code, "") for code in frame.index]
    frame = frame.reset_index(names="language")
    results.show(frame, lambda: print_table(frame))
    exit_if_incomplete(words)


def coverage(
    language: options.Language = None,
    *,
    category: options.Category = None,
    query: options.QueryFile = None,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """Show how many usable words each category has in each language.

    For example: testgen coverage --language la --language grc --category country
    """
    from testgen.generation import coverage as count_words

    request = options.QueryOptions(category, query=query).request(language or None)
    with source.opened() as opened:
        frame = count_words(request, source=opened)
    if results.as_json:
        of_each = frame.astype(object).apply(dict, axis=1).rename("words")
        print_json(of_each.rename_axis("language").reset_index())
    elif len(frame) > len(frame.columns):
        print_table(frame.reset_index())
    else:
        print_table(frame.T.rename_axis("category").reset_index())
    exit_if_incomplete(frame)
