"""Answers that follow from the snapshot alone: made once, kept, and not sent to those who have them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testgen.serve.in_memory import InMemorySource
from testgen.serve.paths import path_of
from testgen.serve.provider import TestSetProvider

_OTHERS = (
    "/jobs", "/api/v1/jobs", "/api/v1/test-sets.zip", "/build/download", "/static", "/healthz", "/metrics",
)  # fmt: skip
_WITH_QUERY = "/api/", "/build", "/use"
REVALIDATE = "no-cache"
"""The value of Cache-Control for what may be stored, but not used without asking whether it has changed."""


def has_tag(known: str, tag: str) -> bool:
    """Whether the If-None-Match headers of a request, joined by commas, name a tag."""
    return known.strip() == "*" or tag in [given.strip().removeprefix("W/") for given in known.split(",")]


@dataclass(frozen=True)
class _Answer:
    headers: MutableHeaders
    body: bytes
    route: Any  # what the application answered with, for the metrics

    def __len__(self) -> int:
        return len(self.body) + 1000

    async def send(self, known: str, send: Send) -> None:
        status, body, raw = 200, self.body, list(self.headers.raw)
        if has_tag(known, self.headers["etag"]):
            status, body, raw = 304, b"", [pair for pair in raw if not pair[0].startswith(b"content-")]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": body})


class CacheMiddleware:
    """Keeps the answers to GET requests, in all but a few paths, until the source has new content."""

    def __init__(self, app: ASGIApp, provider: TestSetProvider, most_bytes: int) -> None:
        self._app, self._provider = app, provider
        self._content: InMemorySource | None = None
        self._cache: LRUCache[tuple[object, ...], _Answer] = LRUCache(most_bytes, getsizeof=len)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from the cache, or ask the application."""
        if scope["type"] != "http" or scope["method"] != "GET" or path_of(scope).startswith(_OTHERS):
            await self._app(scope, receive, _not_stored(send))
            return
        content, headers = self._provider.in_memory, Headers(scope=scope)
        if content is not self._content:
            self._cache.clear()
            self._content = content
        # Pages show the address at which they were asked for; most leave its query to their script.
        gzip = "gzip" in headers.get("accept-encoding", "")
        query = scope["query_string"] if path_of(scope).startswith(_WITH_QUERY) else b""
        key = scope["scheme"], headers.get("host"), scope["path"], query, gzip
        answer = self._cache.get(key)
        if answer is None:
            messages: list[Message] = []

            async def keep(message: Message) -> None:
                messages.append(message)

            await self._app(scope, receive, keep)
            if not messages or messages[0]["status"] != 200:
                for message in messages:
                    await send(message)
                return
            answer = _answer(messages, scope)
            if self._provider.in_memory is content and len(answer) <= self._cache.maxsize:
                self._cache[key] = answer
        scope["route"] = answer.route
        await answer.send(",".join(headers.getlist("if-none-match")), send)


def _answer(messages: list[Message], scope: Scope) -> _Answer:
    body = b"".join(message.get("body", b"") for message in messages[1:])
    headers = MutableHeaders(raw=list(messages[0]["headers"]))
    headers["ETag"] = f'"{hashlib.sha256(body).hexdigest()}"'
    headers["Cache-Control"] = REVALIDATE
    headers["Content-Length"] = str(len(body))
    headers.add_vary_header("Accept-Encoding")
    return _Answer(headers, body, scope.get("route"))


def _not_stored(send: Send) -> Send:
    async def send_uncached(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
        await send(message)

    return send_uncached
