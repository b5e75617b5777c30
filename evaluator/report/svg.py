"""SVG files as elements of a page: what only a file needs is removed, and ids are made unique."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_REFERENCE = re.compile(r"(^#|url\(#)([\w.-]+)")
_FONT = re.compile(r"font-family:[^;]*;?\s*")
_LONG = re.compile(r"-?\d+\.\d{3,}(?![\de])")
_COORDINATES = {"d", "x", "y", "transform", "points", "width", "height"}


def inline(text: str, label: str, prefix: str) -> str:
    """An SVG file as an element of HTML.

    Letters are set in the font of the page. Ids that nothing refers to are removed; the others get a prefix,
    as all figures of a page share one namespace.

    Args:
        text: The file, as matplotlib writes it.
        label: What the figure shows, for people who cannot see it.
        prefix: Put before ids; each figure of a page has its own.
    """
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
            found[key] = _FONT.sub("", kept)
        elif not kept.startswith("rotate(-0 "):
            found[key] = " ".join(kept.split())
    element.attrib = found


def _local(name: str) -> str:
    """A name without its namespace; HTML knows the names of SVG."""
    return name.rpartition("}")[2]


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
