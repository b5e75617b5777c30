"""What a page is made of: sections of tables, figures and remarks, for all kinds of results."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


_WIDEST = 127.5
"""More characters beside each other do not fit on a page of 1,100 pixels."""

_WIDTHS = {"name": (14, 14), "text": (0, 7), "prose": (16, 16)}
"""From how many characters to how many a column is wide; longer texts are broken into lines."""

_SPACE, _OF_GROUP = 2.4, 2.0  # characters between columns, and more before a group

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: The text that is shown.
        data: The same for programs, one value for each name of the column.
        badge: A remark beside the text, such as `best`.
        words: Words of some language, which are shown instead of the text.
        language: The code of that language.
        share: How much of the cell is shaded, from 0 to 1; None for no shade.
    """

    text: str
    data: tuple[object, ...]
    badge: str = ""
    words: tuple[str, ...] = ()
    language: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its heading.
        names: Its names in CSV; several where a cell holds several values.
        group: The heading over it and its neighbours.
        kind: `name` for the name of the row, `text`, `prose` for long texts, or `number`.
    """

    title: str
    names: tuple[str, ...] = ()
    group: str = ""
    kind: str = "number"

    @property
    def headings(self) -> tuple[str, ...]:
        """The names in CSV."""
        base = f"{self.group} {self.title}".strip()
        return self.names or (base,)


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        caption: What the table shows.
        columns: From left to right.
        rows: Lists of cells, one for each column.
        file: The name of its CSV file; empty if none is offered.
        totals: How many of the last rows are sums or means of the others.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    file: str = ""
    totals: int = 0

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings over several columns, and how many columns each spans."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and column.group and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found

    @property
    def parts(self) -> list[Table]:
        """The table cut between columns where it is too wide for a page; each part names the rows."""
        head = [number for number, column in enumerate(self.columns) if column.kind == "name"]
        parts, width = [list(head)], self._width(head)
        for own in self._together(set(head)):
            needed = self._width(own) + (_OF_GROUP if self.columns[own[0]].group else 0.0)
            if width + needed > _WIDEST and parts[-1] != head:
                parts.append(list(head))
                width = self._width(head)
            parts[-1] += own
            width += needed
        return [self._only(each) for each in parts]

    def _together(self, head: Container[int]) -> list[list[int]]:
        """The numbers of the other columns; those of one group stay beside each other."""
        rest = [number for number in range(len(self.columns)) if number not in head]
        return [
            list(own) for _, own in groupby(rest, lambda number: self.columns[number].group or f"{number}")
        ]

    def _width(self, numbers: Iterable[int]) -> float:
        """How many characters columns take."""
        return sum(
            _SPACE + _characters(self.columns[each], [row[each] for row in self.rows]) for each in numbers
        )

    def _only(self, numbers: Sequence[int]) -> Table:
        """Some of the columns."""
        rows = [[row[each] for each in numbers] for row in self.rows]
        return replace(self, columns=[self.columns[each] for each in numbers], rows=rows)

    def as_csv(self) -> str:
        """All rows, with all digits; texts that a spreadsheet would run as a formula begin with `'`."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_no_formula(name) for column in self.columns for name in column.headings)
        writer.writerows([_no_formula(value) for cell in row for value in cell.data] for row in self.rows)
        return out.getvalue()


def _characters(column: Column, cells: Iterable[Cell]) -> float:
    """How wide a column is; its heading is broken between words."""
    texts = (each.text + each.badge + " ".join(each.words) for each in cells)
    least, most = _WIDTHS.get(column.kind, (0, _WIDEST))
    return max(least, min(most, max(map(len, ("", *column.title.split(), *texts)))))


def _no_formula(value: object) -> object:
    """Names come from other people's files; a spreadsheet must not run them."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        label: What the figure shows, for people who cannot see it.
        caption: How to read it.
        draw: Draws it.
    """

    label: str
    caption: str
    draw: Callable[[], AbstractContextManager[Drawn]]


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Notes:
    """Remarks under a heading of their own."""

    title: str
    items: Sequence[str]


@dataclass(frozen=True)
class Fact:
    """A term and its values; `code` marks what can be copied into a terminal."""

    term: str
    values: Sequence[str]
    code: bool = False


@dataclass(frozen=True)
class Facts:
    """A list of terms."""

    items: Sequence[Fact]


@dataclass(frozen=True)
class Link:
    """A file that the page holds, for download.

    Attributes:
        name: The name of the file.
        content: Its bytes.
        media: Its media type.
    """

    name: str
    content: bytes
    media: str


@dataclass(frozen=True)
class Downloads:
    """Files that the page holds."""

    links: Sequence[Link]


@dataclass(frozen=True)
class Fold:
    """Blocks that a click unfolds; in print they are unfolded."""

    summary: str
    blocks: Sequence[Block]
    open: bool = False


Block = Table | Figure | Text | Notes | Facts | Downloads | Fold


@dataclass(frozen=True)
class Section:
    """A heading, and its content.

    Attributes:
        title: The heading.
        blocks: Tables, figures, texts.
        subsections: Sections in it.
    """

    title: str
    blocks: Sequence[Block]
    subsections: Sequence[Section] = ()


@dataclass(frozen=True)
class Page:
    """A whole report.

    Attributes:
        title: Its heading.
        sections: In their order.
    """

    title: str
    sections: Sequence[Section]
