"""The command `dictionary`: writing bilingual dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from testgen.cli import options
from testgen.cli.options import MADE, OUTPUT, check_languages, option
from testgen.cli.output import exit_if_incomplete, note_categories_left_out, print_table


def _languages(text: str, name: str) -> object:
    return option(MADE, text, name, metavar="CODE")


def dictionary(
    language: Annotated[list[str], _languages("A language to translate from. May be repeated.", "--from")],
    target: Annotated[
        list[str] | None,
        _languages(
            "A language to translate into. May be repeated. By default, all pairs of those of --from.", "--to"
        ),
    ] = None,
    *,
    category: options.Category = None,
    minimum_words: Annotated[
        int | None,
        option(
            MADE,
            "Leave out categories with fewer items that have words in both languages. The default is 4, and "
            "10 if no category is named.",
            metavar="N",
            min=1,
        ),
    ] = None,
    test_share: Annotated[
        float, option(MADE, "About which share of the items is for testing.", metavar="X")
    ] = 0.25,
    source: options.SourceOptions,
    output: Annotated[
        Path,
        option(
            OUTPUT,
            "The folder of the dictionaries; or for one pair a file such as la-te.txt, beside which the "
            "others are written.",
            "--output",
            "-o",
            metavar="PATH",
        ),
    ] = Path("dictionaries"),
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Write bilingual dictionaries: the names of the same items, in MUSE's format and as JSON.

    All words are of the two languages: none stands in for one with too few.

    For example: testgen dictionary --from la --to te --output la-te.txt

    For example: testgen dictionary --from la --from te --from cy --output dictionaries
    """
    from testgen.generation.dictionaries import write_dictionaries

    check_languages(target or ())
    queries = options.QueryOptions(category)
    request = queries.request(language, minimum_words=minimum_words)
    with source.opened() as opened:
        frame = write_dictionaries(output, request, target, source=opened, test_share=test_share, force=force)
    note_categories_left_out(queries.asked_by_name, frame.attrs["categories"], frame.attrs)
    results.show(frame, lambda: print_table(frame))
    exit_if_incomplete(frame.attrs)
