"""The page of a job, and the forms that begin and cancel one."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from testgen.errors import QueryError
from testgen.languages import languages
from testgen.serve import views
from testgen.serve.api import TheJob, TheJobs, TheLibrary
from testgen.serve.choices import Choice
from testgen.serve.jobs import FINISHED
from testgen.serve.pages.choosing import TheWish, form_query
from testgen.serve.pages.rendering import render

router = APIRouter(include_in_schema=False)

_NAMED = 4


@router.post("/jobs")
def begin(request: Request, library: TheLibrary, jobs: TheJobs, wish: TheWish) -> Response:
    """Have made what the form asks for, and show how far it is."""
    choice = wish.choice(library)
    if choice.languages == ():
        raise QueryError("no language is chosen; go back and choose one")
    client = request.client.host if request.client else ""
    return RedirectResponse(f"/jobs/{jobs.add(choice, client).id}", HTTPStatus.SEE_OTHER)


@router.get("/jobs/{job_id}")
def show(request: Request, jobs: TheJobs, job: TheJob) -> Response:
    """How far a job is, or what came of it."""
    return render(
        request,
        "job",
        job=views.job(jobs, job),
        what=_languages(job.choice),
        finished=job.state in FINISHED,
        query=form_query(job.choice),
        headers={"Cache-Control": "no-store"},
    )


def _languages(choice: Choice) -> str:
    """The first few languages, and how many there are besides."""
    if choice.languages is None:
        return "all languages"
    names, more = (
        [languages()[code].name for code in choice.languages[:_NAMED]],
        len(choice.languages) - _NAMED,
    )
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


@router.post("/jobs/{job_id}/cancel")
def cancel(jobs: TheJobs, job: TheJob) -> Response:
    """Cancel a job, and show that it is."""
    if job.state not in FINISHED:  # of one that is, cancelling would delete the result
        jobs.cancel(job.id)
    return RedirectResponse(f"/jobs/{job.id}", HTTPStatus.SEE_OTHER)
