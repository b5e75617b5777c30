"""The start page, with a search over languages and categories, and pages for errors, which suggest others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import unquote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from testgen.languages.codes import NEUTRAL, accepted_spellings, languages
from testgen.serve import responses
from testgen.serve.api import ProviderDep
from testgen.serve.pages.browse import with_variants
from testgen.serve.pages.rendering import render
from testgen.serve.paths import path_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import RULES, names_of_language, without_commands

router = APIRouter()

_MOST_SUGGESTED, _LONGEST_PATH = 4, 200
# Languages with different scripts, so that a visitor sees what "in hundreds of languages" means.
_EXAMPLE_LANGUAGES = (
    "la", "el", "ar", "hi", "am", "ka", "he", "te", "ru", "hy", "th", "my", "bo", "chr", "ko", "ja",
)  # fmt: skip

_TITLES: Mapping[int, str] = {
    HTTPStatus.NOT_FOUND: "There is no such page",
    HTTPStatus.CONFLICT: "This is not ready yet",
    HTTPStatus.UNPROCESSABLE_ENTITY: "This request cannot be understood",
    HTTPStatus.TOO_MANY_REQUESTS: "Too much at a time",
    HTTPStatus.SERVICE_UNAVAILABLE: "The service is busy",
    HTTPStatus.BAD_GATEWAY: "The source does not answer",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong here",
}


@router.get("/")
def start(request: Request, provider: ProviderDep) -> Response:
    """A description of the service, a search, and links to the other pages."""
    return render(request, "start", example=example(provider), has_licence=bool(provider.licences))


@router.get("/search.json")
def index(provider: ProviderDep) -> Response:
    """What the script that searches has to know: its rules, and names of languages and categories."""
    named, spellings = provider.in_memory.language_names, defaultdict[str, list[str]](list)
    for spelling, code in accepted_spellings().items():
        spellings[code].append(spelling)
    with_words = [
        {
            "key": each.code,
            "title": each.name,
            "names": names_of_language(languages()[each.code]),
            "exact": [*spellings[each.code], *sorted(named.get(each.code, ()))],
            "whole": each.variant_of or each.code,
            "words": each.words,
            "enough": responses.enough(each),
            "everyday": each.everyday,
            "pairs": each.pairs,
        }
        for each in responses.all_languages(provider)
    ]
    lacking = [
        {"key": code, "exact": spellings[code], "lacking": provider.resolver.lacking(code)}
        for code, each in languages().items()
        if code not in provider.in_memory.counts and not each.replaced_by and code != NEUTRAL
    ]
    categories = [
        {
            "key": each.name,
            "title": each.title,
            "names": provider.resolver.names_of_categories[each.name],
            "text": each.summary,
            "languages": each.languages,
        }
        for each in responses.all_categories(provider)
    ]
    found = {"languages": with_words, "lacking": lacking, "categories": categories}
    return JSONResponse({"rules": RULES, **found})


def example(provider: TestSetProvider) -> list[tuple[str, str, str]]:
    """Language code, language name and word for one item, in several languages; empty if there are few."""
    in_memory = provider.in_memory
    codes = [code for code in _EXAMPLE_LANGUAGES if code in in_memory.coverage.index]
    best: list[tuple[str, str, str]] = []
    for name in ("country", "continent", "planet", *list(in_memory.queries)[:3]):
        if name in in_memory.queries:
            item = in_memory.items(in_memory.queries[name])[0]
            labels = ((code, in_memory.label(item, code) or "") for code in codes)
            named = [
                (code, languages()[code].name, label)
                for code, label in labels
                if languages()[code].has_letters_of(label)
            ]
            best = max(best, named, key=len)
        if len(best) >= len(_EXAMPLE_LANGUAGES) // 2:
            break
    return best[:10] if len(best) > 2 else []


def error_page(request: Request, status: int, detail: str, headers: dict[str, str]) -> Response:
    """A page that says what went wrong, with links to go on from."""
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    missing = status == HTTPStatus.NOT_FOUND
    similar = suggestions(request.app.state.provider, path_of(request.scope)) if missing else []
    detail = without_commands(detail)
    return render(request, "error", status, headers, title=title, detail=detail, code=status, similar=similar)


def suggestions(provider: TestSetProvider, path: str) -> list[tuple[str, str]]:
    """Paths and titles of pages that may be meant by a path that does not exist."""
    folder, _, name = unquote(path).strip("/").partition("/")
    if len(path) > _LONGEST_PATH:
        return []
    meant = name or folder
    pages = [
        (f"/languages/{one.code}", f"{one.name} ({one.code})")
        for one, _ in with_variants(responses.all_languages(provider, meant))
    ]
    pages += [(f"/categories/{each.name}", each.title) for each in responses.all_categories(provider, meant)]
    within = f"/{folder}/" if folder in ("languages", "categories") else "/"
    return [page for page in pages if page[0].startswith(within)][:_MOST_SUGGESTED]
