"""Where vectors of a language can be had: what others published, as they state it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from testgen.languages.codes import languages
from testgen.languages.registry import rows_of

TABLE = Path(__file__).with_suffix(".tsv")


class PublishedVectors(NamedTuple):
    """Published vectors, with the page of their authors; nothing of it was fetched."""

    models: str
    page: str
    licence: str
    cite: str
    languages: frozenset[str]


@cache
def _every() -> tuple[PublishedVectors, ...]:
    return tuple(
        PublishedVectors(
            row["models"], row["page"], row["licence"], row["cite"], frozenset(row["languages"].split())
        )
        for row in rows_of(TABLE)
    )


def published_vectors(code: str) -> list[PublishedVectors]:
    """Those of a language; of a variant, those of the whole language too."""
    codes = {code, languages()[code].whole}
    return [each for each in _every() if not codes.isdisjoint(each.languages)]
