"""The user's configuration and the cache of answers."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from testgen.cli.options import Json

config_app = typer.Typer(no_args_is_help=True, help="Keep what testgen has to know about you.")
cache_app = typer.Typer(no_args_is_help=True, help="Look at the answers that are kept, or forget them.")


@config_app.command()
def contact(
    address: Annotated[
        str | None, typer.Argument(metavar="[ADDRESS]", help="An e-mail address, or a page about you.")
    ] = None,
) -> None:
    """Set the contact that servers are told, or show it."""
    from testgen import config

    if address is None:
        typer.echo(config.contact() or "no contact is set")
    else:
        typer.echo(f"kept in {config.set_contact(address)}")


@cache_app.command()
def info(as_json: Json = False) -> None:
    """Show where answers are kept, how many, and from when."""
    from testgen.sources import Answers

    kept = Answers().info()
    if as_json:
        typer.echo(json.dumps(kept, indent=1))
        return
    typer.echo(f"{kept['directory']}: {kept['bytes'] / 1e6:.1f} MB")
    for endpoint, count in kept["answers"].items():
        typer.echo(f"{endpoint}: {count} answers")
    if kept["oldest"]:
        typer.echo(f"retrieved from {kept['oldest']} to {kept['newest']}")


@cache_app.command()
def clear() -> None:
    """Forget all answers; they have to be asked for again."""
    from testgen.sources import Answers

    typer.echo(f"{Answers().clear()} answers forgotten")
