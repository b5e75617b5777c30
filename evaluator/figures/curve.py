"""The figures of a learning curve: scores by size of the corpus, and the categories at the largest size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.curves.onset import SizeScore
from evaluator.figures.style import COLOURS, MARKERS, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evaluator.curves import LearningCurve

DEFINITION = "above chance"
"""Of the onsets that are marked."""

_HATCHES = ("", "///", "...", "xxx")
_BAR = 0.8


def draw_curve(result: LearningCurve, folder: Path) -> list[Path]:
    """One line for each measure over the size of the corpus, Figure 1 of the paper, as `curve`.

    Bands are 95% intervals, dotted lines are chance, and an upright line marks where a measure is above
    chance for good.

    Raises:
        ExtraError: matplotlib is not installed.
        OutputError: A file cannot be written.
    """
    with figure(5.6, 3.8) as (drawn, axes):
        for number, (measure, levels) in enumerate(result.curves.items()):
            place = number % len(COLOURS)
            _draw_line(axes[0], measure, levels, COLOURS[place], MARKERS[place])
            onset = result.onsets[measure][DEFINITION]
            if onset is not None:
                axes[0].axvline(onset, color=COLOURS[place], linewidth=0.9, linestyle=(0, (6, 2 + number)))
        axes[0].plot([], [], color="black", linestyle=":", linewidth=1.0, label="chance")
        axes[0].plot([], [], color="black", linestyle="--", linewidth=0.9, label="its onset")
        axes[0].set_xscale("log", base=2)
        axes[0].set_ylim(bottom=min(0.0, axes[0].get_ylim()[0]))
        axes[0].set_xlabel("tokens of the corpus")
        axes[0].set_ylabel("score")
        drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        return save(drawn, folder, "curve")


def _draw_line(axes: Axes, measure: str, levels: Sequence[SizeScore], colour: str, marker: str) -> None:
    sizes = [each.size for each in levels]
    axes.plot(sizes, [each.value for each in levels], color=colour, marker=marker, label=measure, zorder=3)
    axes.fill_between(
        sizes,
        [each.low for each in levels],
        [each.high for each in levels],
        color=colour,
        alpha=0.2,
        linewidth=0,
    )
    axes.plot(sizes, [each.chance for each in levels], color=colour, linestyle=":", linewidth=1.0)


def draw_categories(result: LearningCurve, folder: Path) -> list[Path]:
    """Bars for each category at the largest size, Figure 2 of the paper, as `categories`.

    A category that is made of a section of analogies has a bar for that section, too, as in the paper; so
    each section is there twice.

    Raises:
        ExtraError: matplotlib is not installed.
        OutputError: A file cannot be written.
    """
    rows = result.categories
    height = 0.9 + len(rows) * 0.13 * max(2, len(result.measures))
    width = _BAR / len(result.measures)
    with figure(6.0, height) as (drawn, axes):
        for number, measure in enumerate(result.measures):
            places = [row + (number + 0.5) * width - _BAR / 2 for row in range(len(rows))]
            known = [(place, row) for place, row in zip(places, rows, strict=True) if measure in row.values]
            axes[0].barh(
                [place for place, _ in known],
                [row.values[measure] for _, row in known],
                height=width,
                color=COLOURS[number % len(COLOURS)],
                edgecolor="white",
                linewidth=0.3,
                hatch=_HATCHES[number % len(_HATCHES)],
                label=measure,
            )
        axes[0].set_yticks(range(len(rows)), [row.name for row in rows])
        axes[0].set_ylim(len(rows) - 0.4, -0.6)  # the first category at the top
        axes[0].grid(visible=False, axis="y")
        axes[0].set_xlabel(f"score at {result.sizes[-1]:,} tokens")
        drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
        return save(drawn, folder, "categories")
