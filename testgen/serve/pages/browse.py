"""The pages about languages and about categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from testgen.errors import NotFoundError, QueryError
from testgen.labels.word_store import Origin
from testgen.labels.words import ItemNames
from testgen.languages.codes import NEUTRAL, languages
from testgen.queries import Query
from testgen.serve import responses, schema
from testgen.serve.api import Code, Name, ProviderDep
from testgen.serve.corrections import are_on_wikidata, places
from testgen.serve.pages.rendering import LEVELS, render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.published import published_vectors
from testgen.serve.resolver import EXACT
from testgen.serve.selection import Selection
from testgen.sources import Names, Row
from testgen.testset.types import Category, Relation

router = APIRouter()

_ITEMS_ON_A_PAGE, _MOST_LANGUAGES = 1000, 4  # with their words side by side
_FIRST = "en"  # the language that a page shows before others are chosen
_NO_NAME = "no name"
_SAME = "the word of another item", "the same word twice"  # of an item, of a pair

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
        enough=responses.enough(language),
        variants=[each for each in others if (each.variant_of or each.code) == whole],
        topics=by_topic(language.sections),
        first_words={
            each.name: responses.first_words(each) for each in responses.every_section(provider, code)
        },
        on_wikidata=are_on_wikidata(provider.in_memory.provenance),
        groups=language.groups,
        least=provider.fewest_words,
        command=provider.command(Selection((code,))),
        size=provider.in_memory.in_file[code],
        places=list(places(provider.in_memory.provenance, code)),
        published=published_vectors(code),
    )


@router.get("/languages/{code}/names.json")
def names_of_language(provider: ProviderDep, code: Code) -> Response:
    """What a page needs to show the words of a language beside others: what the test set does not say."""
    # Each item is there once, and none that the test set has: thousands stand in several categories.
    code = responses.known_language(provider, code).code
    named = NamesInLanguage(provider, code)
    sizes: dict[str, list[object]] = {}
    dropped: dict[str, list[int]] = {}
    for name, query in provider.in_memory.queries.items():
        found, reasons = named.column(query), named.reasons
        if any(cell.why != _NO_NAME for cell in found.cells):
            sizes[name] = [found.size, [[reasons.index(why), count] for why, count in found.left_out]]
        same = [number for number, cell in enumerate(found.cells) if cell.why in _SAME]
        dropped |= {name: same} if same else {}
    has_file = provider.in_memory.in_file[code].sections > 0
    path = f"/api/v1/test-sets/{code}.json" if has_file else None
    sections = provider.file(Selection((code,))).test_set.sections if has_file else ()
    known = {item.id for section in sections for item in section.items}
    names = {
        item: [named.reasons.index(name.why), *name.texts]
        for item, name in named.names.items()
        if name.texts and item not in known
    }
    language = languages()[code]
    return JSONResponse(
        {
            "name": language.name,
            "tag": language.tag,
            "direction": "rtl" if language.right_to_left else "ltr",
            "file": path,
            "reasons": named.reasons,
            "names": names,
            "sizes": sizes,
            "dropped": dropped,
        }
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
        column=NamesInLanguage(provider, _FIRST).column(query) if answer and answer.rows else None,
        on_wikidata=are_on_wikidata(provider.in_memory.provenance),
        first=first,
        most_languages=_MOST_LANGUAGES,
        page=page,
        pages=-(-(category.items or 0) // _ITEMS_ON_A_PAGE),
        languages=whole,
        enough=[(least, sum(count.words >= least for count in whole)) for least in LEVELS],
    )


@dataclass(frozen=True)
class ItemName:
    """An item in a language: its words in the test set, or its names and why it has no word."""

    texts: Sequence[str]
    why: str = ""


@dataclass(frozen=True)
class Cell:
    """A row of an answer in a language: the words or names of its items, and why it is left out."""

    texts: Sequence[Sequence[str]]
    why: str = ""


@dataclass(frozen=True)
class LanguageColumn:
    """A language: how many words (or pairs) its test set has, and how many rows are left out, by reason."""

    size: int
    cells: Sequence[Cell]
    left_out: Sequence[tuple[str, int]]


class NamesInLanguage:
    """The words of a language beside others, and why there are none; each item is looked at once."""

    def __init__(self, provider: TestSetProvider, code: str) -> None:
        self._source, self._code = provider.in_memory, code
        has_words = code in provider.in_memory.counts
        sections = responses.every_section(provider, code) if has_words else ()
        self._sections = {section.name: section for section in sections}
        self.names: dict[str, ItemName] = {}
        self.reasons = ["", _NO_NAME]

    def column(self, query: Query) -> LanguageColumn:
        """A cell for each row of the answer to a query, which is available."""
        answer, section = self._source.answers[query], self._sections.get(query.name)
        kept = _rows(section) if section else set()
        if section:
            self.names |= {item: ItemName(texts) for item, texts in section.words_by_id.items()}
        unknown = dict.fromkeys(item for row in answer.rows for item in row if item not in self.names)
        found = {each.item: each for each in self._source.names(unknown, [self._code])} | dict(answer.names)
        for item in unknown:
            origin: Origin = "query" if item in answer.names else "label"
            self.names[item] = self._named(found.get(item, Names(item, {}, {})), origin)
        cells = [self._cell(row, is_kept=row in kept) for row in answer.rows]
        left_out = Counter(cell.why for cell in cells if cell.why).most_common()
        self.reasons += [why for why, _ in left_out if why not in self.reasons]
        return LanguageColumn(section.size if section else 0, cells, left_out)

    def _named(self, names: Names, origin: Origin) -> ItemName:
        label = names.labels.get(self._code) or names.labels.get(NEUTRAL)
        texts = [label] if label else list(names.aliases.get(self._code, ()))
        why = _NO_NAME
        if texts:
            why = ItemNames(names, responses.EVERY_WORD, origin).why_without_words(languages()[self._code])
        self.reasons += [why] if why not in self.reasons else []
        return ItemName(texts, why)

    def _cell(self, row: Row, *, is_kept: bool) -> Cell:
        named = [self.names[item] for item in row]
        texts = [each.texts for each in named]
        if is_kept:
            return Cell(texts)
        return Cell(
            texts, ", ".join(dict.fromkeys(each.why for each in named if each.why)) or _SAME[len(row) - 1]
        )


def _rows(section: Category | Relation) -> set[Row]:
    if isinstance(section, Relation):
        return {(pair.item, pair.of) for pair in section.pairs}
    return {(item.id,) for item in section.items}
