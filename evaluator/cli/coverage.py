"""`evaluator coverage`: how much of a test set a vocabulary or a corpus has; what a corpus holds."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import MATCHED, OUTPUT, SCORED, option
from evaluator.cli.output import echo_lines, tell
from evaluator.cli.terminal import show
from evaluator.errors import TestSetError
from evaluator.execution.output_files import visible


def coverage(
    source: Annotated[
        str, typer.Argument(metavar="VECTORS-OR-CORPUS", help="Vectors; or with --corpus a corpus.")
    ],
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = "und",
    corpus: Annotated[
        bool, option(SCORED, "The file is a corpus: text in UTF-8, plain or gzip.", "--corpus")
    ] = False,
    min_count: options.MinCount = 5,
    tokens: Annotated[
        str | None,
        option(
            MATCHED,
            "What the words of the text are: letter-runs (the default for a corpus), white-space, cltk, or "
            "module:function.",
            metavar="NAME",
        ),
    ] = None,
    list_words: Annotated[
        bool,
        option(
            OUTPUT, "Print the words and nothing else, for testgen generate --for WORDS.txt.", "--list-words"
        ),
    ] = False,
    words: options.VocabularyOptions,
    reading: options.FileOptions,
    results: options.ResultOptions,
) -> None:
    """Show which words of test sets a vocabulary has, which scores are possible, and what would add words.

    Of a corpus without --test, count sentences, tokens, types, and the types that are frequent enough.

    For example: evaluator coverage la.vec --test testsets/la.json
    """
    from dataclasses import asdict

    from evaluator.engine.vocabulary_lookup import FEW
    from evaluator.results.coverage import CorpusFile, CoverageFile
    from evaluator.settings import Settings
    from evaluator.studies.coverage import coverage as coverage_of
    from evaluator.studies.coverage import hint
    from evaluator.text.corpus import statistics_of
    from evaluator.text.other_languages import remark

    settings = Settings(**vars(words))
    of_text = tokens or "letter-runs"
    tokens = of_text if corpus else tokens
    if corpus and not test and not list_words:
        text = inputs.read_corpus([source], language, words.case, words.profile, tokens=of_text)
        counts, sentences = text.counted()
        show(results, CorpusFile(corpus=text.name, **asdict(statistics_of(counts, sentences))))
        if language != "und" and (said := remark(text.name, counts, language)):
            tell(said)
        return
    if not test and not list_words:
        raise TestSetError("name a test set with --test; or say with --corpus that the file is a text")
    test_sets = [] if list_words else inputs.read_tests(test or [], language, bad_rows=reading.bad_rows)
    if corpus:
        vectors = inputs.read_corpus([source], language, "exact", "", tokens=of_text).vocabulary(min_count)
    else:
        vectors = reading.load(source)
    if list_words:
        echo_lines("\n".join(map(visible, vectors.words)))
        return
    found = [coverage_of(vectors, test_set, settings, tokens) for test_set in test_sets]
    show(results, CoverageFile(results=tuple(found)))
    for test_set, each in zip(test_sets, found, strict=True):
        advice = hint(vectors, test_set, settings) if each.found < FEW * each.words else None
        if advice and not any(option.option in advice for option in each.advice):  # which was said above
            tell(f"{test_set.name}: {advice}")
