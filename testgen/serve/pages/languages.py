"""The pages on languages."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.serve import views
from testgen.serve.api import Code, Search, TheLibrary
from testgen.serve.choices import Choice
from testgen.serve.pages.forms import Least
from testgen.serve.pages.rendering import render

router = APIRouter(include_in_schema=False)


@router.get("/languages")
def all_languages(
    request: Request, library: TheLibrary, q: Search = "", script: str = "", minimum_words: Least = None
) -> Response:
    """All languages, or those that are searched for."""
    known = views.all_languages(library)
    return render(
        request,
        "languages",
        q=q,
        script=script,
        minimum_words=minimum_words,
        scripts=sorted({each for language in known for each in language.scripts}),
        found=views.all_languages(library, q, script or None, minimum_words or 1),
    )


@router.get("/languages/{code}")
def one_language(request: Request, library: TheLibrary, code: Code) -> Response:
    """A language: what it has of each category."""
    known = views.known_language(library, code)
    if known.code != code:
        return RedirectResponse(f"/languages/{known.code}")
    language = views.language(library, code)
    parts = sorted(language.parts, key=attrgetter("topic", "title"))
    return render(
        request,
        "language",
        language=language,
        topics=[(topic, list(group)) for topic, group in groupby(parts, attrgetter("topic"))],
        command=library.command(Choice((code,))),
    )
