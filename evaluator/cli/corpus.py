"""`evaluator corpus`: what a text corpus holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import MATCHED, option
from evaluator.cli.terminal import show

corpus = typer.Typer(no_args_is_help=True, help="Count the words of text corpora.")


@corpus.command()
@options.grouped
def stats(
    corpus: options.Corpora,
    *,
    language: options.Language = options.TestOptions.language,
    case: options.Case = options.WordOptions.case,
    profile: options.Profile = options.WordOptions.profile,
    lemmas: Annotated[bool, option(MATCHED, "Count lemmas instead of words.", "--lemmas")] = False,
    tokens: options.Tokens = "letter-runs",
    results: options.ResultOptions,
) -> None:
    """Count sentences, tokens, types, and the types that are frequent enough to train vectors.

    For example: evaluator corpus stats latin.txt.gz --language la
    """
    from evaluator.results.coverage import CorpusFile

    found = inputs.read_corpus(corpus, language, case, profile, lemmas=lemmas, tokens=tokens)
    show(results, CorpusFile(corpus=found.name, **asdict(found.statistics())))
