"""Points in a plane, a colour and a sign for each group, such as relations projected to two dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.results.figures import COLOURS, MARKERS, figure, legend_of, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LABELS = 80
"""With more points, no names are written beside them."""


@dataclass(frozen=True)
class Point:
    """A point.

    Attributes:
        label: What it is; "" for no name beside it.
        x: How far to the right.
        y: How far up.
    """

    label: str
    x: float
    y: float


@contextmanager
def points_figure(groups: Mapping[str, Sequence[Point]], x: str, y: str) -> Iterator[Figure]:
    """Draw the points of groups.

    Args:
        groups: The points of each group, by its name in the legend.
        x: What the horizontal axis is.
        y: What the vertical axis is.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    named = sum(map(len, groups.values())) <= MOST_LABELS
    with figure(5.6, 4.6) as (drawn, (axes,)):
        for number, (name, places) in enumerate(groups.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number // len(COLOURS) % len(MARKERS)]
            across, up = [each.x for each in places], [each.y for each in places]
            axes.scatter(across, up, s=18, color=colour, marker=marker, label=plain(name))
            for each in places if named else ():
                axes.annotate(
                    plain(each.label), (each.x, each.y), (3, 3), textcoords="offset points", fontsize=6
                )
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        drawn.legend(*legend_of([axes]), loc="outside upper center", ncols=3)
        yield drawn
