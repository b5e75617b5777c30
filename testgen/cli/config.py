"""The commands `config` and `cache`: the user's contact, token and patience, and the cache of answers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from testgen.cli.output import echo

config_app = typer.Typer(no_args_is_help=True, help="What you set once: contact, token, patience.")
cache_app = typer.Typer(no_args_is_help=True, help="The cache of answers.")


@config_app.command()
def contact(
    address: Annotated[
        str | None,
        typer.Argument(metavar="[ADDRESS]", help="An e-mail address, or the URL of a page about you."),
    ] = None,
) -> None:
    """Set the contact that testgen sends to servers, or show it.

    For example: testgen config contact you@university.edu
    """
    from testgen.sources import config as stored

    file = None if address is None else stored.store("contact", address)
    echo(f"stored in {file}" if file else stored.contact() or "no contact is set")


@config_app.command()
def token() -> None:
    """Set or remove the token of your Wikimedia account, for higher limits. It is never shown.

    testgen asks for it, or reads standard input, so that it is not in the history of your shell.

    For example: testgen config token < token.txt
    """
    from testgen.sources import config as stored

    if sys.stdin.isatty():
        given = typer.prompt(
            "Token (leave it empty to remove the stored one)", default="", show_default=False, hide_input=True
        )
    else:
        given = sys.stdin.read()
    file = stored.store("token", given)
    echo(f"{'stored in' if given.strip() else 'removed from'} {file}")


@config_app.command()
def patience(
    time: Annotated[str | None, typer.Argument(metavar="[TIME]", help="Such as 90s, 30m or 2h.")] = None,
) -> None:
    """Set how long testgen waits for a server that is busy, 30 minutes at first, or show it.

    For example: testgen config patience 2h
    """
    from testgen.sources import config as stored
    from testgen.system import duration

    echo(duration(stored.patience()) if time is None else f"stored in {stored.store('patience', time)}")


@cache_app.command()
def clear() -> None:
    """Delete all answers in the cache.

    For example: testgen cache clear
    """
    from testgen.sources import AnswerCache

    echo(f"{AnswerCache().clear()} answers deleted")
