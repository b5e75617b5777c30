"""The command `generate`: writing test sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.options import MADE, OUTPUT, SOURCE, option
from testgen.cli.output import echo, exit_if_incomplete, note_categories_left_out, print_table
from testgen.labels import LabelPolicy

if TYPE_CHECKING:
    import pandas as pd

    from testgen.labels.vocabulary import Vocabulary

_COUNTS = ("categories", "words", "relations", "pairs")
_MOST_ROWS = 20  # more would scroll the summary out of sight


def generate(
    named: Annotated[
        list[str] | None,
        typer.Argument(metavar="LANGUAGE", help="Languages, such as la or latin; as with --language."),
    ] = None,
    language: options.Language = None,
    all_languages: Annotated[
        bool, option(MADE, "Every language with enough words for any category.", "--all-languages")
    ] = False,
    stand_in: Annotated[
        list[str] | None,
        option(
            MADE,
            "Use the labels of another language where there are too few, as in non=is. May be repeated.",
            "--stand-in",
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
        int,
        option(
            MADE,
            "With --hierarchy: leave out classes with fewer items.",
            "--minimum-items",
            metavar="N",
            min=2,
        ),
    ] = 2,
    minimum_words: options.MinimumWords = None,
    vocabulary: Annotated[
        Path | None,
        option(
            MADE,
            "Choose categories, spellings and words by what a vocabulary has: a word in each line, the most "
            "frequent first, as `evaluator coverage --list-words` writes.",
            "--for",
            metavar="WORDS.txt",
        ),
    ] = None,
    policy: LabelPolicy,
    source: options.PatientSourceOptions,
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
    from testgen.generation import generate as write_test_sets

    codes = [*(named or ()), *(language or ())]
    if bool(codes) == all_languages:
        raise typer.BadParameter(
            "which languages? Name them, as in `testgen generate la`, or ask for --all-languages, not both"
        )
    request = queries.request(
        codes or None,
        policy,
        minimum_words,
        all_categories=all_categories,
        stand_ins=stand_in or (),
        minimum_items=minimum_items if hierarchy else None,
        vocabulary=None if vocabulary is None else _vocabulary(vocabulary, codes),
    )
    with source.opened() as opened:
        chosen = request.chosen_queries(opened)
        if dry_run:
            print_plan(opened, chosen, request, as_json=results.as_json)
            return
        with steps_shown(opened) as notify:
            notify("reading items and their names")
            frame = write_test_sets(output, request, source=opened, force=force, notify=notify)
    if request.names_categories:
        note_categories_left_out(queries.asked_by_name(chosen), frame["name"], frame)
    results.show(frame, lambda: _print_summary(frame, output, hierarchy=hierarchy))
    exit_if_incomplete(frame)


def _vocabulary(path: Path, codes: list[str]) -> Vocabulary:
    """The words of a file, which are of one language."""
    from testgen.labels.vocabulary import Vocabulary

    if len(codes) != 1:
        raise typer.BadParameter(
            "--for is for one language: name it, as in `testgen generate la --for WORDS.txt`"
        )
    return Vocabulary.read(path)


def _print_summary(frame: pd.DataFrame, output: Path, *, hierarchy: bool) -> None:
    if frame["language"].nunique() <= _MOST_ROWS:
        print_table(_summary(frame))
    names = frame.groupby("kind")["name"].nunique()
    levels = f" Levels: {names.get('level', 0)}." if hierarchy else ""
    echo(
        f"Test sets in {output}: {frame['language'].nunique()}. Categories: {names.get('category', 0)}. "
        f"Relations: {names.get('relation', 0)}.{levels}"
    )
    _print_stand_ins(frame)
    _print_other_scripts(frame)


def _print_stand_ins(frame: pd.DataFrame) -> None:
    """Say which categories have their words from another language."""
    from testgen.languages import languages

    standing_in = frame[(frame["language"] != frame["named_in"]) & (frame["kind"] != "level")]
    for code, sections in standing_in.groupby("language"):
        other = sections["named_in"].iloc[0]
        echo(
            f"{languages()[str(code)].name} ({code}) has too few words of its own, and "
            f"{languages()[other].name} ({other}) stands in, for: {', '.join(sections['name'])}."
        )


def _print_other_scripts(frame: pd.DataFrame) -> None:
    """Say how many words were left out because of their script, and in which languages most of them."""
    counts = frame.groupby("language")["other_script"].sum().sort_values(ascending=False, kind="stable")
    if counts.any():
        most = ", ".join(f"{code} {count:,}" for code, count in counts[counts > 0].head(5).items())
        more = ", …" if (counts > 0).sum() > 5 else ""
        echo(
            f"Left out as they are not in a script of the language: {counts.sum():,} words ({most}{more}); "
            "--any-script keeps them."
        )


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per language: the number of categories and of their different words, of relations and of pairs.

    Also the number of levels, if there are any; their words are words of the categories.
    """
    rows = []
    for code, sections in frame.groupby("language"):
        of_kind = sections["kind"].value_counts()
        pairs = sections.loc[sections["kind"] == "relation", "size"].sum()
        words = frame.attrs["words"][code] if "category" in of_kind else 0
        counts = of_kind.get("category", 0), words, of_kind.get("relation", 0), pairs
        nested = {"levels": of_kind.get("level", 0)} if "level" in set(frame["kind"]) else {}
        row = {"language": code, **dict(zip(_COUNTS, counts, strict=True)), **nested}
        rows.append({**row, "file": sections["file"].iloc[0]})
    return type(frame)(rows)
