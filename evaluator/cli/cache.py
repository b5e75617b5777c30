"""What evaluator caches on this machine: files at URLs, and corpora."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import typer

from evaluator.cli.options import Json
from evaluator.cli.output import echo
from evaluator.errors import OutputError

cache = typer.Typer(no_args_is_help=True, help="Show or remove what is cached: files at URLs, and corpora.")


@cache.command()
def info(as_json: Json = False) -> None:
    """Show what is cached, where, and how much space it takes.

    For example: evaluator cache info
    """
    folders = _folders()
    if as_json:
        content = [
            {"folder": str(folder), "content": what, "bytes": _size(folder)} for folder, what in folders
        ]
        echo(json.dumps(content, ensure_ascii=False, indent=1))
        return
    for folder, what in folders:
        echo(f"{folder}: {what}, {_readable(_size(folder))}")


@cache.command()
def clear() -> None:
    """Remove all that is cached; it is fetched or prepared again when it is needed.

    For example: evaluator cache clear
    """
    for folder, what in _folders():
        size = _size(folder)
        try:
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be removed: {error.strerror or error}") from error
        echo(f"{what}, {_readable(size)} removed")


def _folders() -> list[tuple[Path, str]]:
    from evaluator.execution.remote_files import CACHED, cached_folder

    return [(cached_folder(kind), what) for kind, what in CACHED.items()]


def _size(folder: Path) -> int:
    """How many bytes the files in a folder take; 0 if it does not exist."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _readable(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
