"""The options that several commands share: each has one name, one help text and one default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import regex
import typer

from testgen.cli import completion
from testgen.labels import policy
from testgen.labels.policy import LabelPolicy

if TYPE_CHECKING:
    from testgen.queries import Query
    from testgen.sources import Source

MADE, WORDS, SOURCE = "What to make", "How labels become words", "Source"
OUTPUT, MACHINE = "Output", "Machine"

_DURATION = regex.compile(r"(\d+(?:\.\d+)?) ?([smh])")
_UNITS = {"s": 1, "m": 60, "h": 3600}


def option(panel: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """An option of a command.

    Args:
        panel: The title of the group in which the help shows it.
        text: Its help text.
        names: Its spellings; made from the parameter's name if there are none.
        more: Other arguments of `typer.Option`.
    """
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


def _seconds(text: str) -> float:
    """The seconds of a duration such as 90s, 30m or 2h."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a time; write it as 90s, 30m or 2h")
    return float(match[1]) * _UNITS[match[2]]


Language = Annotated[
    list[str] | None,
    option(
        MADE,
        "A language, such as la or lat. May be repeated.",
        "--language",
        "-l",
        metavar="CODE",
        autocompletion=completion.languages,
    ),
]
Category = Annotated[
    list[str] | None,
    option(
        MADE,
        "A category or relation. May be repeated.",
        "--category",
        "-c",
        metavar="NAME",
        autocompletion=completion.categories,
    ),
]
Class = Annotated[
    list[str] | None,
    option(MADE, "All instances of a class, such as Q9415. May be repeated.", "--class", metavar="QID"),
]
QueryFile = Annotated[
    list[Path] | None, option(MADE, "Your own query. May be repeated.", "--query", metavar="FILE.rq")
]
Core = Annotated[
    bool, option(MADE, "The core: categories that most languages have many words for.", "--core")
]
MinimumSitelinks = Annotated[
    int | None,
    option(
        MADE,
        "Leave out items with fewer sitelinks, in categories with such a minimum; 0: keep all items.",
        "--min-sitelinks",
        metavar="N",
        min=0,
    ),
]
Hierarchy = Annotated[
    bool,
    option(MADE, "Also make a category of each class within a category, at all levels.", "--hierarchy"),
]
MinimumWords = Annotated[
    int | None,
    option(
        MADE,
        "Leave out categories with fewer words. The default is 4, and 10 if no category is named.",
        "--minimum-words",
        metavar="N",
        min=1,
    ),
]
SourceOption = Annotated[
    str,
    option(
        SOURCE,
        "shipped, wikidata, the URL of a SPARQL endpoint, or the path of a snapshot file.",
        "--source",
        metavar="SOURCE",
        autocompletion=completion.sources,
    ),
]
SourcesOption = Annotated[
    list[str] | None,
    option(
        SOURCE,
        "shipped, wikidata, the URL of a SPARQL endpoint, or the path of a snapshot file. Several snapshots "
        "are combined.",
        "--source",
        metavar="SOURCE",
        autocompletion=completion.sources,
    ),
]
Offline = Annotated[bool, option(SOURCE, "Send no requests: use only what is in the cache.", "--offline")]
Refresh = Annotated[bool, option(SOURCE, "Ask again for everything, cached or not.", "--refresh")]
MaxAge = Annotated[
    float | None, option(SOURCE, "Ask again for answers that are older.", "--max-age", metavar="DAYS", min=0)
]
Patience = Annotated[
    float,
    option(
        SOURCE,
        "How long to wait for a server that is busy, such as 90s, 30m or 2h.",
        "--patience",
        metavar="TIME",
        parser=_seconds,
    ),
]
Force = Annotated[bool, option(OUTPUT, "Also overwrite files that testgen did not write.", "--force")]
Json = Annotated[bool, option(OUTPUT, "Print the results as JSON.", "--json")]
Csv = Annotated[bool, option(OUTPUT, "Print the results as CSV.", "--csv")]


@dataclass(frozen=True)
class QueryOptions:
    """The categories and relations to ask for; all shipped ones if none is named."""

    category: Category = None
    class_: Class = None
    query: QueryFile = None
    core: Core = False
    min_sitelinks: MinimumSitelinks = None

    @property
    def named(self) -> bool:
        """Whether any is named, or the core is."""
        return bool(self.category or self.class_ or self.query or self.core)

    def asked_by_name(self, chosen: Iterable[Query]) -> set[str]:
        """The names of those queries that were asked for by name.

        Hardly a language has words for the whole core: what it lacks was not asked for by name.
        """
        return {each.name for each in chosen if not (self.core and each.core)}.union(self.category or ())

    def choose(self, *, worded: bool = True) -> list[Query]:
        """The queries; see `testgen.queries.choose`."""
        from testgen.cli.mistakes import check_queries
        from testgen.queries import choose

        check_queries(self.category or (), self.query or ())
        return choose(
            self.category or (),
            self.class_ or (),
            self.query or (),
            core=self.core,
            worded=worded,
            minimum_sitelinks=self.min_sitelinks,
        )


@dataclass(frozen=True)
class SourceOptions:
    """The source, and which of its cached answers are used."""

    source: SourcesOption = ("shipped",)  # type: ignore[assignment]  # Typer gives a list
    offline: Offline = False
    refresh: Refresh = False
    max_age: MaxAge = None
    patience: Patience = "30m"  # type: ignore[assignment]  # parsed like what a user writes

    @contextmanager
    def opened(self) -> Iterator[Source]:
        """The open source; progress is shown on stderr while it is asked over a network."""
        from testgen.cli.progress import opened

        with opened(**vars(self)) as source:
            yield source


@dataclass(frozen=True)
class PolicyOptions:
    """How labels become words: the fields of `LabelPolicy` without `minimum_words`."""

    normalization: Annotated[
        policy.Normalization, option(WORDS, "The Unicode normalization form of the words.")
    ] = LabelPolicy.normalization
    case: Annotated[policy.Case, option(WORDS, "The case of the words.")] = LabelPolicy.case
    several_words: Annotated[
        policy.SeveralWords,
        option(WORDS, "A label of several words: drop it, join the words with _, or keep the space."),
    ] = LabelPolicy.several_words
    parentheses: Annotated[
        policy.Qualifier,
        option(WORDS, "A (qualifier) at the end: strip it, keep it, or drop the label."),
    ] = LabelPolicy.parentheses
    comma: Annotated[
        policy.Qualifier,
        option(WORDS, "A qualifier after a comma: strip it, keep it, or drop the label."),
    ] = LabelPolicy.comma
    slash: Annotated[
        policy.Slash,
        option(WORDS, "A label like AC/DC: split it into variants, keep it, or drop it."),
    ] = LabelPolicy.slash
    aliases: Annotated[
        bool, option(WORDS, "Whether other names of an item are words too.", "--aliases/--no-aliases")
    ] = LabelPolicy.aliases
    mul: Annotated[
        bool,
        option(
            WORDS,
            "Whether the language-neutral label (mul) replaces a missing one, if its script fits.",
            "--mul/--no-mul",
        ),
    ] = LabelPolicy.mul
    any_script: Annotated[
        bool,
        option(
            WORDS,
            "Whether words in other scripts than those of the language are words too.",
            "--any-script/--own-scripts",
        ),
    ] = LabelPolicy.any_script

    def policy(self, minimum_words: int | None, *, named: bool) -> LabelPolicy:
        """The label policy, with the fewest words of a category: 4 by default, and 10 if none is named."""
        from testgen.generation import STANDARD_WORDS

        usual = LabelPolicy.minimum_words if named else STANDARD_WORDS
        return LabelPolicy(**vars(self), minimum_words=minimum_words or usual)


@dataclass(frozen=True)
class ResultOptions:
    """How a table of results is printed."""

    as_json: Json = False
    as_csv: Csv = False

    def __post_init__(self) -> None:
        """Refuse two formats at the same time."""
        if self.as_json and self.as_csv:
            raise typer.BadParameter("choose --json or --csv, not both")


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """The command of a function with groups of options, such as `SourceOptions`, among its parameters.

    Typer sees each field of a group as an option of its own; the function gets the groups.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(function)
    def command(**values: Any) -> None:  # noqa: ANN401  # each option has its own type
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        function(**values)

    flat = [
        each
        for parameter in inspect.signature(function).parameters.values()
        for each in _flat_options(parameter.replace(annotation=hints[parameter.name]))
    ]
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]  # inspect reads it
    command.__annotations__ = {each.name: each.annotation for each in flat}
    return command


def _flat_options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The options of a parameter: the fields of a group, or the parameter itself."""
    group = parameter.annotation
    if not is_dataclass(group):
        return [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
