"""`evaluator convert`: vectors of any format as a safetensors file, or as word2vec text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.inputs import prepare_vectors
from evaluator.cli.options import READ, VectorOptions, number, option
from evaluator.cli.output import echo

if TYPE_CHECKING:
    from evaluator.vectors import LoadOptions


@dataclass(frozen=True)
class ConversionOptions(VectorOptions):
    """How a file is read once, which other commands would have to be told each time."""

    vector_format: Annotated[
        str,
        option(
            READ,
            "The format of the vectors; auto recognises it.",
            "--format",
            metavar="NAME",
        ),
    ] = "auto"
    encoding: Annotated[str, option(READ, "The encoding of the words of the vectors.", metavar="NAME")] = (
        "utf-8"
    )
    limit: Annotated[int | None, number(READ, "Convert the first N rows only.")] = None

    def for_loading(self) -> LoadOptions:
        """The same for the library."""
        return replace(
            super().for_loading(),
            format=self.vector_format,
            encoding=self.encoding,
            limit=self.limit,
        )


def convert(
    vectors: Annotated[str, typer.Argument(metavar="VECTORS", help="A vectors file: a path, or a URL.")],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write, whose ending says the format: .safetensors, or .vec for text.",
        ),
    ],
    *,
    reading: ConversionOptions,
    without_subwords: Annotated[
        bool, option(READ, "Leave out the subwords of a fastText model.", "--without-subwords")
    ] = False,
    force: options.Force = False,
) -> None:
    """Convert vectors to a safetensors file, which every command opens in a fraction of a second; or to text.

    For example: evaluator convert cc.la.300.vec.gz la.safetensors
    """
    from evaluator.vectors.writing import convert as write

    prepare_vectors(output, [vectors], force=force)
    loaded = reading.load(reading.file(vectors))
    write(loaded, output, without_subwords=without_subwords)
    echo(f"{output}: {len(loaded):,} words, {loaded.dimension} dimensions")
