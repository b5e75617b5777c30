"""Messages for values that were given to the wrong option."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import regex

from testgen.errors import LanguageError, QueryError

_CLASS = regex.compile(r"Q[0-9]+")


def check_languages(given: Iterable[str]) -> None:
    """Refuse names of categories that were given as languages."""
    from testgen.languages import canonical
    from testgen.queries import shipped_titles

    for code in given:
        try:
            canonical(code)
        except LanguageError:
            if code in shipped_titles():
                raise LanguageError(
                    f"{code!r} is not a language but a category: use --category {code}"
                ) from None


def check_queries(categories: Iterable[str], files: Iterable[Path]) -> None:
    """Refuse languages, classes and files that were given as categories, and categories given as files."""
    from testgen.queries import shipped_titles

    known = shipped_titles()
    for name in categories:
        better = None if name in known else _better_option(name)
        if better:
            raise QueryError(f"{name!r} is not a category: use {better}")
    for path in files:
        if not path.exists() and str(path) in known:
            raise QueryError(f"there is no query file {path}; for the shipped category use --category {path}")


def _better_option(name: str) -> str | None:
    from testgen.languages import canonical

    if _CLASS.fullmatch(name):
        return f"--class {name}"
    if name.endswith(".rq"):
        return f"--query {name}"
    try:
        canonical(name)
    except LanguageError:
        return None
    return f"--language {name}"
