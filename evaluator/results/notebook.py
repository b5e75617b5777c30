"""Results as tables in a notebook, in plain HTML, or in a paper, in LaTeX: nothing needs installing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

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


def latex_of(rows: Sequence[dict[str, Any]]) -> str:
    """A table of scores in LaTeX: a line for each, with its interval; it needs the package booktabs.

    Args:
        rows: As `Scores.rows` gives them, each with a value. What is the same in all rows of model and test
            set is left out.
    """
    names = [each for each in ("model", "test_set") if len({row[each] for row in rows}) > 1]
    lines = [
        [
            *(_latex(str(row[name])) for name in (*names, "measure", "title")),
            f"{row['value']:.4f}",
            "--" if row["low"] is None else f"[{row['low']:.4f}, {row['high']:.4f}]",
            *("--" if row[name] is None else f"{row[name]:.4f}" for name in ("chance", "baseline")),
            *("--" if row[name] is None else str(row[name]) for name in ("n", "known")),
        ]
        for row in rows
    ]
    head = [each.replace("_", " ") for each in (*names, "measure", "part", "score")]
    head += [r"95\,\% interval", "chance", "baseline", "$n$", "known"]
    columns = "l" * (len(names) + 2) + "r" * 6
    body = "\n".join(f"{' & '.join(each)} \\\\" for each in lines)
    top = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(head)} \\\\\n\\midrule"
    return f"{top}\n{body}\n\\bottomrule\n\\end{{tabular}}\n"


_LATEX = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _latex(text: str) -> str:
    """A text with the signs that mean something to LaTeX escaped."""
    return "".join(_LATEX.get(sign, sign) for sign in text)


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
