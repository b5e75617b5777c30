"""Answers for errors: JSON in the form of RFC 9457 under /api, elsewhere a page for people."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import Scope

from testgen import errors
from testgen.errors import BusyError, SourceError, TestgenError, TooManyJobsError
from testgen.serve.paths import path_of

_STATUS: tuple[tuple[type[TestgenError], HTTPStatus], ...] = (
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
)
_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What was wrong with a request, and what to do."""

    title: str
    status: int
    detail: str


def install(app: FastAPI, error_page: Callable[[Request, int, str, dict[str, str]], Response]) -> None:
    """Answer every error, without a stack trace: with JSON under /api, elsewhere with a page."""
    app.state.error_page = error_page
    app.add_exception_handler(TestgenError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _failed)


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


def refusal(scope: Scope, status: int, detail: str) -> Response:
    """The answer to a request that is refused."""
    return _answer(Request(scope), HTTPStatus(status), detail)


async def _refused(request: Request, error: Exception) -> Response:
    fitting = (status for kind, status in _STATUS if isinstance(error, kind))
    status = next(fitting, HTTPStatus.INTERNAL_SERVER_ERROR)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, SourceError | BusyError):
        # The message may name the operator's folders.
        _log.error("%s %s: %s", request.method, request.url.path, error)
        return _answer(
            request, status, "the service cannot store this now; the reason is in its operator's log"
        )
    wait = {"Retry-After": str(error.wait)} if isinstance(error, TooManyJobsError) else {}
    return _answer(request, status, str(error), wait)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for no other
    complaints = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    return _answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(complaints))


async def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = HTTPStatus(error.status_code)
    detail = "there is nothing at this URL" if status == HTTPStatus.NOT_FOUND else str(error.detail)
    return _answer(request, status, detail, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    detail = "the service failed to answer this request; the reason is in its operator's log"
    return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, detail)


def _answer(
    request: Request, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response:
    wait = {"Retry-After": "10"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}  # seconds
    more = {**wait, **(headers or {})}
    if not path_of(request.scope).startswith("/api/"):
        page: Response = request.app.state.error_page(request, status, detail, more)
        return page
    problem = Problem(title=status.phrase, status=status, detail=detail)
    return JSONResponse(problem.model_dump(), status, more, "application/problem+json")
