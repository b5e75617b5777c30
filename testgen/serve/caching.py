"""Answers that follow from the snapshot alone: made once, kept, and not sent to those who have them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testgen.serve.in_memory import InMemorySource
from testgen.serve.paths import path_of
from testgen.serve.provider import TestSetProvider

if TYPE_CHECKING:
    from cachetools import LRUCache

_OTHERS = (
    "/jobs", "/api/v1/jobs", "/api/v1/test-sets", "/build/download", "/static",
    "/healthz", "/metrics",
)  # fmt: skip
REVALIDATE = "no-cache"
"""The value of Cache-Control for what may be stored, but not used without asking whether it has changed."""


def has_tag(known: str, tag: str) -> bool:
    """Whether an If-None-Match header names a tag."""
    return known.strip() == "*" or tag in [each.strip().removeprefix("W/") for each in known.split(",")]


@dataclass(frozen=True)
class _Answer:
    """A complete answer with status 200.

    `route` is what the application answered with, for the metrics.
    """

    headers: MutableHeaders
    body: bytes
    route: Any

    def __len__(self) -> int:
        return len(self.body) + 1000

    async def send(self, known: str, send: Send) -> None:
        """Send it, or only say that the client has it."""
        if has_tag(known, self.headers["etag"]):
            raw = [(name, value) for name, value in self.headers.raw if not name.startswith(b"content-")]
            await send({"type": "http.response.start", "status": 304, "headers": raw})
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": list(self.headers.raw)})
            await send({"type": "http.response.body", "body": self.body})


class CacheMiddleware:
    """Keeps the answers to GET requests, in all but a few paths, until the source has new content."""

    def __init__(self, app: ASGIApp, provider: TestSetProvider, most_bytes: int) -> None:
        """Wrap an application that makes its answers from a provider."""
        from cachetools import LRUCache

        self._app, self._provider = app, provider
        self._content: InMemorySource | None = None
        self._cache: LRUCache[tuple[object, ...], _Answer] = LRUCache(most_bytes, getsizeof=len)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from the cache, or ask the application."""
        if scope["type"] != "http" or scope["method"] != "GET" or path_of(scope).startswith(_OTHERS):
            await self._app(scope, receive, _not_stored(send))
            return
        content, key, headers = self._provider.in_memory, _key(scope), Headers(scope=scope)
        if content is not self._content:
            self._cache.clear()
            self._content = content
        found = self._cache.get(key)
        if found is None:
            messages: list[Message] = []
            await self._app(scope, receive, _appending(messages))
            if not messages or messages[0]["status"] != 200:
                for message in messages:
                    await send(message)
                return
            found = _answer(messages, scope)
            if self._provider.in_memory is content and len(found) <= self._cache.maxsize:
                self._cache[key] = found
        scope["route"] = found.route
        await found.send(headers.get("if-none-match", ""), send)


def _key(scope: Scope) -> tuple[object, ...]:
    """What an answer depends on: pages show the address at which they were asked for."""
    headers = Headers(scope=scope)
    gzip = "gzip" in headers.get("accept-encoding", "")
    return scope["scheme"], headers.get("host"), scope["path"], scope["query_string"], gzip


def _answer(messages: list[Message], scope: Scope) -> _Answer:
    body = b"".join(message.get("body", b"") for message in messages[1:])
    headers = MutableHeaders(raw=list(messages[0]["headers"]))
    headers["ETag"] = f'"{hashlib.sha256(body).hexdigest()}"'
    headers["Cache-Control"] = REVALIDATE
    headers["Content-Length"] = str(len(body))
    headers.add_vary_header("Accept-Encoding")
    return _Answer(headers, body, scope.get("route"))


def _appending(messages: list[Message]) -> Send:
    async def append(message: Message) -> None:
        messages.append(message)

    return append


def _not_stored(send: Send) -> Send:
    """The function that forbids to store answers that say nothing else about it."""

    async def send_uncached(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
        await send(message)

    return send_uncached
