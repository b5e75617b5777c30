"""Cells and columns that many tables have, and their words: names, scores, intervals, counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from evaluator.measures.base import Subscore
from evaluator.reports.page import Cell, Column, Table
from evaluator.results import numbers
from evaluator.results.base import Difference, Tested
from evaluator.results.numbers import NONE
from evaluator.results.score import Score

SCORE = "score"
INTERVAL = "95% interval"
CHANCE = "chance"
BASELINE = "frequency baseline"
SPELLING_BASELINE = "spelling baseline"
BASELINES = (BASELINE, SPELLING_BASELINE)
FREQUENCY, SPELLING = "frequency", "spelling"
VERDICT = "verdict"
WITH_BUILT = "with built words"
SAME_CANDIDATES = "same candidates"
KNOWN = "known words"
P, P_HOLM = "p", "p (Holm)"
OVER = "test over"
READING = "reading"

CORRECTED = "p by a paired t-test; p (Holm) is corrected for {}."
"""How p-values are computed, wherever several tests are shown; it names what they are corrected for."""


def without_empty(table: Table) -> Table:
    """A table without columns that are empty in all rows."""
    return table.only(
        [
            number
            for number in range(len(table.columns))
            if any(row[number].plain not in ("", NONE) for row in table.rows)
        ]
    )


def columns(*titles: str, kind: str = "number") -> list[Column]:
    """Columns of one kind, one for each title."""
    return [Column(title, kind=kind) for title in titles]


def name(text: str, badge: str = "") -> Cell:
    """A name."""
    return Cell(text, (text,), badge)


def _number(text: Callable[..., str], *values: float | None, badge: str = "") -> Cell:
    """What a function of `results.numbers` says; the functions below have the names of these."""
    return Cell(text(*values), values, badge)


rate = partial(_number, numbers.rate)
short = partial(_number, numbers.short)
short_interval = partial(_number, numbers.short_interval)
signed = partial(_number, numbers.signed)
count = partial(_number, numbers.count)


def interval(low: float | None, high: float | None, sign: str = "") -> Cell:
    """A 95% confidence interval."""
    return Cell(numbers.interval(low, high, sign), (low, high))


def share(part: float, of: float) -> Cell:
    """A share in percent, shaded."""
    found = min(max(part / of, 0.0), 1.0) if of else 0.0
    return Cell(f"{found:.0%}", (found,), share=found)


def words(found: Iterable[str], language: str) -> Cell:
    """Words of a language."""
    listed = tuple(found)
    return Cell("" if listed else NONE, (" ".join(listed),), words=listed, language=language)


def estimate_columns(group: str, *more: str) -> list[Column]:
    """The columns of a score: its value, interval and chance level, and more such as the baselines."""
    return [
        Column(SCORE, group=group),
        Column(INTERVAL, (f"{group} low", f"{group} high"), group),
        *(Column(each, group=group) for each in (CHANCE, *more)),
    ]


def estimated(found: Score | Subscore | None) -> list[Cell]:
    """The cells of a score that may be missing."""
    if found is None:
        return [rate(None), interval(None, None), rate(None)]
    return [rate(found.value), interval(found.low, found.high), rate(found.chance)]


def with_baselines(score: Score | None) -> list[Cell]:
    """The cells of a score that may be missing, and of its baselines."""
    levels = (None, None) if score is None else (score.baseline, score.spelling)
    return [*estimated(score), *map(rate, levels)]


def tested_columns() -> list[Column]:
    """The columns of a difference that was tested."""
    of_tests = [Column(P, detail=True), Column(P_HOLM), *columns(OVER, kind="text")]
    return [Column("difference"), Column(INTERVAL, ("low", "high")), *of_tests]


def tested(found: Difference, test: Tested, p_holm: float, over: str) -> list[Cell]:
    """The cells of a difference, one of its tests, and p corrected for all tests that are shown beside it."""
    if found.is_none:
        return [signed(found.value), interval(None, None), rate(None), rate(None), name("the same scores")]
    ends = interval(test.low, test.high, "+")
    p_values = (_number(numbers.p_value, each) for each in (test.p, p_holm))
    return [signed(found.value), ends, *p_values, name(over)]
