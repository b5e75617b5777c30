"""Vectors of any format, written as one safetensors file that every command opens at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli import options
from evaluator.errors import OutputError


def convert(
    vectors: Annotated[str, typer.Argument(metavar="VECTORS", help="A vectors file: a path, or a URL.")],
    output: Annotated[Path, typer.Argument(metavar="OUT.safetensors", help="The file to be written.")],
    *,
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    unsafe_pickle: options.UnsafePickle = False,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Convert the first N rows only.")] = None,
    without_subwords: Annotated[
        bool, typer.Option("--without-subwords", help="Leave out the subwords of a fastText model.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
) -> None:
    """Write vectors as a safetensors file, which every command maps into memory instead of parsing it.

    For example: evaluator convert cc.la.300.vec.gz la.safetensors
    """
    from evaluator.execution.output_files import prepare_file
    from evaluator.execution.remote_files import is_url
    from evaluator.vectors import save_vectors

    if output.suffix != ".safetensors":
        raise OutputError(
            f"{output}: the second argument is written and must end in .safetensors; name it so"
        )
    if output.exists() and not force:
        raise OutputError(f"{output}: exists already; name another file, or overwrite it with --force")
    prepare_file(output, [] if is_url(vectors) else [Path(vectors)])
    loaded = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle, limit).load(vectors)
    save_vectors(replace(loaded, subword=None) if without_subwords else loaded, output)
    typer.echo(f"{output}: {len(loaded):,} words, {loaded.dimension} dimensions")
