"""Figures fit for print, a module for each, drawn by matplotlib, which comes with the extra `[figures]`.

What they show comes from result files; nothing is computed here.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.errors import ExtraError
from evaluator.execution.output_files import atomic_output, visible

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FORMATS = ("svg", "pdf", "png")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Colours that colour-blind readers can distinguish, too (Okabe and Ito 2008)."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # a marker for each colour, as print may be black and white

_STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "savefig.dpi": 300,
    "savefig.bbox": "tight",
    "pdf.fonttype": 42,  # letters stay letters, as journals require
    "svg.fonttype": "none",
    "svg.hashsalt": "evaluator",  # the same figure has the same bytes
}


def require_matplotlib(what: str = "a figure") -> None:
    """Check that figures can be drawn."""
    if find_spec("matplotlib") is None:
        raise ExtraError(what, "matplotlib", "figures")


@contextmanager
def figure(
    width: float, height: float, rows: int = 1, columns: int = 1
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure in the common style, without a display."""
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # Names are in any script: `take_fonts` says where a file has boxes. In SVG letters stay letters, and
        # readers have fonts for their scripts.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        axes = drawn.subplots(rows, columns, squeeze=False)
        yield drawn, list(axes.ravel())


@contextmanager
def styled_axes(axes: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Axes to draw into in the common style: given ones, or those of a new figure of pyplot."""
    require_matplotlib()
    import matplotlib as mpl

    from evaluator.results.figures.fonts import take_fonts

    if axes is None:
        from matplotlib import pyplot as plt

        # rc_context would undo, at its end, that a notebook shows figures: the first figure switches that on.
        new = plt.figure(figsize=(width, height), layout="constrained")
    with mpl.rc_context(_STYLE):
        chosen = new.subplots() if axes is None else axes
        yield chosen
        whole = chosen.get_figure(root=True)
        if whole is not None:
            take_fonts(whole, "figure")


def write_figure(drawing: AbstractContextManager[Figure], *paths: Path) -> None:
    """Write a figure to files whose endings say their formats."""
    from evaluator.results.figures.fonts import take_fonts

    # Without dates, so that the same figure has the same bytes.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    with drawing as drawn:
        take_fonts(drawn, ", ".join(path.name for path in paths if path.suffix != ".svg"))
        for path in paths:
            content = io.BytesIO()  # matplotlib reports a full disk as a fault of its own
            drawn.savefig(content, format=path.suffix[1:], metadata=metadata[path.suffix])
            with atomic_output(path) as temporary:
                temporary.write_bytes(content.getvalue())


def legend_of(all_axes: Iterable[Axes]) -> tuple[list[Artist], list[str]]:
    """The entries of the legend that some axes have, each once."""
    entries = {
        label: handle
        for axes in all_axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    return list(entries.values()), list(entries)


def svg_text(drawn: Figure) -> str:
    """A figure as the text of an SVG file; call it within `figure`, so that the style holds."""
    out = io.StringIO()
    drawn.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def plain(name: str) -> str:
    """A name as a figure shows it: `visible`, and signs that mean something to matplotlib are escaped."""
    shown = visible(name).replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown  # legends leave such names out
