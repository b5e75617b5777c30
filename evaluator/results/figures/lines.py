"""Scores as lines over a size, a rate or a share: a band for each interval, and the levels to be above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any

from evaluator.results.figures import COLOURS, MARKERS, figure, legend_of, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 12
"""More lines cannot be told apart."""

_STYLES = (":", "-.", "--")  # how levels are drawn, in their order


@dataclass(frozen=True)
class Line:
    """Scores over something; None where there is none, which is a gap.

    Attributes:
        label: What was scored, or the measure.
        at: The sizes, rates or shares.
        values: The score at each.
        ranges: The interval, or the lowest and highest, at each.
        levels: Such as the chance level at each, by the name in the legend.
        ring: Where the score is ringed; None for nowhere.
    """

    label: str
    at: Sequence[float]
    values: Sequence[float | None]
    ranges: Sequence[tuple[float | None, float | None]] = ()
    levels: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    ring: float | None = None


@contextmanager
def lines_figure(
    panels: Mapping[str, Sequence[Line]], label: str, base: int | None = None
) -> Iterator[Figure]:
    """Draw lines in panels below each other.

    Args:
        panels: The lines of each panel, by what its scores are.
        label: What the scores are over.
        base: That of the logarithmic scale; None for a linear one.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    with figure(5.6, 1.3 + 2.3 * len(panels), rows=len(panels)) as (drawn, all_axes):
        number = 0
        for axes, (title, lines) in zip(all_axes, panels.items(), strict=True):
            for line in lines:
                _draw(axes, line, number)
                number += 1
            if base is not None:
                axes.set_xscale("log", base=base)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
            axes.set_ylabel(plain(title))
        all_axes[-1].set_xlabel(label)
        levels = dict.fromkeys(name for lines in panels.values() for line in lines for name in line.levels)
        for name, style in zip(levels, _STYLES, strict=False):
            all_axes[0].plot([], [], color="black", linestyle=style, linewidth=1.0, label=name)
        drawn.legend(*legend_of(all_axes), loc="outside upper center", ncols=3)
        yield drawn


def _draw(axes: Axes, line: Line, number: int) -> None:
    colour = COLOURS[number % len(COLOURS)]
    style = "-" if number < len(COLOURS) else "--"
    marker = MARKERS[number % len(MARKERS)]
    values = _known(line.values)
    look: Any = {"color": colour, "marker": marker, "linestyle": style}
    axes.plot(line.at, values, **look, label=plain(line.label), zorder=3)
    if line.ranges:
        low, high = (_known(ends) for ends in zip(*line.ranges, strict=True))
        axes.fill_between(line.at, low, high, color=colour, alpha=0.2, linewidth=0)
    for level, of_level in zip(line.levels.values(), _STYLES, strict=False):
        axes.plot(line.at, _known(level), color=colour, linestyle=of_level, linewidth=0.9)
    if line.ring is not None:
        y = values[list(line.at).index(line.ring)]
        axes.plot(
            [line.ring], [y], color=colour, marker="o", markersize=11, markerfacecolor="none", clip_on=False
        )


def _known(values: Sequence[float | None]) -> list[float]:
    return [nan if each is None else each for each in values]
