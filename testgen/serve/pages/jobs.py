"""The page of a job, and the forms that start and cancel one."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.errors import QueryError
from testgen.languages import languages
from testgen.serve import responses
from testgen.serve.api import JobDep, JobsDep, ProviderDep, client_of_request
from testgen.serve.jobs import FINISHED
from testgen.serve.pages.build import SelectionDep
from testgen.serve.pages.rendering import render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection

router = APIRouter()

_MOST_NAMES = 4  # of languages or categories


@router.post("/jobs")
def start(request: Request, jobs: JobsDep, selection: SelectionDep) -> Response:
    """Start a job for what the form selects, and redirect to its page."""
    if selection.languages == ():
        raise QueryError("no language is selected; go back and choose one")
    job = jobs.add(selection, client_of_request(request))
    return RedirectResponse(url_of(request, f"/jobs/{job.id}"), HTTPStatus.SEE_OTHER)


@router.get("/jobs/{job_id}")
def show(request: Request, provider: ProviderDep, jobs: JobsDep, job: JobDep) -> Response:
    """The progress of a job, or its result."""
    codes = job.selection.languages
    return render(
        request,
        "job",
        job=responses.job(jobs, job),
        what="all languages" if codes is None else _some([languages()[code].name for code in codes]),
        categories=_categories(provider, job.selection),
        finished=job.state in FINISHED,
        query=job.selection.form_query,
        headers={"Cache-Control": "no-store"},
    )


def _categories(provider: TestSetProvider, selection: Selection) -> str:
    titles = [provider.offered[name].title for name in selection.categories if name in provider.offered]
    return _some(titles + [f"instances of {class_id}" for class_id in selection.classes])


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


@router.post("/jobs/{job_id}/cancel")
def cancel(request: Request, jobs: JobsDep, job: JobDep) -> Response:
    """Cancel a job, and redirect to its page."""
    if job.state not in FINISHED:  # cancelling a finished job would delete its result
        jobs.cancel(job.id)
    return RedirectResponse(url_of(request, f"/jobs/{job.id}"), HTTPStatus.SEE_OTHER)
