"""The command line: commands parse options, call the library and print; the work itself is elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from testgen.cli import dictionary, emoji, export, generate, listing, options
from testgen.cli.config import cache_app, config_app
from testgen.cli.output import echo
from testgen.cli.serve import serve, site
from testgen.cli.snapshot import snapshot_app
from testgen.errors import TestgenError
from testgen.system import visible

_ONE_HYPHEN = ("-output", "-language", "-category")  # of which -t est, -o utput and the like would be read
_LIBRARIES = ("sqlite3", "_csv", "zlib", "_lzma")  # modules of errors that mean a damaged file or a full disk
_MADE = "Name files that `testgen generate` wrote, such as testsets/la.json"
_ADVICE = {
    "cite": f"{_MADE}.",
    "export": f"{_MADE}, and last the folder to write.",
    "import": "Name the kind of the file first, as in `testgen snapshot import wordnet FILE`.",
    "dictionary": "Write `testgen dictionary --from la --to te --output la-te.txt`.",
} | dict.fromkeys(
    ("testgen", "languages", "categories"),
    "`testgen coverage la` shows what there is in a language, and `testgen generate la` writes it.",
)
_SAID = ("No such command", "Got unexpected extra", "Missing ", "No such option: --language")


@contextmanager
def _errors_visible() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # of click, which some versions of Typer include
            said = error.format_message().replace("\n\t", " ")  # of click's lists
            said = visible(said).replace("Value error, ", "")  # of pydantic, in Typer
            said = said.partition(", unable to parse")[0]
            context = vars(error)["ctx"]
            command = context.info_name if context and context.parent else "testgen"  # called in any way
            advice = _ADVICE.get(command) if said.startswith(_SAID) else None
            said += f"{'' if said[-1] in '.?' else '.'} {advice}" if advice else ""
            error.format_message = lambda: said
        raise


class _Commands(TyperGroup):
    def make_context(self, *args: Any, **more: Any) -> Any:  # noqa: ANN401  # of click
        with _errors_visible():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # of click
        """Run a command; Ctrl-C ends it with a message."""
        try:
            with _errors_visible():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            echo("testgen: stopped", err=True)
            raise typer.Exit(130) from error


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0: everything was done. 1: something could not be done, and the rest was done. "
    "2: the command, or a file that it reads, is wrong, and nothing was done. 130: it was stopped by Ctrl-C "
    "or SIGTERM.",
)
for command in (
    generate.generate,
    dictionary.dictionary,
    emoji.emoji,
    export.export,
    export.cite,
    listing.categories,
    listing.languages,
    listing.coverage,
    listing.doctor,
    serve,
    site,
):
    app.command()(options.grouped(command))
app.add_typer(snapshot_app, name="snapshot")
app.add_typer(config_app, name="config")
app.add_typer(cache_app, name="cache")


def _print_version(value: bool) -> None:  # as Typer calls it
    if value:
        from importlib.metadata import version

        echo(f"testgen {version('testgen-evaluator')}")
        raise typer.Exit


@app.callback()
def _program(
    _: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Test sets for word embeddings in hundreds of languages, from Wikidata."""


def run() -> None:
    """Run the command line; an error of the user is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for each in sys.argv:
        if each.startswith(_ONE_HYPHEN):
            echo(f"testgen: {each}: write it with two hyphens, -{each}", err=True)
            sys.exit(2)
    try:
        app()
    except Exception as error:
        reason = _reason(error)
        if reason is None:
            raise
        echo(f"testgen: {reason}", err=True)
        sys.exit(2)


def _reason(error: Exception) -> str | None:
    """What is said about an error of the user, or a fault of the machine; None for other errors."""
    if isinstance(error, TestgenError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory; ask for less at a time, or use a machine with more"
    if isinstance(error, OSError) and error.filename is not None:  # an input or an output
        return f"{error.filename}: cannot be read or written: {error.strerror}; check its permissions"
    if isinstance(error, OSError):  # of the output; errors of inputs are caught where these are read
        return f"the output cannot be written: {error.strerror or error}"
    if type(error).__module__ in _LIBRARIES:
        return f"a file is damaged, or the disk is full: {error}"
    return None
