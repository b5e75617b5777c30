"""Language codes: the three-letter codes of ISO 639-3 are accepted beside the two-letter ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def longer_codes() -> Mapping[str, tuple[str, ...]]:
    """The three-letter codes of each two-letter code of ISO 639, as `fra fre` of `fr`."""
    rows = (files(__package__) / "iso639.tsv").read_text(encoding="utf-8").splitlines()
    return {code: tuple(longer.split()) for code, longer in (row.split("\t") for row in rows)}


def usual_code(code: str) -> str:
    """The code by which test sets name a language: `la` of `lat`; any code without a shorter one stays."""
    return next((short for short, longer in longer_codes().items() if code in longer), code)


def spellings(code: str) -> tuple[str, ...]:
    """All codes that mean the same language, the given one first."""
    short = usual_code(code)
    return tuple(dict.fromkeys([code, short, *longer_codes().get(short, ())]))
