"""`evaluator export`: test sets written for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.overwriting import check_file
from evaluator.errors import TestSetError


def export(
    test_set: Annotated[Path, typer.Argument(metavar="TESTSET", help="A test set.")],
    output: Annotated[Path, typer.Argument(metavar="FILE.txt", help="The file for the categories.")],
    *,
    force: options.Force = False,
) -> None:
    """Write the categories of a test set as a text file of gensim-evaluations.

    For example: evaluator export testsets/la.json la.txt
    """
    from evaluator.datasets.formats.categories import write_category_file

    (found,) = inputs.read_tests([str(test_set)])
    check_file(output, force=force, is_ours=_is_category_file)
    write_category_file(found, output)


def _is_category_file(path: Path) -> bool:
    from evaluator.datasets.reading import read_testset

    try:
        return bool(read_testset(path, "categories").categories)
    except TestSetError:
        return False
