"""Words as points in a plane, a colour and a shape for each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from evaluator.errors import ScoreError
from evaluator.results.figures import COLOURS, MARKERS, figure, legend_of, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_GROUPS = len(COLOURS)
"""More groups cannot be told apart."""

_NAMED = 80  # names of more points cover each other


class Point(NamedTuple):
    """A word in the plane."""

    name: str
    x: float
    y: float


@contextmanager
def points_figure(groups: Mapping[str, Sequence[Point]], labels: tuple[str, str]) -> Iterator[Figure]:
    """Draw groups of points; each has its name beside it if there are few.

    Args:
        groups: The points of each group, by its name in the legend.
        labels: What x and y are.

    Raises:
        ScoreError: There are more groups than colours.
        ExtraError: matplotlib is not installed.
    """
    if len(groups) > MOST_GROUPS:
        raise ScoreError(f"a figure shows {MOST_GROUPS} groups of words, and not {len(groups)}")
    named = sum(map(len, groups.values())) <= _NAMED
    with figure(6.4, 5.2) as (drawn, (axes,)):
        for (title, points), colour, marker in zip(groups.items(), COLOURS, MARKERS, strict=False):
            axes.scatter(
                [each.x for each in points],
                [each.y for each in points],
                s=14,
                c=colour,
                marker=marker,
                label=plain(title),
                linewidths=0,
            )
            for each in points if named else ():
                axes.annotate(
                    plain(each.name), (each.x, each.y), xytext=(3, 2), textcoords="offset points", fontsize=6
                )
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        drawn.legend(*legend_of([axes]), loc="outside upper center", ncols=4)
        yield drawn
