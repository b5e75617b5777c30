"""How results are printed for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.table import Table

    from evaluator.score import Score, Scores
    from evaluator.testset import TestSet
    from evaluator.vectors import Vectors


def console() -> Console:
    """Where results go, text as it is; at full width where the output is no terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 10_000
    return Console(width=width, highlight=False, markup=False, emoji=False)


def plain_table(left: str, right: Iterable[str]) -> Table:
    """A table without lines: a column of names, then columns of numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(left, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    return table


def print_scores(vectors: Vectors, test_set: TestSet, scores: Scores) -> None:
    """A table with a row for each category, then what was skipped, and how to get the scores again."""
    out = console()
    out.print(
        f"{vectors.name} ({len(vectors):,} words, {vectors.dimension} dimensions) on {test_set.name} "
        f"({test_set.language})"
    )
    out.print(_score_table(scores))
    if scores.combined is not None:
        out.print(f"Combined {_rate(scores.combined)}")
    for line in _remarks(list(scores.values())):
        out.print(line)
    for each in scores.values():
        out.print(each.signature, style="dim")


def _score_table(scores: Scores) -> Table:
    table = plain_table("category", ("words", "OOV", *scores))
    sizes = {part.name: (part.size, part.oov) for each in scores.values() for part in each.parts}
    values = [{part.name: part.value for part in each.parts} for each in scores.values()]
    for name, counts in sizes.items():
        table.add_row(name, *map(str, counts), *(_rate(each.get(name)) for each in values))
    sums = [str(sum(column)) for column in zip(*sizes.values(), strict=True)]
    means = [_rate(each.value) for each in scores.values()]
    table.add_row("all", *sums, *means, style="bold", end_section=True)
    return table


def _remarks(scores: list[Score]) -> Iterable[str]:
    """Where a value is no exact mean over all: what was drawn, and what was skipped."""
    parts = [(part, each.measure) for each in scores for part in each.parts]
    for part, measure in parts:
        if part.error:
            yield f"  {part.name}, {measure}: subsets drawn, standard error {part.error:.5f}"
    skipped = sorted(
        ((part, measure) for part, measure in parts if part.skipped), key=lambda row: row[0].name
    )
    if skipped:
        yield "Skipped, and no part of the mean:"
    for part, measure in skipped:
        yield f"  {part.name}, {measure}: {part.skipped}"


def _rate(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.4f}"
