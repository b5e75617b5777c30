"""The figure of a search for hyper-parameters: what trials are ranked by, over each of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from evaluator.results.figures import COLOURS, figure, legend_of, plain
from evaluator.results.tuning import TuningFile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS = (
    *("model", "architecture", "dimension", "window"),
    *("learning_rate", "min_count", "lemmas", "vocabulary"),
)
_COUNTED = (
    *("dimension", "window", "dynamic_window", "min_count", "shift"),
    *("smoothing", "eigenvalues", "add_contexts", "lemmas", "vocabulary"),
)
"""The panels of svd."""
_NAMED = ("model", "architecture", "lemmas", "dynamic_window", "add_contexts")


@contextmanager
def tuning_figure(result: TuningFile) -> Iterator[Figure]:
    """One panel for each hyper-parameter, a point for each trial, the best and the default marked."""
    values = {each.number: each.value for each in result.trials if each.value is not None}
    scored = [trial for trial in result.trials if trial.number in values]
    marked = {0: ("default", "s"), result.best: ("best", "*")}
    panels = _COUNTED if all(trial.parameters.model == "svd" for trial in scored) else _PANELS
    columns = len(panels) // 2
    with figure(7.0, 4.2, rows=2, columns=columns) as (drawn, axes):
        for name, each in zip(panels, axes, strict=True):
            of_trials = [
                getattr(trial if name == "vocabulary" else trial.parameters, name) for trial in scored
            ]
            positions = _axis(each, name, of_trials)
            each.scatter(positions, list(values.values()), s=9, color=COLOURS[0], alpha=0.6, linewidths=0)
            for number, (label, marker) in marked.items():
                found = [i for i, trial in enumerate(scored) if trial.number == number]
                each.scatter(
                    [positions[i] for i in found],
                    [values[scored[i].number] for i in found],
                    s=42,
                    color=COLOURS[1],
                    marker=marker,
                    label=label,
                    zorder=3,
                )
            each.set_xlabel(name.replace("_", " "))
        for each in (axes[0], axes[columns]):
            each.set_ylabel(plain(result.ranked_by))
        drawn.legend(*legend_of(axes[:1]), loc="outside upper right", ncols=2)
        yield drawn


def _axis(axes: Axes, name: str, values: list[Any]) -> list[float]:
    if values and isinstance(values[0], bool):
        values = ["with" if value else "without" for value in values]
    if name in _NAMED:
        names = sorted(set(values))
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.5, len(names) - 0.5)
        return [names.index(value) for value in values]
    if name == "learning_rate":
        axes.set_xscale("log")
    if name == "vocabulary":
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=3)
    return values
