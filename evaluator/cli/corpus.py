"""Looking at text corpora."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.output import console, plain_table, print_json

if TYPE_CHECKING:
    from evaluator.text.corpus import CorpusStatistics

corpus_app = typer.Typer(no_args_is_help=True, help="Look at text corpora.")

Corpora = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS…",
        help="Text in UTF-8, plain or gzip, a sentence or a document in each line; a file, or a URL.",
    ),
]
CorpusLanguage = Annotated[
    str, typer.Option(metavar="CODE", help="The language of the corpus, for rules of case and lemmas.")
]


@corpus_app.command()
def stats(
    corpus: Corpora,
    language: CorpusLanguage = "und",
    case: options.Case = "exact",
    profile: options.Profile = "",
    lemmas: Annotated[bool, typer.Option("--lemmas", help="Count lemmas, by simplemma.")] = False,
    as_json: options.Json = False,
) -> None:
    """Count tokens, types, and the types that are frequent enough to be trained on."""
    from evaluator.results.coverage import CorpusFile
    from evaluator.text.corpus import Corpus

    found = Corpus(tuple(corpus), language, case, profile, lemmas)
    statistics = found.statistics()
    if as_json:
        print_json(CorpusFile(corpus=found.name, **asdict(statistics)))
        return
    _print(found.name, statistics)


def _print(name: str, found: CorpusStatistics) -> None:
    out = console()
    table = plain_table(name, ("number",))
    table.add_row("sentences", f"{found.sentences:,}")
    table.add_row("tokens", f"{found.tokens:,}")
    table.add_row("types", f"{found.types:,}")
    for least, types in found.types_by_count.items():
        table.add_row(f"types with count ≥ {least}", f"{types:,}")
    out.print(table)
    scripts = ", ".join(f"{script} {share:.0%}" for script, share in found.scripts.items() if share >= 0.005)
    out.print(f"Scripts: {scripts}")
