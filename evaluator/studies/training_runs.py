"""The mean scores of vectors that were trained in the same way, with different seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar

import numpy as np

from evaluator.measures import Subscore
from evaluator.studies.scores import Score, Scores

Name = TypeVar("Name")


def mean_over_runs(name: str, runs: Sequence[Scores]) -> Scores:
    """The mean scores of several training runs; how they vary is in intervals and tests.

    Args:
        name: What to call the model.
        runs: The scores of the vectors of each run, on one test set, in the same way; at least one.

    Returns:
        Each subscore is the mean over the runs; measures that not all runs have a score for are left out.
    """
    first = runs[0]
    scores = {text: [run[text] for run in runs] for text in first if all(text in run for run in runs)}
    first = runs[0]
    return replace(
        first,
        scores=tuple(_mean_score(name, several) for several in scores.values()),
        words=(round(fmean(run.words[0] for run in runs)), first.words[1]),
        failures={text: why for run in reversed(runs) for text, why in run.failures.items()},
        known=_mean_of_all(name, [run.known for run in runs]),
        frequency=_mean_of_all(f"frequency baseline of {name}", [run.frequency for run in runs]),
    )


def _mean_of_all(name: str, runs: Iterable[Scores | None]) -> Scores | None:
    found = [run for run in runs if run is not None]
    return mean_over_runs(name, found) if found else None


def _mean_score(name: str, runs: Sequence[Score]) -> Score:
    subscores = zip(*(run.subscores for run in runs), strict=True)
    seeds = tuple(run.value for run in runs)
    return replace(runs[0], vectors=name, subscores=tuple(map(_mean_subscore, subscores)), seeds=seeds)


def _mean_subscore(runs: Sequence[Subscore]) -> Subscore:
    """The mean of the subscores on one category; the first that was skipped, if any was."""
    skipped = next((run for run in runs if run.value is None), None)
    if skipped is not None:
        return skipped
    first, value = runs[0], fmean(run.value for run in runs if run.value is not None)
    single = _mean_influences([_by_name(run) for run in runs])
    n = len(single)
    chances = [run.chance for run in runs if run.chance is not None]
    return replace(
        first,
        oov=round(fmean(run.oov for run in runs)),
        value=value,
        observations=tuple(single),
        pseudovalues=value + np.array(list(single.values())) * np.sqrt(n * (n - 1)),
        hits=None,
        trials=None,
        chance=fmean(chances) if len(chances) == len(runs) else None,
        error=None,
        outside=_mean_influences([run.outside for run in runs]),
        pairs=_mean_influences([run.pairs for run in runs]),
        extra={key: fmean(run.extra.get(key, 0.0) for run in runs) for key in first.extra},
    )


def _by_name(subscore: Subscore) -> dict[str, float]:
    """The influences of a subscore, by observation."""
    found: dict[str, float] = {}
    for name, influence in zip(subscore.observations, subscore.influences.tolist(), strict=True):
        found[name] = found.get(name, 0.0) + influence
    return found


def _mean_influences(runs: Sequence[Mapping[Name, float]]) -> dict[Name, float]:
    """The mean of influences by name; one that a run does not have is 0 there."""
    names = dict.fromkeys(name for run in runs for name in run)
    return {name: fmean(run.get(name, 0.0) for run in runs) for name in names}
