"""The command line: one command for each thing that a user wants to know or to have.

Commands parse options, call the library and print; what they compute is in the folders below.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from evaluator.cli.options import grouped
from evaluator.cli.output import echo, tell
from evaluator.errors import EvaluatorError
from evaluator.execution.output_files import visible
from evaluator.execution.plugins import load_plugin, plugin_names

GROUP = "evaluator.commands"  # the entry points by which other packages add commands

_NAMES = ("score", "best", "coverage", "compare", "compose", "tune", "curve", "train", "report")
_IN = {"compose": "report", "measures": "lists", "benchmarks": "lists"}
_IN |= {"tune": "training", "curve": "training", "train": "training"}
COMMANDS = {
    name: f"evaluator.cli.{_IN.get(name, name)}:{name}"
    for name in (*_NAMES, "verify", "measures", "benchmarks", "convert", "average")
}
"""Evaluator's own commands: functions, and Typer's apps for those that have commands of their own."""

_NEEDED = {"test", "language", "measure", "case", "profile", "output", "report", "figure", "latex", "details"}
"""What most people need of the options of score."""


class _LazyCommands(Mapping[str, Any]):
    """All commands by name; the module of one is loaded when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  # a command of click
        found: Any = load_plugin(GROUP, name, COMMANDS)
        if found is None:
            raise KeyError(name)
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command()(grouped(found))
            command = typer.main.get_command(alone)
        command.name = name
        for each in command.params if name == "score" else ():
            if each.name in _NEEDED:
                each.rich_help_panel = "Options"  # which stands first
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(plugin_names(GROUP, COMMANDS))

    def __len__(self) -> int:
        return len(list(iter(self)))


def _advice(said: str) -> str:
    """What to do about an error of Typer, after a space; empty if it is not known."""
    if said.startswith("No such command"):
        return " Vectors are scored by `evaluator score VECTORS --test la`."
    _, command, *given = [*sys.argv, ""]
    file = next((each for each in given if each.endswith(".json")), None)
    if file is not None and said.startswith("Got unexpected extra argument"):
        return f". A test set is named with --test: --test {file}"
    if not said.startswith("Missing option '--test'"):
        return ""
    if file is not None:
        return f" Write --test before the test set: --test {file}"
    if command == "compare":
        return (
            " Name a folder; models of one language are compared by `evaluator score a.vec b.vec --test la`."
        )
    return " Name a file, a language (--test la) or a benchmark (--test simlex999)."


_ONE_HYPHEN = ("-test", "-output", "-measure")  # of which -t est, -o utput and the like would be read
_LIBRARIES = ("sqlite3", "_csv", "zlib", "_lzma")  # modules of errors that mean a damaged file or a full disk


@contextmanager
def _errors_visible() -> Iterator[None]:
    """Escape control characters in messages of Typer, which repeat the command line; and say what to do."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # of click, which some versions of Typer include
            said = error.format_message().replace("\n\t", " ")  # of click's lists
            said = visible(said).replace("Value error, ", "")  # of pydantic, in Typer
            said = said.partition(", unable to parse")[0]
            error.format_message = lambda: visible(f"{said}{_advice(said)}")
        raise


class _Commands(TyperGroup):
    def __init__(self, **more: Any) -> None:  # noqa: ANN401  # of click
        super().__init__(**more)
        self.commands: Any = _LazyCommands()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002  # of click
        return list(self.commands)

    def make_context(self, *args: Any, **more: Any) -> Any:  # noqa: ANN401  # of click
        with _errors_visible():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # of click
        try:
            with _errors_visible():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            tell("stopped")
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


def _print_version(value: bool) -> None:  # as Typer calls it
    if value:
        from importlib.metadata import version

        echo(f"evaluator {version('testgen-evaluator')}")
        raise typer.Exit


@app.callback()
def _program(
    _: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Honest scores for word embeddings in any language."""


def run() -> None:
    """Run the command line; an error is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    _show_warnings()
    for each in sys.argv:
        if each.startswith(_ONE_HYPHEN):
            tell(f"{each}: write it with two hyphens, -{each}")
            sys.exit(2)
    try:
        app(prog_name="evaluator")
    except Exception as error:
        reason = _reason(error)
        if reason is None:
            raise
        tell(reason)
        sys.exit(2)


def _reason(error: Exception) -> str | None:
    """What is said of an error of ours, or of a fault of the machine; None for other errors."""
    if isinstance(error, EvaluatorError):
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


def _show_warnings() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("evaluator: %(message)s"))
    handler.addFilter(_visible)
    logging.getLogger("evaluator").handlers = [handler]


def _visible(record: logging.LogRecord) -> bool:
    record.msg, record.args = visible(record.getMessage()), None
    return True
