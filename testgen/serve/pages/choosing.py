"""What the form on the build page sends, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Annotated
from urllib.parse import urlencode

import regex
from fastapi import Depends, Query

from testgen.errors import LanguageError, MissingAnswerError, TestgenError
from testgen.labels import LabelPolicy
from testgen.languages import canonical, languages
from testgen.serve import views
from testgen.serve.api import Categories, Classes, Languages, ThePolicy
from testgen.serve.choices import Choice, checked, queries_of
from testgen.serve.library import Library
from testgen.serve.models import SummaryModel
from testgen.serve.pages.forms import LeastItems

SHOWN = 5
"""How many languages have their test sets made to say how large they are."""

_BETWEEN = regex.compile(r"[\s,;]+")
_API = "/api/v1/test-sets"


@dataclass(frozen=True)
class Wish:
    """The content of the form.

    Attributes:
        languages: Codes or names, or several codes in one text.
        everything: Whether all languages are wanted.
        categories: Names of categories and relations.
        classes: Ids, or several ids in one text.
        policy: How labels become words.
        minimum_items: The fewest items of a class within a category; None for no such classes.
    """

    languages: Sequence[str]
    everything: bool
    categories: Sequence[str]
    classes: Sequence[str]
    policy: LabelPolicy
    minimum_items: int | None

    def choice(self, library: Library) -> Choice:
        """What is wanted, checked; its `languages` may be none.

        Raises:
            LanguageError: A code is malformed or unknown.
            QueryError: A category is not offered, an id malformed, or there are too many classes.
        """
        return checked(
            library.settings,
            None if self.everything else [code for text in self.languages for code in codes_in(text)],
            self.categories,
            [each for text in self.classes for each in _BETWEEN.split(text.strip().upper()) if each],
            self.policy,
            self.minimum_items,
        )

    def understood(self) -> tuple[list[str], str]:
        """The codes of the languages that are known, and the texts that are none."""
        known, unknown = [], []
        for text in self.languages:
            try:
                known += [canonical(code) for code in codes_in(text)]
            except LanguageError:
                unknown.append(text)
        return list(dict.fromkeys(known)), ", ".join(unknown)


def _wish(
    policy: ThePolicy,
    language: Languages = [],  # noqa: B006 - FastAPI copies it
    all_languages: Annotated[bool, Query()] = False,
    category: Categories = [],  # noqa: B006
    class_: Classes = [],  # noqa: B006
    minimum_items: LeastItems = None,
) -> Wish:
    return Wish(language, all_languages, category, class_, policy, minimum_items)


TheWish = Annotated[Wish, Depends(_wish)]


def codes_in(text: str) -> list[str]:
    """The codes in a text: of the language that is called so, or else its words."""
    code = _code_of_name().get(text.strip().casefold())
    return [code] if code else [each for each in _BETWEEN.split(text.strip()) if each]


@cache
def _code_of_name() -> dict[str, str]:
    return {each.name.casefold(): each.code for each in languages().values() if each.replaced_by is None}


def parameters(choice: Choice) -> list[tuple[str, str]]:
    """All of a choice but its languages, without what is usual, as parameters of the API and of the form."""
    pairs = [("category", name) for name in choice.categories] + [("class", id_) for id_ in choice.classes]
    for each in fields(LabelPolicy):
        value = getattr(choice.policy, each.name)
        if value != each.default:
            pairs.append((each.name, str(value).lower() if isinstance(value, bool) else str(value)))
    return pairs + ([] if choice.minimum_items is None else [("minimum_items", str(choice.minimum_items))])


def form_query(choice: Choice) -> str:
    """The query of an address of the build page that has this choice in its form."""
    if choice.languages is None:
        return urlencode([("all_languages", "true"), *parameters(choice)])
    return urlencode([*(("language", code) for code in choice.languages), *parameters(choice)])


def download(choice: Choice) -> str:
    """The address of the test set, or of a zip file of several."""
    if choice.languages is not None and len(choice.languages) == 1:
        place, pairs = f"{_API}/{choice.languages[0]}.json", parameters(choice)
    else:
        codes = choice.languages or ()
        place, pairs = f"{_API}.zip", [*(("language", code) for code in codes), *parameters(choice)]
    return f"{place}?{urlencode(pairs)}" if pairs else place


@dataclass(frozen=True)
class Outcome:
    """What comes of a wish.

    Attributes:
        choice: What is to be made; None if the wish cannot be understood, or no language is chosen.
        sizes: How large the test sets of the first few languages are.
        problem: Why there is no test set; empty if there is one.
        fetchable: Whether a job can do something about it.
    """

    choice: Choice | None = None
    sizes: Sequence[SummaryModel] = ()
    problem: str = ""
    fetchable: bool = False


def outcome(library: Library, wish: Wish) -> Outcome:
    """What comes of a wish; nothing is raised, for people are not done choosing."""
    choice = None
    try:
        choice = wish.choice(library)
        if choice.languages == ():
            return Outcome()
        return Outcome(choice, list(_sizes(library, choice)))
    except MissingAnswerError as error:
        return Outcome(choice, problem=str(error), fetchable=True)
    except TestgenError as error:
        return Outcome(choice, problem=str(error))


def _sizes(library: Library, choice: Choice) -> Iterator[SummaryModel]:
    """How large the test sets are; for all languages, only whether they can be made.

    Raises:
        MissingAnswerError: Something has yet to be fetched.
    """
    for code in (choice.languages or ())[:SHOWN]:
        yield views.summary(library, replace(choice, languages=(code,)))
    missing = library.catalogue.missing
    for query in queries_of(choice, library.settings) if choice.languages is None else ():
        if query in missing and (choice.categories or not library.catalogue.queries):
            raise missing[query]
