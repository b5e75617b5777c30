"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from testgen import labels

DEFAULT = labels.LabelPolicy()

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
    str,
    typer.Option(
        "--source",
        metavar="SOURCE",
        help="`shipped`, `wikidata`, the address of a SPARQL endpoint, or the path of a snapshot file.",
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask nothing: use what is in the cache.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again for what is in the cache.")]
MaxAge = Annotated[
    float | None, typer.Option("--max-age", metavar="DAYS", help="Ask again for what is older.", min=0)
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Leave out queries that fail, instead of stopping.")
]
Show = Annotated[
    bool, typer.Option("--show", help="Say what would be asked and how many requests it takes; ask nothing.")
]
Hierarchy = Annotated[
    bool,
    typer.Option(
        "--hierarchy", help="Also every class within a category, at all levels, as a category of its own."
    ),
]
StandIn = Annotated[
    list[str] | None,
    typer.Option(
        "--stand-in",
        metavar="CODE=CODE",
        help="Name things in another language, as in non=is; may be repeated.",
    ),
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


def policy(*choices: Any) -> labels.LabelPolicy:  # noqa: ANN401  # LabelPolicy checks them
    """The label policy from the options of a command, in the order of its fields."""
    return labels.LabelPolicy(*choices)
