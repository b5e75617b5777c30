"""The API, under /api/v1. It is described by /api/v1/openapi.json."""

from __future__ import annotations

import asyncio
import difflib
import inspect
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import IO, Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import FileResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BeforeValidator, Field

from testgen.errors import BusyError, NotFoundError, QueryError
from testgen.labels import LabelPolicy
from testgen.languages.codes import languages
from testgen.serve import responses, schema
from testgen.serve.caching import REVALIDATE, has_tag
from testgen.serve.connections import client_of
from testgen.serve.errors import error_responses
from testgen.serve.jobs import FINISHED, Job, JobQueue
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider, zip_file
from testgen.serve.selection import MOST, Selection, Text
from testgen.system import csv_cell


def _operation_id(route: APIRoute) -> str:  # such as getTestSet
    verb, *nouns = route.name.replace("read_", "get_", 1).split("_")
    return verb + "".join(noun.capitalize() for noun in nouns)


def _check_parameters(request: Request) -> None:
    """Refuse parameters that an endpoint does not have: what is ignored would give another answer."""
    described = request.app.openapi()["paths"][request.scope["route"].path_format][request.method.lower()]
    asked = [each for each in described.get("parameters", ()) if each["in"] == "query"]
    known = {each["name"]: each["schema"].get("type") == "array" for each in asked}
    for name in request.query_params:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known) or 'none'}"
            raise QueryError(f"there is no parameter {name!r}; {hint}")
        values = dict.fromkeys(request.query_params.getlist(name))
        if len(values) > 1 and not known[name]:
            raise QueryError(f"{name} is {' and '.join(map(repr, values))}; give one of them")


router = APIRouter(
    prefix="/api/v1",
    dependencies=[Depends(_check_parameters)],
    generate_unique_id_function=_operation_id,
    responses=error_responses(403, 413, 421, 503),
)
_KEPT: dict[int | str, dict[str, Any]] = {304: {"description": "The client has this version already."}}
_CHUNK = 65_536  # bytes
_POLL = 0.25  # seconds between two checks of a job


def _content(*media_types: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {} for media_type in media_types}}}


def _none_if_empty(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


JobId = Annotated[str, Path(description="The id that the service gave the job when it was started.")]


def _provider(request: Request) -> TestSetProvider:
    provider: TestSetProvider = request.app.state.provider
    return provider


def _jobs(request: Request) -> JobQueue:
    jobs: JobQueue = request.app.state.jobs
    return jobs


def _job(request: Request, job_id: JobId) -> Job:
    return _jobs(request).get(job_id)


def client_of_request(request: Request) -> str:
    """The client that sent a request, whose share of the service is limited."""
    return client_of(request.client.host if request.client else None)


async def _stream(request: Request) -> AsyncIterator[None]:
    client, slots = client_of_request(request), request.app.state.streams
    if not slots.take(client):
        raise BusyError("there are too many streams of events; ask for the state of the job instead")
    try:
        yield
    finally:
        slots.release(client)


ProviderDep = Annotated[TestSetProvider, Depends(_provider)]
JobsDep = Annotated[JobQueue, Depends(_jobs)]
JobDep = Annotated[Job, Depends(_job)]
Code = Annotated[
    str, Path(min_length=2, max_length=40, description="In any accepted spelling.", examples=["la"])
]
Name = Annotated[str, Path(min_length=1, max_length=100, examples=["country"])]
Search = Annotated[str, Query(max_length=100, description="Only what contains this text.")]
MinimumWords = Annotated[int, Query(ge=1, le=MOST)]
Languages = Annotated[list[Text], Query(max_length=1000, description="Codes or names; may be repeated.")]
Categories = Annotated[list[Text], Query(max_length=1000, description="Names; all if none is given.")]
Topics = Annotated[list[Text], Query(max_length=1000, description="Topics; may be repeated.")]
Classes = Annotated[
    list[Text], Query(alias="class", max_length=1000, description="Ids such as Q9415; may be repeated.")
]
MinimumItems = Annotated[
    Annotated[int, Field(ge=2, le=MOST)] | None,
    BeforeValidator(_none_if_empty),
    Query(description="Also make a category of each class within a category that has this many items."),
]
Keywords = Annotated[
    bool | None,
    BeforeValidator(_none_if_empty),
    Query(description="Whether there are keywords of symbols; by default, unless something is named."),
]


def _policy(**choices: Any) -> LabelPolicy:  # noqa: ANN401  # each has its own type
    return LabelPolicy(**choices)


_FEWEST = Annotated[int | None, BeforeValidator(_none_if_empty)]  # a form sends an empty text for no number
_policy.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # FastAPI reads it
    [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=usual, annotation=hint)
        for name, hint in (get_type_hints(LabelPolicy) | {"minimum_words": _FEWEST}).items()
        for usual in [getattr(LabelPolicy, name)]
    ]
)


def _chosen(
    policy: Annotated[LabelPolicy, Depends(_policy)],
    category: Categories = [],  # noqa: B006 - FastAPI copies it
    class_: Classes = [],  # noqa: B006
    minimum_items: MinimumItems = None,
    keywords: Keywords = None,
) -> Selection:
    return Selection(None, tuple(category), tuple(class_), policy, minimum_items, keywords)


ChosenDep = Annotated[Selection, Depends(_chosen)]
"""What the parameters of a URL select, for all languages, as it is written there."""


def one_language(provider: ProviderDep, code: Code, chosen: ChosenDep) -> Selection:
    """The selection of a request for one language."""
    known = responses.known_code(provider, code)
    return provider.checked(replace(chosen, languages=(known,)))


OneLanguage = Annotated[Selection, Depends(one_language)]


@router.get("", tags=["service"], responses=_KEPT)
def read_service(provider: ProviderDep) -> schema.Service:
    """The service: its version, source and limits."""
    return responses.service(provider)


@router.get("/languages", tags=["browse"], responses=_KEPT | error_responses())
def read_languages(
    provider: ProviderDep, q: Search = "", script: str | None = None, minimum_words: MinimumWords = 1
) -> list[schema.Language]:
    """All languages that have words: names, scripts, counts."""
    return responses.all_languages(provider, q, script, minimum_words)


@router.get("/languages/{code}", tags=["browse"], responses=_KEPT | error_responses(404))
def read_language(provider: ProviderDep, code: Code) -> schema.LanguageSections:
    """A language and its categories, with sample words."""
    return responses.language(provider, code)


@router.get("/categories", tags=["browse"], responses=_KEPT | error_responses())
def read_categories(
    provider: ProviderDep,
    q: Search = "",
    topic: str | None = None,
    kind: Literal["category", "relation"] | None = None,
) -> list[schema.Category]:
    """All categories and relations."""
    return responses.all_categories(provider, q, topic, kind)


@router.get("/categories/{name}", tags=["browse"], responses=_KEPT | error_responses(404))
def read_category(provider: ProviderDep, name: Name) -> schema.CategoryDetail:
    """A category or relation with its SPARQL query and its languages."""
    return responses.category(provider, name)


@router.get("/words", tags=["browse"], responses=_KEPT | error_responses())
def read_words(
    provider: ProviderDep, q: Annotated[str, Query(max_length=100, description="A word.")]
) -> list[schema.Word]:
    """The items that have exactly this name in some languages, without regard to capitals."""
    return provider.resolver.words(q)


def _counts(
    provider: ProviderDep,
    language: Languages = [],  # noqa: B006
    topic: Topics = [],  # noqa: B006
    category: Categories = [],  # noqa: B006
    minimum_words: MinimumWords = 1,
    variants: Annotated[
        bool, Query(description="Whether variants, such as kk-cyrl of kk, have rows of their own.")
    ] = True,
) -> Any:  # noqa: ANN401 - a frame, which FastAPI cannot describe
    return responses.coverage(provider, language, topic, category, minimum_words, variants=variants)


CountsDep = Annotated[Any, Depends(_counts)]


@router.get("/coverage", tags=["browse"], responses=_KEPT | error_responses())
def read_coverage(counts: CountsDep) -> schema.Coverage:
    """How many usable words each category has in each language."""
    rows = []
    for code, row in counts.to_dict("index").items():
        words = {str(name): int(count) for name, count in row.items() if count}
        name, scripts = languages()[code].name, list(languages()[code].scripts)
        rows.append(schema.CoverageRow(code=code, name=name, scripts=scripts, words=words))
    return schema.Coverage(categories=[str(name) for name in counts.columns], rows=rows)


@router.get(
    "/coverage.csv",
    tags=["browse"],
    response_class=Response,
    responses=_content("text/csv") | _KEPT | error_responses(),
)
def read_coverage_csv(counts: CountsDep) -> Response:
    """The same as CSV, for spreadsheets."""
    named = counts.copy()
    named.insert(0, "name", [languages()[str(code)].name for code in counts.index])
    named.columns = named.columns.map(csv_cell)
    text, headers = named.to_csv(lineterminator="\n"), _attachment("coverage.csv")
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get(
    "/test-sets/{code}.json",
    tags=["test sets"],
    response_class=Response,
    responses=_content("application/json") | _KEPT | error_responses(404, 409, 502),
)
def read_test_set(provider: ProviderDep, selection: OneLanguage) -> Response:
    """The test set of a language; its summary has the command that writes the same bytes."""
    file = provider.file(selection)
    headers = _attachment(selection.file_name)
    return Response(file.content, media_type="application/json", headers=headers)


@router.get("/test-sets/{code}/summary", tags=["test sets"], responses=error_responses(404, 409, 502))
def read_summary(provider: ProviderDep, selection: OneLanguage) -> schema.Summary:
    """The size of a test set, and the command line that makes it."""
    return responses.summary(provider, selection)


@router.get(
    "/test-sets.zip",
    tags=["test sets"],
    response_class=StreamingResponse,
    responses=_content("application/zip") | _KEPT | error_responses(409, 502, 503),
)
def read_archive(
    provider: ProviderDep,
    chosen: ChosenDep,
    language: Languages = [],  # noqa: B006
    if_none_match: Annotated[list[str], Header()] = [],  # noqa: B006
) -> Response:
    """The test sets of several languages, or of all if none is named."""
    selection = provider.checked(replace(chosen, languages=tuple(language) or None))
    tag = f'"{provider.archive_tag(selection)}"'
    headers = {"ETag": tag, "Cache-Control": REVALIDATE}
    if has_tag(",".join(if_none_match), tag):
        return Response(status_code=304, headers=headers)
    if selection == Selection() and provider.everything.exists():
        return FileResponse(
            provider.everything, media_type="application/zip", headers=headers, filename=selection.file_name
        )
    response = _file_response(provider.archive(selection), selection.file_name, "application/zip")
    response.headers.update(headers)
    return response


@router.post("/jobs", tags=["jobs"], status_code=202, responses=error_responses(400, 403, 429, 503, 507))
def add_job(
    request: Request, provider: ProviderDep, jobs: JobsDep, order: Selection, response: Response
) -> schema.Job:
    """Start a job that makes test sets: for long work, and for words that are not available yet."""
    job = jobs.add(provider.checked(order), client_of_request(request))
    response.headers["Location"] = url_of(request, f"/api/v1/jobs/{job.id}")
    return responses.job(jobs, job)


@router.get("/jobs/{job_id}", tags=["jobs"], responses=error_responses(404))
def read_job(jobs: JobsDep, job: JobDep) -> schema.Job:
    """The current state of a job."""
    return responses.job(jobs, job)


@router.delete("/jobs/{job_id}", tags=["jobs"], responses=error_responses(403, 404))
def cancel_job(jobs: JobsDep, job_id: JobId) -> schema.Job:
    """Cancel a job; if it is done, delete its result."""
    return responses.job(jobs, jobs.cancel(job_id))


@router.get(
    "/jobs/{job_id}/events",
    tags=["jobs"],
    response_class=EventSourceResponse,
    responses=error_responses(404, 503),
)
async def read_events(
    request: Request, jobs: JobsDep, job: JobDep, _: Annotated[None, Depends(_stream)]
) -> AsyncIterator[ServerSentEvent]:
    """The state of the job at each change, as server-sent events named `job`, until it is finished."""
    before = None
    while not request.app.state.is_stopping():
        job = jobs.get(job.id)
        now = responses.job(jobs, job)
        if now != before:
            yield ServerSentEvent(data=now, event="job")
            before = now
        if job.state in FINISHED:
            return
        await asyncio.sleep(_POLL)


@router.get(
    "/jobs/{job_id}/result",
    tags=["jobs"],
    response_class=StreamingResponse,
    responses=_content("application/zip", "application/json") | error_responses(404, 409),
)
def read_result(jobs: JobsDep, job_id: JobId) -> StreamingResponse:
    """The result of a job: a test set, or a zip file of several."""
    files, made = jobs.result(job_id), jobs.get(job_id).selection
    try:
        if len(files) == 1:
            made = replace(made, languages=(files[0].stem,))
            return _file_response(files[0].open("rb"), made.file_name, "application/json")
        packed = zip_file(path.read_text(encoding="utf-8") for path in files)
    except FileNotFoundError as error:
        raise NotFoundError("the service has deleted the result, to make room for later ones") from error
    return _file_response(packed, f"{made.stem}.zip", "application/zip")


def _file_response(file: IO[bytes], name: str, media_type: str) -> StreamingResponse:
    headers = _attachment(name) | {"Content-Length": str(os.fstat(file.fileno()).st_size)}
    return StreamingResponse(_read(file), media_type=media_type, headers=headers)


def _read(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _attachment(name: str) -> dict[str, Any]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
