"""The pages on categories and relations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from testgen.errors import MissingAnswerError
from testgen.serve import views
from testgen.serve.api import Name, Search, TheLibrary
from testgen.serve.library import Library
from testgen.serve.models import CategoryModel, ItemsModel
from testgen.serve.pages.rendering import render

router = APIRouter(include_in_schema=False)

_ON_A_PAGE = 100
_QUERY_SERVICE = "https://query.wikidata.org/#"

Page = Annotated[int, Query(ge=1, le=100_000)]


def by_topic(categories: Iterable[CategoryModel]) -> list[tuple[str, list[CategoryModel]]]:
    """Categories in groups, by title in each."""
    ordered = sorted(categories, key=attrgetter("topic", "title"))
    return [(topic, list(group)) for topic, group in groupby(ordered, attrgetter("topic"))]


@router.get("/categories")
def all_categories(
    request: Request,
    library: TheLibrary,
    q: Search = "",
    topic: str = "",
    kind: Literal["category", "relation", ""] = "",
) -> Response:
    """All categories and relations, or those that are searched for."""
    found = views.all_categories(library, q, topic or None, kind or None)
    return render(
        request,
        "categories",
        q=q,
        topic=topic,
        kind=kind,
        topics=sorted({query.topic for query in library.offered.values()}),
        found=len(found),
        here=by_topic(each for each in found if each.items != 0),
        elsewhere=[each for each in found if each.items == 0],
    )


@router.get("/categories/{name}")
def one_category(
    request: Request, library: TheLibrary, name: Name, language: str = "", page: Page = 1
) -> Response:
    """A category: its query, its languages, its items."""
    category = views.category(library, name)
    known = views.known_language(library, language) if language else None
    code, called = (known.code, known.name) if known and known.code != "en" else ("", "")
    return render(
        request,
        "category",
        category=category,
        items=_items(library, name, code, page),
        code=code,
        name=called,
        page=page,
        pages=-(-(category.items or 0) // _ON_A_PAGE),
        first=(page - 1) * _ON_A_PAGE + 1,
        languages=sorted(category.words, key=attrgetter("name")),
        query_service=_QUERY_SERVICE + quote(category.query, safe=""),
    )


def _items(library: Library, name: str, code: str, page: int) -> ItemsModel | None:
    try:
        return views.items(library, name, code or None, (page - 1) * _ON_A_PAGE, _ON_A_PAGE)
    except MissingAnswerError:
        return None
