"""The command `generate`: writing test sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.options import MADE, OUTPUT, SOURCE, option
from testgen.cli.output import (
    echo,
    exit_if_incomplete,
    note_categories_left_out,
    print_json,
    print_rows,
)

if TYPE_CHECKING:
    from testgen.generation.request import TestSetRequest
    from testgen.generation.test_sets import WrittenSection
    from testgen.sources import RemoteSource, RequestPlan, Source

_MOST_ROWS = 20  # more would scroll the summary out of sight


def generate(
    named: options.Named = None,
    language: options.Language = None,
    all_languages: Annotated[
        bool, option(MADE, "Every language with enough words for any category.", "--all-languages")
    ] = False,
    stand_in: Annotated[
        list[str] | None,
        option(
            MADE,
            "Use the labels of another language where there are too few, as in non=is. May be repeated.",
            metavar="CODE=CODE",
        ),
    ] = None,
    *,
    queries: options.QueryOptions,
    all_categories: Annotated[
        bool,
        option(
            MADE,
            "Also the categories that are contained in another; --hierarchy does so.",
            "--all-categories",
        ),
    ] = False,
    hierarchy: options.Hierarchy = False,
    minimum_items: Annotated[
        int, option(MADE, "With --hierarchy: leave out classes with fewer items.", metavar="N", min=2)
    ] = 2,
    minimum_words: Annotated[
        int | None,
        option(
            MADE,
            "Leave out categories with fewer words. The default is 4, and 10 if no category is named.",
            metavar="N",
            min=1,
        ),
    ] = None,
    vocabulary: options.VocabularyOption = None,
    without: Annotated[
        list[str] | None,
        option(MADE, "An item to leave out in all languages, such as Q142. May be repeated.", metavar="ID"),
    ] = None,
    corrections: Annotated[
        Path | None,
        option(
            MADE,
            "Words in place of those of the source: lines of item, language (or *) and word, divided by "
            "tabs; without a word, the item is left out.",
            metavar="TABLE.tsv",
        ),
    ] = None,
    known_in_its_wikipedia: Annotated[
        bool,
        option(
            MADE,
            "Only items with an article in the Wikipedia of the language, which the source must know.",
            "--known-in-its-wikipedia",
        ),
    ] = False,
    policy: options.PolicyOptions,
    source: options.AgingSourceOptions,
    dry_run: Annotated[
        bool, option(SOURCE, "Show which requests are needed, and how many; send none.", "--dry-run")
    ] = False,
    output: Annotated[
        Path, option(OUTPUT, "The folder of the test sets.", "--output", "-o", metavar="FOLDER")
    ] = Path("testsets"),
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Write test sets, one JSON file per language.

    For example: testgen generate la --category country --output testsets
    """
    from testgen.cli.progress import steps_shown
    from testgen.generation.test_sets import write_test_sets
    from testgen.labels.corrections import Corrections

    codes = [*(named or ()), *(language or ())]
    if bool(codes) == all_languages:
        raise typer.BadParameter(
            "which languages? Name them, as in `testgen generate la`, or ask for --all-languages, not both"
        )
    request = queries.request(
        codes or None,
        policy.chosen,
        minimum_words,
        all_categories=all_categories,
        stand_ins=stand_in or (),
        minimum_items=minimum_items if hierarchy else None,
        vocabulary=options.read_vocabulary(vocabulary, codes),
        corrections=Corrections.read(corrections, without or ()) if corrections or without else None,
        known_in_its_wikipedia=known_in_its_wikipedia,
    )
    with source.opened() as opened:
        if dry_run:
            _print_plan(opened, request, as_json=results.as_json)
            return
        with steps_shown(opened) as notify:
            notify("reading items and their names")
            rows, attrs = write_test_sets(output, request, source=opened, force=force, notify=notify)
    note_categories_left_out(queries.asked_by_name, (each.name for each in rows), attrs)
    if results.as_json:
        print_json([each._asdict() for each in rows])
    else:
        _print_summary(rows, attrs["words"], output, hierarchy=hierarchy)
    if attrs["uncorrected"]:
        echo(f"Corrected nothing, as no category has them: {', '.join(attrs['uncorrected'])}.", err=True)
    exit_if_incomplete(attrs)


def _print_summary(
    written: Sequence[WrittenSection], words: Mapping[str, int], output: Path, *, hierarchy: bool
) -> None:
    from testgen.languages.codes import stand_ins_described

    by_language: dict[str, list[WrittenSection]] = {}
    names: dict[str, set[str]] = {kind: set() for kind in ("category", "relation", "level", "groups")}
    for row in written:
        by_language.setdefault(row.language, []).append(row)
        names[row.kind].add(row.name)
    if len(by_language) <= _MOST_ROWS:
        rows = [_summary(sections, words) for sections in by_language.values()]
        optional = {"levels": names["level"], "keywords": names["groups"]}
        columns = [column for column in rows[0] if optional.get(column, True)]
        print_rows(columns, ([row[column] for column in columns] for row in rows))
    levels_too = f" Levels: {len(names['level'])}." if hierarchy else ""
    echo(
        f"Test sets in {output}: {len(by_language)}. Categories: {len(names['category'])}. "
        f"Relations: {len(names['relation'])}.{levels_too}"
    )
    named = ((each.language, each.named_in, each.name) for each in written if each.kind != "level")
    for line in stand_ins_described((code, other, name) for code, other, name in named if code != other):
        echo(line)
    _print_other_scripts(by_language)


def _print_other_scripts(by_language: Mapping[str, Sequence[WrittenSection]]) -> None:
    counts = {code: sum(each.other_script for each in sections) for code, sections in by_language.items()}
    most = sorted((code for code, count in counts.items() if count), key=lambda code: -counts[code])
    if most:
        named = ", ".join(f"{code} {counts[code]:,}" for code in most[:5])
        echo(
            f"Left out as they are not in a script of the language: {sum(counts.values()):,} words "
            f"({named}{', …' if len(most) > 5 else ''}); --policy any-script=yes keeps them."
        )


def _summary(sections: Sequence[WrittenSection], words: Mapping[str, int]) -> dict[str, str | int]:
    """The numbers of categories, of their words, of relations, of pairs, of related words, and of levels."""
    number = Counter(each.kind for each in sections)
    return {
        "language": sections[0].language,
        "categories": number["category"],
        "words": words[sections[0].language] if number["category"] else 0,
        "relations": number["relation"],
        "pairs": sum(each.size for each in sections if each.kind == "relation"),
        "keywords": sum(each.size for each in sections if each.kind == "groups"),
        "levels": number["level"],
        "file": sections[0].file,
    }


def _print_plan(source: Source, request: TestSetRequest, *, as_json: bool) -> None:
    """Print the requests that would be sent, including those for levels if these are asked for."""
    from testgen.sources import RemoteSource, RequestPlan

    plan = RequestPlan({}, 0, 1, known=True)
    if isinstance(source, RemoteSource):
        plan = _plan(source, request)
    if as_json:
        asked = [query.name for query in plan.queries]
        print_json({"queries": asked, "items": plan.items, "requests": plan.requests, "known": plan.known})
        return
    if not isinstance(source, RemoteSource):
        echo("No requests are needed: everything is in the snapshot.")
        return
    for query, requests in plan.queries.items():
        if requests:
            echo(f"query {query.name}: {requests} request{'s' if requests > 1 else ''}")
        else:
            echo(f"query {query.name}: one request for each language with such lexemes: not known yet")
    if plan.items:
        names = -(-plan.items // plan.batch_size)
        echo(f"names of {plan.items} items, {plan.batch_size} at a time: {names} requests")
    if not plan.known:
        echo(f"names of the items that these queries return, {plan.batch_size} at a time: not known yet")
    echo(f"{'At least ' if not plan.known else ''}{plan.requests} requests; none was sent.")


def _plan(source: RemoteSource, request: TestSetRequest) -> RequestPlan:
    from testgen.sources.asking import levels_of
    from testgen.sources.hierarchy import hierarchy_queries

    queries, least = request.chosen_queries(source), request.minimum_items
    codes = None if request.named_in is None else list(request.named_in)
    plan = source.plan(queries, codes)
    if least is None:
        return plan
    rows = {query: source.answer(query, codes).rows for query in queries if query not in plan.queries}
    hierarchies = hierarchy_queries(rows, least)
    missing = source.plan(hierarchies.values()).queries
    known = {query: rows[query] for query, hierarchy in hierarchies.items() if hierarchy not in missing}
    levels, _ = levels_of(source, known, least)
    classes = {level.class_id for of_query in levels.values() for level in of_query}
    return source.plan([*queries, *hierarchies.values()], codes, classes)
