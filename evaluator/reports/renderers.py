"""From sections to plain HTML for notebooks, without figures; and to LaTeX for papers, with booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

from evaluator.execution.output_files import visible
from evaluator.reports.cells import INTERVAL
from evaluator.reports.page import Block, Cell, Fact, Facts, Fold, Notes, Section, Table, Text
from evaluator.reports.sections import section_of
from evaluator.results.base import ResultFile

_LEFT, _RIGHT = "text-align:left", "text-align:right;font-variant-numeric:tabular-nums"


def as_html(result: ResultFile) -> str:
    """A result as plain HTML, as notebooks show it: of a file, of a study, or scores of a list of models."""
    return notebook(section_of(result))


def notebook(section: Section) -> str:
    """A section as HTML; details, and what numbers are from, can be unfolded."""
    shown = ET.Element("div")
    _add(shown, section, 4)
    if section.origin:
        _add_facts(_fold(shown, "Signatures and settings"), section.origin)
    return ET.tostring(shown, "unicode", "html")


def _add(parent: ET.Element, section: Section, level: int) -> None:
    _text(parent, f"h{level}", section.title)
    for block in section.blocks:
        _add_block(parent, block)
    for each in section.subsections:
        _add(_fold(parent, each.title) if each.detail else parent, each, level + 1)
    for block in section.closing:
        _add_block(parent, block)


def _add_block(parent: ET.Element, block: Block) -> None:
    inside = _fold(parent, "More") if block.detail else parent
    match block:
        case Text():
            _text(inside, "p", block.text)
        case Notes():
            _text(inside, "p", f"{block.title}:")
            of_items = ET.SubElement(inside, "ul")
            for item in block.items:
                _text(of_items, "li", item)
        case Facts():
            _add_facts(inside, block.items)
        case Table():
            _add_table(inside, block)
        case Fold():
            folded = _fold(inside, block.summary)
            for each in block.blocks:
                _add_block(folded, each)


def _add_facts(parent: ET.Element, facts: Iterable[Fact]) -> None:
    terms = ET.SubElement(parent, "dl")
    for fact in facts:
        _text(terms, "dt", fact.term)
        for value in fact.values:
            _text(ET.SubElement(terms, "dd"), "code" if fact.code else "span", value)


def _add_table(parent: ET.Element, block: Table) -> None:
    table = ET.SubElement(ET.SubElement(parent, "div", style="max-height:40em;overflow:auto"), "table")
    _text(table, "caption", block.caption, style=_LEFT)
    head = ET.SubElement(table, "thead")
    if any(column.group for column in block.columns):
        over = ET.SubElement(head, "tr")
        for group, width in block.groups:
            _text(over, "th", group, scope="colgroup", colspan=str(width), style=_LEFT)
    titles = ET.SubElement(head, "tr")
    for column in block.columns:
        _text(titles, "th", column.title, scope="col", style=_RIGHT if column.kind == "number" else _LEFT)
    body = ET.SubElement(table, "tbody")
    for row in block.rows:
        cells = ET.SubElement(body, "tr")
        for column, cell in zip(block.columns, row, strict=True):
            if column.kind == "name":
                _text(cells, "th", cell.plain, scope="row", style=_LEFT)
            else:
                _text(cells, "td", cell.plain, style=_RIGHT if column.kind == "number" else _LEFT)


def _fold(parent: ET.Element, summary: str) -> ET.Element:
    found = ET.SubElement(parent, "details")
    _text(found, "summary", summary)
    return found


def _text(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = visible(text)


_SIGNS = {each: f"\\{each}" for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "≥": r"$\geq$",
    "±": r"$\pm$",
}


def as_latex(result: ResultFile) -> str:
    """The tables of a result, as for `as_html`, for LaTeX, without details."""
    return latex(section_of(result))


def latex(section: Section) -> str:
    """All tables of a section without details but intervals, with their captions as comments.

    The last line that a section closes with is a note below its tables.
    """
    return "\n".join(_of_section(section))


def _of_section(section: Section) -> Iterator[str]:
    for block in replace(section, subsections=(), closing=()).walk(details=False):
        if isinstance(block, Table):
            yield _table(block.without_details(but=INTERVAL))
    for each in section.subsections:
        if not each.detail:
            yield from _of_section(each)
    for note in section.closing[-1:]:  # of several languages, that of all
        if isinstance(note, Text):
            yield f"\\par{{\\footnotesize {_escaped(note.text)}\\par}}\n"


def _table(table: Table) -> str:
    """A table; where columns have groups, each interval stands below its score, for a narrow column."""
    below = [bool(column.group) and column.title == INTERVAL for column in table.columns]
    narrow = any(below)
    shown = [column for column, is_below in zip(table.columns, below, strict=True) if not is_below]
    kinds = "".join("r" if column.kind == "number" else "l" for column in shown)
    start = r"{\footnotesize\setlength{\tabcolsep}{3pt}" if narrow else ""
    head = [f"% {visible(table.caption)}", f"{start}\\begin{{tabular}}{{{kinds}}}", r"\toprule"]
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
    cells: list[str] = []
    for cell, is_below in zip(row, below, strict=True):
        if not is_below:
            cells.append(_cell(cell))
        elif cell.text not in ("", "–"):
            cells[-1] = f"\\shortstack{{{cells[-1]}\\\\\\tiny {_cell(cell).replace(' to ', '--')}}}"
    return cells


def _row(cells: Iterable[str]) -> str:
    """A row; after the end of the last one or a rule LaTeX takes `[` or `*` for an argument of that."""
    first, *others = cells
    start = f"{{{first[0]}}}{first[1:]}" if first.startswith(("[", "*")) else first
    return f"{' & '.join([start, *others])} \\\\"


def _cell(cell: Cell) -> str:
    text = _escaped(", ".join(cell.words) or cell.text)
    strong = f"\\textbf{{{text}}}" if cell.strong else text
    return f"{strong}\\textsuperscript{{{_escaped(cell.badge)}}}" if cell.badge else strong


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in visible(text))
