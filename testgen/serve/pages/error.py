"""The page for errors."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import unquote

from fastapi import Request
from fastapi.responses import Response

from testgen.languages import languages
from testgen.serve.pages.rendering import render
from testgen.serve.provider import TestSetProvider

_TITLES: Mapping[int, str] = {
    HTTPStatus.NOT_FOUND: "There is no such page",
    HTTPStatus.CONFLICT: "This is not ready yet",
    HTTPStatus.UNPROCESSABLE_ENTITY: "This request cannot be understood",
    HTTPStatus.TOO_MANY_REQUESTS: "Too much at a time",
    HTTPStatus.SERVICE_UNAVAILABLE: "The service is busy",
    HTTPStatus.BAD_GATEWAY: "The source does not answer",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong here",
}
_MOST = 4  # suggestions on a page


def error_page(request: Request, status: int, detail: str, headers: dict[str, str]) -> Response:
    """A page that says what went wrong, with links to go on from."""
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    missing = status == HTTPStatus.NOT_FOUND
    similar = suggestions(request.app.state.provider, request.url.path) if missing else []
    return render(request, "error", status, headers, title=title, detail=detail, code=status, similar=similar)


def suggestions(provider: TestSetProvider, path: str) -> list[tuple[str, str]]:
    """Paths and titles of pages with a path similar to one that does not exist."""
    _, _, rest = path.partition("/")
    folder, _, sought = unquote(rest).casefold().partition("/")
    pages = {**_of_languages(provider), **_of_categories(provider)}
    if folder in ("languages", "categories") and sought:
        pages = {key: page for key, page in pages.items() if page[0].startswith(f"/{folder}/")}
    similar = difflib.get_close_matches(sought or folder, pages, _MOST * 2, cutoff=0.6)
    return list(dict.fromkeys(pages[each] for each in similar))[:_MOST]


def _of_languages(provider: TestSetProvider) -> dict[str, tuple[str, str]]:
    """The pages of languages by code and by English name."""
    codes = [str(code) for code in provider.in_memory.coverage.index]
    found = {code: (f"/languages/{code}", f"{languages()[code].name} ({code})") for code in codes}
    return found | {languages()[code].name.casefold(): found[code] for code in codes}


def _of_categories(provider: TestSetProvider) -> dict[str, tuple[str, str]]:
    found = {name: (f"/categories/{name}", query.title) for name, query in provider.offered.items()}
    return found | {query.title.casefold(): found[name] for name, query in provider.offered.items()}
