"""`evaluator site`: pages of all results of a group."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from evaluator.plugins import OUTPUT, Progress, argument, echo, option, options, tell_failed


def site(
    folder: Annotated[Path, argument("FOLDER", "The folder of the pages.")],
    results: options.ResultFiles,
    *,
    title: Annotated[str, option(OUTPUT, "The heading of the page.", metavar="TEXT")] = "",
) -> None:
    """Make pages of all results in folders: tables of all models, and a page for each column and each file.

    For example: evaluator site pages results
    """
    from evaluator.plugins.site.pages import TITLE, write_site

    with Progress("writing pages") as progress:
        skipped = write_site(results, folder, title or TITLE, progress)
    echo(f"{folder / 'index.html'}")
    tell_failed([f"{file} is skipped: {reason}" for file, reason in skipped.items()])
