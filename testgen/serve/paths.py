"""The paths of the service, which may be below another path of its host (`--root-path`)."""

from __future__ import annotations

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send


class RootPathMiddleware:
    """Tells the application below which path it is, whether or not a proxy has removed this path."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        """Wrap an application; `root` is empty, or begins with a slash and does not end with one."""
        self._app, self._root = app, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Complete the path, and pass the request on."""
        if scope["type"] == "http" and self._root:
            scope["root_path"] = self._root
            if not f"{scope['path']}/".startswith(f"{self._root}/"):
                scope["path"] = self._root + scope["path"]
        await self._app(scope, receive, send)


def root_of(scope: Scope) -> str:
    """The path below which the service is; empty if it has the whole host."""
    return str(scope.get("root_path", ""))


def path_of(scope: Scope) -> str:
    """The path of a request within the service."""
    return str(scope["path"]).removeprefix(root_of(scope)) or "/"


def url_of(request: Request, path: str) -> str:
    """The path of a page or an endpoint, as clients have to ask for it."""
    return root_of(request.scope) + path
