"""The start page, with a search over languages and categories."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from testgen.languages import languages, written_in_script_of
from testgen.serve import responses
from testgen.serve.api import ProviderDep, Search
from testgen.serve.pages.browse import with_variants
from testgen.serve.pages.rendering import render
from testgen.serve.provider import TestSetProvider
from testgen.serve.search import SIMILAR

router = APIRouter()

_MOST_FOUND = 8
# Languages with different scripts, so that a visitor sees what "in hundreds of languages" means.
_EXAMPLE_LANGUAGES = (
    "la", "el", "ar", "hi", "am", "ka", "he", "te", "ru", "hy", "th", "my", "bo", "chr", "ko", "ja",
)  # fmt: skip


@router.get("/")
def start(request: Request, provider: ProviderDep, q: Search = "") -> Response:
    """A description of the service, a search, and links to the other pages."""
    sought = q.strip()
    meant = search(provider, sought) if sought else None
    return render(request, "start", q=sought, found=meant, most=_MOST_FOUND, example=example(provider))


def search(provider: TestSetProvider, text: str) -> dict[str, Any]:
    """Languages and categories that a text may mean, the best match first.

    `similar` is true if nothing has the text in its names, and these are those with similar names.
    """
    languages = responses.language_ranks(provider, text).values()
    categories = responses.category_ranks(provider, text).values()
    similar = min([*languages, *categories], default=SIMILAR) == SIMILAR
    # Names that are only similar are not shown beside those that fit.
    show_languages, show_categories = (
        similar or SIMILAR not in languages,
        similar or SIMILAR not in categories,
    )
    return {
        "similar": similar,
        "languages": with_variants(responses.all_languages(provider, text)) if show_languages else [],
        "categories": responses.all_categories(provider, text) if show_categories else [],
    }


def example(provider: TestSetProvider) -> list[tuple[str, str, str]]:
    """Language code, language name and word for one item, in several languages; empty if there are few."""
    in_memory = provider.in_memory
    codes = [code for code in _EXAMPLE_LANGUAGES if code in in_memory.coverage.index]
    best: list[tuple[str, str, str]] = []
    for name in ("country", "continent", "planet", *list(in_memory.queries)[:3]):
        if name in in_memory.queries:
            item = in_memory.items(in_memory.queries[name])[0]
            labels = ((code, in_memory.label(item, code) or "") for code in codes)
            named = [
                (code, languages()[code].name, label)
                for code, label in labels
                if written_in_script_of(label, code)
            ]
            best = max(best, named, key=len)
        if len(best) >= len(_EXAMPLE_LANGUAGES) // 2:
            break
    return best[:10] if len(best) > 2 else []
