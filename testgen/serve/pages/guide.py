"""Pages on what people have downloaded: its source, what to do with it, and what scores mean."""

from __future__ import annotations

import shlex
from http import HTTPStatus
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.serve.api import ProviderDep
from testgen.serve.pages.build import SelectionDep
from testgen.serve.pages.rendering import render
from testgen.serve.paths import url_of

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
    codes = selection.languages or ()
    address = f"{request.url.scheme}://{request.url.netloc}{url_of(request, selection.download_path)}"
    return render(
        request,
        "use",
        one=codes[0] if len(codes) == 1 else None,
        file=f"{codes[0]}.json" if len(codes) == 1 else "test-sets.zip",
        query=selection.form_query,
        address=shlex.quote(address),
    )


@router.get("/about")
def about(request: Request, provider: ProviderDep) -> Response:
    """The source, its licence, and how to cite it."""
    source = provider.in_memory.provenance
    date = f" of {source.date}" if source.date else ""
    digest = f" (SHA-256 {source.sha256[:12]}…)" if source.sha256 else ""
    program = f"testgen {version('testgen-evaluator')}"
    citation = f"Test sets made with {program} from {source.name}{date}{digest}."
    return render(request, "about", citation=citation, licence="\n\n".join(provider.licences))
