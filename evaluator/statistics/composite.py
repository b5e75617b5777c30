"""One number for each model from its scores on several tasks: the harmonic mean, and PCE.

PCE is the first principal component of standardised scores (Giabelli, "A Unified Framework for Intrinsic
Evaluation of Word-Embedding Algorithms").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.results.composite import Composite, Correlations, Pce, Rows, TaskWeight
from evaluator.results.files import Paths
from evaluator.results.score_table import read_table
from evaluator.statistics.scores import SMOOTHING

if TYPE_CHECKING:
    import pandas as pd

LeaveOut = Literal["models", "tasks"]
Preset = Literal["pce"]
Doubles = npt.NDArray[np.float64]

_SAME = 1e-9
"""Numbers that differ by no more than this are equal: PCE of two models, weights, eigenvalues per task."""
_CONSTANT = 1e-12
"""A column is constant if its values differ by no more than this share of the largest."""


PAPER_TASKS = {
    "Similarity": ("Similarity",),
    "Analogy": ("Analogy",),
    "Categorization": ("Categorization",),
    "Synonyms": ("SynonymChoice", "SynonymDetection"),
}
"""The measures of each task of the paper on PCE; the last is what it names as future work."""


def compose(
    results: Paths,
    *,
    leave_out: LeaveOut | None = None,
    each_test_set: bool = False,
    preset: Preset | None = None,
) -> Composite:
    """Make one table of models × tasks out of result files, and one number of each model's row.

    Args:
        results: One or several result files of any kind; scores of models on tasks are in those of `evaluator
            score`, and notes name the others.
        leave_out: What to leave out where a model has no score for a task: such models, or such tasks. If
            None, incomplete tables are refused.
        each_test_set: Whether each measure on each test set is a task; otherwise a task is a measure, with
            the mean over its test sets as its score, as in the paper on PCE (section 3).
        preset: `pce` takes the tasks of that paper alone: similarity, analogy and categorization, and
            synonyms where models have scores; each is the mean over all its measures and test sets.

    Raises:
        ResultsError: A file is wrong, or scores in them cannot be compared.
        ScoreError: A model has no score for a task, or nothing is left; or a task of the preset is missing.
    """
    if preset is not None and each_test_set:
        raise ScoreError("the preset pce takes the mean over test sets; leave out --each-test-set")
    several = results if isinstance(results, Sequence) and not isinstance(results, str) else [results]
    table, notes = read_table(several)
    if preset is not None:
        table, others = _of_paper(table)
        notes = [*notes, *others]
    complete, left_out = _complete(table, leave_out, notes)
    if not each_test_set:
        complete = complete.T.groupby(level="measure").mean().T
    tasks = complete.columns.get_level_values("task" if each_test_set else "measure")
    return compose_table(list(complete.index), list(tasks), complete.to_numpy(), [*notes, *left_out])


def _of_paper(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The columns of the tasks of the paper, each under the name of its task, and notes on others."""
    task_of = {measure: task for task, measures in PAPER_TASKS.items() for measure in measures}
    names = {each: re.split(r"[(@]", each)[0] for each in table.columns.get_level_values("measure")}
    found = {task_of[own] for own in names.values() if own in task_of}
    missing = next((each for each in list(PAPER_TASKS)[:3] if each not in found), None)
    if missing is not None:
        raise ScoreError(f"the preset pce needs scores by {missing}; score the models with it, and add them")
    others = [each for each, own in names.items() if own not in task_of]
    kept = table.loc[:, [each not in others for each in table.columns.get_level_values("measure")]]
    renamed = kept.rename(columns=lambda each: task_of[names[each]], level="measure")
    return renamed, [f"{each}: left out; it is no task of the paper on PCE" for each in dict.fromkeys(others)]


def compose_table(
    models: Sequence[str], tasks: Sequence[str], scores: npt.ArrayLike, notes: Sequence[str] = ()
) -> Composite:
    """Make one number of each row of a table of models × tasks; higher is better in each column."""
    table = np.asarray(scores, dtype=np.float64)
    if table.shape != (len(models), len(tasks)) or not table.size or not np.isfinite(table).all():
        raise ScoreError(
            f"a table of {len(models)} models × {len(tasks)} tasks must hold a finite number for each; "
            f"this is an array of shape {table.shape}"
        )
    differs = varies(table)
    usable, of_usable = tuple(np.array(tasks, dtype=object)[differs]), table[:, differs]
    component = pce(usable, of_usable)
    return Composite(
        models=tuple(models),
        tasks=tuple(tasks),
        scores=rows(table),
        harmonic=tuple(harmonic_mean(row) for row in table.tolist()),
        pce=component,
        correlations=correlations(usable, of_usable) if len(usable) > 1 else None,
        notes=(
            *notes,
            *_about_harmonic(tasks, table),
            *_about_size(len(models), tasks, usable),
            *_about_pce(component, usable),
        ),
    )


def harmonic_mean(scores: Sequence[float], smoothing: float = SMOOTHING) -> float:
    """The harmonic mean of any number of scores, with a little added to each: `n / Σ 1/(xᵢ+ε)`.

    For two scores it is `combined`. A score below 0, such as a negative correlation, counts as 0: the
    harmonic mean is defined for positive numbers only, and neither score is a merit of the model.
    """
    raised = [max(score, 0.0) + smoothing for score in scores]
    return len(raised) / sum(1 / each for each in raised) if all(raised) else 0.0


def _complete(
    table: pd.DataFrame, leave_out: LeaveOut | None, notes: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The table without incomplete models or tasks, and notes on those that are left out."""
    gaps = np.argwhere(table.isna().to_numpy()).tolist()
    missing = [(str(table.index[row]), str(table.columns[column][1])) for row, column in gaps]
    if not missing:
        return table, []
    reason = next((f" ({note})" for note in notes if missing[0][0] in note), "")
    more = f", and {len(missing) - 1} more are missing" if len(missing) > 1 else ""
    lacking = f"{missing[0][0]} has no score for {missing[0][1]}{reason}{more}"
    if leave_out is None:
        raise ScoreError(f"{lacking}; score it, or leave out incomplete models or tasks (--leave-out)")
    complete = table.dropna(axis="index" if leave_out == "models" else "columns")
    if complete.empty:
        raise ScoreError(f"{lacking}; without incomplete {leave_out} nothing is left")
    names = {model if leave_out == "models" else task for model, task in missing}
    why = "has no score for a task" if leave_out == "models" else "a model has no score for it"
    return complete, [f"{name}: left out; {why}" for name in sorted(names)]


def _about_harmonic(tasks: Sequence[str], table: Doubles) -> Iterator[str]:
    for task, column in zip(tasks, table.T, strict=True):
        below = int((column < 0).sum())
        if below:
            yield f"{task}: {below} of {len(column)} scores are below 0; they count as 0 in the harmonic mean"
    if (table > 1).any():
        yield "some scores are above 1; the harmonic mean is meant for scores that are 1 at best"


def _about_size(models: int, tasks: Sequence[str], usable: Sequence[str]) -> Iterator[str]:
    if models == 1:
        yield "there is one model: PCE compares models, so there is no PCE"
        return
    for task in tasks:
        if task not in usable:
            yield f"{task}: all models have the same score; it does not count in PCE"
    if models == 2:
        yield "there are two models: PCE is 0 and 1, and says only which of them is better on more tasks"
    elif len(usable) > models - 1:
        yield (
            f"there are {models} models for {len(usable)} tasks: the first component explains at least "
            f"{1 / (models - 1):.0%} of the variance, even of random numbers"
        )


def _about_pce(component: Pce | None, tasks: Sequence[str]) -> Iterator[str]:
    if component is None:
        if tasks:
            yield "two components explain equally much of the variance; there is no first one, and so no PCE"
        return
    if len(tasks) == 1:
        yield f"only {tasks[0]} tells the models apart: PCE is that score on another scale"
        return
    against = [each.task for each in component.tasks if each.weight < -_SAME]
    if against:
        yield f"the tasks contradict each other: a better score lowers PCE for {', '.join(against)}"
    if abs(sum(each.weight for each in component.tasks)) <= _SAME:
        yield "the weights cancel out: which end of PCE is the good one is arbitrary"
    moves = [(each.moves, each.task) for each in component.tasks if each.moves]
    if moves:
        most, task = max(moves, key=lambda each: each[0])
        yield f"ranks by PCE depend on single tasks: without {task}, some model moves by {most}"


def varies(table: Doubles) -> npt.NDArray[np.bool_]:
    """Whether the models' scores differ at all, for each task; only then can it be standardised."""
    return np.asarray(np.ptp(table, axis=0) > _CONSTANT * np.abs(table).max(axis=0))


def pce(tasks: Sequence[str], table: Doubles) -> Pce | None:
    """PCE of models, by a table of models × tasks without constant columns.

    None if there are no tasks, or if the two largest eigenvalues are equal: then every direction in a plane
    explains equally much of the variance, and none is the first component.
    """
    found = _first_component(table)
    if found is None:
        return None
    component, weights, eigenvalues = found
    ranks = _ranks(component)
    return Pce(
        tuple(component.tolist()),
        ranks,
        tuple((eigenvalues / len(tasks)).tolist()),
        tuple(
            TaskWeight(task, weight, loading, *_without(column, table, ranks))
            for column, (task, weight, loading) in enumerate(
                zip(tasks, weights.tolist(), (weights * np.sqrt(eigenvalues[0])).tolist(), strict=True)
            )
        ),
    )


def _without(
    column: int, table: Doubles, ranks: Sequence[int]
) -> tuple[tuple[int, ...], int] | tuple[None, None]:
    """The ranks of the models if a task is left out, and by how many a model moves at most."""
    found = _first_component(np.delete(table, column, axis=1))
    if found is None:
        return None, None
    without = _ranks(found[0])
    return without, max(abs(a - b) for a, b in zip(ranks, without, strict=True))


def correlations(tasks: Sequence[str], table: Doubles) -> Correlations:
    """Correlations of each two tasks."""
    from scipy.stats import rankdata

    ranked = rankdata(table, axis=0)
    pearson, spearman = (_correlation(_standardised(each)) for each in (table, ranked))
    return Correlations(tuple(tasks), rows(pearson), rows(spearman))


def rows(table: Doubles) -> Rows:
    """A table as tuples, which can be compared."""
    return tuple(tuple(row) for row in table.tolist())


def _first_component(table: Doubles) -> tuple[Doubles, Doubles, Doubles] | None:
    """PCE of each model, the tasks' weights, and all eigenvalues in descending order."""
    if not table.shape[1]:
        return None
    standard = _standardised(table)
    eigenvalues, vectors = np.linalg.eigh(_correlation(standard))
    eigenvalues, weights = np.maximum(eigenvalues[::-1], 0), vectors[:, -1]
    if any(first - second <= _SAME * len(weights) for first, second in pairwise(eigenvalues[:2])):
        return None
    weights = weights * _sign(weights)
    component = standard @ weights
    return (component - component.min()) / np.ptp(component), weights, eigenvalues


def _sign(weights: Doubles) -> float:
    """The sign that makes the sum of the weights positive, or if it is 0 that of the first task with one."""
    total = weights.sum()
    if abs(total) <= _SAME:
        total = weights[np.abs(weights) > _SAME][0]
    return float(np.sign(total))


def _standardised(table: Doubles) -> Doubles:
    """Each column with mean 0 and variance 1, which is the mean of the squares."""
    # Squares of very small deviations would underflow.
    scaled = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    centred = scaled - scaled.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def _correlation(standard: Doubles) -> Doubles:
    found = np.clip(standard.T @ standard / len(standard), -1, 1)
    np.fill_diagonal(found, 1)
    return np.asarray(found)


def _ranks(component: Doubles) -> tuple[int, ...]:
    """From 1 for the best; equals share the better rank."""
    better = (component > component[:, None] + _SAME).sum(axis=1)
    return tuple((1 + better).tolist())
