"""The options that several commands share: each has one name, one help text and one default."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from testgen.cli.output import echo, print_json
from testgen.errors import ConfigError, LanguageError, PolicyError, QueryError
from testgen.labels.policy import LabelPolicy

if TYPE_CHECKING:
    import pandas as pd

    from testgen.generation.request import TestSetRequest
    from testgen.labels.vocabulary import Vocabulary
    from testgen.sources import AnsweringSource


_AGES = ("ancient", "biblical", "classical", "middle", "old")
MADE, WORDS, SOURCE = "What to make", "How labels become words", "Source"
OUTPUT, MACHINE = "Output", "Machine"
_SOURCE_HELP = (
    "shipped, wikidata, the URL of a SPARQL endpoint, or the path of a snapshot or of a file of RDF."
)


def check_languages(given: Iterable[str]) -> None:
    """Refuse names of categories that were given as languages, and tell of other languages of that name."""
    from testgen.languages.codes import canonical, language_called, languages
    from testgen.queries import shipped_titles

    for code in given:
        try:
            found = canonical(code)
        except LanguageError:
            if code in shipped_titles():
                raise LanguageError(
                    f"{code!r} is not a language but a category: use --category {code}"
                ) from None
            continue
        old = {f"{age} {code.strip().lower()}" for age in _AGES}
        others = [each for each in languages().values() if each.name.lower() in old]
        called = language_called(code)
        if called not in (None, found):  # `asu` is a code, and Asu a language with another one
            others.append(languages()[str(called)])
        if others:
            named = ", ".join(f"{each.name} is {each.code}" for each in others)
            meant = f"{languages()[found].name} ({found})" if called not in (None, found) else found
            echo(f"testgen: {code} is {meant}; {named}", err=True)


def check_categories(given: Iterable[str]) -> None:
    """Refuse languages that were given as categories."""
    from testgen.languages.codes import canonical
    from testgen.queries import shipped_titles

    known = shipped_titles()
    for name in given:
        try:
            canonical(name)
        except LanguageError:
            continue
        if name not in known:
            near = get_close_matches(name, known, n=1)
            or_near = f", or --category {near[0]}" if near else ""
            raise QueryError(f"{name!r} is not a category: use --language {name}{or_near}")


def read_vocabulary(path: Path | None, codes: Sequence[str]) -> Vocabulary | None:
    """The vocabulary of `--for`, which must be for one language."""
    from testgen.labels.vocabulary import Vocabulary

    if path is not None and len(codes) != 1:
        raise typer.BadParameter(
            "--for is for one language: name it, as in `testgen generate la --for WORDS.txt`"
        )
    return None if path is None else Vocabulary.read(path)


def check_libraries(what: str, extra: str, *names: str) -> None:
    """Refuse to do what needs libraries of an extra that are not installed."""
    if any(find_spec(name) is None for name in names):
        raise ConfigError(f"{what} needs more libraries: pip install 'testgen-evaluator[{extra}]'")


def option(panel: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # as typer.Option
    """An option of a command, in a group of its help; other arguments are those of `typer.Option`."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **more)


Named = Annotated[
    list[str] | None,
    typer.Argument(metavar="LANGUAGE", help="Languages, such as la or latin; as with --language."),
]
Language = Annotated[
    list[str] | None,
    option(MADE, "A language, such as la or lat. May be repeated.", "--language", "-l", metavar="CODE"),
]
Category = Annotated[
    list[str] | None,
    option(
        MADE,
        "A category or relation; a class, such as Q9415, for all its instances; or your own query. May be "
        "repeated.",
        *("--category", "-c"),
        metavar="NAME|QID|FILE.rq",
    ),
]
VocabularyOption = Annotated[
    Path | None,
    option(
        MADE,
        "Choose categories, spellings and words by what a vocabulary has, as `evaluator coverage "
        "--list-words` writes it.",
        "--for",
        metavar="WORDS.txt",
    ),
]
Hierarchy = Annotated[
    bool, option(MADE, "Also make a category of each class within a category, at all levels.", "--hierarchy")
]
SourceOption = Annotated[str, option(SOURCE, _SOURCE_HELP, metavar="SOURCE")]
SourcesOption = Annotated[
    list[str] | None, option(SOURCE, f"{_SOURCE_HELP} Several files are combined.", metavar="SOURCE")
]
Force = Annotated[bool, option(OUTPUT, "Also overwrite files that testgen did not write.", "--force")]
Json = Annotated[bool, option(OUTPUT, "Print the results as JSON.", "--json")]


@dataclass(frozen=True)
class QueryOptions:
    """The categories and relations to ask for; all shipped ones if none is named."""

    category: Category = None
    core: Annotated[
        bool, option(MADE, "The core: categories that most languages have many words for.", "--core")
    ] = False
    min_sitelinks: Annotated[
        int | None,
        option(
            MADE,
            "Leave out items with fewer sitelinks, in categories with such a minimum; 0: keep all items.",
            metavar="N",
            min=0,
        ),
    ] = None

    keywords: Annotated[
        bool | None,
        option(
            MADE,
            "Related words: the keywords of symbols. The default is yes, unless a category is named.",
        ),
    ] = None

    @property
    def asked_by_name(self) -> set[str]:
        """The names of those that are asked for by name: hardly a language has words for the whole core."""
        return {Path(each).stem if each.endswith(".rq") else each for each in self.category or ()}

    def request(
        self,
        languages: Sequence[str] | None = None,
        policy: LabelPolicy | None = None,
        minimum_words: int | None = None,
        **more: Any,  # noqa: ANN401  # as TestSetRequest has them
    ) -> TestSetRequest:
        """The request for these; a category has 4 words at least by default, and 10 if none is named."""
        from testgen.generation.request import TestSetRequest

        check_languages(languages or ())
        check_categories(self.category or ())
        return TestSetRequest(
            languages,
            self.category or (),
            core=self.core,
            minimum_sitelinks=self.min_sitelinks,
            keywords=self.keywords,
            policy=replace(policy or LabelPolicy(), minimum_words=minimum_words),
            **more,
        )


@dataclass(frozen=True)
class PolicyOptions:
    """How labels become words."""

    policy: Annotated[
        list[str] | None,
        option(
            WORDS,
            "A choice of the label policy, as in aliases=yes, or a test set, whose choices are used but for "
            f"those that are named. May be repeated. {LabelPolicy.described()}.",
            metavar="NAME=VALUE|FILE.json",
        ),
    ] = None

    @property
    def chosen(self) -> LabelPolicy:
        """That of a test set if one is named, with the choices that are named themselves."""
        given = dict.fromkeys(self.policy or ())
        files = [text for text in given if text.endswith(".json")]
        if len(files) > 1:
            raise PolicyError(f"--policy {' and '.join(files)}: the choices of two test sets; name one")
        found = LabelPolicy()
        if files:
            from testgen.testset.writing import read_test_sets

            found = read_test_sets(files[0])[0].policy
        return found.with_choices(*(text for text in given if text not in files))


@dataclass(frozen=True)
class SourceOptions:
    """The source, and which of its cached answers are used."""

    source: SourcesOption = ("shipped",)  # type: ignore[assignment]  # Typer gives a list
    offline: Annotated[
        bool, option(SOURCE, "Send no requests: use only what is in the cache.", "--offline")
    ] = False

    def opened(self) -> AbstractContextManager[AnsweringSource]:
        """The open source; progress is shown on stderr while it is asked over a network."""
        from testgen.cli.progress import open_showing_progress

        return open_showing_progress(**vars(self))


@dataclass(frozen=True)
class AgingSourceOptions(SourceOptions):
    """A source whose cached answers may be too old."""

    max_age: Annotated[
        float | None,
        option(SOURCE, "Ask again for answers that are older; 0: for all.", metavar="DAYS", min=0),
    ] = None


@dataclass(frozen=True)
class ResultOptions:
    """How a table of results is printed."""

    as_json: Json = False

    def show(self, frame: pd.DataFrame, text: Callable[[], None]) -> None:
        """Print a table of results as JSON if that is asked for; `text` prints it for people."""
        if self.as_json:
            print_json(frame)
        else:
            text()


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """The command of a function whose groups of options, such as `SourceOptions`, Typer sees one by one."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(function)
    def command(**values: Any) -> None:  # noqa: ANN401  # each option has its own type
        for name, group in groups.items():
            values[name] = group(**{option: values.pop(option) for option in _group_options(group)})
        function(**values)

    flat: dict[str, tuple[Any, Any]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        own = {name: (hints[name], parameter.default)}
        flat |= _group_options(groups[name]) if name in groups else own
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # inspect reads it
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in flat.items()
        ]
    )
    command.__annotations__ = {name: hint for name, (hint, _) in flat.items()}
    return command


def _group_options(group: Any) -> dict[str, tuple[Any, Any]]:  # noqa: ANN401  # a data class
    """The type and the default of each option of a group."""
    hints = get_type_hints(group, include_extras=True)
    defaults = {field.name: field.default for field in fields(group)}
    return {
        name: (hint, inspect.Parameter.empty if defaults[name] is MISSING else defaults[name])
        for name, hint in hints.items()
    }
