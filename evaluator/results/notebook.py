"""Results as tables in a notebook: plain HTML, with nothing that needs installing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 60
_LEFT = "text-align:left"
_RIGHT = "text-align:right;font-variant-numeric:tabular-nums"


def html_table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
) -> str:
    """A table as HTML; names are escaped.

    Args:
        caption: What the table shows.
        columns: The headings.
        rows: Texts, the first of which is the name of the row; only the first `MOST_ROWS` are shown.
        notes: Lines below the table.
    """
    head = "".join(
        f'<th scope="col" style="{_RIGHT if number else _LEFT}">{escape(column)}</th>'
        for number, column in enumerate(columns)
    )
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    below = [*notes, *([f"and {more} more rows"] if more > 0 else [])]
    remarks = "".join(f"<div><small>{escape(note)}</small></div>" for note in below)
    return (
        f'<div><table><caption style="{_LEFT}">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{remarks}</div>"
    )


def shown(value: float | None) -> str:
    """A score with four decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def shown_interval(interval: tuple[float | None, float | None] | None) -> str:
    """A confidence interval with four decimals; a dash where there is none."""
    low, high = interval or (None, None)
    return "–" if low is None or high is None else f"{low:.4f} to {high:.4f}"


def _row(cells: Sequence[str]) -> str:
    first, *others = (escape(cell) for cell in cells)
    rest = "".join(f'<td style="{_RIGHT}">{cell}</td>' for cell in others)
    return f'<th scope="row" style="{_LEFT}">{first}</th>{rest}'
