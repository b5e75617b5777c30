"""The security of the service: host names, requests from pages of other sites, headers for browsers."""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from testgen.serve.errors import answer
from testgen.serve.paths import path_of
from testgen.serve.settings import LOOPBACK

CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load; a page that is a file says it itself."""

_HEADERS = {
    "Content-Security-Policy": f"{CONTENT_SECURITY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_FOR_ALL = {  # for pages of other sites that read the API
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Content-Disposition, Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "If-None-Match",
    "Access-Control-Max-Age": "86400",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
_MOST = 1_000_000  # bytes of a request's body


class SecurityMiddleware:
    """Refuses requests under unknown host names, changes that other sites ask for, and large bodies."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        """Wrap an application, which answers under these host names (`*`: any) and the machine's own."""
        self._app, self._hosts = app, {host.lower().strip("[]") for host in (*LOOPBACK, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on and add headers to the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        asking = Headers(scope=scope)
        host = _host_of(asking.get("host", ""))
        # Pages of other sites may read the API, but not on their visitor's own machine.
        public = scope["method"] in _SAFE and path_of(scope).startswith("/api/") and host not in LOOPBACK
        more = _HEADERS | _FOR_ALL if public else _HEADERS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in more.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(scope, asking, host)
        if refused is None and scope["method"] == "HEAD":
            asked = {**scope, "method": "GET"}  # the server sends the head alone
            await self._app(asked, receive, send_with_headers)
            scope["route"] = asked.get("route")
        elif refused is None and public and "access-control-request-method" in asking:
            await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, send_with_headers)
        elif refused is None:
            await self._app(scope, receive, send_with_headers)
        else:
            await answer(Request(scope), *refused)(scope, receive, send_with_headers)

    def _refused(self, scope: Scope, headers: Headers, host: str) -> tuple[HTTPStatus, str] | None:
        # Whether the service works is not a secret, and whoever checks it often uses its address.
        if not {"*", host} & self._hosts and path_of(scope) != "/healthz":
            allow = "this is not a host name of this service; its operator adds them to `hosts` in --settings"
            return HTTPStatus.MISDIRECTED_REQUEST, allow
        if scope["method"] not in _SAFE and not _is_same_origin(headers):
            return HTTPStatus.FORBIDDEN, "a page of another site sent this request"
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > _MOST:
            said = f"a request may have {_MOST:,} bytes, and must state its length"
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said
        return None


def _host_of(authority: str) -> str:
    try:
        return (urlsplit(f"//{authority}").hostname or "").lower()
    except ValueError:
        return ""


def _is_same_origin(headers: Headers) -> bool:
    """Whether no page of another site sent the request: browsers name the page, other programs do not."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    # With its port: another program on the same machine is another site.
    return origin is None or origin.lower().partition("://")[2] == headers.get("host", "").lower()
