"""Pages on what people have downloaded: its source, what to do with it, and what scores mean."""

from __future__ import annotations

import shlex
import sys
from functools import cache
from http import HTTPStatus
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.languages.spelling import TURKIC
from testgen.serve import responses
from testgen.serve.api import Code, ProviderDep
from testgen.serve.pages.build import SelectionDep
from testgen.serve.pages.rendering import render
from testgen.serve.paths import root_of, url_of
from testgen.serve.selection import Selection

router = APIRouter()


@router.get("/scores")
def scores(request: Request) -> Response:
    """What the scores mean, for somebody who has never trained a model."""
    return render(request, "scores_explained")


@router.get("/use")
def use(request: Request, selection: SelectionDep) -> Response:
    """What to do with a test set, with the commands filled in for it."""
    if selection.languages == ():
        return RedirectResponse(url_of(request, f"/build?{request.url.query}"), HTTPStatus.SEE_OTHER)
    return _use(request, selection, f"/build?{selection.form_query}")


@router.get("/languages/{code}/use")
def use_of_language(request: Request, provider: ProviderDep, code: Code) -> Response:
    """The same for the test set of a language."""
    known = responses.known_language(provider, code).code
    return _use(request, Selection((known,)), f"/languages/{known}")


def _use(request: Request, selection: Selection, back: str) -> Response:
    codes, settings = selection.languages or (), request.app.state.provider.settings
    file = selection.file_name
    host = settings.base_url or f"{request.url.scheme}://{request.url.netloc}{root_of(request.scope)}"
    address = file if settings.pages_only and not settings.base_url else f"{host}{selection.download_path}"
    return render(
        request,
        "use",
        one=codes[0] if len(codes) == 1 else None,
        file=file,
        back=back,
        address=shlex.quote(address),
    )


@router.get("/score")
def score(request: Request, provider: ProviderDep) -> Response:
    """Scores of a file, which a script computes on the visitor's machine."""
    able = [each for each in responses.all_languages(provider) if each.categories]
    return render(request, "score", languages=able, folding={"turkic": TURKIC, "table": _folding()})


@cache
def _folding() -> dict[str, str]:
    """The letters that full case folding changes: browsers have no function for it."""
    letters = (chr(number) for number in range(sys.maxunicode + 1))
    return {letter: folded for letter in letters if (folded := letter.casefold()) != letter}


@router.get("/api")
def api(request: Request) -> Response:
    """The API, as a viewer shows its description."""
    return render(request, "api", base=str(request.base_url).rstrip("/"))


@router.get("/about")
def about(request: Request, provider: ProviderDep) -> Response:
    """The source, its licence, and how to cite it."""
    source = provider.in_memory.provenance
    date = f" of {source.date}" if source.date else ""
    digest = f" (SHA-256 {source.sha256[:12]}…)" if source.sha256 else ""
    program = f"testgen {version('testgen-evaluator')}"
    citation = f"Test sets made with {program} from {source.name}{date}{digest}."
    return render(request, "about", citation=citation, licence="\n\n".join(provider.licences))
