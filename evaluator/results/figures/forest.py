"""Scores as dots with their intervals: a row for each category or model, a panel for each measure.

Chance level and the baselines of frequency and spelling stand beside each score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.errors import ScoreError
from evaluator.results.figures import COLOURS, MARKERS, figure, legend_of, plain, styled_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_SERIES = 10  # more series cannot be told apart
COLUMN = 3.3  # the width of a column of a paper, in inches
MOST_ROWS = 120  # more rows do not fit into one figure
MOST_GROUPS = 40  # more rows do not fit if several series share each
MOST_PANELS = 3  # more panels do not fit side by side

_LABELS, _PANEL, _SINGLE = 1.8, 2.0, 5.5  # widths in inches: names, a panel, a figure of one panel
_ROW, _MARGIN = 0.16, 0.9
_GREY = "#767676"
_LONGEST, _LONGEST_IN_COLUMN = 44, 18
_PAGE = 9.0  # inches, the height of a figure for print at most
_SHARE = 0.66  # of the height of a row that marks take


@dataclass(frozen=True)
class Mark:
    """A score in a figure, in a row, in the colour of its series, in the panel of a title.

    The row is that of a category or model; "" is the mean over all.
    """

    row: str
    series: str
    value: float | None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    baseline: float | None = None
    spelling: float | None = None
    panel: str = ""


def forest_axes(marks: Sequence[Mark], axes: Axes | None = None) -> Axes:
    """Draw scores into axes, or into those of a new figure of pyplot, which notebooks show; in one panel."""
    rows, series, _ = _check(marks)
    with styled_axes(axes, _SINGLE, _height(marks)) as drawn:
        _draw(drawn, marks, rows, series)
        drawn.set_xlabel("score, with its 95% interval")
        drawn.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, borderaxespad=0.2)
    return drawn


@contextmanager
def forest_figure(
    marks: Sequence[Mark],
    reference: float | None = None,
    label: str = "score, with its 95% interval",
    width: float | None = None,
) -> Iterator[Figure]:
    """Draw scores in panels side by side; a line goes through all rows at the reference, such as 0."""
    rows, series, panels = _check(marks)
    needed, height = _SINGLE if len(panels) == 1 else _LABELS + _PANEL * len(panels), _height(marks)
    longest = _LONGEST if width is None else _LONGEST_IN_COLUMN
    tall = height if width is None else min(height, _PAGE)
    with figure(width or needed, tall, columns=len(panels)) as (drawn, all_axes):
        for axes, panel in zip(all_axes, panels, strict=True):
            own = [each for each in marks if each.panel == panel]
            _draw(axes, own, rows, series, max(tall / height, 0.5), longest)
            axes.set_title(plain(_short(panel, longest)), loc="left")
            axes.set_xlabel(label if width is None else "score")
            if axes is not all_axes[0]:
                axes.set_yticklabels([])
            if reference is not None:
                axes.axvline(reference, color=_GREY, linewidth=0.9)
        entries = legend_of(all_axes)
        if entries[1]:
            drawn.legend(*entries, loc="outside upper center", ncols=4 if width is None else 2)
        yield drawn


def _check(marks: Sequence[Mark]) -> list[list[str]]:
    names = [list(dict.fromkeys(getattr(each, key) for each in marks)) for key in ("row", "series", "panel")]
    if not marks:
        raise ScoreError("there are no scores to draw")
    if len(names[1]) > MOST_SERIES:
        raise ScoreError(
            f"a figure shows {MOST_SERIES} series, a colour each, and not {len(names[1])}: "
            "name fewer models or measures"
        )
    return names


def _height(marks: Sequence[Mark]) -> float:
    """In inches: the more series share a row, the higher it is."""
    shared = Counter((each.row, each.panel) for each in marks)
    rows = {row: max(number for (other, _), number in shared.items() if other == row) for row, _ in shared}
    return _MARGIN + _ROW * sum(max(1.2, 0.75 * number) for number in rows.values())


def _draw(
    axes: Axes,
    marks: Sequence[Mark],
    rows: Sequence[str],
    series: Sequence[str],
    scale: float = 1.0,
    longest: int = _LONGEST,
) -> None:
    """Draw the scores of a panel with their intervals and levels; a cross where there is none."""
    placed = list(zip(marks, _heights(marks, rows, len(series)), strict=True))
    for number, name in enumerate(series):
        own = [(each, y) for each, y in placed if each.series == name]
        if own:
            _draw_series(axes, own, number, name, scale)
    chance = [(each.chance, y) for each, y in placed if each.chance is not None and each.value is not None]
    frequency = [(each.baseline, y) for each, y in placed if each.baseline is not None]
    spelling = [(each.spelling, y) for each, y in placed if each.spelling is not None]
    look = {"color": _GREY, "zorder": 2.5, "markeredgewidth": 0.9, "markerfacecolor": "white"}
    for points, label, marker, size in (  # that a score must be above to say anything about meaning
        (chance, "chance", "|", 6.0),
        (frequency, "frequency baseline", "D", 3.2),
        (spelling, "spelling baseline", "^", 3.6),
    ):
        if points:
            _draw_points(axes, points, label, marker, {"markersize": size * scale, **look})
    for y in (y for each, y in placed if each.value is None):
        cross = axes.text(0.02, y, "×", transform=axes.get_yaxis_transform(), va="center", color=_GREY)
        cross.set_in_layout(False)
    axes.set_yticks(range(len(rows)), [plain(_short(row, longest)) if row else "all" for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)  # the first at the top
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    if len(rows) > 1 and "" in rows:
        axes.axhline(rows.index("") - 0.5, color=_GREY, linewidth=0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _heights(marks: Sequence[Mark], rows: Sequence[str], series: int) -> list[float]:
    by_row = {row: [each for each in marks if each.row == row] for row in rows}
    return [
        rows.index(each.row)
        + (by_row[each.row].index(each) - (len(by_row[each.row]) - 1) / 2) * _SHARE / series
        for each in marks
    ]


def _draw_series(
    axes: Axes, placed: Sequence[tuple[Mark, float]], number: int, label: str, scale: float
) -> None:
    again, which = divmod(number, len(COLOURS))
    colour = COLOURS[which]
    for each, y in placed:
        if each.low is not None and each.high is not None:
            axes.plot([each.low, each.high], [y, y], color=colour, linewidth=1.1, solid_capstyle="butt")
    values = [(each.value, y) for each, y in placed if each.value is not None]
    look = {"color": colour, "markerfacecolor": "white" if again else colour, "markeredgewidth": 0.8}
    _draw_points(
        axes, values, plain(label) or None, MARKERS[which], {"markersize": 3.8 * scale, "zorder": 3, **look}
    )


def _draw_points(
    axes: Axes, points: Sequence[tuple[float, float]], label: str | None, marker: str, look: dict[str, Any]
) -> None:
    x, y = zip(*points, strict=True) if points else ((), ())
    axes.plot(x, y, linestyle="none", marker=marker, label=label, **look)


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
