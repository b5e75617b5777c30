"""`evaluator coverage`: how much of a test set a vocabulary, or a corpus before training, has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluator.cli import options
from evaluator.cli.inputs import expect
from evaluator.cli.options import MATCHED, SCORED, option
from evaluator.cli.terminal import show
from evaluator.errors import CorpusError


def coverage(
    source: Annotated[
        Path, typer.Argument(metavar="VECTORS-OR-CORPUS", help="Vectors; or with --corpus a corpus.")
    ],
    *,
    tests: options.TestOptions,
    corpus: Annotated[
        bool, option(SCORED, "The file is a corpus: text in UTF-8, plain or gzip.", "--corpus")
    ] = False,
    min_count: options.MinCount = 5,
    tokens: Annotated[
        Literal["letter-runs", "white-space"] | None,
        option(
            MATCHED,
            "What the words of the text are: runs of letters (the default for a corpus), or all that white "
            "space divides. Says which test words can never be one.",
        ),
    ] = None,
    words: options.VocabularyOptions,
    reading: options.FileOptions,
    results: options.ResultOptions,
) -> None:
    """Show which words of test sets a vocabulary has, which scores are possible, and what would add words.

    For example: evaluator coverage la.vec --test testsets/la.json
    """
    from evaluator.results.coverage import CoverageFile
    from evaluator.settings import Settings
    from evaluator.studies.coverage import coverage as coverage_of
    from evaluator.text.corpus import Corpus

    settings = Settings(**vars(words))
    test_sets = tests.read(reading.bad_rows)
    if corpus:
        expect(source, "a text", CorpusError)
        tokens = tokens or "letter-runs"
        vectors = Corpus((source,), tokens=tokens).vocabulary(min_count)
    else:
        vectors = reading.load(source)
    found = [coverage_of(vectors, test_set, settings, tokens) for test_set in test_sets]
    show(results, CoverageFile(results=tuple(found)))
