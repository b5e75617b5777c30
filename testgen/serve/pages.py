"""The pages."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

router = APIRouter(include_in_schema=False)


def mount_files(app: FastAPI) -> None:
    """Serve style and scripts."""


def error_page(request: Request, status: int, detail: str, headers: dict[str, str]) -> Response:
    """A page that says what was wrong."""
    return HTMLResponse(f"<h1>{status}</h1>", status, headers)
