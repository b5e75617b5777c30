"""Results on stdout: as JSON, or sections as text in as many columns as a terminal has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.measure import Measurement
from rich.table import Table as Drawn
from rich.text import Text as Lines

from evaluator.cli.options import ResultOptions
from evaluator.cli.output import console, echo, echo_lines, signed
from evaluator.execution.output_files import visible
from evaluator.reports.page import Block, Fact, Facts, Fold, Notes, Section, Table, Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from evaluator.results.base import ResultFile

_ANY = 10_000  # characters, more than any table is wide
_WHOLE = 20  # characters; longer words, such as names of files, may be broken in a narrow terminal


def show(results: ResultOptions, record: ResultFile) -> None:
    """Print results in the way that is asked for."""
    from evaluator.reports.sections import section_of
    from evaluator.results.base import to_json

    if results.as_json:
        echo_lines(to_json(signed(record)))
    else:
        print_section(section_of(record), console(), details=results.details)


def tell_written(results: ResultOptions, line: str) -> None:
    """Say after the results where files are, unless a program reads what is printed."""
    if not results.as_json:
        echo(line)


def print_section(section: Section, out: Console, *, details: bool) -> None:
    """Print a section and its subsections. Figures are not drawn."""
    _print(section, out, details)
    _print_facts(section.origin if details else (), out)


def _print(section: Section, out: Console, details: bool) -> None:
    out.print(section.title, style="bold")
    for block in section.blocks:
        _print_block(block, out, details)
    subsections = [each for each in section.subsections if details or not each.detail]
    for each in subsections:
        out.print()
        _print(each, out, details)
    if section.closing and subsections:
        out.print()
    for block in section.closing:
        _print_block(block, out, details)


def _print_block(block: Block, out: Console, details: bool) -> None:
    if block.detail and not details:
        return
    match block:
        case Text():
            out.print(block.text)
        case Notes():
            for line in (f"{block.title}:", *(f"  {item}" for item in block.items)):
                out.print(line)
        case Facts():
            _print_facts(block.items, out)
        case Table():
            _print_table(block, out, details)
        case Fold():
            _print_fold(block, out, details)


def _print_fold(fold: Fold, out: Console, details: bool) -> None:
    if not (details or fold.open):
        out.print(f"{fold.summary}: --details shows this")
        return
    out.print(f"{fold.summary.removesuffix('.')}:")
    for each in fold.blocks:
        _print_block(each, out, details)


def _print_facts(facts: Iterable[Fact], out: Console) -> None:
    """Terms and their values; what can be copied is one line, however narrow the terminal is."""
    for fact in facts:
        if not fact.code:
            out.print(f"{fact.term}: {', '.join(fact.values)}")
            continue
        out.print(f"{fact.term}:")
        for value in fact.values:
            out.print(value, style="dim", soft_wrap=True)


def _print_table(table: Table, out: Console, details: bool) -> None:
    rows = len(table.rows) if details or table.first is None else table.first
    shown = table if details else table.without_details()

    def fits(part: Table) -> bool:
        drawn = _drawn(part, rows)
        drawn.collapse_padding = True
        return Measurement.get(out, out.options.update(width=_ANY), drawn).minimum <= out.width

    out.print(f"{table.caption}:")
    for part in shown.parts(fits):
        out.print(_drawn(part, rows))
    if rows < len(table.rows):
        out.print(f"and {len(table.rows) - rows} more, which --details shows")


class _CloserTogether(Drawn):
    """A table whose columns stand closer together in a narrow terminal."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        natural = self.__rich_measure__(console, options.update(width=_ANY)).maximum
        self.collapse_padding = natural > options.max_width
        yield from super().__rich_console__(console, options)


def _drawn(table: Table, most: int) -> Drawn:
    """A table without lines: names on the left, numbers on the right, which are whole in any terminal."""
    drawn = _CloserTogether(box=None, pad_edge=False, header_style="bold")
    rows = [[visible(cell.plain) for cell in row] for row in table.rows[:most]]
    texts = list(zip(*rows, strict=True)) or [()] * len(table.columns)
    for column, heading, cells in zip(table.columns, _headings(table, texts), texts, strict=True):
        number = column.kind == "number"
        words = [*heading.split(), *(cells if number else " ".join(cells).split())]
        drawn.add_column(
            Lines(heading),
            justify="right" if number else "left",
            overflow="fold",
            min_width=max((width for width in map(len, words) if width <= _WHOLE), default=0),
        )
    for line, row in enumerate(rows):
        drawn.add_row(*row, style="bold" if line >= len(table.rows) - table.totals else "")
    return drawn


def _headings(table: Table, texts: Sequence[Sequence[str]]) -> list[str]:
    """Headings broken into lines, so that columns are no wider than what is in them."""
    titles = []
    for column, cells in zip(table.columns, texts, strict=True):
        title = visible(column.title)
        width = max(map(len, (*cells, *title.split())), default=1)
        titles.append(wrap(title, max(width, 1), break_long_words=False, break_on_hyphens=False))
    height = max(map(len, titles), default=0)
    over = list[str]()
    for group, width in table.groups:
        over += [visible(group), *[""] * (width - 1)]
    if not any(over):
        over = []
    return [
        "\n".join([*([] if group is None else [group]), *[""] * (height - len(title)), *title])
        for group, title in zip_longest(over, titles)
    ]
