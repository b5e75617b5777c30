"""The start page, with a search over languages and categories."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.languages import languages, written_in_script_of
from testgen.serve import views
from testgen.serve.api import Search, TheLibrary
from testgen.serve.library import Library
from testgen.serve.models import CategoryModel, LanguageModel
from testgen.serve.pages.rendering import icon, render

router = APIRouter(include_in_schema=False)

_SHOWN = 8
# Of many scripts, so that a visitor sees what "in hundreds of languages" means.
_SHOW = ("la", "el", "ar", "hi", "am", "ka", "he", "te", "ru", "hy", "th", "my", "bo", "chr", "ko", "ja")


@dataclass(frozen=True)
class Found:
    """What a search found: the best matches first, and how many there are."""

    languages: list[LanguageModel]
    categories: list[CategoryModel]
    languages_in_all: int
    categories_in_all: int


@router.get("/")
def start(request: Request, library: TheLibrary, q: Search = "") -> Response:
    """What this is, a search, and the ways in."""
    sought = q.strip()
    return render(
        request,
        "start",
        q=sought,
        found=search(library, sought) if sought else None,
        example=example(library),
    )


@router.get("/favicon.ico")
def favicon() -> Response:
    """The icon, where browsers look for it unasked."""
    return Response(icon(), media_type="image/svg+xml")


def search(library: Library, text: str) -> Found:
    """Languages and categories in whose names, or descriptions, a text occurs."""
    of_languages = sorted(
        views.all_languages(library, text),
        key=lambda each: (_distance(text, each.code, each.name), -each.words),
    )
    of_categories = sorted(
        views.all_categories(library, text),
        key=lambda each: (not each.languages, _distance(text, each.name, each.title), -each.languages),
    )
    return Found(of_languages[:_SHOWN], of_categories[:_SHOWN], len(of_languages), len(of_categories))


def _distance(text: str, *names: str) -> int:
    """0 for a thing that is called so, 1 if it begins so, 2 if the text is anywhere in it, 3 if nowhere."""
    sought, known = text.casefold(), [name.casefold() for name in names]
    tests = (sought in known, any(name.startswith(sought) for name in known), any(sought in n for n in known))
    return next((rank for rank, holds in enumerate(tests) if holds), len(tests))


def example(library: Library) -> list[tuple[str, str, str]]:
    """Code, name of the language and word for one thing, in several languages; empty if there are few."""
    catalogue = library.catalogue
    codes = [code for code in _SHOW if code in catalogue.coverage.index]
    best: list[tuple[str, str, str]] = []
    for name in ("country", "continent", "planet", *list(catalogue.queries)[:3]):
        if name in catalogue.queries:
            item = catalogue.items(catalogue.queries[name])[0]
            labels = ((code, catalogue.label(item, code) or "") for code in codes)
            own = [(code, label) for code, label in labels if written_in_script_of(label, code)]
            best = max(best, [(code, languages()[code].name, label) for code, label in own], key=len)
        if len(best) >= len(_SHOW) // 2:
            break
    return best[:10] if len(best) > 2 else []
