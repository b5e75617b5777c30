"""A map as one HTML file: words show when one points at them, and categories can be left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluator.plugins import (
    page_style,
    points_figure,
    require_report_libraries,
    visible,
    write_figure,
    write_text,
)
from evaluator.plugins.inspection.maps import MapFile, Place, most_known
from evaluator.plugins.inspection.sections import MOST_GROUPS, groups_of, labels_of

_WIDTH, _HEIGHT, _EDGE = 1000, 700, 40  # of the drawing, which is as wide as the page
_NAMED = 120  # names of more words cover each other, so that only those are shown at which one points


def write_map(found: MapFile, path: Path) -> None:
    """Write a page, or a figure of the categories of which most words are known, as the ending says.

    Raises:
        ExtraError: jinja2 or matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    if path.suffix == ".html":
        write_text(path, map_page(found))
        return
    shown = most_known(found, MOST_GROUPS)
    write_figure(points_figure(groups_of(shown), *labels_of(found)), path)


def map_page(found: MapFile) -> str:
    """The page; it needs no other file, and no script.

    Raises:
        ExtraError: jinja2 is not installed.
    """
    require_report_libraries()
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("evaluator.plugins.inspection"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,  # and not of the style
    )
    along, across = found.explained
    return environment.get_template("map.html.j2").render(
        title=f"{found.model}: words of {found.test_set}",
        label=f"{len(found.places)} words in two dimensions, by category",
        said=(
            f"{len(found.places)} words that the model knows, in the two main directions of their vectors, "
            f"which hold {along:.0%} and {across:.0%} of the variance. Words that are near here may be far "
            "from each other in the directions that are not shown."
        ),
        style=Markup(page_style()),  # noqa: S704  # our own file
        language=found.language,
        named=len(found.places) <= _NAMED,
        categories=list(_categories(found)),
        points=list(_points(found)),
    )


def _categories(found: MapFile) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(found.categories):
        hue = round(360 * number / len(found.categories))
        yield {
            "title": each.title,
            "known": each.known,
            "items": each.items,
            "colour": f"hsl({hue} 65% 45%)",
            "words": [place.word for place in found.places if place.category == each.name],
        }


def _points(found: MapFile) -> Iterator[dict[str, Any]]:
    numbers = {each.name: number for number, each in enumerate(found.categories, 1)}
    titles = {each.name: each.title for each in found.categories}
    across = _scaled([each.x for each in found.places], _WIDTH)
    up = _scaled([-each.y for each in found.places], _HEIGHT)
    for place, x, y in zip(found.places, across, up, strict=True):
        yield _point(place, numbers[place.category], titles[place.category], x, y)


def _point(place: Place, number: int, title: str, x: float, y: float) -> dict[str, Any]:
    return {"word": place.word, "category": number, "title": title, "x": x, "y": y}


def _scaled(values: Sequence[float], size: int) -> list[float]:
    """Values as places in the drawing, with room at the edges."""
    low, high = min(values), max(values)
    unit = (size - 2 * _EDGE) / (high - low or 1.0)
    return [round(_EDGE + (each - low) * unit, 1) for each in values]
