"""The coverage map: a page with the number of words of each category in each language."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from testgen.languages import languages
from testgen.serve import responses
from testgen.serve.api import OptionalMinimumWords, ProviderDep
from testgen.serve.pages.rendering import render
from testgen.serve.provider import TestSetProvider

if TYPE_CHECKING:
    import pandas as pd

router = APIRouter(include_in_schema=False)

LEVELS = (1, 4, 10, 30, 100, 300)
"""The smallest count of each colour."""

NAME, TOTAL = "_name", "_total"
"""Columns that are not categories; names of categories never begin with an underscore."""


class Filter(BaseModel):
    """Which languages and categories are shown, and in which order.

    `q` is a text in the name or code of the languages. `sort` is the column by which rows are sorted; with a
    minus before it, in reverse order.
    """

    q: str = Field("", max_length=100)
    script: str = ""
    topic: str = ""
    minimum_words: OptionalMinimumWords = None
    sort: str = NAME

    @property
    def least(self) -> int:
        """The smallest count, which is 1 if none is given."""
        return self.minimum_words or 1

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.q.strip() or self.script or self.topic or self.least > 1)


class Column(NamedTuple):
    """The header of a column: its present order, and the order that its button asks for."""

    name: str
    title: str
    order: str
    next_order: str


class Row(NamedTuple):
    """A language and its cells, as HTML."""

    code: str
    name: str
    scripts: str
    total: int
    cells: str


@router.get("/coverage")
def coverage(request: Request, provider: ProviderDep, chosen: Annotated[Filter, Query()]) -> Response:
    """The map, filtered and sorted."""
    frame = _filtered(provider, chosen)
    known = responses.all_languages(provider)
    return render(
        request,
        "coverage",
        filter=chosen,
        heads=[_column(NAME, "Language", chosen), _column(TOTAL, "All", chosen)],
        columns=[_column(str(name), provider.offered[str(name)].title, chosen) for name in frame.columns],
        topic_of={name: query.topic for name, query in provider.offered.items()},
        rows=_rows(_sorted(frame, chosen.sort)),
        scripts=sorted({each for language in known for each in language.scripts}),
        topics=sorted({provider.offered[str(name)].topic for name in provider.in_memory.coverage.columns}),
        levels=LEVELS,
        query=_api_query(chosen, [str(code) for code in frame.index]),
    )


def _filtered(provider: TestSetProvider, chosen: Filter) -> pd.DataFrame:
    """The counts that match a filter."""
    topics = [chosen.topic] if chosen.topic else []
    frame = responses.coverage(provider, (), topics, (), chosen.least)
    found = {each.code for each in responses.all_languages(provider, chosen.q, chosen.script or None)}
    frame = frame[frame.index.isin(found)]
    return frame.loc[:, (frame > 0).any(axis=0)]


def _sorted(frame: pd.DataFrame, sort: str) -> pd.DataFrame:
    """Rows sorted by the given column, rows with equal counts by name; by name if there is no such column."""
    by_name = frame.iloc[sorted(range(len(frame)), key=lambda row: languages()[str(frame.index[row])].name)]
    column = sort.removeprefix("-")
    upwards = sort.startswith("-")  # by default, the largest number and the letter A come first
    if column == NAME:
        return by_name.iloc[::-1] if upwards else by_name
    if column != TOTAL and column not in frame.columns:
        return by_name
    key = by_name.sum(axis=1) if column == TOTAL else by_name[column]
    return by_name.loc[key.sort_values(ascending=upwards, kind="stable").index]


def _column(name: str, title: str, chosen: Filter) -> Column:
    if chosen.sort.removeprefix("-") != name:
        return Column(name, title, "none", name)
    other = chosen.sort.startswith("-")
    order = "ascending" if other != (name == NAME) else "descending"
    return Column(name, title, order, name if other else f"-{name}")


def _rows(frame: pd.DataFrame) -> list[Row]:
    return [
        Row(
            str(code),
            languages()[str(code)].name,
            " ".join(languages()[str(code)].scripts),
            sum(counts),
            "".join(map(_cell, counts)),
        )
        for code, counts in zip(frame.index, frame.to_numpy(int).tolist(), strict=True)
    ]


@cache
def _cell(count: int) -> str:
    # There are thousands of cells; a template would need most of the time for them.
    return f'<td class="h{level(count)}">{count:,}</td>' if count else "<td></td>"


def level(count: int) -> int:
    """The colour of a count, from 0."""
    return bisect_right(LEVELS, count)


def _api_query(chosen: Filter, codes: list[str]) -> str:
    """The query part of the API's URLs for the same table."""
    some_languages = chosen.q.strip() or chosen.script
    pairs = [("language", code) for code in codes] if some_languages else []
    pairs += [("topic", chosen.topic)] if chosen.topic else []
    pairs += [("minimum_words", str(chosen.least))] if chosen.least > 1 else []
    return f"?{urlencode(pairs)}" if pairs else ""
