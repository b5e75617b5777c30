"""Tables of pages: in the page between comments, or in a file beside it that the page links to.

A small table stands between `<!-- name -->` and `<!-- end -->`. A larger one is data: the page has a line of
its own with a link, `[What it shows](tables/PAGE-name.csv "table")`, and the site shows the rows there, with
a field that filters them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path

Tables = Mapping[str, Callable[[], str]]
"""What makes each table in Markdown, by name."""

LINKED = re.compile(r'^\[([^\]]+)\]\(([^)\s]+\.[ct]sv) "(open )?table"\)$', re.MULTILINE)
"""A table in a file: what it shows, the file, and whether the site shows it at once."""

_NUMBER = re.compile(r"[-+]?[\d.,]+%?")


def write(page: Path, tables: Tables) -> None:
    """Write the tables into the page, or the files that it links to."""
    text = page.read_text(encoding="utf-8")
    for name, make in tables.items():
        made, file = make(), _file(page, name)
        if _linked(page, text, file):
            file.parent.mkdir(exist_ok=True)
            file.write_text(to_csv(cells(made)), encoding="utf-8", newline="")
        elif found := _block(name).search(text):
            text = f"{text[: found.start(1)]}{made}\n{text[found.end(1) :]}"
    page.write_text(text, encoding="utf-8")


def shown(page: Path, name: str) -> list[list[str]] | None:
    """The head and the rows of a table as the page has it; None if it has none of this name."""
    text, file = page.read_text(encoding="utf-8"), _file(page, name)
    if _linked(page, text, file):
        return rows(file) if file.exists() else None
    found = _block(name).search(text)
    return found and cells(found[1].rstrip())


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    first, *others = ("| " + " | ".join(row) + " |" for row in [head, *rows])
    return "\n".join([first, "|---" * len(head) + "|", *others])


def rows(file: Path) -> list[list[str]]:
    """The head and the rows of a file."""
    text = StringIO(file.read_text(encoding="utf-8"))
    if file.suffix == ".tsv":
        return list(csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE))
    return list(csv.reader(text))


def cells(markdown: str) -> list[list[str]]:
    """The head and the rows of a table in Markdown."""
    head, _, *others = (line[2:-2].split(" | ") for line in markdown.splitlines())
    return [head, *others]


def to_csv(found: list[list[str]]) -> str:
    """The content of a file."""
    written = StringIO()
    csv.writer(written, lineterminator="\n").writerows(found)
    return written.getvalue()


def aligned(found: list[list[str]]) -> str:
    """The table in Markdown, with columns of numbers to the right."""
    head, *others = found
    columns = zip(*others, strict=True)
    ends = ["---:" if all(map(_NUMBER.fullmatch, filter(None, column))) else "---" for column in columns]
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in (head, ends, *others))
    return "\n".join(f"| {' | '.join(row)} |" for row in escaped)


def _linked(page: Path, text: str, file: Path) -> bool:
    return file in (page.parent / match[2] for match in LINKED.finditer(text))


def _file(page: Path, name: str) -> Path:
    return page.parent / "tables" / f"{page.stem}-{name}.csv"


def _block(name: str) -> re.Pattern[str]:
    return re.compile(rf"<!-- {name} -->\n(.*?)<!-- end -->", re.DOTALL)
