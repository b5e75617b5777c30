"""The API of results: the table of models × languages for programs and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from testgen.serve.errors import NotFoundError, error_responses
from testgen.serve.response_types import LeftOutModel, ResultModel, ResultsModel
from testgen.serve.results.folder import ResultsFolder
from testgen.serve.results.leaderboard import Leaderboard, Selection, Table

router = APIRouter(prefix="/api/v1", tags=["results"], responses=error_responses(403, 404, 413, 421, 503))

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # spreadsheets run what begins with these


def folder_of(request: Request) -> ResultsFolder:
    """The folder of results that the service shows.

    Raises:
        NotFoundError: It shows none.
    """
    found: ResultsFolder | None = request.app.state.results
    if found is None:
        raise NotFoundError("this service shows no results; start one with testgen serve --results FOLDER")
    return found


def _leaderboard(request: Request) -> Leaderboard:
    return folder_of(request).leaderboard()


LeaderboardDep = Annotated[Leaderboard, Depends(_leaderboard)]
Text = Annotated[str, Query(max_length=300)]


def _selection(
    measure: Annotated[str, Query(max_length=300, description="Such as Topk@3; all if empty.")] = "",
    of: Annotated[
        str | None, Query(max_length=300, description="A category or topic; empty for whole test sets.")
    ] = None,
    language: Annotated[str, Query(max_length=100, description="A code; all if empty.")] = "",
    model: Annotated[str, Query(max_length=300, description="A text in the names of the models.")] = "",
    sort: Annotated[str, Query(max_length=100, description="`model`, or the id of a column.")] = "",
) -> Selection:
    return Selection(measure, of, language, model, sort)


SelectionDep = Annotated[Selection, Depends(_selection)]


@router.get("/results", operation_id="getResults")
def read_results(
    board: LeaderboardDep,
    wanted: SelectionDep,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> ResultsModel:
    """Scores of models, if the service shows any; see the page on results."""
    found = list(_results(board.table(wanted)))
    left_out = [LeftOutModel(file=file, reason=reason) for file, reason in board.left_out.items()]
    return ResultsModel(
        total=len(found), offset=offset, results=found[offset : offset + limit], left_out=left_out
    )


@router.get(
    "/results.csv",
    operation_id="getResultsCsv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def read_results_csv(board: LeaderboardDep, wanted: SelectionDep) -> Response:
    """The same as CSV, for spreadsheets."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(ResultModel.model_fields)
    for each in _results(board.table(wanted)):
        rows.writerow(_harmless(value) for value in vars(each).values())
    headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
    return Response(file.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _results(table: Table) -> Iterator[ResultModel]:
    for name, row in table.rows:
        for column in table.columns:
            if column.id in row:
                score = row[column.id]
                yield ResultModel(
                    model=name,
                    vectors=score.model,
                    language=score.language,
                    test_set=score.test_set,
                    sha256=score.sha256,
                    of=score.of,
                    measure=score.measure,
                    value=score.value,
                    low=score.low,
                    high=score.high,
                    chance=score.chance,
                    known=score.known,
                    words=score.words,
                    signature=score.signature,
                    column=column.id,
                    file=score.file,
                )
