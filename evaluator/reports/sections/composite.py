"""The section of one number for each model: the harmonic mean, and PCE."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.reports.cells import count, name, rate, signed
from evaluator.reports.page import Block, Cell, Column, Fact, Facts, Figure, Notes, Section, Table, Text
from evaluator.results.composite import Composite
from evaluator.results.figures.matrix import matrix_figure


def composite_section(found: Composite) -> Section:
    """All that a composition says."""
    subsections = [
        Section("Models", list(_models(found))),
        Section("The first principal component, task by task", list(_pce(found))),
        Section("How much tasks agree", list(_correlations(found)), detail=True),
    ]
    title = f"Composite of {len(found.models)} models on {len(found.tasks)} tasks"
    return Section(title, [], [each for each in subsections if each.blocks])


def _models(found: Composite) -> Iterator[Block]:
    yield Text(
        "PCE says where a model lies among these models, from 0 for the worst to 1 for the best, however "
        "good or bad they are; it does not use the intervals of the scores. The "
        "harmonic mean is that of scores with 0.0001 added to each, as in Combined."
    )
    columns = [Column("model", kind="name"), *(Column(task) for task in found.tasks)]
    columns += [Column("harmonic mean", ("harmonic",)), Column("PCE", ("pce",))]
    columns.append(Column("rank by PCE", ("rank",)))
    rows = []
    for number, model in enumerate(found.models):
        of_pce = (rate(None), count(None))
        if found.pce is not None:
            of_pce = rate(found.pce.scores[number]), count(found.pce.ranks[number])
        scores = (rate(value) for value in found.scores[number])
        rows.append([name(model), *scores, rate(found.harmonic[number]), *of_pce])
    yield Table("Models and tasks", columns, rows, "composite.csv")
    if found.notes:
        yield Notes("What to know before you use these numbers", found.notes)


def _pce(found: Composite) -> Iterator[Block]:
    if found.pce is None:
        return
    shares = ", ".join(f"{share:.0%}" for share in found.pce.explained)
    yield Facts([Fact("Share of the variance that each component explains", [shares])])
    yield Text(
        "Weight: the element of the task in the first component, of standardized scores. Loading: its "
        "correlation with PCE. Moves: by how many ranks a model moves at most if the task is left out."
    )
    columns = [Column("task", kind="name"), *(Column(title) for title in ("weight", "loading", "moves"))]
    rows = [
        [name(each.task), signed(each.weight), signed(each.loading), count(each.moves)]
        for each in found.pce.tasks
    ]
    yield Table("Tasks in the first principal component", columns, rows, "pce.csv")


def _correlations(found: Composite) -> Iterator[Block]:
    if found.correlations is None:
        return
    tasks = found.correlations.tasks
    yield Figure(
        f"How {len(tasks)} tasks{' and PCE' if found.pce else ''} agree on {len(found.models)} models",
        "Pearson's correlations over the models; the tables have the same numbers.",
        partial(matrix_figure, *with_pce(found), "Pearson's correlation"),
        "correlations",
    )
    for kind, table in (("Pearson", found.correlations.pearson), ("Spearman", found.correlations.spearman)):
        columns = [Column("task", kind="name"), *(Column(task) for task in tasks)]
        rows: list[list[Cell]] = [
            [name(task), *(signed(value) for value in row)] for task, row in zip(tasks, table, strict=True)
        ]
        yield Table(f"{kind}'s correlation of tasks", columns, rows, f"{kind.lower()}.csv")


def with_pce(found: Composite) -> tuple[list[str], list[list[float]]]:
    """The correlations of tasks, and of PCE with each: its loadings (Figure 1 of the paper on PCE)."""
    if found.correlations is None:
        return [], []
    names, table = list(found.correlations.tasks), [list(row) for row in found.correlations.pearson]
    loadings = {} if found.pce is None else {each.task: each.loading for each in found.pce.tasks}
    if not loadings.keys() >= {*names}:
        return names, table
    own = [loadings[each] for each in names]
    return ["PCE", *names], [
        [1.0, *own],
        *([loading, *row] for loading, row in zip(own, table, strict=True)),
    ]
