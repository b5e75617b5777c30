"""Fonts for names in any script: what stands in for the common font where it lacks a sign."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_log = logging.getLogger(__name__)

_NONE = "Last Resort"  # the start of the name of matplotlib's font of boxes
_REGULAR = (400, "normal", "regular", "book")


def take_fonts(drawn: Figure, where: str) -> None:
    """Let the texts of a figure take installed fonts for signs that their own font lacks.

    Signs that no installed font has are logged, with the texts that they are in: the figure has boxes there.

    Args:
        drawn: The figure.
        where: What to call it in the log; "" to log nothing, as of a file that takes the fonts of its reader.
    """
    from matplotlib.font_manager import findfont

    lacking: dict[Text, set[str]] = {}
    for text in _texts(drawn):
        missing = _missing(text.get_text(), _signs_of(findfont(text.get_fontproperties())))
        if missing:
            lacking[text] = missing
    if not lacking:
        return
    families, boxes = _fonts_for(set().union(*lacking.values()))
    for text in lacking:
        text.set_fontfamily([*text.get_fontfamily(), *families])
    names = sorted({text.get_text() for text, missing in lacking.items() if missing & boxes})
    if names and where:
        _log.warning(
            "%s: no installed font has %s, in %s; the figure shows boxes there. Install a font that has them "
            "(for many scripts: Noto), or write the figure as .svg, which takes the fonts of its reader",
            where,
            " ".join(sorted(boxes)),
            ", ".join(names),
        )


def _texts(drawn: Figure) -> Iterator[Text]:
    from matplotlib.text import Text

    for axes in drawn.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.get_ticklabels()  # which makes them
    yield from (each for each in drawn.findobj(Text) if isinstance(each, Text))


def _missing(text: str, signs: Container[int]) -> set[str]:
    """The signs of a text that a font lacks, without those that nobody sees."""
    return {
        sign
        for sign in text
        if ord(sign) not in signs
        and unicodedata.category(sign) not in ("Cc", "Cf", "Zs")
        and not "\ufe00" <= sign <= "\ufe0f"
    }


def _signs_of(path: str) -> Container[int]:
    """The numbers of the signs that a font has; none if matplotlib cannot read it."""
    from matplotlib.font_manager import get_font

    try:
        return get_font(path).get_charmap()
    except (OSError, RuntimeError):
        return ()


def _fonts_for(missing: set[str]) -> tuple[list[str], set[str]]:
    """Installed fonts that have signs, those with most first, and the signs that none has."""
    from matplotlib.font_manager import fontManager

    paths = {
        each.name: each.fname
        for each in fontManager.ttflist
        if each.style == "normal" and each.weight in _REGULAR and not each.name.startswith(_NONE)
    }
    families = sorted(paths)
    has = {each: missing - _missing("".join(missing), _signs_of(paths[each])) for each in families}
    taken: list[str] = []
    while missing:
        best = max(families, key=lambda family: len(has[family] & missing))  # of equal ones, the first
        if not has[best] & missing:
            break
        taken.append(best)
        missing = missing - has[best]
    return taken, missing
