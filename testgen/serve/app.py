"""The service as an ASGI application, and the server that runs it."""

from __future__ import annotations

import multiprocessing
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from importlib.metadata import version

import uvicorn
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from testgen.errors import ConfigError
from testgen.serve import api, errors, operations, pages
from testgen.serve.caching import CacheMiddleware
from testgen.serve.connections import LimitedProtocol, Slots, most_connections
from testgen.serve.jobs import JobQueue
from testgen.serve.paths import with_root_path
from testgen.serve.provider import TestSetProvider, write_everything
from testgen.serve.security import SecurityMiddleware
from testgen.serve.settings import Settings

_BACKLOG = 128  # connections that the system accepts ahead: asyncio takes as many at a time
_UNREAD = 60_000  # milliseconds after which the system closes a connection whose client reads nothing
_LOGGING = {  # requests, to stderr; other loggers write warnings there by default
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "access": {
            "()": "uvicorn.logging.AccessFormatter",
            "fmt": '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s',
        }
    },
    "handlers": {"access": {"class": "logging.StreamHandler", "formatter": "access"}},
    "loggers": {"uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False}},
}
_GRACE = 30  # seconds in which downloads can finish when the server ends


def create_app(settings: Settings) -> FastAPI:
    """The application; its jobs start when it starts."""
    # `is_stopping` says whether the server ends: it waits for streams of events, which do not end themselves.
    provider = TestSetProvider(settings)
    jobs = JobQueue(settings, provider.reload if settings.is_remote else lambda: None)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        archiving = None
        if not settings.is_remote and not provider.everything.exists():  # a remote source changes
            context = multiprocessing.get_context("spawn")
            archiving = context.Process(
                target=write_everything, args=(settings, provider.everything), name="archive", daemon=True
            )
            archiving.start()
        yield
        if archiving:
            archiving.terminate()
            archiving.join()
        jobs.stop()

    titles = [licence.partition("\n")[0] for licence in provider.licences]
    app = FastAPI(
        title="testgen",
        version=version("testgen-evaluator"),
        description="Test sets for word embeddings in hundreds of languages, from Wikidata.",
        license_info={"name": " and ".join(titles) or "as stated by the source of each test set"},
        servers=[{"url": settings.root_path or "/", "description": "This service"}],
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # FastAPI's own pages load scripts from another host
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.provider, app.state.jobs, app.state.is_stopping = provider, jobs, lambda: False
    limits = settings.limits
    per_client = None if settings.behind_proxy else limits.connections_per_client
    app.state.connections = Slots(most_connections(limits.connections), per_client)
    app.state.streams = Slots(limits.streams, limits.streams_per_client)
    slots = {"connections": app.state.connections, "event_streams": app.state.streams}
    app.state.metrics = operations.Metrics(provider.in_memory.provenance.name, jobs, slots)
    app.include_router(api.router)
    app.include_router(pages.router)
    app.include_router(operations.router)
    errors.install(app, pages.error_page)
    errors.describe(app.openapi())
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)
    app.add_middleware(CacheMiddleware, provider=provider, most_bytes=limits.page_bytes)
    app.add_middleware(SecurityMiddleware, hosts=settings.hosts)
    app.add_middleware(operations.counted, metrics=app.state.metrics)
    app.add_middleware(with_root_path, root=settings.root_path)
    return app


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens, opened before any work is done."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as closing:
            listener = closing.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # accepted connections inherit it
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD)
            listener.listen(_BACKLOG)
            closing.pop_all()
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host}, port {port}: {error.strerror}; choose another --port or --host"
        ) from error
    return listener


def server_config(app: FastAPI) -> uvicorn.Config:
    """The settings of the server."""
    settings = app.state.provider.settings
    return uvicorn.Config(
        app,
        log_config=_LOGGING,
        access_log=settings.access_log,
        http=LimitedProtocol,
        ws="none",
        loop="asyncio",
        backlog=_BACKLOG,
        proxy_headers=settings.behind_proxy,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )


def run(app: FastAPI, listener: socket.socket) -> None:
    """Answer requests until a signal to end arrives; requests under way are completed."""
    # At its end, the server raises the signal again that it got.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    server = uvicorn.Server(server_config(app))
    app.state.is_stopping = lambda: server.should_exit
    server.run([listener])
