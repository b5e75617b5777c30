"""The section of one number for each model: the harmonic mean, and PCE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.report.cells import count, name, rate, signed
from evaluator.report.commands import again
from evaluator.report.page import Block, Cell, Column, Fact, Facts, Notes, Section, Table, Text
from evaluator.report.source import Source, origin
from evaluator.results.jsonvalue import JsonValue
from evaluator.results.score_table import check_format

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Weight:
    """What a task counts in PCE, and by how many ranks a model moves at most without it."""

    task: str
    weight: float
    loading: float
    moves: int | None


@dataclass(frozen=True)
class Component:
    """PCE; see `evaluator.statistics.pce.Pce`."""

    scores: Sequence[float]
    ranks: Sequence[int]
    explained: Sequence[float]
    tasks: Sequence[Weight]


@dataclass(frozen=True)
class Correlated:
    """How far tasks place and rank models alike."""

    tasks: Sequence[str]
    pearson: Rows
    spearman: Rows


@dataclass(frozen=True)
class CompositeFile:
    """A result file; see `evaluator.statistics.composite.Composite`."""

    models: Sequence[str]
    tasks: Sequence[str]
    scores: Rows
    harmonic: Sequence[float]
    pce: Component | None
    correlations: Correlated | None
    notes: Sequence[str]


def read_composite(file: JsonValue) -> CompositeFile:
    """Read what `evaluator compose --json` wrote.

    Raises:
        ResultsError: It is something else, or lacks something.
    """
    check_format(file, "composite", 1, "evaluator compose --json")
    found = file.read(CompositeFile)
    models, tasks = len(found.models), len(found.tasks)
    _check_length(file.at("scores"), models)
    _check_length(file.at("harmonic"), models)
    for row in file.at("scores").elements():
        _check_length(row, tasks)
    if found.pce is not None:
        for key in ("scores", "ranks"):
            _check_length(file.at("pce").at(key), models)
    if found.correlations is not None:
        for key in ("pearson", "spearman"):
            _check_square(file.at("correlations").at(key), len(found.correlations.tasks))
    return found


def _check_length(values: JsonValue, number: int) -> None:
    if len(values.elements()) != number:
        values.fail(f"must be a list of {number}")


def _check_square(table: JsonValue, number: int) -> None:
    _check_length(table, number)
    for row in table.elements():
        _check_length(row, number)


def composite_section(source: Source, found: CompositeFile) -> Section:
    """All that a composition says."""
    lines = ["evaluator compose RESULT.json… --json"]
    remark = "RESULT.json… are files of evaluator score --json, which the file does not name."
    parts = [
        Section("Models", list(_models(found))),
        Section("The first principal component, task by task", list(_pce(found))),
        Section("How far tasks agree", list(_correlations(found))),
        Section("How to get these numbers again", [Facts([*again(lines, remark), origin(source)])]),
    ]
    return Section(f"Composite: {source.name}", [], [part for part in parts if part.blocks])


def _models(found: CompositeFile) -> Iterator[Block]:
    yield Text(
        "PCE says where a model lies among these models, from 0 for the worst to 1 for the best, however "
        "good or bad they are; it knows nothing of the intervals of the scores."
    )
    columns = [Column("model", kind="name"), *(Column(task) for task in found.tasks)]
    columns += [Column("harmonic mean"), Column("PCE"), Column("rank by PCE")]
    rows = []
    for place, model in enumerate(found.models):
        of_pce = (rate(None), count(None))
        if found.pce is not None:
            of_pce = rate(found.pce.scores[place]), count(found.pce.ranks[place])
        scores = (rate(value) for value in found.scores[place])
        rows.append([name(model), *scores, rate(found.harmonic[place]), *of_pce])
    yield Table("Models and tasks", columns, rows, "composite.csv")
    if found.notes:
        yield Notes("What to know before believing any of it", found.notes)


def _pce(found: CompositeFile) -> Iterator[Block]:
    if found.pce is None:
        return
    shares = ", ".join(f"{share:.0%}" for share in found.pce.explained)
    yield Facts([Fact("Components explain", [shares])])
    columns = [Column("task", kind="name"), *(Column(title) for title in ("weight", "loading", "moves"))]
    rows = [
        [name(each.task), signed(each.weight), signed(each.loading), count(each.moves)]
        for each in found.pce.tasks
    ]
    yield Table("Tasks in the first principal component", columns, rows, "pce.csv")


def _correlations(found: CompositeFile) -> Iterator[Table]:
    if found.correlations is None:
        return
    tasks = found.correlations.tasks
    for kind, table in (("Pearson", found.correlations.pearson), ("Spearman", found.correlations.spearman)):
        columns = [Column("task", kind="name"), *(Column(task) for task in tasks)]
        rows: list[list[Cell]] = [
            [name(task), *(signed(value) for value in row)] for task, row in zip(tasks, table, strict=True)
        ]
        yield Table(f"{kind}'s correlation of tasks", columns, rows, f"{kind.lower()}.csv")
