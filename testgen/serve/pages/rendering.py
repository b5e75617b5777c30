"""Rendering of templates, and the files that pages load: styles, scripts, the icon."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from functools import cache
from pathlib import Path
from urllib.parse import quote

import regex
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.staticfiles import StaticFiles

from testgen.generation.sizes import EVERYDAY_CATEGORIES, RELATED_WORDS, SCORE_PLANNED, TYPICAL_SCORES
from testgen.languages.codes import languages, script_names
from testgen.serve import responses
from testgen.serve.paths import path_of, root_of
from testgen.serve.security import CONTENT_SECURITY
from testgen.system import visible

LEVELS = (1, 4, 10, 30, 100, 300)  # the smallest count of each colour
_QUERY_SERVICE = "https://query.wikidata.org/#"  # a page, to which a query is appended
_FILES = Path(__file__).parent.parent / "static"
_WIKIDATA = "https://www.wikidata.org/wiki/"
_ID = regex.compile(r"(?P<entity>(?P<letter>[QL])[1-9][0-9]*)(?:-(?P<part>[A-Z][1-9][0-9]*))?")


router = APIRouter()


@router.get("/static/{name}")
async def file(request: Request, name: str) -> Response:
    """A style, a script or the icon; under a URL with its digest, browsers need not ask again."""
    response = await _files().get_response(name, request.scope)
    hashed = "v" in request.query_params
    response.headers["Cache-Control"] = "max-age=31536000, immutable" if hashed else "no-cache"
    return response


@cache
def _files() -> StaticFiles:
    return StaticFiles(directory=_FILES, packages=[("fastapi_offline", "static")])  # with Swagger UI


@router.get("/favicon.ico")
def favicon() -> FileResponse:
    """The icon, at the path where browsers look for it by default."""
    return FileResponse(_FILES / "icon.svg")


def render(
    request: Request,
    template: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: object,
) -> HTMLResponse:
    """A page, made from a template (named without `.html`) and the values that it shows."""
    provider = request.app.state.provider
    service, pages_only = responses.service(provider), provider.settings.pages_only
    page = _templates().get_template(f"{template}.html")
    of_request = {"request": request, "root": root_of(request.scope), "path": path_of(request.scope)}
    text = page.render(**of_request, service=service, pages_only=pages_only, **values)
    return HTMLResponse(text, status, headers)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("testgen.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value, lines=True) if type(value) is str else value,
    )
    environment.filters |= {"number": "{:,}".format, "size": _size, "level": level}
    environment.filters["on_wikidata"] = lambda query: _QUERY_SERVICE + quote(query, safe="")
    environment.filters["name"] = lambda code: languages()[code].name
    environment.filters["tag"] = lambda code: languages()[code].tag
    environment.filters["dir"] = lambda code: "rtl" if languages()[code].right_to_left else "ltr"
    environment.filters["script"] = lambda code: script_names().get(code, code)
    environment.globals |= {"static": _static, "wikidata": wikidata, "content_security": CONTENT_SECURITY}
    environment.globals |= {"score_planned": SCORE_PLANNED, "typical_scores": TYPICAL_SCORES}
    environment.globals |= {"related_words": RELATED_WORDS, "everyday_categories": EVERYDAY_CATEGORIES}
    return environment


@cache
def _static(name: str) -> str:
    path, _ = _files().lookup_path(name)
    return f"/static/{name}?v={hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]}"


def level(count: int) -> int:
    """The colour of a count, from 0."""
    return bisect_right(LEVELS, count)


def _size(value: int) -> str:
    if value < 1_000:
        return f"{value} bytes"
    return f"{value / 1_000:,.0f} kB" if value < 1_000_000 else f"{value / 1_000_000:,.1f} MB"


def wikidata(item: str) -> str | None:
    """The URL of an item or a lexeme on Wikidata, or of a form, sense or statement; None for other ids."""
    match = _ID.fullmatch(item)
    if match is None:
        return None
    title = match["entity"] if match["letter"] == "Q" else f"Lexeme:{match['entity']}"
    return _WIKIDATA + title + (f"#{match['part']}" if match["part"] else "")
