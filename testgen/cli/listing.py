"""The commands `categories`, `languages`, `coverage` and `doctor`: what a source has, and can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.options import MADE, option
from testgen.cli.output import echo, exit_if_incomplete, print_json, print_table

if TYPE_CHECKING:
    import pandas as pd

    from testgen.generation.sizes import FileSize, LanguageCounts


def categories(
    topic: Annotated[
        list[str] | None, option(MADE, "Only this topic. May be repeated.", metavar="NAME")
    ] = None,
    *,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """List the shipped categories and relations, and how many items a source has for each.

    The column `about` has how many Wikidata has at least, by our estimate.

    A service does not count the pairs of lexemes, which take a request for each language.

    For example: testgen categories --topic geography
    """
    import pandas as pd

    from testgen.errors import SourceError
    from testgen.queries import Query, choose, shipped_topics
    from testgen.sources import RemoteSource, held_by, own_categories
    from testgen.sources.asking import what_is_missing

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

        chosen = held_by(opened, choose(own=own_categories(opened)))
        found = {query: items(query) for query in chosen if not topic or query.topic in topic}
        missing = what_is_missing(opened, {query: rows for query, rows in found.items() if rows is not None})
    frame = pd.DataFrame(
        [(each.topic, each.name, each.kind, rows, each.about, each.summary) for each, rows in found.items()],
        columns=["topic", "name", "kind", "items", "about", "summary"],
    )
    frame = frame.astype({"items": "Int64", "about": "Int64"})
    name = opened.provenance.name
    results.show(frame, lambda: _print_categories(frame, name, remote=isinstance(opened, RemoteSource)))
    frame.attrs = {"failed": {}, "lacking": missing}
    exit_if_incomplete(frame.attrs)


def _print_categories(frame: pd.DataFrame, source: str, *, remote: bool) -> None:
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
        int, option(MADE, "Only languages with this many usable words.", metavar="N", min=1)
    ] = 1,
    *,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """List the languages of a source: their usable words, and the categories of the test sets that are made.

    `categories` counts those with enough words, `everyday` those of them with common nouns; `keywords` are
    words that are related, as they stand under one symbol; `stand_in` is what `--stand-in` could use.

    For example: testgen languages --category country --minimum-words 100
    """
    import pandas as pd

    from testgen.generation.sizes import count_languages
    from testgen.generation.test_sets import coverage as count_words
    from testgen.languages.codes import languages as known
    from testgen.languages.codes import without_labels

    request = options.QueryOptions(category).request()
    with source.opened() as opened:
        words = count_words(request, source=opened)
    frame = pd.Series(words.attrs["words"], index=words.index, dtype=int).to_frame("words")
    sizes: dict[str, FileSize] = words.attrs["in_file"]
    for column in ("categories", "everyday", "pairs"):
        frame[column] = pd.Series({code: getattr(each, column) for code, each in sizes.items()}, dtype=int)
    frame["keywords"] = pd.Series(words.attrs["keywords"], dtype=int)
    enough = set(frame.index[frame["words"] >= minimum_words])
    stand_ins = {code: other for code, other in without_labels().items() if other in enough}
    frame = frame.reindex(sorted({*enough, *stand_ins}), fill_value=0)
    frame.insert(0, "name", [known()[code].name for code in frame.index])
    frame.insert(1, "scripts", [" ".join(known()[code].scripts) for code in frame.index])
    frame["stand_in"] = [stand_ins.get(code, "") for code in frame.index]
    frame = frame.reset_index(names="language")
    shown = {code: size for code, size in sizes.items() if code in enough}
    results.show(frame, lambda: _print_languages(frame, count_languages(shown)))
    exit_if_incomplete(words.attrs)


def _print_languages(frame: pd.DataFrame, counts: LanguageCounts) -> None:
    from testgen.generation.sizes import EVERYDAY_CATEGORIES, RELATED_WORDS

    print_table(frame)
    echo(
        f"Languages in which models can be compared, with {EVERYDAY_CATEGORIES} categories of everyday words "
        f"or more: {counts.comparing}. With a test set: {counts.with_test_set}. With any words: "
        f"{counts.with_words}. A variety, such as kk-cyrl, counts with its language; test sets of all: "
        f"{counts.files}, of which {counts.comparing_files} can compare models."
    )
    if frame["keywords"].any():
        echo(
            f"Languages with {RELATED_WORDS} keywords of symbols or more, the fewest that choose between "
            f"models: {frame['keywords'].ge(RELATED_WORDS).sum()}."
        )


def coverage(
    named: options.Named = None,
    language: options.Language = None,
    *,
    category: options.Category = None,
    vocabulary: options.VocabularyOption = None,
    source: options.SourceOptions,
    results: options.ResultOptions,
) -> None:
    """Show how many usable words each category has in each language, and pairs each relation.

    Without --category, the last column or row has the keywords of symbols. With --for, only words of the
    vocabulary count.

    For example: testgen coverage la grc --category country
    """
    import pandas as pd

    from testgen.generation.test_sets import coverage as count_words

    codes = [*(named or ()), *(language or ())]
    request = options.QueryOptions(category).request(
        codes or None, all_categories=True, vocabulary=options.read_vocabulary(vocabulary, codes)
    )
    with source.opened() as opened:
        frame = count_words(request, source=opened)
    if request.with_keywords:
        frame["keywords"] = pd.Series(frame.attrs["keywords"], dtype=int)
    if results.as_json:
        of_each = frame.astype(object).apply(dict, axis=1).rename("words")
        print_json(of_each.rename_axis("language").reset_index())
    elif len(frame) > len(frame.columns):
        print_table(frame.reset_index())
    else:
        print_table(frame.T.rename_axis("category").reset_index())
    exit_if_incomplete(frame.attrs)


def doctor(*, source: options.SourcesOption = ("shipped",), as_json: options.Json = False) -> None:  # type: ignore[assignment]  # Typer gives a list
    """Ask a source a short question of each kind, and show what it can answer, and how fast.

    Answers that are in the cache are asked for again. `about` is what Wikidata has at least.

    For example: testgen doctor --source https://qlever.dev/api/wikidata
    """
    import pandas as pd

    from testgen.cli.progress import open_showing_progress
    from testgen.sources.asking import abilities

    with open_showing_progress(source or (), offline=False, max_age=0) as asked:
        found = list(abilities(asked))
    frame = pd.DataFrame(
        [(each.name, each.verdict, each.found, each.about, each.seconds) for each in found],
        columns=["asked for", "answered", "found", "about", "seconds"],
    )
    frame.attrs["failed"] = {each.name: str(each.error) for each in found if each.error}
    (print_json if as_json else print_table)(frame)
    exit_if_incomplete(frame.attrs)
