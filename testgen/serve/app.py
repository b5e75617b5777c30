"""The service as an ASGI application."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from testgen.serve import api, pages, problems
from testgen.serve.jobs import Jobs
from testgen.serve.library import Library
from testgen.serve.safety import Guard
from testgen.serve.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    """The application; jobs are begun when it is started.

    `app.state.stopping` is an event: once it is set, streams of events end, so that a server need not wait.

    Raises:
        SourceError: The source cannot be opened.
        QueryError: The operator has named a category that does not exist.
        OutputError: The folder for jobs cannot be used.
    """
    library = Library(settings)
    jobs = Jobs(settings, library.reload if settings.is_remote else lambda: None)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        yield
        jobs.stop()

    app = FastAPI(
        title="testgen",
        version=version("testgen-evaluator"),
        description="Test sets for word embeddings in hundreds of languages, from Wikidata.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # FastAPI's own pages load scripts from another host
        redoc_url=None,
        lifespan=lifespan,
    )
    described = app.openapi
    app.openapi = lambda: problems.describe(described())  # type: ignore[method-assign]  # FastAPI's own way
    app.state.library, app.state.jobs, app.state.stopping = library, jobs, threading.Event()
    app.include_router(api.router)
    app.include_router(pages.router)
    pages.mount_files(app)
    problems.install(app, pages.error_page)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(Guard, hosts=settings.hosts)
    return app
