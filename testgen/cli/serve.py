"""Serving test sets over HTTP."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from testgen.cli.options import SourceOption
from testgen.errors import ConfigError

_ANY = ("0.0.0.0", "::")  # noqa: S104 - not what is listened on, but a hint to who does
_NEEDED = ("fastapi", "uvicorn", "jinja2", "cachetools")


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; this machine alone, if not given.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 for any that is free.")] = 8000,
    source: SourceOption = "shipped",
    category: Annotated[
        list[str] | None,
        typer.Option(
            "--category", "-c", metavar="NAME", help="Offer this one; may be repeated. All if not given."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where jobs are kept; in the platform's folder for such, if not given."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name under which the service may be asked, besides localhost; may be repeated.",
        ),
    ] = None,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe what a proxy on this machine says of its clients.")
    ] = False,
    jobs_per_client: Annotated[
        int, typer.Option(metavar="N", min=1, help="Unfinished jobs that one client may have.")
    ] = 3,
    classes: Annotated[int, typer.Option(metavar="N", min=0, help="Classes that one request may name.")] = 10,
    class_items: Annotated[
        int, typer.Option(metavar="N", min=1, help="Items that a class may have.")
    ] = 100_000,
    jobs_kept: Annotated[int, typer.Option(metavar="N", min=1, help="Finished jobs that are kept.")] = 100,
) -> None:
    """Serve test sets as web pages and an API."""
    if any(find_spec(name) is None for name in _NEEDED):
        raise ConfigError("the service needs more libraries: pip install 'testgen-evaluator[serve]'")
    import platformdirs

    from testgen.serve.app import create_app
    from testgen.serve.server import listening, run
    from testgen.serve.settings import LOOPBACK, Limits, Settings

    settings = Settings(
        data or platformdirs.user_data_path("testgen"),
        source,
        tuple(category or ()),
        (*LOOPBACK, host, *(allow_host or ())),
        Limits(
            classes=classes, class_items=class_items, jobs_per_client=jobs_per_client, jobs_kept=jobs_kept
        ),
    )
    with listening(host, port) as socket:
        typer.echo("testgen: reading what the source has", err=True)
        app = create_app(settings)
        address = f"[{host}]" if ":" in host else host
        if host in _ANY and not allow_host:
            typer.echo("testgen: name what it is called on your network with --allow-host", err=True)
        typer.echo(f"testgen: http://{address}:{socket.getsockname()[1]}/ (Ctrl-C ends it)", err=True)
        run(app, socket, behind_proxy=behind_proxy)
