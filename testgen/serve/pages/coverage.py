"""The coverage map: a page with the number of words of each category in each language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from testgen.languages.codes import languages
from testgen.serve import responses
from testgen.serve.api import OptionalMinimumWords, ProviderDep
from testgen.serve.pages.rendering import LEVELS, level, render
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import IN_TEXT
from testgen.serve.responses import HALF_WIDTH, needed

if TYPE_CHECKING:
    import pandas as pd

router = APIRouter()

NAME, TOTAL = "_name", "_total"
"""Columns that are not categories; names of categories never begin with an underscore."""


class Filter(BaseModel):
    """Which languages (several names) and categories are shown; and the column of the order, or minus it."""

    model_config = ConfigDict(extra="forbid")

    language: str = Field("", max_length=1000)
    category: str = Field("", max_length=100)
    script: str = ""
    topic: str = ""
    kind: Literal["category", "relation", ""] = ""
    minimum_words: OptionalMinimumWords = None
    variants: bool = False
    sort: str = ""

    @property
    def least(self) -> int:
        """The smallest count, which is 1 if none is given."""
        return self.minimum_words or 1

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out but variants."""
        texts = self.language.strip(), self.category.strip(), self.script, self.topic, self.kind
        return any(texts) or self.least > 1

    def url(self, sort: str) -> str:
        """The query part of the page's URL, with another order."""
        return urlencode(self.model_dump(exclude_defaults=True) | {"sort": sort})


class Column(NamedTuple):
    """The header of a column: its present order, and the query of the page in the order of its link."""

    name: str
    title: str
    order: str
    link: str


@router.get("/coverage")
def coverage(request: Request, provider: ProviderDep, chosen: Annotated[Filter, Query()]) -> Response:
    """The map, filtered and sorted."""
    frame, in_file = _filtered(provider, chosen), provider.in_memory.in_file
    words = {code: number for code, (number, _) in in_file.items()}
    sort = chosen.sort or (str(frame.columns[0]) if chosen.category.strip() and len(frame.columns) else NAME)
    titles = {str(name): provider.offered[str(name)].title for name in provider.in_memory.coverage.columns}
    ordered = _sorted(frame, sort, words)
    meant = responses.all_languages(provider, chosen.language) if chosen.language.strip() else []
    return render(
        request,
        "coverage",
        filter=chosen,
        heads=[
            _column(NAME, "Language", sort, chosen),
            _column(TOTAL, "Different words in all categories of the file", sort, chosen),
        ],
        columns=[_column(str(name), titles[str(name)], sort, chosen) for name in frame.columns],
        rows=[
            (str(code), words[str(code)], "".join(map(_cell, counts)))
            for code, counts in zip(ordered.index, ordered.to_numpy(int).tolist(), strict=True)
        ],
        orders=_orders(titles, chosen.sort),
        scripts=responses.scripts(provider),
        topics=sorted({provider.offered[name].topic for name in titles}),
        levels=LEVELS,
        query=_api_query(chosen, frame),
        verdicts=[each for each in meant if each.code in frame.index],
        needed=needed(),
        half_width=HALF_WIDTH,
        problems=_problems(provider, chosen.language, frame),
    )


def _problems(provider: TestSetProvider, text: str, frame: pd.DataFrame) -> list[str]:
    """Of several languages that a text names, what is wrong with those that are not shown."""
    meanings, problems = provider.resolver.languages(text)
    lacking = [each.key for each in meanings if each.key not in provider.in_memory.counts]
    if len(meanings) + len(problems) < 2 and len(frame):
        return []
    return [*problems.values(), *map(provider.resolver.lacking, lacking)] if text.strip() else []


def _filtered(provider: TestSetProvider, chosen: Filter) -> pd.DataFrame:
    frame = responses.coverage(provider, (), [chosen.topic] if chosen.topic else [], (), chosen.least)
    if chosen.language.strip() or chosen.script:
        meant = responses.all_languages(provider, chosen.language, chosen.script or None)
        frame = frame[frame.index.isin([language.code for language in meant])]
    frame = frame[_categories(provider, chosen, frame)]
    frame = frame[(frame > 0).any(axis=1)]
    return frame if chosen.variants else responses.without_variants(frame)


def _categories(provider: TestSetProvider, chosen: Filter, frame: pd.DataFrame) -> list[str]:
    filled = (frame > 0).sum()
    filled_names = (str(name) for name, count in filled.items() if count)
    names = [name for name in filled_names if chosen.kind in ("", provider.offered[name].kind)]
    if not chosen.category.strip():
        return names
    rank = provider.resolver.category_ranks(chosen.category)
    meant = [name for name in names if rank.get(name, IN_TEXT) != IN_TEXT]
    return sorted(meant, key=lambda name: (rank[name], -filled[name]))


def _sorted(frame: pd.DataFrame, sort: str, words: Mapping[str, int]) -> pd.DataFrame:
    """Rows by a column, and those with equal counts by name; all by name if there is no such column."""
    by_name = frame.iloc[sorted(range(len(frame)), key=lambda row: languages()[str(frame.index[row])].name)]
    column = sort.removeprefix("-")
    upwards = sort.startswith("-")  # by default, the largest number and the letter A come first
    if column == NAME:
        return by_name.iloc[::-1] if upwards else by_name
    if column != TOTAL and column not in frame.columns:
        return by_name
    key = by_name.index.to_series().map(words) if column == TOTAL else by_name[column]
    return by_name.loc[key.sort_values(ascending=upwards, kind="stable").index]


def _column(name: str, title: str, sort: str, chosen: Filter) -> Column:
    if sort.removeprefix("-") != name:
        return Column(name, title, "none", chosen.url(name))
    other = sort.startswith("-")
    order = "ascending" if other != (name == NAME) else "descending"
    return Column(name, title, order, chosen.url(name if other else f"-{name}"))


def _orders(titles: Mapping[str, str], sort: str) -> list[tuple[str, str]]:
    choices = {"": "best match, then name", NAME: "language", TOTAL: "words in all categories"}
    choices |= dict(sorted(titles.items(), key=lambda title: title[1]))
    if sort[:1] == "-" and sort[1:] in choices:
        choices[sort] = f"{choices[sort[1:]]}, reversed"
    return list(choices.items())


@cache
def _cell(count: int) -> str:
    # There are thousands of cells; a template would need most of the time for them.
    return f'<td class="h{level(count)}">{count:,}</td>' if count else "<td></td>"


def _api_query(chosen: Filter, frame: pd.DataFrame) -> str:
    asked = {
        "language": list(frame.index) if chosen.language.strip() or chosen.script else (),
        "category": list(frame.columns) if chosen.category.strip() or chosen.kind else (),
        "topic": chosen.topic or (),
        "minimum_words": chosen.least if chosen.least > 1 else (),
        "variants": () if chosen.variants else "false",
    }
    query = urlencode(asked, doseq=True)
    return f"?{query}" if query else ""
