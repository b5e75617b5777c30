"""Scores as a table for a paper, in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


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
