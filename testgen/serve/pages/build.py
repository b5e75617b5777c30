"""The page on which people choose what their test set is made of, and its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

import regex
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from testgen.errors import LanguageError, MissingAnswerError, QueryError, TestgenError
from testgen.labels import LabelPolicy
from testgen.languages import NEUTRAL, canonical, languages
from testgen.queries import class_query
from testgen.serve import responses, schema
from testgen.serve.api import ChosenDep, Languages, ProviderDep
from testgen.serve.pages.browse import by_topic
from testgen.serve.pages.rendering import QUERY_SERVICE, render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.search import ranks
from testgen.serve.selection import Selection

router = APIRouter()

MOST_SIZES = 5
"""For how many languages test sets are made to show their sizes."""

_MOST_CLASSES = 200  # suggestions
_FOLDED_FROM = 60  # check boxes; more of them are folded by topic
_SEPARATORS = regex.compile(r"[\s,;]+")
_NUMBER = regex.compile(r"Q?[0-9]+")


def _form(
    chosen: ChosenDep,
    language: Languages = [],  # noqa: B006 - FastAPI copies it
    all_languages: Annotated[bool, Query()] = False,
) -> Selection:
    return chosen if all_languages else replace(chosen, languages=tuple(language))


FormDep = Annotated[Selection, Depends(_form)]
"""The form as it was filled in: a text in it may hold several codes, names or ids."""


def understood(provider: ProviderDep, form: FormDep) -> Selection:
    """What a form selects, checked; its `languages` may be empty."""
    codes = form.languages and tuple(code for text in form.languages for code in codes_in(text))
    classes = tuple(class_id for text in form.classes for class_id in classes_in(provider, text))
    return replace(form, languages=codes, classes=classes).checked(provider.settings)


SelectionDep = Annotated[Selection, Depends(understood)]


def _known_languages(form: Selection) -> tuple[list[str], str]:
    known, unknown = [], []
    for text in form.languages or ():
        try:
            known += [canonical(code) for code in codes_in(text)]
        except LanguageError:
            unknown.append(text)
    return list(dict.fromkeys(known)), ", ".join(unknown)


def codes_in(text: str) -> list[str]:
    """The codes in a text: that of the language with this name, or else the words of the text."""
    code = _code_of_name().get(text.strip().casefold())
    return [code] if code else list(filter(None, _SEPARATORS.split(text.strip())))


def classes_in(provider: TestSetProvider, text: str) -> list[str]:
    """The ids of the classes in a text: numbers with or without Q, or names separated by commas."""
    words = list(filter(None, _SEPARATORS.split(text.strip().upper())))
    if all(map(_NUMBER.fullmatch, words)):
        return [f"Q{word.removeprefix('Q')}" for word in words]
    return [_class_called(provider, name.strip()) for name in text.split(",") if name.strip()]


def _class_called(provider: TestSetProvider, name: str) -> str:
    source = provider.in_memory.provenance.name
    if provider.settings.is_remote:
        raise QueryError(f"{name}: {source} finds classes by their numbers, such as Q9415")
    names = {class_id: [title] for class_id, (title, _) in provider.in_memory.classes.items() if title}
    rank = ranks(name, names, {})
    if not rank:
        raise QueryError(f"{source} has no class called {name}")
    return min(rank, key=rank.__getitem__)


@cache
def _code_of_name() -> dict[str, str]:
    in_use = [language for language in languages().values() if language.replaced_by is None]
    in_use.sort(key=lambda language: language.code == language.whole)  # the last one of a name counts
    return {name.casefold(): known.code for known in in_use for name in (*known.also, known.name)}


@dataclass(frozen=True)
class Preview:
    """What the form would make.

    Attributes:
        selection: What is selected; None if the form cannot be understood, or names no language.
        sizes: The sizes of the test sets of the first few languages.
        problem: Why there is no test set; empty if there is one.
        fetchable: Whether a job can fetch what is missing.
        unanswered: The classes of which the source has no instances, and where to see them on Wikidata.
    """

    selection: Selection | None = None
    sizes: Sequence[schema.Summary] = ()
    problem: str = ""
    fetchable: bool = False
    unanswered: Sequence[tuple[str, str]] = ()


def preview(provider: TestSetProvider, form: Selection) -> Preview:
    """What the form would make; errors are only shown, since people are still choosing."""
    selection = None
    try:
        selection = understood(provider, form)
        if unanswered := _unanswered(provider, selection):
            ids = " and ".join(class_id for class_id, _ in unanswered)
            problem = f"{provider.in_memory.provenance.name} has no instances of {ids}."
            return Preview(selection, problem=problem, unanswered=unanswered)
        if selection.languages == ():
            return Preview()
        return Preview(selection, list(_sizes(provider, selection)))
    except MissingAnswerError as error:
        return Preview(selection, problem=str(error), fetchable=True)
    except LanguageError as error:
        return Preview(selection, problem=_too_few(error) if selection else _without_commands(error))
    except TestgenError as error:
        return Preview(selection, problem=_without_commands(error))


def _without_commands(error: TestgenError) -> str:
    return str(regex.sub(r"[;.]? `testgen .*$", "", str(error)))


def _too_few(error: LanguageError) -> str:
    """What to do on this page about a language with too few words; the message begins with its name."""
    what, _, _ = str(error).partition(":")
    return (
        f"{what}: there are too few words. Choose other categories, lower the fewest words, or keep names of "
        "several words"
    )


def _unanswered(provider: TestSetProvider, selection: Selection) -> list[tuple[str, str]]:
    """The classes of which a snapshot has no instances, with the page of Wikidata that lists them."""
    if provider.settings.is_remote:
        return []
    return [
        (class_id, QUERY_SERVICE + quote(class_query(class_id).text, safe=""))
        for class_id in selection.classes
        if class_id not in provider.in_memory.classes
    ]


def _sizes(provider: TestSetProvider, selection: Selection) -> Iterator[schema.Summary]:
    """The sizes of the test sets; for all languages, only check that they can be made."""
    for code in (selection.languages or ())[:MOST_SIZES]:
        yield responses.summary(provider, replace(selection, languages=(code,)))
    missing = provider.in_memory.missing
    for query in selection.queries(provider.settings) if selection.languages is None else ():
        if query in missing and (selection.categories or not provider.in_memory.queries):
            raise missing[query]


@router.get("/build")
def build(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """The form, and what it would make."""
    known, unknown = _known_languages(form)
    offered = [category for category in responses.all_categories(provider) if category.items != 0]
    return render(
        request,
        "build",
        form=form,
        chosen=[languages()[code] for code in known],
        unknown=unknown,
        offered=_offered_languages(provider),
        topics=by_topic(offered),
        without=len(provider.offered) - len(offered),
        classes=_named_classes(provider),
        folded=len(offered) > _FOLDED_FROM,
        usual=LabelPolicy().as_dict(),
        **_preview_values(provider, form),
    )


@router.get("/build/preview")
def show_preview(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """The preview alone, with which the page replaces the old one."""
    return render(request, "preview", **_preview_values(provider, form))


@router.get("/build/download")
def download(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """Redirect to the file; or back to the form, which says why there is none."""
    shown = preview(provider, form)
    url = f"/build?{request.url.query}"
    if shown.selection and not shown.problem:
        url = shown.selection.download_path
    return RedirectResponse(url_of(request, url), HTTPStatus.SEE_OTHER)


def _preview_values(provider: TestSetProvider, form: Selection) -> dict[str, Any]:
    shown = preview(provider, form)
    command = provider.command(shown.selection) if shown.selection else ""
    return {"preview": shown, "command": command, "most_sizes": MOST_SIZES}


def _named_classes(provider: TestSetProvider) -> list[tuple[str, str, int]]:
    known = {} if provider.settings.is_remote else provider.in_memory.classes
    least = LabelPolicy().minimum_words
    named = [(class_id, name, size) for class_id, (name, size) in known.items() if name and size >= least]
    return named[:_MOST_CLASSES]


def _offered_languages(provider: TestSetProvider) -> list[tuple[str, str]]:
    """Code and name of the languages to choose from: a live source may have words in any of them."""
    if provider.settings.is_remote:
        in_use = (code for code, language in languages().items() if not language.replaced_by)
        codes = [code for code in in_use if code != NEUTRAL]
    else:
        codes = list(provider.in_memory.counts)
    return sorted(((code, languages()[code].name) for code in codes), key=lambda named: named[1])
