"""What guards the service and its visitors: who may ask, by which name, and what their browser may do."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testgen.serve.problems import refusal

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
_MOST = 1_000_000  # bytes of a request's body


class Guard:
    """Refuses requests under foreign names, changes asked for by other sites, and large bodies."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        """Put it in front of an app.

        Args:
            app: What it guards.
            hosts: The names under which the service may be asked; `*` for any.
        """
        self._app, self._hosts = app, {host.lower().strip("[]") for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it through with headers added to the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(scope)
        if refused is None and scope["method"] == "HEAD":
            await self._app({**scope, "method": "GET"}, receive, _without_body(send_with_headers))
        elif refused is None:
            await self._app(scope, receive, send_with_headers)
        else:
            await refusal(scope, *refused)(scope, receive, send_with_headers)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the reason, if a request is refused."""
        headers = Headers(scope=scope)
        host = _host_of(headers.get("host", ""))
        if "*" not in self._hosts and host not in self._hosts:
            return 421, "this service is not called so; its operator can allow names with --allow-host"
        if scope["method"] not in _SAFE and not _is_own(headers):
            return 403, "this was asked for by a page of another site"
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > _MOST:
            return 413, f"a request may be {_MOST:,} bytes long, and must say how long it is"
        return None


def _without_body(send: Send) -> Send:
    """What sends an answer's head alone."""

    async def send_head(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_head


def _host_of(authority: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{authority}").hostname or "").lower()
    except ValueError:
        return ""


def _is_own(headers: Headers) -> bool:
    """Whether no other site's page asks: browsers say whose page does, other programs say nothing."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    # With its port: another program on the same machine is another site.
    return origin is None or origin.lower().partition("://")[2] == headers.get("host", "").lower()
