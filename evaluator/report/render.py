"""From sections to one HTML file that needs nothing beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from evaluator.errors import ExtraError
from evaluator.report.build import Page
from evaluator.report.figures.style import svg_text
from evaluator.report.links import DataLink, data_link
from evaluator.report.page import Figure, Link, Section, Table
from evaluator.report.svg import inline

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_FIGURES = 40
"""Of a page; more would take minutes to draw, and nobody looks at them."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""And halves of characters: what is no UTF-8 in the name of a file."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def require_libraries() -> None:
    """Say before work starts that no report can be made.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
    """
    for library in ("jinja2", "matplotlib"):
        if find_spec(library) is None:
            raise ExtraError("a report", library, "report")


def render(page: Page) -> str:
    """A page as HTML.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
    """
    require_libraries()
    numbered = [_numbered(section, f"s{number}") for number, section in enumerate(page.sections, 1)]
    style = (files("evaluator.report") / "templates" / "report.css").read_text("utf-8")
    template = _environment().get_template("report.html.j2")
    return template.render(title=page.title, sections=numbered, style=style, **_helpers()).lstrip()


@dataclass(frozen=True)
class Numbered:
    """A section with the name that links lead to."""

    id: str
    section: Section
    parts: Sequence[Numbered]


def _numbered(section: Section, id_: str) -> Numbered:
    parts = [_numbered(part, f"{id_}-{number}") for number, part in enumerate(section.parts, 1)]
    return Numbered(id_, section, parts)


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("evaluator.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_without_control_characters,
    )


def _without_control_characters(value: object) -> object:
    """HTML has none; a name may hold any."""
    return _CONTROL.sub("\ufffd", value) if type(value) is str else value


def _helpers() -> dict[str, object]:
    """What the template asks for; ids are numbered in the order in which it asks."""
    counts = {"figure": 0, "table": 0}
    seen: dict[str, int] = {}

    def next_id(kind: str) -> str:
        counts[kind] += 1
        return f"{kind}{counts[kind]}"

    def apart(label: str) -> str:
        """A label that no other thing of the page has."""
        seen[label] = seen.get(label, 0) + 1
        return label if seen[label] == 1 else f"{label} ({seen[label]})"

    def csv_link(table: Table) -> DataLink:
        """A table as a file; those of the same name are numbered."""
        seen[table.file] = seen.get(table.file, 0) + 1
        stem = table.file.removesuffix(".csv")
        name = table.file if seen[table.file] == 1 else f"{stem}-{seen[table.file]}.csv"
        return data_link(Link(name, table.as_csv().encode(errors="replace"), "text/csv"))

    def draw(figure: Figure, id_: str) -> str | None:
        if counts["figure"] > MOST_FIGURES:
            return None
        with figure.draw() as drawn:
            text = svg_text(drawn)
        return inline(text, _CONTROL.sub("\ufffd", figure.label), f"{id_}-")

    return {
        "next_id": next_id,
        "apart": apart,
        "draw": draw,
        "csv_link": csv_link,
        "link": data_link,
        "lang": _lang,
    }


def _lang(code: str) -> str:
    """The code of a language, if browsers could know it."""
    return code if _LANGUAGE.fullmatch(code) else ""
