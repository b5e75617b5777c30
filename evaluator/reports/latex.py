"""From tables to LaTeX for papers; they need the package booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluator.reports.page import Cell, Section, Table
from evaluator.reports.sections import section_of
from evaluator.reports.words import INTERVAL
from evaluator.results.base import ResultFile

_SIGNS = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "≥": r"$\geq$",
    "±": r"$\pm$",
}


def as_latex(result: ResultFile) -> str:
    """The tables of a result for LaTeX, without details: what `read_results` or `record()` gives."""
    return latex(section_of(result))


def latex(section: Section) -> str:
    """All tables of a section without details but intervals, with their captions as comments."""
    tables = [block for block in section.walk(details=False) if isinstance(block, Table)]
    return "\n".join(_table(each.without_details(but=INTERVAL)) for each in tables)


def _table(table: Table) -> str:
    """A table; where columns have groups, each interval stands below its score, for a narrow column."""
    below = [bool(column.group) and column.title == INTERVAL for column in table.columns]
    narrow = any(below)
    shown = [column for column, is_below in zip(table.columns, below, strict=True) if not is_below]
    kinds = "".join("r" if column.kind == "number" else "l" for column in shown)
    start = r"{\footnotesize\setlength{\tabcolsep}{3pt}" if narrow else ""
    head = [f"% {table.caption}", f"{start}\\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    if any(column.group for column in shown) and not narrow:
        groups = (f"\\multicolumn{{{width}}}{{c}}{{{_escaped(group)}}}" for group, width in table.groups)
        head.append(_row(groups))
    titles = (column.group if narrow and column.group else column.title for column in shown)
    head += [_row(map(_escaped, titles)), r"\midrule"]
    rows = [_row(_stacked(row, below)) for row in table.rows]
    if table.totals:
        rows.insert(-table.totals, r"\midrule")
    return "\n".join([*head, *rows, r"\bottomrule", rf"\end{{tabular}}{'}' if narrow else ''}", ""])


def _stacked(row: Sequence[Cell], below: Sequence[bool]) -> list[str]:
    """The cells of a row, each interval below the cell before it."""
    cells: list[str] = []
    for cell, is_below in zip(row, below, strict=True):
        if not is_below:
            cells.append(_cell(cell))
        elif cell.text not in ("", "–"):
            cells[-1] = f"\\shortstack{{{cells[-1]}\\\\\\tiny {_cell(cell).replace(' to ', '--')}}}"
    return cells


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: Cell) -> str:
    text = _escaped(", ".join(cell.words) or cell.text)
    strong = f"\\textbf{{{text}}}" if cell.strong else text
    return f"{strong}\\textsuperscript{{{_escaped(cell.badge)}}}" if cell.badge else strong


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)
