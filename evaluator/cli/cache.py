"""The cached copies of vectors files."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from evaluator.cli.options import Json
from evaluator.cli.output import console, plain_table

if TYPE_CHECKING:
    from evaluator.vectors.cached import CacheInfo

cache_app = typer.Typer(
    no_args_is_help=True, help="Look at the copies of vectors files that are kept, or remove them."
)


@cache_app.command()
def info(as_json: Json = False) -> None:
    """Show where copies are kept, of which files, and how much room they take."""
    from evaluator.vectors import cache_info

    kept = cache_info()
    if as_json:
        typer.echo(json.dumps(asdict(kept), default=str, ensure_ascii=False, indent=1))
        return
    typer.echo(f"{kept.folder}: {_summary(kept)}, of at most {_size(kept.limit)}")
    if kept.copies:
        table = plain_table("file", ("rows × dimension", "size"))
        for copy in kept.copies:
            table.add_row(str(copy.path), f"{copy.rows:,} × {copy.dimension}", _size(copy.bytes))
        console().print(table)


@cache_app.command()
def clear() -> None:
    """Remove all copies; they are made again when their files are loaded."""
    from evaluator.vectors import clear_cache

    typer.echo(f"{_summary(clear_cache())} removed")


def _summary(kept: CacheInfo) -> str:
    copies = f"{len(kept.copies)} {'copy' if len(kept.copies) == 1 else 'copies'}"
    return f"{copies}, {_size(kept.bytes)}"


def _size(count: int) -> str:
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
