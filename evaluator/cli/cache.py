"""The copies that are kept of files."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from evaluator.cli.options import Json
from evaluator.cli.output import console, plain_table
from evaluator.errors import OutputError

if TYPE_CHECKING:
    from evaluator.vectors.cached import CacheInfo

cache_app = typer.Typer(
    no_args_is_help=True, help="Look at the copies of files that are kept, or remove them."
)


@cache_app.command()
def info(as_json: Json = False) -> None:
    """Show where copies are kept, of which files, and how much room they take."""
    from evaluator.vectors import cache_info

    kept, others = cache_info(), _others()
    if as_json:
        content = {**asdict(kept), "others": {str(folder): size for folder, (_, size) in others.items()}}
        typer.echo(json.dumps(content, default=str, ensure_ascii=False, indent=1))
        return
    typer.echo(f"{kept.folder}: {_summary(kept)}, of at most {_size(kept.limit)}")
    if kept.copies:
        table = plain_table("file", ("rows × dimension", "size"))
        for copy in kept.copies:
            table.add_row(str(copy.path), f"{copy.rows:,} × {copy.dimension}", _size(copy.bytes))
        console().print(table)
    for folder, (what, size) in others.items():
        typer.echo(f"{folder}: {what}, {_size(size)}")


@cache_app.command()
def clear() -> None:
    """Remove all copies; they are made again when their files are loaded."""
    from evaluator.vectors import clear_cache

    typer.echo(f"{_summary(clear_cache())} removed")
    for folder, (what, size) in _others().items():
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be removed: {error.strerror or error}") from error
        typer.echo(f"{what}, {_size(size)} removed")


def _others() -> dict[Path, tuple[str, int]]:
    """What is kept besides copies of vectors: the folders that are there, what is in them, how many bytes."""
    from evaluator.execution.remote_files import CACHED, cached_folder
    from evaluator.vectors.cached.folder import size_of

    folders = {cached_folder(kind): what for kind, what in CACHED.items()}
    return {folder: (what, size_of(folder)) for folder, what in folders.items() if folder.is_dir()}


def _summary(kept: CacheInfo) -> str:
    copies = f"{len(kept.copies)} {'copy' if len(kept.copies) == 1 else 'copies'}"
    return f"{copies}, {_size(kept.bytes)}"


def _size(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
