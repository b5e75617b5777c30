"""The command line: one command for each thing a user wants to know or have."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from testgen import labels
from testgen.errors import TestgenError

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Test sets for word embeddings in hundreds of languages, from Wikidata.",
)

_DEFAULT = labels.LabelPolicy()

Language = Annotated[
    list[str] | None, typer.Option("--language", "-l", metavar="CODE", help="A language; may be repeated.")
]
Category = Annotated[
    list[str] | None,
    typer.Option("--category", "-c", metavar="NAME", help="A category or relation; may be repeated."),
]
Class = Annotated[
    list[str] | None,
    typer.Option("--class", metavar="QID", help="All instances of a class, such as Q9415; may be repeated."),
]
QueryFile = Annotated[
    list[Path] | None,
    typer.Option("--query", metavar="FILE.rq", help="A query of your own; may be repeated."),
]
SourceOption = Annotated[
    str, typer.Option("--source", metavar="SNAPSHOT", help="`shipped`, or the path of a snapshot file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def _choice(flag: str, type_: Any, help_: str) -> Any:  # noqa: ANN401  # typing forms have no type of their own
    return typer.Option(flag, metavar="|".join(get_args(type_)), help=help_)


Normalization = Annotated[
    str, _choice("--normalization", labels.Normalization, "Unicode normalization form of the words.")
]
Case = Annotated[str, _choice("--case", labels.Case, "Case of the words.")]
SeveralWords = Annotated[
    str,
    _choice("--several-words", labels.SeveralWords, "Labels of several words: drop, join with _, or keep."),
]
Parentheses = Annotated[
    str, _choice("--parentheses", labels.Qualifier, "A trailing (qualifier): strip it, or drop the label.")
]
Comma = Annotated[
    str,
    _choice("--comma", labels.Qualifier, "A trailing qualifier after a comma: strip it, or drop the label."),
]
Slash = Annotated[
    str, _choice("--slash", labels.Slash, "A label like AC/DC: split it into variants, or drop it.")
]
Aliases = Annotated[
    bool, typer.Option("--aliases/--no-aliases", help="Count other names of an item as words.")
]
Mul = Annotated[
    bool, typer.Option("--mul/--no-mul", help="Let the language-neutral label stand in, in the right script.")
]
MinimumWords = Annotated[
    int, typer.Option("--minimum-words", metavar="N", help="Leave out categories with fewer words.")
]


@app.command()
def generate(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")] = Path(
        "testsets"
    ),
    language: Language = None,
    all_languages: Annotated[
        bool, typer.Option("--all-languages", help="Every language with enough words for any category.")
    ] = False,
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    source: SourceOption = "shipped",
    normalization: Normalization = _DEFAULT.normalization,
    case: Case = _DEFAULT.case,
    several_words: SeveralWords = _DEFAULT.several_words,
    parentheses: Parentheses = _DEFAULT.parentheses,
    comma: Comma = _DEFAULT.comma,
    slash: Slash = _DEFAULT.slash,
    aliases: Aliases = _DEFAULT.aliases,
    mul: Mul = _DEFAULT.mul,
    minimum_words: MinimumWords = _DEFAULT.minimum_words,
    as_json: Json = False,
) -> None:
    """Write test sets, one JSON file per language."""
    from testgen import generate as generate_module

    if bool(language) == all_languages:
        raise typer.BadParameter("name languages with --language CODE, or ask for --all-languages, not both")
    policy = _policy(
        normalization, case, several_words, parentheses, comma, slash, aliases, mul, minimum_words
    )
    frame = generate_module(
        output,
        None if all_languages else language,
        categories=category or (),
        classes=class_ or (),
        queries=query or (),
        source=source,
        policy=policy,
    )
    if as_json:
        _print_json(frame)
        return
    if frame["language"].nunique() <= 20:  # more would scroll the summary away
        _print_table(_summary(frame))
    names = frame.groupby("kind")["name"].nunique()
    typer.echo(
        f"{frame['language'].nunique()} test sets in {output}: {names.get('category', 0)} categories, "
        f"{names.get('relation', 0)} relations"
    )


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a language: how many categories with how many words, how many relations with how many pairs."""
    rows = []
    for code, parts in frame.groupby("language"):
        of_kind = {kind: parts.loc[parts["kind"] == kind, "size"] for kind in ("category", "relation")}
        counts = [count for sizes in of_kind.values() for count in (len(sizes), sizes.sum())]
        rows.append(
            {"language": code, **dict(zip(_COUNTS, counts, strict=True)), "file": parts["file"].iloc[0]}
        )
    return type(frame)(rows)


_COUNTS = ("categories", "words", "relations", "pairs")


@app.command()
def categories(source: SourceOption = "shipped", as_json: Json = False) -> None:
    """List the shipped categories and relations, and how many items a source has for each."""
    import pandas as pd

    from testgen.queries import shipped_queries
    from testgen.sources import open_source

    opened = open_source(source)
    rows = [
        (query.topic, query.name, query.kind, len(opened.rows(query)), query.summary)
        for query in shipped_queries().values()
    ]
    frame = pd.DataFrame(rows, columns=["topic", "name", "kind", "items", "summary"])
    _print_json(frame) if as_json else _print_table(frame)


@app.command()
def languages(
    min_words: Annotated[
        int, typer.Option("--min-words", metavar="N", help="Only languages with this many usable words.")
    ] = 1,
    category: Category = None,
    source: SourceOption = "shipped",
    as_json: Json = False,
) -> None:
    """List the languages of a source with the usable words that each has."""
    from testgen import coverage as table
    from testgen.languages import languages as known

    words = table(categories=category or (), source=source)
    frame = words.sum(axis=1).to_frame("words")
    frame.insert(0, "name", [known()[code].name for code in frame.index])
    frame.insert(1, "scripts", [" ".join(known()[code].scripts) for code in frame.index])
    frame["categories"] = (words > 0).sum(axis=1)
    frame = frame[frame["words"] >= min_words].reset_index()
    _print_json(frame) if as_json else _print_table(frame)


@app.command()
def coverage(
    language: Language = None,
    category: Category = None,
    class_: Class = None,
    query: QueryFile = None,
    source: SourceOption = "shipped",
    normalization: Normalization = _DEFAULT.normalization,
    case: Case = _DEFAULT.case,
    several_words: SeveralWords = _DEFAULT.several_words,
    parentheses: Parentheses = _DEFAULT.parentheses,
    comma: Comma = _DEFAULT.comma,
    slash: Slash = _DEFAULT.slash,
    aliases: Aliases = _DEFAULT.aliases,
    mul: Mul = _DEFAULT.mul,
    as_json: Json = False,
) -> None:
    """Show how many usable words each category has in each language."""
    from testgen import coverage as table

    policy = _policy(normalization, case, several_words, parentheses, comma, slash, aliases, mul, 1)
    frame = table(
        language or None,
        categories=category or (),
        classes=class_ or (),
        queries=query or (),
        source=source,
        policy=policy,
    )
    if as_json:
        _print_json(frame.reset_index())
    elif len(frame) <= len(frame.columns):
        _print_table(frame.T.rename_axis("category").reset_index())
    else:
        _print_table(frame.reset_index())


def _policy(*choices: Any) -> labels.LabelPolicy:  # noqa: ANN401  # LabelPolicy checks them
    return labels.LabelPolicy(*choices)


def _print_json(frame: pd.DataFrame) -> None:
    typer.echo(json.dumps(frame.to_dict("records"), ensure_ascii=False, indent=1))


def _print_table(frame: pd.DataFrame) -> None:
    """A plain table, wrapped to the terminal; at full width where the output is no terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, dtype in frame.dtypes.items():
        table.add_column(str(name), justify="right" if dtype.kind in "iuf" else "left", overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*(str(value) for value in row))
    Console(width=None if sys.stdout.isatty() else 10_000, highlight=False).print(table)


def main() -> None:
    """Run the command line; an error of the user's is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except TestgenError as error:
        typer.echo(f"testgen: {error}", err=True)
        sys.exit(2)
