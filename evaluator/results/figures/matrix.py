"""A square of numbers from -1 to 1 as colours, such as correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluator.results.figures import figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DARK = 0.6  # beyond, white letters are easier to read


@contextmanager
def matrix_figure(names: Sequence[str], rows: Sequence[Sequence[float]], label: str) -> Iterator[Figure]:
    """Draw the correlations of each two of some names, with their numbers.

    Args:
        names: The rows and the columns.
        rows: A number from -1 to 1 for each two.
        label: What the numbers are.

    Raises:
        ExtraError: matplotlib is not installed.
    """
    size = 1.6 + 0.55 * len(names)
    with figure(size + 0.8, size) as (drawn, (axes,)):
        shown = axes.imshow(rows, cmap="RdBu_r", vmin=-1, vmax=1)
        axes.grid(visible=False)
        axes.set_xticks(range(len(names)), map(plain, names), rotation=45, ha="right")
        axes.set_yticks(range(len(names)), map(plain, names))
        for up, row in enumerate(rows):
            for across, value in enumerate(row):
                colour = "white" if abs(value) > _DARK else "black"
                axes.text(across, up, f"{value:.2f}", ha="center", va="center", color=colour)
        drawn.colorbar(shown, label=label, shrink=0.8)
        yield drawn
