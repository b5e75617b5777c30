"""How models differ: a table, and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.report.cells import count, interval, name, rate, signed
from evaluator.report.figures.dots import MOST_PANELS, MOST_ROWS, Dot, dots_figure
from evaluator.report.page import Block, Cell, Column, Figure, Table, Text
from evaluator.report.scores_file import ScoresFile, TestedDifference
from evaluator.studies.languages.differences import SIGNIFICANT


def differences_of(file: ScoresFile) -> Iterator[Block]:
    """What the section on differences consists of."""
    yield Text(
        "Second minus first, on the units that both were scored on; p by a paired permutation test, then "
        "corrected for the number of models (Holm). “Not told apart” does not say that models are equal: "
        "with more units a smaller difference would be found."
    )
    rows = [_difference_row(each, p) for each, p in file.corrected.items()]
    columns = [
        Column("second", kind="name"),
        Column("first", kind="text"),
        Column("test set", kind="text"),
        Column("measure", kind="text"),
        Column("difference"),
        Column("95% interval", ("low", "high")),
        Column("p"),
        Column("p (Holm)"),
        Column("units"),
        Column("reading", kind="text"),
    ]
    yield Table("Differences between models", columns, rows, "differences.csv")
    yield from _differences_figure(list(file.corrected))


def _differences_figure(found: Sequence[TestedDifference]) -> Iterator[Figure]:
    """A row for each two models, a panel for each measure."""
    pairs = list(dict.fromkeys((each.test_set, each.first, each.second) for each in found))
    if len(pairs) > MOST_ROWS:
        return
    measures = list(dict.fromkeys(each.measure for each in found))[:MOST_PANELS]
    dots = {
        (each.measure, (each.test_set, each.first, each.second)): Dot(each.value, each.low, each.high)
        for each in found
    }
    panels = {measure: [dots.get((measure, pair), Dot(None)) for pair in pairs] for measure in measures}
    tests = {test for test, _, _ in pairs}
    names = [f"{second}, {test}" if len(tests) > 1 else second for test, _, second in pairs]
    yield Figure(
        "Differences between models with their 95% intervals; the table above has the same numbers",
        f"{pairs[0][1]} is the line; right of it a model is better. An interval that does not touch the line "
        "is of a difference that other words would probably have shown, too.",
        partial(dots_figure, names, panels, 0.0),
    )


def _difference_row(found: TestedDifference, p_holm: float) -> list[Cell]:
    better = "second is better" if found.value > 0 else "first is better"
    reading = better if p_holm < SIGNIFICANT and found.value else "not told apart"
    return [
        name(found.second),
        name(found.first),
        name(found.test_set),
        name(found.measure),
        signed(found.value),
        interval(found.low, found.high, "+"),
        rate(found.p),
        rate(p_holm),
        count(found.units),
        name(reading),
    ]
