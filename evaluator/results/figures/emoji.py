"""Measures of emoji models over the learning rate, as figure 3 of the paper on Topk and OddOneOut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from evaluator.results.emoji import MEASURES, EmojiFile
from evaluator.results.figures.style import COLOURS, MARKERS, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = (("Description classification", ("accuracy", "auc")), ("Categories", ("topk", "oddoneout")))
_TEXTS = ("Texts", ("sentiment",))


@contextmanager
def sweep_figure(found: EmojiFile) -> Iterator[Figure]:
    """Draw a line for each measure: the mean over the seeds, the range in pale, the maximum ringed.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    panels = (*_PANELS, _TEXTS) if "sentiment" in found.measures else _PANELS
    with figure(4.6, 2.4 * len(panels), rows=len(panels)) as (drawn, axes):
        number = 0
        for (title, measures), panel in zip(panels, axes, strict=True):
            for measure in measures:
                _line(panel, found, measure, number)
                number += 1
            panel.set_xscale("log")
            panel.set_ylabel(title)
            panel.legend()
        axes[-1].set_xlabel("Learning rate")
        yield drawn


def _line(panel: Axes, found: EmojiFile, measure: str, number: int) -> None:
    values, means = np.array(found.values(measure)), found.means(measure)
    best = found.rates.index(found.best[measure].rate)
    colour, marker = COLOURS[number], MARKERS[number]
    panel.fill_between(
        found.rates, values.min(axis=1), values.max(axis=1), color=colour, alpha=0.2, linewidth=0
    )
    panel.plot(found.rates, means, color=colour, marker=marker, label=MEASURES[measure])
    panel.plot(
        [found.rates[best]],
        [means[best]],
        color=colour,
        marker="o",
        markersize=11,
        markerfacecolor="none",
        linestyle="none",
    )
