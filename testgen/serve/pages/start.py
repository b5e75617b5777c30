"""The start page, with a search over languages and categories, and pages for errors, which suggest others."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.languages.codes import languages, written_in_script_of
from testgen.serve import responses
from testgen.serve.api import ProviderDep, Search
from testgen.serve.pages.browse import with_variants
from testgen.serve.pages.rendering import render
from testgen.serve.paths import path_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import EXACT, SIMILAR, names_of_language

router = APIRouter()

_MOST_FOUND, _MOST_SUGGESTED, _LONGEST_PATH = 8, 4, 200
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
def start(request: Request, provider: ProviderDep, q: Search = "") -> Response:
    """A description of the service, a search, and links to the other pages."""
    sought = q.strip()
    meant = search(provider, sought) if sought else None
    index = _index(provider) if provider.settings.pages_only else None
    some = example(provider)
    return render(request, "start", q=sought, found=meant, most=_MOST_FOUND, example=some, index=index)


def _index(provider: TestSetProvider) -> list[tuple[str, str, str, list[str]]]:
    found = []
    for each in responses.all_languages(provider):
        names, about = names_of_language(languages()[each.code]), f"{each.words:,} words"
        found.append((f"/languages/{each.code}.html", each.name, about, names))
    for name, query in provider.in_memory.queries.items():
        names, about = [query.title, name, *query.also], f"{query.kind}, {query.topic}"
        found.append((f"/categories/{name}.html", query.title, about, names))
    return found


def search(provider: TestSetProvider, text: str) -> dict[str, Any]:
    """Languages, categories and words that a text may mean, the best match first; several may stand in it."""
    # `similar`: nothing has the text in its names. `lacking`: where there are words of languages without any.
    resolver, counts = provider.resolver, provider.in_memory.counts
    words = resolver.words(text)
    languages, rest = resolver.language_ranks(text), text
    known, unknown = resolver.languages(text)
    if EXACT in languages.values() and unknown and len(known) > 0:
        rest = " ".join(unknown)  # "Telugu countries"
    categories = resolver.category_ranks(rest)
    best = min([*languages.values(), *categories.values(), *(EXACT for _ in words)], default=SIMILAR)
    # Names that are only similar are not shown beside those that fit.
    show = [fits and (best == SIMILAR or min(fits.values()) != SIMILAR) for fits in (languages, categories)]
    return {
        "similar": best == SIMILAR,
        "languages": with_variants(responses.all_languages(provider, text)) if show[0] else [],
        "categories": responses.all_categories(provider, rest) if show[1] else [],
        "words": words[:_MOST_FOUND],
        "lacking": [
            resolver.lacking(each.key) for each in known if each.key not in counts and each.is_obvious
        ],
    }


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
                if written_in_script_of(label, code)
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
    return render(request, "error", status, headers, title=title, detail=detail, code=status, similar=similar)


def suggestions(provider: TestSetProvider, path: str) -> list[tuple[str, str]]:
    """Paths and titles of pages that may be meant by a path that does not exist."""
    folder, _, name = unquote(path).strip("/").partition("/")
    if len(path) > _LONGEST_PATH:
        return []
    meant = search(provider, name or folder)
    pages = [(f"/languages/{one.code}", f"{one.name} ({one.code})") for one, _ in meant["languages"]]
    pages += [(f"/categories/{category.name}", category.title) for category in meant["categories"]]
    within = f"/{folder}/" if folder in ("languages", "categories") else "/"
    return [page for page in pages if page[0].startswith(within)][:_MOST_SUGGESTED]
