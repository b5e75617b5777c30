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
    from testgen.generation.test_sets import WrittenSection

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
    vocabulary: Annotated[
        Path | None,
        option(
            MADE,
            "Choose categories, spellings and words by what a vocabulary has, as `evaluator coverage "
            "--list-words` writes it.",
            "--for",
            metavar="WORDS.txt",
        ),
    ] = None,
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
    from testgen.cli.progress import print_plan, steps_shown
    from testgen.generation.test_sets import write_test_sets
    from testgen.labels.corrections import Corrections
    from testgen.labels.vocabulary import Vocabulary

    codes = [*(named or ()), *(language or ())]
    if bool(codes) == all_languages:
        raise typer.BadParameter(
            "which languages? Name them, as in `testgen generate la`, or ask for --all-languages, not both"
        )
    if vocabulary is not None and len(codes) != 1:
        raise typer.BadParameter(
            "--for is for one language: name it, as in `testgen generate la --for WORDS.txt`"
        )
    request = queries.request(
        codes or None,
        policy.chosen,
        minimum_words,
        all_categories=all_categories,
        stand_ins=stand_in or (),
        minimum_items=minimum_items if hierarchy else None,
        vocabulary=None if vocabulary is None else Vocabulary.read(vocabulary),
        corrections=Corrections.read(corrections, without or ()) if corrections or without else None,
        known_in_its_wikipedia=known_in_its_wikipedia,
    )
    with source.opened() as opened:
        chosen = request.chosen_queries(opened)
        if dry_run:
            print_plan(opened, chosen, request, as_json=results.as_json)
            return
        with steps_shown(opened) as notify:
            notify("reading items and their names")
            rows, attrs = write_test_sets(output, request, source=opened, force=force, notify=notify)
    if request.names_categories:
        made = [each.name for each in rows]
        note_categories_left_out(queries.asked_by_name(chosen), made, attrs)
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
    from testgen.exports.card import stand_ins

    by_language: dict[str, list[WrittenSection]] = {}
    names: dict[str, set[str]] = {kind: set() for kind in ("category", "relation", "level")}
    for row in written:
        by_language.setdefault(row.language, []).append(row)
        names[row.kind].add(row.name)
    if len(by_language) <= _MOST_ROWS:
        rows = [_summary(sections, words) for sections in by_language.values()]
        columns = [column for column in rows[0] if column != "levels" or names["level"]]
        print_rows(columns, ([row[column] for column in columns] for row in rows))
    levels_too = f" Levels: {len(names['level'])}." if hierarchy else ""
    echo(
        f"Test sets in {output}: {len(by_language)}. Categories: {len(names['category'])}. "
        f"Relations: {len(names['relation'])}.{levels_too}"
    )
    named = ((each.language, each.named_in, each.name) for each in written if each.kind != "level")
    for line in stand_ins((code, other, name) for code, other, name in named if code != other):
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
    """The numbers of categories and of their different words, of relations and of pairs; and of levels."""
    number = Counter(each.kind for each in sections)
    return {
        "language": sections[0].language,
        "categories": number["category"],
        "words": words[sections[0].language] if number["category"] else 0,
        "relations": number["relation"],
        "pairs": sum(each.size for each in sections if each.kind == "relation"),
        "levels": number["level"],
        "file": sections[0].file,
    }
