"""The pages about languages and about categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from testgen.errors import NotFoundError, QueryError
from testgen.labels import LabelPolicy
from testgen.labels.words import ItemNames
from testgen.languages.codes import NEUTRAL, languages
from testgen.queries import Query
from testgen.serve import responses, schema
from testgen.serve.api import Code, Name, ProviderDep
from testgen.serve.pages.rendering import LEVELS, render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import EXACT
from testgen.serve.selection import Selection
from testgen.sources import Answer, Names, Row
from testgen.testset.types import Category, Relation

router = APIRouter()

_ITEMS_ON_A_PAGE, _MOST_LANGUAGES = 1000, 4  # with their words side by side
_FIRST = "en"  # the language that a page shows before others are chosen
_NO_NAME = "no name"

T = TypeVar("T", schema.Category, schema.Section)
Page = Annotated[int, Path(ge=1, le=100_000)]


@router.get("/languages")
def all_languages(request: Request, provider: ProviderDep) -> Response:
    """All languages; a script narrows the list."""
    shown = with_variants(responses.all_languages(provider))
    return render(request, "languages", scripts=responses.scripts(provider), languages=shown)


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


@router.get("/languages/{code}/names.json")
def names_of_language(provider: ProviderDep, code: Code) -> Response:
    """The words of a language in all categories, and the names left out; a page shows them beside others."""
    code = responses.known_language(provider, code).code
    categories = {}
    for name, query in provider.in_memory.queries.items():
        found = column(provider, query, code)
        cells = [None if cell.why == _NO_NAME else [cell.why, *cell.texts] for cell in found.cells]
        if any(cells):
            categories[name] = {"size": found.size, "cells": cells}
    language = languages()[code]
    direction = "rtl" if language.right_to_left else "ltr"
    return JSONResponse(
        {"name": language.name, "tag": language.tag, "direction": direction, "categories": categories}
    )


def by_topic(titled: Iterable[T]) -> list[tuple[str, list[T]]]:
    """Categories or sections grouped by topic, in the order of their titles."""
    ordered = sorted(titled, key=attrgetter("topic", "title"))
    return [(topic, list(group)) for topic, group in groupby(ordered, attrgetter("topic"))]


@router.get("/categories")
def all_categories(request: Request, provider: ProviderDep) -> Response:
    """All categories and relations; a script narrows the list."""
    categories = responses.all_categories(provider)
    return render(
        request,
        "categories",
        topics=sorted({category.topic for category in categories}),
        available=by_topic(category for category in categories if category.items != 0),
        unavailable=[category for category in categories if category.items == 0],
        number=len(categories),
    )


@router.get("/categories/{name}")
def one_category(request: Request, provider: ProviderDep, name: Name) -> Response:
    """A category: its languages, its words in English, beside which a script puts others, its query."""
    if name not in provider.offered and EXACT in provider.resolver.category_ranks(name).values():
        try:
            return RedirectResponse(url_of(request, f"/categories/{provider.resolver.category(name).key}"))
        except QueryError as error:
            raise NotFoundError(str(error)) from error
    return _category(request, provider, name, page=1)


@router.get("/categories/{name}/{page}")
def more_of_category(request: Request, provider: ProviderDep, name: Name, page: Page) -> Response:
    """The same with the items that stand on another page."""
    return _category(request, provider, name, page)


def _category(request: Request, provider: TestSetProvider, name: str, page: int) -> Response:
    category = responses.category(provider, name)
    first, query = (page - 1) * _ITEMS_ON_A_PAGE, provider.offered[name]
    answer = provider.in_memory.answers.get(query)
    if page > 1 and first >= (category.items or 0):
        raise NotFoundError(f"{category.title} has no page {page:,}")
    with_words = {count.code for count in category.words}
    whole = [
        count for count in category.words if languages()[count.code].whole not in with_words - {count.code}
    ]
    return render(
        request,
        "category",
        category=category,
        fetched=answer is not None,
        rows=answer.rows[first : first + _ITEMS_ON_A_PAGE] if answer else [],
        code=_FIRST,
        column=column(provider, query, _FIRST) if answer and answer.rows else None,
        first=first,
        most_languages=_MOST_LANGUAGES,
        page=page,
        pages=-(-(category.items or 0) // _ITEMS_ON_A_PAGE),
        languages=whole,
        enough=[(least, sum(count.words >= least for count in whole)) for least in LEVELS],
    )


@dataclass(frozen=True)
class Cell:
    """An item, or a pair, in one language: its words in the test set, or its names and why it is left out."""

    texts: Sequence[Sequence[str]]
    why: str = ""


@dataclass(frozen=True)
class LanguageColumn:
    """A language: how many words (or pairs) its test set has, and how many items are left out, by reason."""

    size: int
    cells: Sequence[Cell]
    left_out: Sequence[tuple[str, int]]


def column(provider: TestSetProvider, query: Query, code: str) -> LanguageColumn:
    """A language beside others: a cell for each row of the query's answer, which is available."""
    answer = provider.in_memory.answers[query]
    found = {names.item: names for names in provider.in_memory.names(answer.unnamed, [code])}
    names = {**found, **answer.names}
    section = _sections(provider, code).get(query.name)
    kept = _words(section) if section else {}
    cells = []
    for row in answer.rows:
        if row in kept:
            cells.append(kept[row])
            continue
        named = [names.get(item, Names("", {}, {})) for item in row]
        texts = [_texts(each, code) for each in named]
        cells.append(Cell(texts, _why(named, answer, code) if any(texts) else _NO_NAME))
    left_out = Counter(cell.why for cell in cells if cell.why).most_common()
    return LanguageColumn(section.size if section else 0, cells, left_out)


def _sections(provider: TestSetProvider, code: str) -> Mapping[str, Category | Relation]:
    if code not in provider.in_memory.counts:
        return {}
    return {section.name: section for section in responses.every_section(provider, code)}


def _words(section: Category | Relation) -> dict[Row, Cell]:
    words = section.words_by_id
    rows: list[Row] = [(item,) for item in words]
    if isinstance(section, Relation):
        rows = [(pair.item, pair.of) for pair in section.pairs]
    return {row: Cell([words[item] for item in row]) for row in rows}


def _texts(names: Names, code: str) -> list[str]:
    label = names.labels.get(code) or names.labels.get(NEUTRAL)
    return [label] if label else list(names.aliases.get(code, ()))


def _why(named: Sequence[Names], answer: Answer, code: str) -> str:
    language = languages()[code]
    reasons = (
        ItemNames(
            names, responses.EVERY_WORD, "query" if names.item in answer.names else "label"
        ).why_without_words(language)
        for names in named
    )
    known = ", ".join(dict.fromkeys(filter(None, reasons)))
    return known or ("the same word twice" if len(named) > 1 else "the word of another item")
