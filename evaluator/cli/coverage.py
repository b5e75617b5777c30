"""What a vocabulary, or a corpus before training, knows of test sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.output import console, plain_table, print_json

if TYPE_CHECKING:
    from evaluator.results.coverage import Coverage


def coverage(
    source: Annotated[
        Path, typer.Argument(metavar="VECTORS-OR-CORPUS", help="Vectors; or a text corpus, with --corpus.")
    ],
    test: options.Tests,
    corpus: Annotated[
        bool, typer.Option("--corpus", help="The file is a text, in lines, plain or gzip.")
    ] = False,
    least_count: Annotated[
        int, typer.Option(metavar="N", help="Words of a corpus that occur less often are left out.")
    ] = 5,
    case: options.Case = "exact",
    vocabulary: options.Vocabulary = None,
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    unsafe_pickle: options.UnsafePickle = False,
    as_json: options.Json = False,
) -> None:
    """Say what share of test sets a vocabulary has, which scores can exist, and what would add to it."""
    from evaluator.results.coverage import CoverageFile
    from evaluator.settings import Settings
    from evaluator.studies.coverage import coverage_of
    from evaluator.text.corpus import Corpus

    settings = Settings(case=case, vocabulary=vocabulary, profile=profile, multiword=multiword)  # type: ignore[arg-type]  # Settings checks
    tests = options.read_tests(test, test_format, language)
    if corpus:
        vectors = Corpus((source,)).vocabulary(least_count)
    else:
        loader = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle)
        vectors = loader.load(source)
    found = [coverage_of(vectors, test_set, settings) for test_set in tests]
    if as_json:
        print_json(CoverageFile(results=tuple(found)))
        return
    for each in found:
        _print_coverage(each, len(vectors))


def _print_coverage(found: Coverage, words: int) -> None:
    out = console()
    out.print(f"{found.vocabulary} ({words:,} words) knows of {found.test_set} ({found.language}):")
    table = plain_table("part", ("kind", "words", "known", "share", "lacks, for example"))
    for part in found.parts:
        lacks = ", ".join(part.missing[:3])
        table.add_row(part.name, part.kind, str(part.words), str(part.found), f"{part.share:.0%}", lacks)
    share = found.found / found.words if found.words else 0.0
    table.add_row("all", "", str(found.words), str(found.found), f"{share:.0%}", "", style="bold")
    out.print(table)
    if any(part.kind == "category" for part in found.parts):
        out.print(f"Topk can score {found.topk} categories, OddOneOut@3 {found.odd_one_out}.")
    if found.detectable is not None:
        out.print(
            f"Two models must differ by about {found.detectable:.2f} to be told apart (80% power, 5% level)."
        )
    for advice in found.advice:
        more = "" if advice.share is None else f" ({advice.share:+.0%})"
        out.print(f"{advice.option} finds {advice.found} words more{more}.")
