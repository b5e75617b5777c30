"""The pages of results: a table of models × languages, one model, one language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from testgen.serve.errors import NotFoundError
from testgen.serve.pages.rendering import render
from testgen.serve.results.api import LeaderboardDep, SelectionDep, folder_of
from testgen.serve.results.files import CategoryScore, Score
from testgen.serve.results.leaderboard import (
    NAME,
    Column,
    Leaderboard,
    Selection,
    Table,
    name_of_language,
    short_id,
)

router = APIRouter(include_in_schema=False)

_CELLS = 1000  # on a page
_MOST_MODELS = 100  # of a language
_MOST_NOTED = 20  # files that are left out, of which the reasons are shown
_MOST_SETS = 12  # test sets of a model whose categories are shown
Page = Annotated[int, Query(ge=1, le=100_000)]
RowId = Annotated[str, Path(pattern=r"^[0-9a-f]{10}$")]


@dataclass(frozen=True)
class Head:
    """The head of a column: what it is, its present order, and the URL that asks for the next one."""

    column: Column | None
    name: str
    order: str
    url: str
    note: str = ""


@router.get("/results")
def results(request: Request, board: LeaderboardDep, chosen: SelectionDep, page: Page = 1) -> Response:
    """The table of models × languages by one measure."""
    measure = chosen.measure or next(iter(board.measures), "")
    wanted = Selection(measure, chosen.of or "", chosen.language, chosen.model, chosen.sort)
    table = board.table(wanted)
    each = max(10, _CELLS // (len(table.columns) or 1))
    notes = {each.id: board.note(each) for each in table.columns}
    shown = {"measure": measure, "of": wanted.of, "language": wanted.language, "model": wanted.model}
    query = {key: value for key, value in shown.items() if value}
    return render(
        request,
        "results",
        board=board,
        chosen=wanted,
        table=table,
        heads=[_head(each, table.sort, query, notes[each.id]) for each in table.columns],
        name_head=_head(None, table.sort, query, ""),
        rows=table.rows[(page - 1) * each : page * each],
        widest=_widest(table.rows),
        several=_in_several_ways(table, notes),
        page=page,
        pages=-(-len(table.rows) // each),
        query=urlencode(query | {"sort": table.sort}),
        most=_MOST_NOTED,
        short_id=short_id,
        language_name=name_of_language,
    )


def _head(column: Column | None, sort: str, query: Mapping[str, str | None], note: str) -> Head:
    """Scores are sorted with the highest first, names from A, unless it is turned round."""
    by = column.id if column else NAME
    name = column.heading if column else "Model"
    order = "none"
    if sort.removeprefix("-") == by:
        order = "ascending" if sort.startswith("-") == (column is not None) else "descending"
    turned = f"-{by}" if sort == by else by
    return Head(column, name, order, f"?{urlencode({**query, 'sort': turned})}", note)


def _widest(rows: Iterable[tuple[str, Mapping[str, Score]]]) -> dict[str, float]:
    """The largest number in each column, to which its lines are drawn."""
    found: dict[str, float] = defaultdict(float)
    for _, row in rows:
        for column, score in row.items():
            found[column] = max(found[column], score.value, score.high or 0, score.chance or 0)
    return found


def _in_several_ways(table: Table, notes: Mapping[str, str]) -> dict[str, list[str]]:
    """The languages with several columns, and what tells these from each other."""
    found = defaultdict(list)
    for each in table.columns:
        found[each.heading].append(notes[each.id] or "the usual settings")
    return {name: ways for name, ways in found.items() if len(ways) > 1}


@dataclass(frozen=True)
class Grid:
    """Scores of one way of scoring: rows of models, columns of measures.

    Attributes:
        column: The first of the columns, for the test set and the settings.
        note: What tells it from the other ways.
        columns: One for each measure.
        rows: What stands at the beginning of each row, and its scores by column.
        widest: The largest number in each column.
    """

    column: Column
    note: str
    columns: Sequence[Column]
    rows: Sequence[tuple[str, Mapping[str, Score]]]
    widest: Mapping[str, float]


def _grids(board: Leaderboard, wanted: Selection) -> list[Grid]:
    """The wanted part of the table, cut into ways of scoring; those with the most models first."""
    table = board.table(wanted)
    ways = defaultdict[Any, list[Column]](list)
    for column in table.columns:
        ways[column.language, column.way].append(column)
    found = []
    for columns in ways.values():
        columns.sort(key=lambda each: board.measures.index(each.measure))
        ids = {each.id for each in columns}
        by = wanted.sort if wanted.sort.removeprefix("-") in {*ids, NAME} else columns[0].id
        own = board.table(Selection(wanted.measure, wanted.of, wanted.language, wanted.model, by))
        rows = [(name, {key: row[key] for key in ids & row.keys()}) for name, row in own.rows]
        rows = [row for row in rows if row[1]]
        found.append(Grid(columns[0], board.note(columns[0]), columns, rows, _widest(rows)))
    return sorted(found, key=lambda each: -len(each.rows))


@router.get("/results/languages/{code}")
def one_language(
    request: Request,
    board: LeaderboardDep,
    code: Annotated[str, Path(max_length=100)],
    sort: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """All models of a language, by all measures."""
    if code not in board.languages:
        raise NotFoundError(f"there are no results for {code}")
    grids = _grids(board, Selection(of="", language=code, sort=sort))
    heads = {
        each.id: _head(each, sort or grid.columns[0].id, {}, "") for grid in grids for each in grid.columns
    }
    parts = sorted({each.of for each in board.columns.values() if each.language == code and each.of})
    return render(
        request,
        "results_language",
        code=code,
        name=name_of_language(code),
        grids=grids,
        heads=heads,
        parts=parts,
        most=_MOST_MODELS,
        short_id=short_id,
    )


@router.get("/results/models/{row_id}")
def one_model(request: Request, board: LeaderboardDep, row_id: RowId) -> Response:
    """All scores of a model, and those on each category."""
    name = board.ids.get(row_id)
    if name is None:
        raise NotFoundError("there is no such model in the results; files may have been removed")
    return render(request, "results_model", **of_model(board, name, folder_of(request).with_categories))


@dataclass(frozen=True)
class Way:
    """The scores of a model on one test set, scored in one way.

    Attributes:
        column: One of the columns, for the test set and the settings.
        note: What tells it from the other ways.
        scores: By measure.
        categories: The names of the categories, each with its scores by measure.
    """

    column: Column
    note: str
    scores: Mapping[str, Score]
    categories: Mapping[str, Mapping[str, CategoryScore]]


def of_model(
    board: Leaderboard, name: str, with_categories: Callable[[str], Iterable[Score]]
) -> dict[str, Any]:
    """What the page of a model shows.

    Args:
        board: All scores.
        name: The name of the row.
        with_categories: Gives the scores in a file with those of each category.
    """
    row = board.rows[name]
    columns = [board.columns[each] for each in row]
    ways = defaultdict[Any, list[Column]](list)
    for column in sorted(columns, key=lambda each: (each.heading, board.measures.index(each.measure))):
        if not column.of:
            ways[column.language, column.way].append(column)
    files = sorted({row[each.id].file for several in list(ways.values())[:_MOST_SETS] for each in several})
    detailed = {replace(each, categories=()): each for file in files for each in with_categories(file)}
    found = [_way(several, row, board.note(several[0]), detailed) for several in ways.values()]
    return {
        "name": name,
        "ways": found,
        "measures": [each for each in board.measures if any(each in way.scores for way in found)],
        "parts": sorted({each.of for each in columns if each.of}),
        "files": sorted({score.file for score in row.values()}),
        "vectors": sorted({score.model for score in row.values()} - {name}),
    }


def _way(
    columns: Sequence[Column],
    row: Mapping[str, Score],
    note: str,
    detailed: Mapping[Score, Score],
) -> Way:
    scores = {each.measure: row[each.id] for each in columns}
    categories = defaultdict[str, dict[str, CategoryScore]](dict)
    for measure, score in scores.items():
        for each in detailed[score].categories if score in detailed else ():
            categories[each.name][measure] = each
    first = next(iter(scores))
    by = next((measure for measure in scores if measure != "Combined"), first)
    known = {
        name: each for name, each in categories.items() if any(one.value is not None for one in each.values())
    }
    ordered = sorted(known.items(), key=lambda each: -((each[1][by].value or 0) if by in each[1] else 0))
    return Way(columns[0], note, scores, dict(ordered))
