"""The pages about languages and about categories."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Literal, TypeVar
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from testgen.errors import NotFoundError, QueryError
from testgen.labels import LabelPolicy
from testgen.languages.codes import languages
from testgen.serve import responses, schema, side_by_side
from testgen.serve.api import Code, Languages, Name, OptionalMinimumWords, ProviderDep, Search
from testgen.serve.pages.rendering import LEVELS, QUERY_SERVICE, render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import EXACT, Meaning
from testgen.serve.selection import Selection

router = APIRouter()

_ITEMS_ON_A_PAGE = 100

T = TypeVar("T", schema.Category, schema.Section)
Page = Annotated[int, Query(ge=1, le=100_000)]


@router.get("/languages")
def all_languages(
    request: Request,
    provider: ProviderDep,
    q: Search = "",
    script: str = "",
    minimum_words: OptionalMinimumWords = None,
) -> Response:
    """All languages, or those that match the filter."""
    return render(
        request,
        "languages",
        q=q,
        script=script,
        minimum_words=minimum_words,
        scripts=responses.scripts(provider),
        languages=with_variants(responses.all_languages(provider, q, script or None, minimum_words or 1)),
    )


def with_variants(some: Iterable[schema.Language]) -> list[tuple[schema.Language, list[schema.Language]]]:
    """Some languages, each with its variants among them (`kk-cyrl` of `kk`), in the order of the first."""
    groups: dict[str, list[schema.Language]] = {}
    for language in some:
        groups.setdefault(language.variant_of or language.code, []).append(language)
    ordered = (sorted(group, key=lambda language: bool(language.variant_of)) for group in groups.values())
    return [(whole, variants) for whole, *variants in ordered]


@router.get("/languages/{code}")
def one_language(request: Request, provider: ProviderDep, code: Code) -> Response:
    """A language: its words in each category."""
    known = responses.known_language(provider, code)
    if known.code != code:
        return RedirectResponse(url_of(request, f"/languages/{known.code}"))
    language = responses.language(provider, code)
    return render(
        request,
        "language",
        language=language,
        variants=[
            other
            for other in responses.all_languages(provider)
            if other.code != code and (other.variant_of or other.code) == (language.variant_of or code)
        ],
        topics=by_topic(language.sections),
        least=LabelPolicy.minimum_words,
        command=provider.command(Selection((code,))),
    )


def by_topic(titled: Iterable[T]) -> list[tuple[str, list[T]]]:
    """Categories or sections grouped by topic, in the order of their titles."""
    ordered = sorted(titled, key=attrgetter("topic", "title"))
    return [(topic, list(group)) for topic, group in groupby(ordered, attrgetter("topic"))]


@router.get("/categories")
def all_categories(
    request: Request,
    provider: ProviderDep,
    q: Search = "",
    topic: str = "",
    kind: Literal["category", "relation", ""] = "",
) -> Response:
    """All categories and relations, or those that match the filter."""
    categories = responses.all_categories(provider, q, topic or None, kind or None)
    return render(
        request,
        "categories",
        q=q,
        topic=topic,
        kind=kind,
        topics=sorted({query.topic for query in provider.offered.values()}),
        number=len(categories),
        available=by_topic(category for category in categories if category.items != 0),
        unavailable=[category for category in categories if category.items == 0],
    )


@router.get("/categories/{name}")
def one_category(
    request: Request,
    provider: ProviderDep,
    name: Name,
    language: Languages = [],  # noqa: B006
    page: Page = 1,
) -> Response:
    """A category: its languages, its words in some of them side by side, its query."""
    if name not in provider.offered and EXACT in provider.resolver.category_ranks(name).values():
        try:
            return RedirectResponse(url_of(request, f"/categories/{provider.resolver.category(name).key}"))
        except QueryError as error:
            raise NotFoundError(str(error)) from error
    category = responses.category(provider, name)
    codes, meanings, problems = _chosen(provider, language)
    size = sys.maxsize if provider.settings.pages_only else _ITEMS_ON_A_PAGE
    first, query = (page - 1) * size, provider.offered[name]
    answer = provider.in_memory.answers.get(query)
    with_words = {count.code for count in category.words}
    whole = [
        count for count in category.words if languages()[count.code].whole not in with_words - {count.code}
    ]
    return render(
        request,
        "category",
        category=category,
        fetched=answer is not None,
        rows=answer.rows[first : first + size] if answer else [],
        columns=side_by_side.columns(provider, query, codes) if answer and answer.rows else [],
        first=first,
        codes=codes,
        meanings=[each for each in meanings if not each.is_obvious],
        problems=problems.values(),
        fields=[*(languages()[code].name for code in codes), *problems],
        most_languages=side_by_side.MOST_LANGUAGES,
        link=urlencode([("language", code) for code in codes]),
        page=page,
        pages=-(-(category.items or 0) // size),
        languages=whole,
        enough=[(least, sum(count.words >= least for count in whole)) for least in LEVELS],
        query_service=QUERY_SERVICE + quote(category.query, safe=""),
    )


def _chosen(
    provider: TestSetProvider, texts: Sequence[str]
) -> tuple[list[str], list[Meaning], dict[str, str]]:
    meanings, problems = provider.resolver.languages(*texts)
    known = [each for each in meanings if each.key in provider.in_memory.counts]
    problems |= {each.text: provider.resolver.lacking(each.key) for each in meanings if each not in known}
    codes = [each.key for each in known][: side_by_side.MOST_LANGUAGES]
    return codes if len(codes) > 1 else list(dict.fromkeys(["en", *codes])), known, problems
