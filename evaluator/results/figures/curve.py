"""The figures of a learning curve: scores by size of the corpus, and the categories at the largest size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import nan
from typing import TYPE_CHECKING

from evaluator.results.curve import CurveFile, SizeScore
from evaluator.results.figures.forest import Mark, draw_marks
from evaluator.results.figures.style import COLOURS, MARKERS, figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEFINITION = "above chance"
"""The definition of the onsets that are marked."""


@contextmanager
def curve_figure(result: CurveFile) -> Iterator[Figure]:
    """One line for each measure over the size of the corpus, Figure 1 of the paper.

    Bands are 95% confidence intervals, dotted lines are chance levels, lines of dots and dashes are frequency
    baselines, and an upright line marks the size from which on a measure stays above chance. Where nothing
    could be scored there is a gap.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    with figure(5.6, 3.8) as (drawn, axes):
        for number, (measure, levels) in enumerate(result.curves.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(COLOURS)]
            _draw_line(axes[0], measure, levels, colour, marker)
            onset = result.onsets[measure].get(DEFINITION)
            if onset is not None:
                axes[0].axvline(onset, color=colour, linewidth=0.9, linestyle=(0, (6, 2 + number)))
        axes[0].plot([], [], color="black", linestyle=":", linewidth=1.0, label="chance")
        axes[0].plot([], [], color="black", linestyle="-.", linewidth=0.8, label="frequency")
        axes[0].plot([], [], color="black", linestyle="--", linewidth=0.9, label="its onset")
        axes[0].set_xscale("log", base=2)
        axes[0].set_ylim(bottom=min(0.0, axes[0].get_ylim()[0]))
        axes[0].set_xlabel("tokens of the corpus")
        axes[0].set_ylabel("score")
        drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        yield drawn


def _draw_line(axes: Axes, measure: str, levels: Sequence[SizeScore], colour: str, marker: str) -> None:
    sizes = [each.size for each in levels]

    def numbers(name: str) -> list[float]:
        return [nan if (value := getattr(each, name)) is None else value for each in levels]

    axes.plot(sizes, numbers("value"), color=colour, marker=marker, label=plain(measure), zorder=3)
    axes.fill_between(sizes, numbers("low"), numbers("high"), color=colour, alpha=0.2, linewidth=0)
    axes.plot(sizes, numbers("chance"), color=colour, linestyle=":", linewidth=1.0)
    axes.plot(sizes, numbers("baseline"), color=colour, linestyle="-.", linewidth=0.8)


@contextmanager
def categories_figure(result: CurveFile) -> Iterator[Figure]:
    """The scores of each category at the largest size, Figure 2 of the paper.

    A category that was made of a section of analogies has a score for that section, too, as in the paper:
    each section is there twice. A category without any score is not drawn.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    measures = list(result.curves)
    marks = [
        Mark(each.heading, measure, found.value, found.low, found.high, found.chance)
        for each in result.categories
        for measure in measures
        if (found := each.estimate(measure)) is not None
    ]
    rows = list(dict.fromkeys(each.row for each in marks))
    largest = max(each.size for levels in result.curves.values() for each in levels)
    with figure(6.0, 0.9 + len(rows) * 0.1 * max(2, len(measures))) as (drawn, axes):
        draw_marks(axes[0], marks, rows, measures)
        axes[0].set_xlabel(f"score at {largest:,} tokens")
        drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        yield drawn
