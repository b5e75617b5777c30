"""Writing test sets for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    test_set: Annotated[Path, typer.Argument(metavar="TESTSET", help="A test set (.json).")],
    output: Annotated[Path, typer.Argument(metavar="FILE.txt", help="Where the categories go.")],
) -> None:
    """Write the categories of a test set as a text file of gensim-evaluations."""
    from evaluator.datasets import read_testset, write_category_file

    write_category_file(read_testset(test_set), output)
