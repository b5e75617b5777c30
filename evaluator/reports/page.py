"""What is shown of a result, whatever shows it: sections of tables, figures and remarks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

from evaluator.execution.output_files import csv_cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn


_NAMING = ("name", "text")  # the kinds of the first columns, which say what a row is of

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Later(Sequence[T]):
    """What is made when it is first looked at: a terminal shows no details unless it is asked for them."""

    make: Callable[[], Iterable[T]]

    @cached_property
    def _made(self) -> Sequence[T]:
        return tuple(self.make())

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: int | slice) -> T | Sequence[T]:
        return self._made[key]


@dataclass(frozen=True, kw_only=True)
class _Block:
    """What stands in a section; a terminal leaves out details unless it is asked for all, a page has them."""

    detail: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: The text that is shown.
        data: The same for programs, one value for each name of the column.
        badge: A remark beside the text, such as `keep`.
        strong: Whether it is emphasized.
        words: Words of some language, which are shown instead of the text.
        language: The code of that language.
        items: For each of them the id of its item and where it is corrected, which a page shows; "" for none.
        share: How much of the cell is shaded, from 0 to 1; None for no shade.
        link: Where the text leads on a page, relative to it.
    """

    text: str
    data: tuple[object, ...]
    badge: str = ""
    strong: bool = False
    words: tuple[str, ...] = ()
    language: str = ""
    items: tuple[tuple[str, str], ...] = ()
    share: float | None = None
    link: str = ""

    @property
    def plain(self) -> str:
        """All that the cell shows, as one text."""
        return f"{', '.join(self.words) or self.text} {self.badge}".rstrip()


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its heading.
        names: Its names in CSV; several where a cell holds several values.
        group: The heading over it and its neighbours.
        kind: `name` for the name of the row, `text`, `prose` for long texts, or `number`.
        detail: Whether a terminal leaves it out unless it is asked for all.
    """

    title: str
    names: tuple[str, ...] = ()
    group: str = ""
    kind: str = "number"
    detail: bool = False

    @property
    def headings(self) -> tuple[str, ...]:
        """The names in CSV."""
        base = f"{self.group} {self.title}".strip()
        return self.names or (base,)


@dataclass(frozen=True)
class Table(_Block):
    """A table.

    Attributes:
        caption: What the table shows.
        columns: From left to right.
        rows: Lists of cells, one for each column.
        file: The name of its CSV file; empty if none is offered.
        totals: How many of the last rows are sums or means of the others.
        first: How many rows a terminal shows unless it is asked for all; None for all.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    file: str = ""
    totals: int = 0
    first: int | None = None

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

    def parts(self, fits: Callable[[Table], bool]) -> list[Table]:
        """The table cut between columns where it is too wide; each part has those that name the rows.

        The columns of a group stay beside each other if they fit.
        """
        first = start = 0
        while first < len(self.columns) and self.columns[first].kind in _NAMING:
            first += 1
        head = list(range(first))
        parts = [list(head)]
        for _, width in self.groups:
            together = list(range(max(start, first), start + width))
            start += width
            split = len(together) > 1 and not fits(self.only([*head, *together]))
            for some in [[each] for each in together] if split else [together]:
                if parts[-1] != head and not fits(self.only([*parts[-1], *some])):
                    parts.append(list(head))
                parts[-1] += some
        return list(map(self.only, parts))

    def without_details(self, but: str = "") -> Table:
        """The table without columns that are details, but with those of a title."""
        own = enumerate(self.columns)
        return self.only([number for number, each in own if not each.detail or each.title == but])

    def only(self, numbers: Sequence[int]) -> Table:
        """The table with some of its columns, by their numbers."""
        rows = [[row[each] for each in numbers] for row in self.rows]
        return replace(self, columns=[self.columns[each] for each in numbers], rows=rows)

    def as_csv(self) -> str:
        """All rows, with all digits, as `csv_cell`s."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(csv_cell(name) for column in self.columns for name in column.headings)
        writer.writerows([csv_cell(value) for cell in row for value in cell.data] for row in self.rows)
        return out.getvalue()


@dataclass(frozen=True)
class Figure(_Block):
    """A figure.

    Attributes:
        label: What the figure shows, for people who cannot see it.
        caption: How to read it.
        draw: Draws it.
        file: The name of its file, without an ending; empty if it is on pages only.
    """

    label: str
    caption: str
    draw: Callable[[], AbstractContextManager[Drawn]]
    file: str = ""


@dataclass(frozen=True)
class Text(_Block):
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Notes(_Block):
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
class Facts(_Block):
    """A list of terms."""

    items: Sequence[Fact]


@dataclass(frozen=True)
class Link:
    """A file that the page holds, for download."""

    name: str
    content: bytes
    media: str


@dataclass(frozen=True)
class Downloads(_Block):
    """Files that the page holds."""

    links: Sequence[Link]


@dataclass(frozen=True)
class Fold(_Block):
    """Blocks that a click unfolds; in print they are unfolded. A terminal leaves out closed ones."""

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
        origin: What the numbers were computed from, and how: signatures, settings, test sets.
        closing: What a reader should take away; in a terminal the last lines, in a table for print a note.
        detail: Whether a terminal leaves it out unless it is asked for all.
    """

    title: str
    blocks: Sequence[Block]
    subsections: Sequence[Section] = ()
    origin: Sequence[Fact] = ()
    closing: Sequence[Block] = ()
    detail: bool = False

    def walk(self, *, details: bool = True) -> Iterator[Block]:
        """All blocks of the section, its subsections and folds; or without details and closed folds."""
        for block in self.blocks:
            if details or not block.detail:
                yield block
                if isinstance(block, Fold) and (details or block.open):
                    yield from Section("", block.blocks).walk(details=details)
        for each in self.subsections:
            if details or not each.detail:
                yield from each.walk(details=details)
        yield from self.closing
