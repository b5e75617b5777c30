"""Numbers as people read them: the same in a terminal, on a page, in a notebook and in a message.

What is rounded to zero has no sign ("z"; PEP 682).
"""

from __future__ import annotations

from collections.abc import Sequence

NONE = "–"  # what stands where there is no number

_SMALL = 0.0001


def rate(value: float | None) -> str:
    """A score with four decimals."""
    return NONE if value is None else f"{value:z.4f}"


def short(value: float | None) -> str:
    """A score with three decimals, for a first look."""
    return NONE if value is None else f"{value:.3f}" if value == 0 or abs(value) >= 0.0005 else "< 0.001"


def short_interval(low: float | None, high: float | None) -> str:
    """A 95% confidence interval with three decimals, for a first look."""
    return NONE if low is None or high is None else f"{low:z.3f} to {high:z.3f}"


def signed(value: float | None) -> str:
    """A difference with four decimals."""
    return NONE if value is None else f"{value:+z.4f}"


def interval(low: float | None, high: float | None, sign: str = "") -> str:
    """A 95% confidence interval with four decimals; the sign `+` is for that of a difference."""
    return NONE if low is None or high is None else f"{low:{sign}z.4f} to {high:{sign}z.4f}"


def p_value(p: float) -> str:
    """A p-value with four decimals; there is no p of 0."""
    return f"< {_SMALL}" if p < _SMALL else f"{p:.4f}"


def count(value: float | None) -> str:
    """A count, or a mean of counts."""
    if isinstance(value, int):  # of any size: a sum may be larger than any float
        return f"{value:,}"
    return NONE if value is None else f"{value:,.0f}"


def first_few(texts: Sequence[str], most: int, more: str = "and {} more") -> list[str]:
    """The first of some texts, and how many more there are."""
    rest = len(texts) - most
    return [*texts[:most], *([more.format(rest)] if rest > 0 else [])]
