"""The commands `serve`, the service with web pages and an API, and `site`, its pages as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from testgen.cli import options
from testgen.cli.options import MACHINE, check_libraries, option
from testgen.cli.output import echo

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - not what is listened on, but a hint for those who do
_LIBRARIES = ("fastapi", "uvicorn", "jinja2", "cachetools", "prometheus_client", "fastapi_offline")
_OFFER = "What to offer"


def serve(
    category: Annotated[
        list[str] | None,
        option(
            _OFFER,
            "Offer only this category or relation. May be repeated.",
            "--category",
            "-c",
            metavar="NAME",
        ),
    ] = None,
    source: options.SourceOption = "shipped",
    host: Annotated[
        str, option(MACHINE, "The address to listen on; 0.0.0.0 for the whole network.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[
        int, option(MACHINE, "The port to listen on; 0 for any free one.", metavar="N", min=0, max=65535)
    ] = 8000,
    data: Annotated[
        Path | None,
        option(
            MACHINE,
            "The folder for jobs. By default in the platform's folder for such data.",
            metavar="FOLDER",
        ),
    ] = None,
    settings: Annotated[
        Path | None,
        option(
            MACHINE,
            "Names of the host, the proxy, the log and the limits: see docs/serve.md.",
            metavar="FILE.toml",
        ),
    ] = None,
) -> None:
    """Serve test sets as web pages and an API.

    For example: testgen serve --port 8000
    """
    check_libraries("the service", "serve", *_LIBRARIES)
    import platformdirs
    from msgspec.structs import asdict, replace

    from testgen.serve.app import create_app, listening, run
    from testgen.serve.settings import Settings, SettingsFile, read_settings

    of_file = SettingsFile() if settings is None else read_settings(settings)
    of_file = replace(of_file, hosts=(host, *of_file.hosts), root_path=of_file.root_path.rstrip("/"))
    data = data or platformdirs.user_data_path("testgen")
    chosen = Settings(data, source, tuple(category or ()), **asdict(of_file))
    with listening(host, port) as socket:
        echo("testgen: reading the source", err=True)
        app = create_app(chosen)
        address = f"[{host}]" if ":" in host else host
        if host in _EVERYWHERE and of_file.hosts == (host,):
            echo(
                "testgen: add the name of this machine on your network to `hosts` in --settings",
                err=True,
            )
        echo(f"testgen: http://{address}:{socket.getsockname()[1]}/ (Ctrl-C ends it)", err=True)
        run(app, socket)


def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write.")],
    source: options.SourceOption = "shipped",
    base_url: Annotated[
        str, option(_OFFER, "The address of the site, for the commands that it shows.", metavar="URL")
    ] = "",
) -> None:
    """Write the pages and test sets of the service as files, for any web server.

    For example: testgen site words
    """
    check_libraries("the service", "serve", *_LIBRARIES)
    from testgen.serve.site import write_site

    files, size = write_site(folder, source, base_url)
    echo(f"Site in {folder}. Files: {files:,}. Size: {size / 1e6:,.1f} MB.")
