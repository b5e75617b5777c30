"""The page for errors."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import unquote

from fastapi import Request
from fastapi.responses import Response

from testgen.serve.pages.rendering import render
from testgen.serve.pages.start import search
from testgen.serve.paths import path_of
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
    similar = suggestions(request.app.state.provider, path_of(request.scope)) if missing else []
    return render(request, "error", status, headers, title=title, detail=detail, code=status, similar=similar)


def suggestions(provider: TestSetProvider, path: str) -> list[tuple[str, str]]:
    """Paths and titles of pages that may be meant by a path that does not exist."""
    folder, _, name = unquote(path).strip("/").partition("/")
    meant = search(provider, name or folder)
    pages = [(f"/languages/{one.code}", f"{one.name} ({one.code})") for one, _ in meant["languages"]]
    pages += [(f"/categories/{category.name}", category.title) for category in meant["categories"]]
    within = f"/{folder}/" if folder in ("languages", "categories") else "/"
    return [page for page in pages if page[0].startswith(within)][:_MOST]
