"""The page on which people choose what their test set is made of."""

from __future__ import annotations

from dataclasses import fields
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.labels import LabelPolicy
from testgen.languages import NEUTRAL, languages
from testgen.serve import views
from testgen.serve.api import TheLibrary
from testgen.serve.library import Library
from testgen.serve.pages.categories import by_topic
from testgen.serve.pages.choosing import SHOWN, Outcome, TheWish, download, form_query, outcome
from testgen.serve.pages.rendering import render

router = APIRouter(include_in_schema=False)

_MANY = 60  # check boxes; more of them are folded away by topic


@router.get("/build")
def build(request: Request, library: TheLibrary, wish: TheWish) -> Response:
    """The form, and what comes of what is chosen in it."""
    known, unknown = wish.understood()
    offered = [each for each in views.all_categories(library) if each.items != 0]
    return render(
        request,
        "build",
        wish=wish,
        chosen=[languages()[code] for code in known],
        unknown=unknown,
        offered=_languages(library),
        topics=by_topic(offered),
        without=len(library.offered) - len(offered),
        folded=len(offered) > _MANY,
        usual={each.name: each.default for each in fields(LabelPolicy)},
        **_shown(library, outcome(library, wish)),
    )


@router.get("/build/outcome")
def show_outcome(request: Request, library: TheLibrary, wish: TheWish) -> Response:
    """The part of the page that says what comes of the choice, to be put in its place."""
    return render(request, "outcome", **_shown(library, outcome(library, wish)))


@router.get("/build/download")
def send(request: Request, library: TheLibrary, wish: TheWish) -> Response:
    """Lead to the file; or back to the form, which says why there is none."""
    found = outcome(library, wish)
    place = download(found.choice) if found.choice and not found.problem else f"/build?{request.url.query}"
    return RedirectResponse(place, HTTPStatus.SEE_OTHER)


def _shown(library: Library, found: Outcome) -> dict[str, Any]:
    choice = found.choice
    return {
        "outcome": found,
        "command": library.command(choice) if choice else "",
        "address": download(choice) if choice else "",
        "query": form_query(choice) if choice else "",
        "most_shown": SHOWN,
    }


def _languages(library: Library) -> list[tuple[str, str]]:
    """Code and name of the languages that may be chosen: a live source may have words in any."""
    if library.settings.is_remote:
        codes = [each.code for each in languages().values() if not each.replaced_by and each.code != NEUTRAL]
    else:
        codes = [str(code) for code in library.catalogue.coverage.index]
    return sorted(((code, languages()[code].name) for code in codes), key=lambda each: each[1])
