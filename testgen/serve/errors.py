"""Answers for errors: JSON in the form of RFC 9457 under /api, elsewhere a page for people."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import regex
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from testgen import errors
from testgen.errors import BusyError, SourceError, TestgenError, TooManyJobsError
from testgen.serve.paths import path_of, url_of

_STATUS: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (RequestValidationError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.NotFoundError, HTTPStatus.NOT_FOUND),
    (errors.UnfinishedJobError, HTTPStatus.CONFLICT),
    (errors.MissingAnswerError, HTTPStatus.CONFLICT),
    (TooManyJobsError, HTTPStatus.TOO_MANY_REQUESTS),
    (BusyError, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.QueryError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.LanguageError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.PolicyError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (SourceError, HTTPStatus.BAD_GATEWAY),
    (errors.OutputError, HTTPStatus.INSUFFICIENT_STORAGE),
    (Exception, HTTPStatus.INTERNAL_SERVER_ERROR),
)
_LISTS = regex.compile(r"`testgen (categories|languages)(?: --topic ([^`]+))?`")
_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What was wrong with a request, and what to do."""

    title: str
    status: int
    detail: str


def install(app: FastAPI, error_page: Callable[[Request, int, str, dict[str, str]], Response]) -> None:
    """Answer every error, without a stack trace: with JSON under /api, elsewhere with a page."""
    app.state.error_page = error_page
    for kind in (TestgenError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _of_error)


def describe(description: dict[str, Any]) -> None:
    """Add the schema of problems to the OpenAPI description, which refers to it, and summaries."""
    description["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    for operation in (each for methods in description["paths"].values() for each in methods.values()):
        operation["summary"] = operation["description"]


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of an endpoint, for its description."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": problem} for status in (*statuses, 422)
    }


async def _of_error(request: Request, error: Exception) -> Response:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    detail, headers = str(error), dict[str, str]()
    if isinstance(error, HTTPException):
        status, headers = HTTPStatus(error.status_code), {**(error.headers or {})}
        detail = "there is nothing at this URL" if status == HTTPStatus.NOT_FOUND else str(error.detail)
    elif isinstance(error, RequestValidationError):
        detail = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    elif isinstance(error, TooManyJobsError):
        headers = {"Retry-After": str(error.wait)}
    elif not isinstance(error, TestgenError):
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        detail = "the service failed to answer this request; the reason is in its operator's log"
    elif status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, SourceError | BusyError):
        # The message may name the operator's folders.
        _log.error("%s %s: %s", request.method, request.url.path, error)
        detail = "the service cannot store this now; the reason is in its operator's log"
    return answer(request, status, detail, headers)


def _list_of(what: str, topic: str | None) -> str:
    """The path of the API that lists what a command lists."""
    return f"/api/v1/{what}" + (f"?topic={quote(topic)}" if topic else "")


def answer(
    request: Request, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer to a request that is refused, or has failed."""
    wait = {"Retry-After": "10"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}  # seconds
    more = {**wait, **(headers or {})}
    if not path_of(request.scope).startswith("/api/"):
        page: Response = request.app.state.error_page(request, status, detail, more)
        return page
    detail = _LISTS.sub(lambda found: url_of(request, _list_of(*found.groups())), detail)
    problem = Problem(title=status.phrase, status=status, detail=detail)
    return JSONResponse(problem.model_dump(), status, more, "application/problem+json")
