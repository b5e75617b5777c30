"""The API, under /api/v1. It is described by /api/v1/openapi.json."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from tempfile import TemporaryFile
from typing import IO, Annotated, Any, Literal

import regex
from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent

from testgen.labels import LabelPolicy
from testgen.serve import views
from testgen.serve.archive import write_zip
from testgen.serve.choices import Choice, checked
from testgen.serve.jobs import FINISHED, Job, Jobs, UnknownJobError
from testgen.serve.library import File, Library
from testgen.serve.models import (
    CategoryDetailModel,
    CategoryModel,
    ClassModel,
    CoverageModel,
    ItemsModel,
    JobModel,
    LanguageModel,
    LanguagePartsModel,
    OrderModel,
    PolicyModel,
    ServiceModel,
    SummaryModel,
)
from testgen.serve.problems import responses

router = APIRouter(prefix="/api/v1")

_CHUNK = 65_536  # bytes
_HEARTBEAT = 0.25  # seconds between looks at a job


JobId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]


def _library(request: Request) -> Library:
    found: Library = request.app.state.library
    return found


def _jobs(request: Request) -> Jobs:
    found: Jobs = request.app.state.jobs
    return found


def _job(request: Request, job_id: JobId) -> Job:
    return _jobs(request).get(job_id)


TheLibrary = Annotated[Library, Depends(_library)]
TheJobs = Annotated[Jobs, Depends(_jobs)]
TheJob = Annotated[Job, Depends(_job)]
Code = Annotated[
    str,
    Path(
        min_length=2,
        max_length=40,
        description="A language code in any spelling, such as la.",
        examples=["la"],
    ),
]
Name = Annotated[str, Path(min_length=1, max_length=100, examples=["country"])]
Search = Annotated[str, Query(max_length=100, description="Only what this text occurs in.")]
MinimumWords = Annotated[int, Query(ge=1, le=1_000_000)]
Languages = Annotated[list[str], Query(max_length=1000, description="Codes; may be repeated.")]
Categories = Annotated[
    list[str], Query(max_length=1000, description="Names of categories and relations; all if none is given.")
]
Topics = Annotated[list[str], Query(max_length=1000, description="Topics; may be repeated.")]
Classes = Annotated[
    list[str],
    Query(alias="class", max_length=1000, description="Ids of classes, such as Q9415; may be repeated."),
]
MinimumItems = Annotated[
    int | None,
    Query(
        ge=2, le=1_000_000,
        description="Also every class within a category that has so many items, as a category of its own.",
    ),
]  # fmt: skip
IfNoneMatch = Annotated[list[str], Header()]
AcceptEncoding = Annotated[str, Header()]
_Policy = Annotated[PolicyModel, Query()]


def _policy(chosen: _Policy) -> LabelPolicy:
    return LabelPolicy(**chosen.model_dump())


ThePolicy = Annotated[LabelPolicy, Depends(_policy)]


def one_language(
    library: TheLibrary,
    code: Code,
    policy: ThePolicy,
    category: Categories = [],  # noqa: B006 - FastAPI copies it
    class_: Classes = [],  # noqa: B006
    minimum_items: MinimumItems = None,
) -> Choice:
    """The choice of a request for one language."""
    views.known_code(code)
    return checked(library.settings, [code], category, class_, policy, minimum_items)


OneLanguage = Annotated[Choice, Depends(one_language)]


@router.get("", tags=["service"])
def read_service(library: TheLibrary) -> ServiceModel:
    """What this service is: its version, source and limits."""
    return views.service(library)


@router.get("/languages", tags=["browse"], responses=responses())
def read_languages(
    library: TheLibrary, q: Search = "", script: str | None = None, minimum_words: MinimumWords = 1
) -> list[LanguageModel]:
    """All languages that have words: names, scripts, counts."""
    return views.all_languages(library, q, script, minimum_words)


@router.get("/languages/{code}", tags=["browse"], responses=responses(404))
def read_language(library: TheLibrary, code: Code) -> LanguagePartsModel:
    """A language and its categories, with sample words."""
    return views.language(library, code)


@router.get("/categories", tags=["browse"], responses=responses())
def read_categories(
    library: TheLibrary,
    q: Search = "",
    topic: str | None = None,
    kind: Literal["category", "relation"] | None = None,
) -> list[CategoryModel]:
    """All categories and relations."""
    return views.all_categories(library, q, topic, kind)


@router.get("/categories/{name}", tags=["browse"], responses=responses(404))
def read_category(library: TheLibrary, name: Name) -> CategoryDetailModel:
    """A category or relation with its SPARQL query and its languages."""
    return views.category(library, name)


@router.get("/categories/{name}/items", tags=["browse"], responses=responses(404, 409))
def read_items(
    library: TheLibrary,
    name: Name,
    language: str | None = None,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> ItemsModel:
    """Items of a category, with their labels in English and another language."""
    return views.items(library, name, language, offset, limit)


@router.get("/coverage", tags=["browse"], responses=responses())
def read_coverage(
    library: TheLibrary,
    language: Languages = [],  # noqa: B006
    topic: Topics = [],  # noqa: B006
    category: Categories = [],  # noqa: B006
    minimum_words: MinimumWords = 1,
) -> CoverageModel:
    """How many usable words each category has in each language."""
    return views.coverage_model(views.coverage(library, language, topic, category, minimum_words))


@router.get(
    "/coverage.csv",
    tags=["browse"],
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}, **responses()},
)
def read_coverage_csv(
    library: TheLibrary,
    language: Languages = [],  # noqa: B006
    topic: Topics = [],  # noqa: B006
    category: Categories = [],  # noqa: B006
    minimum_words: MinimumWords = 1,
) -> Response:
    """The same as a table for spreadsheets."""
    frame = views.coverage(library, language, topic, category, minimum_words)
    return Response(
        views.coverage_csv(frame), media_type="text/csv; charset=utf-8", headers=_attachment("coverage.csv")
    )


@router.get("/classes/{class_id}", tags=["browse"], responses=responses(409, 502))
def read_class(
    library: TheLibrary,
    class_id: Annotated[str, Path(pattern=r"^Q[1-9][0-9]{0,18}$", examples=["Q9415"])],
) -> ClassModel:
    """How many instances of a class the source has."""
    return views.of_class(library, class_id)


@router.get(
    "/test-sets/{code}.json",
    tags=["test sets"],
    response_class=Response,
    responses={
        200: {"content": {"application/json": {"schema": {"type": "object"}}}},
        304: {"description": "It is what the client has."},
        **responses(404, 409, 502),
    },
)
def read_test_set(
    library: TheLibrary,
    choice: OneLanguage,
    if_none_match: IfNoneMatch = [],  # noqa: B006
    accept_encoding: AcceptEncoding = "",
) -> Response:
    """The test set of a language: the bytes that `testgen generate` writes."""
    file = library.file(choice)
    return _sent(file, ",".join(if_none_match), packed=_takes_gzip(accept_encoding))


@router.get("/test-sets/{code}/summary", tags=["test sets"], responses=responses(404, 409, 502))
def read_summary(library: TheLibrary, choice: OneLanguage) -> SummaryModel:
    """How large a test set is, and the command line that makes it."""
    return views.summary(library, choice)


@router.get(
    "/test-sets.zip",
    tags=["test sets"],
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}}, **responses(409, 502, 503)},
)
def read_archive(
    library: TheLibrary,
    policy: ThePolicy,
    language: Languages = [],  # noqa: B006
    category: Categories = [],  # noqa: B006
    class_: Classes = [],  # noqa: B006
    minimum_items: MinimumItems = None,
) -> StreamingResponse:
    """The test sets of several languages, of all if none is named."""
    choice = checked(library.settings, language or None, category, class_, policy, minimum_items)
    return _file_sent(library.archive(choice), "test-sets.zip", "application/zip")


@router.post("/jobs", tags=["jobs"], status_code=202, responses=responses(400, 403, 429))
def add_job(
    request: Request, library: TheLibrary, jobs: TheJobs, order: OrderModel, response: Response
) -> JobModel:
    """Have test sets made that take a while, such as those that are not at hand."""
    choice = checked(
        library.settings,
        order.languages,
        order.categories,
        order.classes,
        LabelPolicy(**order.policy.model_dump()),
        order.minimum_items,
    )
    client = request.client.host if request.client else ""
    job = jobs.add(choice, client)
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return views.job(jobs, job)


@router.get("/jobs/{job_id}", tags=["jobs"], responses=responses(404))
def read_job(jobs: TheJobs, job: TheJob) -> JobModel:
    """A job as it stands."""
    return views.job(jobs, job)


@router.delete("/jobs/{job_id}", tags=["jobs"], responses=responses(403, 404))
def cancel_job(jobs: TheJobs, job_id: JobId) -> JobModel:
    """Cancel a job; of one that is done, delete the result."""
    return views.job(jobs, jobs.cancel(job_id))


@router.get(
    "/jobs/{job_id}/events", tags=["jobs"], response_class=EventSourceResponse, responses=responses(404)
)
async def read_events(request: Request, jobs: TheJobs, job: TheJob) -> AsyncIterator[ServerSentEvent]:
    """The job at each change, as server-sent events named `job`, until it is finished."""
    before: tuple[Job, int] | None = None
    while not request.app.state.stopping.is_set():
        job = jobs.get(job.id)
        now = job, jobs.ahead(job)
        if now != before:
            yield ServerSentEvent(data=views.job(jobs, job), event="job")
            before = now
        if job.state in FINISHED:
            return
        await asyncio.sleep(_HEARTBEAT)


@router.get(
    "/jobs/{job_id}/result",
    tags=["jobs"],
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}, "application/json": {}}}, **responses(404, 409)},
)
def read_result(jobs: TheJobs, job_id: JobId) -> StreamingResponse:
    """What a job made: the test set, or a zip file of several."""
    files = jobs.result(job_id)
    try:
        if len(files) == 1:
            return _file_sent(files[0].open("rb"), files[0].name, "application/json")
        packed = TemporaryFile()  # noqa: SIM115 - closed when it has been sent
        write_zip(packed, ((path.name, path.read_text(encoding="utf-8")) for path in files))
    except FileNotFoundError as error:
        raise UnknownJobError("the result has been deleted, to make room for later ones") from error
    packed.seek(0)
    return _file_sent(packed, "test-sets.zip", "application/zip")


_GZIP = regex.compile(r"\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?", regex.IGNORECASE)


def _takes_gzip(accepted: str) -> bool:
    return any(_GZIP.fullmatch(each) for each in accepted.split(","))


def _sent(file: File, known: str, *, packed: bool) -> Response:
    # Each form of the content has a tag of its own, as RFC 9110 wants of strong ones.
    tag = f'"{file.sha256}-gzip"' if packed else f'"{file.sha256}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if known.strip() == "*" or tag in [each.strip().removeprefix("W/") for each in known.split(",")]:
        return Response(status_code=304, headers=headers)
    content = file.packed if packed else file.content
    headers |= _attachment(f"{file.test_set.language}.json") | {"Content-Length": str(len(content))}
    if packed:
        headers["Content-Encoding"] = "gzip"
    return StreamingResponse(_chunks(content), media_type="application/json", headers=headers)


def _file_sent(file: IO[bytes], name: str, media_type: str) -> StreamingResponse:
    headers = _attachment(name) | {"Content-Length": str(os.fstat(file.fileno()).st_size)}
    return StreamingResponse(_read(file), media_type=media_type, headers=headers)


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_CHUNK):
            yield piece


def _chunks(content: bytes) -> Iterator[bytes]:
    return (content[start : start + _CHUNK] for start in range(0, len(content), _CHUNK))


def _attachment(name: str) -> dict[str, Any]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
