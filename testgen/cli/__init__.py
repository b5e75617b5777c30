"""The command line: one command for each thing a user wants to know or have."""

from __future__ import annotations

import sys

import typer

from testgen.cli import emoji, look, make, upkeep
from testgen.cli.serve import serve
from testgen.cli.snapshot import snapshot_app
from testgen.errors import TestgenError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Test sets for word embeddings in hundreds of languages, from Wikidata.",
)
for command in (make.generate, emoji.emoji, look.categories, look.languages, look.coverage, serve):
    app.command()(command)
app.add_typer(snapshot_app, name="snapshot")
app.add_typer(upkeep.config_app, name="config")
app.add_typer(upkeep.cache_app, name="cache")


def main() -> None:
    """Run the command line; an error of the user's is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except TestgenError as error:
        typer.echo(f"testgen: {error}", err=True)
        sys.exit(2)
