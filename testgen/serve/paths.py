"""The paths of the service, which may be below another path of its host (`root_path` of the settings)."""

from __future__ import annotations

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send


def with_root_path(app: ASGIApp, root: str) -> ASGIApp:
    """Tell an application below which path it is, whether or not a proxy has removed this path."""

    async def completed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and root:
            scope["root_path"] = root
            if not f"{scope['path']}/".startswith(f"{root}/"):
                scope["path"] = root + scope["path"]
        await app(scope, receive, send)

    return completed


def root_of(scope: Scope) -> str:
    """The path below which the service is; empty if it has the whole host."""
    return str(scope.get("root_path", ""))


def path_of(scope: Scope) -> str:
    """The path of a request within the service."""
    return str(scope["path"]).removeprefix(root_of(scope)) or "/"


def url_of(request: Request, path: str) -> str:
    """The path of a page or an endpoint, as clients have to ask for it."""
    return root_of(request.scope) + path
