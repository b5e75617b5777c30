"""The pages about languages and about categories."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from testgen.errors import LanguageError, NotFoundError, QueryError
from testgen.labels import LabelPolicy
from testgen.labels.words import why_without_words
from testgen.languages.codes import NEUTRAL, languages
from testgen.queries import Query
from testgen.serve import responses, schema
from testgen.serve.api import Code, Languages, Name, OptionalMinimumWords, ProviderDep, Search
from testgen.serve.pages.rendering import LEVELS, render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import EXACT, Meaning
from testgen.serve.selection import Selection
from testgen.sources import Answer, Names, Row
from testgen.testset.types import Relation

router = APIRouter()

_ITEMS_ON_A_PAGE, _MOST_LANGUAGES = 100, 4  # with their words side by side
_EVERY_WORD = LabelPolicy(minimum_words=1)

T = TypeVar("T", schema.Category, schema.Section)
Page = Annotated[int, Field(ge=1, le=100_000)]


@router.get("/languages")
def all_languages(
    request: Request,
    provider: ProviderDep,
    q: Search = "",
    script: str = "",
    minimum_words: OptionalMinimumWords = None,
) -> Response:
    """All languages, or those that match the filter."""
    meant = with_variants(responses.all_languages(provider, q, script or None, minimum_words or 1))
    asked: dict[str, Any] = {"q": q, "script": script, "minimum_words": minimum_words}
    return render(request, "languages", **asked, scripts=responses.scripts(provider), languages=meant)


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
    others = (each for each in responses.all_languages(provider) if each.code != code)
    whole = language.variant_of or code
    return render(
        request,
        "language",
        language=language,
        variants=[each for each in others if (each.variant_of or each.code) == whole],
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
    shown: dict[str, Any] = {
        "topics": sorted({query.topic for query in provider.offered.values()}),
        "available": by_topic(category for category in categories if category.items != 0),
        "unavailable": [category for category in categories if category.items == 0],
    }
    return render(request, "categories", q=q, topic=topic, kind=kind, number=len(categories), **shown)


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
        columns=columns(provider, query, codes) if answer and answer.rows else [],
        first=first,
        codes=codes,
        meanings=[each for each in meanings if not each.is_obvious],
        problems=problems.values(),
        fields=[*(languages()[code].name for code in codes), *problems],
        most_languages=_MOST_LANGUAGES,
        link=urlencode([("language", code) for code in codes]),
        page=page,
        pages=-(-(category.items or 0) // size),
        languages=whole,
        enough=[(least, sum(count.words >= least for count in whole)) for least in LEVELS],
    )


def _chosen(
    provider: TestSetProvider, texts: Sequence[str]
) -> tuple[list[str], list[Meaning], dict[str, str]]:
    meanings, problems = provider.resolver.languages(*texts)
    known = [each for each in meanings if each.key in provider.in_memory.counts]
    problems |= {each.text: provider.resolver.lacking(each.key) for each in meanings if each not in known}
    codes = [each.key for each in known][:_MOST_LANGUAGES]
    return codes if len(codes) > 1 else list(dict.fromkeys(["en", *codes])), known, problems


@dataclass(frozen=True)
class Cell:
    """An item, or a pair, in one language: its words in the test set, or its names and why it is left out."""

    texts: Sequence[Sequence[str]]
    why: str = ""


@dataclass(frozen=True)
class LanguageColumn:
    """A language: how many words (or pairs) its test set has, and how many items are left out, by reason."""

    code: str
    size: int
    cells: Sequence[Cell]
    left_out: Sequence[tuple[str, int]]


def columns(provider: TestSetProvider, query: Query, codes: Sequence[str]) -> list[LanguageColumn]:
    """A column for each language, with a cell for each row of the query's answer, which is available."""
    answer = provider.in_memory.answers[query]
    names = {names.item: names for names in provider.in_memory.names(answer.unnamed, codes)}
    names |= answer.names
    return [_column(provider, query, answer, names, code) for code in codes]


def _column(
    provider: TestSetProvider, query: Query, answer: Answer, names: Mapping[str, Names], code: str
) -> LanguageColumn:
    kept: dict[Row, Cell] = {}
    try:
        (section,) = provider.file(Selection((code,), (query.name,), policy=_EVERY_WORD)).test_set.sections
    except LanguageError:  # it has no word at all
        size = 0
    else:
        size, words = section.size, section.words_by_id
        in_set: list[Row] = [(item,) for item in words]
        if isinstance(section, Relation):
            in_set = [(pair.item, pair.of) for pair in section.pairs]
        kept = {row: Cell([words[item] for item in row]) for row in in_set}
    nameless = Names("", {}, {})
    cells = []
    for row in answer.rows:
        named = [names.get(item, nameless) for item in row]
        texts = [_texts(of_item, code) for of_item in named]
        cells.append(kept.get(row) or Cell(texts, _why(named, answer, code)))
    left_out = Counter(cell.why for cell in cells if cell.why).most_common()
    return LanguageColumn(code, size, cells, left_out)


def _texts(names: Names, code: str) -> list[str]:
    label = names.labels.get(code) or names.labels.get(NEUTRAL)
    return [label] if label else list(names.aliases.get(code, ()))


def _why(named: Sequence[Names], answer: Answer, code: str) -> str:
    reasons = (
        why_without_words(names, code, _EVERY_WORD, "query" if names.item in answer.names else "label")
        for names in named
    )
    known = ", ".join(dict.fromkeys(filter(None, reasons)))
    return known or ("the same word twice" if len(named) > 1 else "the word of another item")
