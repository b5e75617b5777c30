"""What the operator of a service needs: whether it works, and how much it does."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testgen.serve.connections import Slots
from testgen.serve.jobs import JobQueue
from testgen.serve.paths import url_of

router = APIRouter(include_in_schema=False)

_BUCKETS = (0.005, 0.05, 0.5, 5.0)  # seconds
_METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")
_HIDDEN = ("/api/", "/build/", "/build?", "/jobs/", "/*?")  # pages without end, for robots


class Metrics(Collector):
    """What the service has done since it started, and what it does now."""

    def __init__(self, source: str, jobs: JobQueue, slots: Mapping[str, Slots]) -> None:
        """Count answers; the jobs, and the slots by name, are asked whenever the numbers are read."""
        self._jobs, self._slots = jobs, slots
        registry = self.registry = CollectorRegistry()
        registry.register(self)
        by = "method", "route", "status"
        self.requests = Counter("testgen_requests", "Answers.", by, registry=registry)
        self.seconds = Histogram(
            "testgen_request_seconds", "Time of requests.", ("route",), buckets=_BUCKETS, registry=registry
        )
        self.in_progress = Gauge("testgen_requests_in_progress", "Requests under way.", registry=registry)
        about = Info("testgen", "The service.", registry=registry)
        about.info({"version": version("testgen-evaluator"), "source": source})

    def collect(self) -> Iterator[Metric]:
        """The numbers that others count."""
        for name, slots in self._slots.items():
            yield GaugeMetricFamily(f"testgen_{name}", "Open now.", slots.taken)
            yield CounterMetricFamily(f"testgen_{name}_refused", "Refused as too many.", slots.refused)
        stored = GaugeMetricFamily("testgen_jobs", "Jobs that are stored.", labels=["state"])
        for state, count in self._jobs.counts().items():
            stored.add_metric([state], count)
        yield stored


def counted(app: ASGIApp, metrics: Metrics) -> ASGIApp:
    """Count the requests to an application."""

    async def count(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def observed(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            with metrics.in_progress.track_inprogress():
                await app(scope, receive, observed)
        finally:
            route = getattr(scope.get("route"), "path", "other")  # such as /languages/{code}
            method = scope["method"] if scope["method"] in _METHODS else "other"
            metrics.requests.labels(method, route, status).inc()
            metrics.seconds.labels(route).observe(time.perf_counter() - began)

    return count


@router.get("/healthz")
def health(request: Request) -> PlainTextResponse:
    """Whether the service works; not while it ends, so that no proxy sends it more requests."""
    state = request.app.state
    works = state.jobs.alive and not state.is_stopping()
    return PlainTextResponse("ok\n" if works else "not running\n", 200 if works else 503)


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """The numbers, for Prometheus."""
    content = generate_latest(request.app.state.metrics.registry)
    return Response(content, headers={"Content-Type": CONTENT_TYPE_LATEST})


@router.get("/robots.txt")
def robots(request: Request) -> PlainTextResponse:
    """What search engines need not read: it would have no end."""
    hidden = "".join(f"Disallow: {url_of(request, path)}\n" for path in _HIDDEN)
    return PlainTextResponse(f"User-agent: *\n{hidden}")
