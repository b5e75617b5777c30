"""The figure of a language comparison: bars by language, a row for each category or topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluator.errors import ScoreError
from evaluator.report.figures.style import COLOURS, figure, plain
from evaluator.results.comparison import Group, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_GROUPS = 40
"""More rows do not fit into one figure."""

_HATCHES = ("", "///", "...")
"""Besides colours, as print may be black and white."""

_BAR = 0.27
_WIDEST = 60.0


def check_groups(groups: Sequence[Group]) -> None:
    """Refuse more categories and topics than fit into a figure.

    Raises:
        ScoreError: There are too many.
    """
    if len(groups) > MOST_GROUPS:
        raise ScoreError(
            f"{len(groups)} categories and topics do not fit into a figure, {MOST_GROUPS} do; "
            "name the categories to compare"
        )


@contextmanager
def languages_figure(rows: Iterable[Row]) -> Iterator[Figure]:
    """Draw the rows of one view of a comparison.

    Each bar is a score with its 95% confidence interval; a black line across it is the score of the frequency
    baseline on the same words. A cross marks a missing score.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    by_group: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_group.setdefault((row.category, row.kind), []).append(row)
    languages = list(dict.fromkeys(row.language for own in by_group.values() for row in own))
    width = min(max(5.0, 1.5 + 0.6 * len(languages)), _WIDEST)
    with figure(width, 0.7 + 1.8 * len(by_group), rows=len(by_group)) as (drawn, axes):
        for each, ((category, kind), own) in zip(axes, by_group.items(), strict=True):
            _draw_group(each, own, languages)
            title = category if kind == "category" else f"{category} ({kind})"
            each.set_title(plain(title), loc="left")
        (line, *bars), (baseline, *measures) = axes[0].get_legend_handles_labels()
        drawn.legend([*bars, line], [*measures, baseline], loc="outside upper center", ncols=4)
        yield drawn


def _draw_group(axes: Axes, rows: Sequence[Row], languages: Sequence[str]) -> None:
    """A group of bars for each language, a bar for each measure."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    for number, measure in enumerate(measures):
        own = [row for row in rows if row.measure == measure]
        offset = (number - (len(measures) - 1) / 2) * _BAR
        positions = [languages.index(row.language) + offset for row in own]
        axes.bar(
            positions,
            [row.value or 0.0 for row in own],
            width=_BAR,
            color=COLOURS[number % len(COLOURS)],
            edgecolor="white",
            linewidth=0.4,
            hatch=_HATCHES[number % len(_HATCHES)],
            label=plain(measure),
        )
        _draw_marks(axes, positions, own, "frequency baseline" if number == len(measures) - 1 else "")
    axes.set_xticks(range(len(languages)), map(plain, languages))
    axes.set_xlim(-0.6, len(languages) - 0.4)
    # Without any score there would be no scale.
    axes.set_ylim(0, None if any(row.value is not None for row in rows) else 1)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("score")


def _draw_marks(axes: Axes, positions: Sequence[float], rows: Sequence[Row], label: str) -> None:
    """Error bars, the scores of the baseline, and crosses where there is no score."""
    for x, row in zip(positions, rows, strict=True):
        if row.value is None:
            cross = axes.text(x, 0.02, "×", transform=axes.get_xaxis_transform(), ha="center")
            cross.set_in_layout(False)
        elif row.low is not None and row.high is not None:
            reach = [[max(0.0, row.value - row.low)], [max(0.0, row.high - row.value)]]
            axes.errorbar(x, row.value, reach, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    known = [(x, row.baseline) for x, row in zip(positions, rows, strict=True) if row.baseline is not None]
    (marks,) = axes.plot(
        [x for x, _ in known],
        [value for _, value in known],
        linestyle="none",
        marker="_",
        markersize=9,
        markeredgewidth=1.6,
        color="black",
        label=label,
        clip_on=False,
        zorder=3,
    )
    marks.set_in_layout(False)  # without any mark matplotlib could not place it
