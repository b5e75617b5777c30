"""Pages for people who have a test set: what to do with it, an example, and what scores mean."""

from __future__ import annotations

import shlex
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.serve.api import ProviderDep
from testgen.serve.pages.build import FormDep, download_url, form_query
from testgen.serve.pages.rendering import render
from testgen.serve.pages.results import of_model
from testgen.serve.paths import url_of
from testgen.serve.results.files import Score, parse
from testgen.serve.results.leaderboard import Leaderboard
from testgen.serve.selection import Selection

router = APIRouter(include_in_schema=False)

_EXAMPLE = Path(__file__).parent.parent / "results" / "example.json"


@router.get("/scores")
def scores(request: Request) -> Response:
    """What the scores mean, for somebody who has never trained a model."""
    return render(request, "scores_explained", example=_of_example())


@router.get("/example")
def example(request: Request) -> Response:
    """The scores of a real model, so that people see what they will get."""
    (name,) = _board().rows
    return render(request, "example", **of_model(_board(), name, lambda _: _example()), first=_of_example())


@router.get("/use")
def use(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """What to do with a test set, with the commands filled in for it."""
    selection = form.selection(provider)
    if selection.languages == ():
        return RedirectResponse(url_of(request, f"/build?{request.url.query}"), HTTPStatus.SEE_OTHER)
    return render(request, "use", **_commands(request, selection))


def _commands(request: Request, selection: Selection) -> dict[str, Any]:
    codes = selection.languages
    one = codes[0] if codes and len(codes) == 1 else None
    host = f"{request.url.scheme}://{request.url.netloc}"
    return {
        "file": f"{one}.json" if one else "test-sets.zip",
        "one": one,
        "query": form_query(selection),
        "address": shlex.quote(host + url_of(request, download_url(selection))),
    }


@cache
def _example() -> tuple[Score, ...]:
    return tuple(parse(_EXAMPLE.read_bytes(), "example.json", categories=True))


@cache
def _board() -> Leaderboard:
    return Leaderboard(parse(_EXAMPLE.read_bytes(), "example.json"), {})


def _of_example() -> dict[str, Score]:
    """The scores of the example by measure."""
    return {each.measure: each for each in _example()}
