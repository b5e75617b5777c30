"""The command line: one command for each thing a user wants to know or have."""

from __future__ import annotations

import logging
import sys

import typer

from evaluator.cli import (
    batch,
    compare,
    compose,
    convert,
    coverage,
    curve,
    emoji,
    export,
    measures,
    probe,
    report,
    score,
    tune,
)
from evaluator.cli.cache import cache_app
from evaluator.cli.corpus import corpus_app
from evaluator.errors import EvaluatorError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Honest scores for word embeddings in any language.",
)
for command in (
    score.score,
    batch.batch,
    coverage.coverage,
    compare.compare,
    compose.compose,
    probe.probe,
    tune.tune,
    curve.curve,
    report.report,
    measures.measures,
    export.export,
    convert.convert,
    emoji.emoji,
):
    app.command()(command)
app.add_typer(corpus_app, name="corpus")
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command line; an error of the user's is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    _show_notes()
    try:
        app()
    except EvaluatorError as error:
        typer.echo(f"evaluator: {error}", err=True)
        sys.exit(2)
    except OSError as error:  # of the output: what is read is checked where it is read
        typer.echo(f"evaluator: the output cannot be written: {error.strerror or error}", err=True)
        sys.exit(2)


def _show_notes() -> None:
    """Say on stderr what the library warns of."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("evaluator: %(message)s"))
    logging.getLogger("evaluator").handlers = [handler]
