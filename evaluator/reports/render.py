"""From sections to one HTML file that needs no other file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from evaluator.errors import ExtraError
from evaluator.execution.output_files import visible
from evaluator.reports.page import Cell, Column, Figure, Link, Section, Table
from evaluator.results.figures import svg_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


MOST_FIGURES = 40
"""A page has no more figures than these: they would take minutes to draw, and nobody looks at them."""

LONGEST_LINK = 1_500_000  # some browsers do not follow a link of more than two million characters

_WIDEST = 127.5  # more characters beside each other do not fit on a page of 1,100 pixels

_WIDTHS = {"name": (14, 14), "text": (0, 7), "prose": (16, 16)}
"""From how many characters to how many a column is wide; longer texts are broken into lines."""

_SPACE, _OF_GROUP = 2.4, 2.0  # characters between columns, and more before a group

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Page:
    """A whole report; `home` is where the first page of all is, relative to this one, if there are several.

    If it is `sortable`, a script in the page lets people sort its tables.
    """

    title: str
    sections: Sequence[Section]
    home: str = ""
    sortable: bool = False


def require_report_libraries() -> None:
    """Check that a report can be made."""
    for library in ("jinja2", "matplotlib"):
        if find_spec(library) is None:
            raise ExtraError("a report", library, "report")


def render(page: Page) -> str:
    """A page as HTML."""
    require_report_libraries()
    style, script = page_style(), _template("sort.js") if page.sortable else ""
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    template = _environment().get_template("report.html.j2")
    return template.render(page=page, style=style, script=script, allowed=allowed, **_helpers()).lstrip()


def page_style() -> str:
    """The style sheet of all pages."""
    return _template("report.css")


def _template(name: str) -> str:
    return (files("evaluator.reports") / "templates" / name).read_text("utf-8")


def fits_page(table: Table) -> bool:
    """Whether a table is narrow enough for a page."""
    columns = [
        _SPACE + _characters(column, [row[number] for row in table.rows])
        for number, column in enumerate(table.columns)
    ]
    return sum(columns) + _OF_GROUP * sum(bool(group) for group, _ in table.groups) <= _WIDEST


def _characters(column: Column, cells: Iterable[Cell]) -> float:
    """How wide a column is; its heading is broken between words."""
    texts = (each.text + each.badge + " ".join(each.words) for each in cells)
    least, most = _WIDTHS.get(column.kind, (0, _WIDEST))
    return max(least, min(most, max(map(len, ("", *column.title.split(), *texts)))))


class DataLink(NamedTuple):
    """A link that holds the file that it leads to, as a `data:` URI; "" if the file is too large for any."""

    name: str
    target: str


def _data_link(file: str, media: str, content: bytes) -> DataLink:
    """A file as a link; it is compressed if the link would be too long otherwise."""
    if len(content) * 4 / 3 <= LONGEST_LINK:
        return DataLink(file, f"data:{media};base64,{base64.b64encode(content).decode('ascii')}")
    if media == "application/gzip":
        return DataLink(file.removesuffix(".gz"), "")
    return _data_link(f"{file}.gz", "application/gzip", gzip.compress(content, mtime=0))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("evaluator.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )


def _shown(value: object) -> object:
    """A text of other files as the page shows it; what is marked as HTML stays."""
    return visible(value) if type(value) is str else value


def _helpers() -> dict[str, object]:
    """The functions that the template calls; ids are numbered in the order of the calls."""
    counts = {"figure": 0, "table": 0}
    seen: dict[str, int] = {}

    def next_id(kind: str) -> str:
        counts[kind] += 1
        return f"{kind}{counts[kind]}"

    def apart(label: str) -> str:
        """A label that nothing else on the page has."""
        seen[label] = seen.get(label, 0) + 1
        return label if seen[label] == 1 else f"{label} ({seen[label]})"

    def link(found: Link) -> DataLink:
        """A file as a link; those of the same name are numbered."""
        seen[found.name] = seen.get(found.name, 0) + 1
        stem, dot, ending = found.name.rpartition("/")[2].rpartition(".")
        file = f"{stem}{f'-{seen[found.name]}' if seen[found.name] > 1 else ''}{dot}{ending}"
        return _data_link(file, found.media, found.content)

    def csv_link(table: Table) -> DataLink:
        return link(Link(table.file, table.as_csv().encode(errors="replace"), "text/csv"))

    def draw(figure: Figure, id_: str) -> str | None:
        if counts["figure"] > MOST_FIGURES:
            return None
        with figure.draw() as drawn:
            text = svg_text(drawn)
        return inline(text, visible(figure.label), f"{id_}-")

    return {
        "kind": lambda block: type(block).__name__,
        "next_id": next_id,
        "apart": apart,
        "draw": draw,
        "csv_link": csv_link,
        "link": link,
        "lang": _lang,
        "parts": lambda table: table.parts(fits_page),
        "breakable": _breakable,
    }


_BREAK = re.compile(r"(?<=[^\W_])(?=[._/,:=(]\D)|(?<=\w[-/])(?=\w)|(?<=\x00)")
_LONG_WORD = re.compile(r"[^\W_]{16}(?=[^\W_])")


def _breakable(text: str) -> Markup:
    """A name for HTML that a browser may break where people would, so that tables are not too wide."""
    from markupsafe import Markup

    shown = _LONG_WORD.sub("\\g<0>\x00", visible(text))
    return Markup("<wbr>").join(each.rstrip("\x00") for each in _BREAK.split(shown))


def _lang(code: str) -> str:
    """The code of a language, if it has the form of codes that browsers know; else nothing."""
    return code if _LANGUAGE.fullmatch(code) else ""


_REFERENCE = re.compile(r"(^#|url\(#)([\w.-]+)")
_FONT = re.compile(r"font-family:[^;]*;?\s*")
_LONG = re.compile(r"-?\d+\.\d{3,}(?![\de])")
_COORDINATES = {"d", "x", "y", "transform", "points", "width", "height"}


def inline(text: str, label: str, prefix: str) -> str:
    """An SVG file as an element of HTML, in the page's font; ids get a prefix, as figures share a page."""
    root = ET.fromstring(text)  # noqa: S314  # matplotlib wrote it a moment ago
    for parent in root.iter():
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)
    used = {
        found
        for each in root.iter()
        for key, value in each.attrib.items()
        if _local(key) != "id"
        for _, found in _REFERENCE.findall(value)
    }
    for element in root.iter():
        _clean(element, used, prefix)
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "width": root.attrib["width"],
        "height": root.attrib["height"],
        "role": "img",
        "aria-label": label,
    }
    return ET.tostring(root, encoding="unicode")


_INK = {
    "#000000": "currentColor",
    "#ffffff": "var(--page)",
    "#dddddd": "var(--line)",
    "#767676": "var(--quiet)",
}
"""The colours of figures that are those of the page, which has others in dark mode."""

_COLOUR = re.compile("|".join(_INK))


def _clean(element: ET.Element, used: set[str], prefix: str) -> None:
    element.tag = _local(element.tag)
    element.tail = None if not (element.tail or "").strip() else element.tail
    if element.tag != "text" and element.tag != "tspan":
        element.text = None
    found: dict[str, str] = {}
    for full, value in element.attrib.items():
        key, kept = _local(full), _LONG.sub(_rounded, value) if _local(full) in _COORDINATES else value
        if key == "id":
            if value in used:
                found[key] = prefix + value
        elif key == "href" or "url(#" in value:
            found[key] = _REFERENCE.sub(lambda match: f"{match[1]}{prefix}{match[2]}", kept)
        elif key == "style":
            found[key] = _COLOUR.sub(lambda match: _INK[match[0]], _FONT.sub("", kept))
        elif not kept.startswith("rotate(-0 "):
            found[key] = " ".join(kept.split())
    element.attrib = found


def _local(name: str) -> str:
    """A name without its namespace; HTML knows the names of SVG."""
    return name.rpartition("}")[2]


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
