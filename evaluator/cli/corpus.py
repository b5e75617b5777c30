"""`evaluator corpus`: what a text corpus holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import MATCHED, option
from evaluator.cli.output import console, csv_of, plain_table, show

if TYPE_CHECKING:
    from evaluator.text.corpus import CorpusStatistics

corpus_app = typer.Typer(no_args_is_help=True, help="Count the words of text corpora.")


@corpus_app.command()
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
    statistics = found.statistics()
    show(
        results,
        lambda: CorpusFile(corpus=found.name, **asdict(statistics)),
        text=lambda: _print(found.name, statistics),
        csv=lambda: _csv(statistics),
    )


def _counts(found: CorpusStatistics) -> dict[str, int]:
    """All counts, by what is counted."""
    by_count = {f"types with count ≥ {least}": types for least, types in found.types_by_count.items()}
    return {"sentences": found.sentences, "tokens": found.tokens, "types": found.types, **by_count}


def _csv(found: CorpusStatistics) -> str:
    import pandas as pd

    return csv_of(pd.DataFrame(_counts(found).items(), columns=["counted", "number"]))


def _print(name: str, found: CorpusStatistics) -> None:
    out = console()
    rows = ((counted, f"{number:,}") for counted, number in _counts(found).items())
    out.print(plain_table(name, ("number",), rows))
    scripts = ", ".join(f"{script} {share:.0%}" for script, share in found.scripts.items() if share >= 0.005)
    out.print(f"Scripts: {scripts}")
