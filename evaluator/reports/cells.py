"""Cells and columns that many tables have: names, scores, intervals, counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evaluator.reports.page import Cell, Column, Table
from evaluator.results.base import Estimate, Tested

NONE = "–"


def without_empty(table: Table) -> Table:
    """A table without columns of texts that are empty in all rows."""
    kept = [
        number
        for number, column in enumerate(table.columns)
        if column.kind == "number" or any(row[number].text or row[number].words for row in table.rows)
    ]
    columns = [table.columns[number] for number in kept]
    return replace(table, columns=columns, rows=[[row[number] for number in kept] for row in table.rows])


def columns(*titles: str, kind: str = "number") -> list[Column]:
    """Columns of one kind, one for each title."""
    return [Column(title, kind=kind) for title in titles]


def name(text: str, badge: str = "") -> Cell:
    """A name."""
    return Cell(text, (text,), badge)


def rate(value: float | None, badge: str = "") -> Cell:
    """A score with four decimals."""
    return Cell(NONE if value is None else f"{value:.4f}", (value,), badge)


def signed(value: float | None) -> Cell:
    """A difference with four decimals."""
    return Cell(NONE if value is None else f"{value:+.4f}", (value,))


def interval(low: float | None, high: float | None, sign: str = "") -> Cell:
    """A 95% confidence interval."""
    none = low is None or high is None
    return Cell(NONE if none else f"{low:{sign}.4f} to {high:{sign}.4f}", (low, high))


def count(value: float | None) -> Cell:
    """A count, or a mean of counts."""
    if isinstance(value, int):  # of any size: a sum may be larger than any float
        return Cell(f"{value:,}", (value,))
    return Cell(NONE if value is None else f"{value:,.0f}", (value,))


def words(found: Iterable[str], language: str) -> Cell:
    """Words of a language."""
    listed = tuple(found)
    return Cell("" if listed else NONE, (" ".join(listed),), words=listed, language=language)


def estimate_columns(group: str) -> list[Column]:
    """The columns of a score: its value, its interval, and the chance level."""
    return [
        Column("score", group=group),
        Column("95% interval", (f"{group} low", f"{group} high"), group),
        Column("chance", group=group),
    ]


def estimate(
    value: float | None, low: float | None, high: float | None, chance: float | None, badge: str = ""
) -> list[Cell]:
    """The cells of a score."""
    return [rate(value, badge), interval(low, high), rate(chance)]


def estimated(found: Estimate | None) -> list[Cell]:
    """The cells of a score that may be missing."""
    each = (None,) * 4 if found is None else (found.value, found.low, found.high, found.chance)
    return estimate(*each)


def tested(found: Tested) -> list[Cell]:
    """The interval of a difference, and p."""
    return [interval(found.low, found.high, "+"), rate(found.p)]
