"""The category files of gensim-evaluations: `:name` on a line, its words on the next."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evaluator.datasets.parts import category
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataFile, DataSetSource
from evaluator.datasets.table import SPACE, fields, most
from evaluator.errors import TestSetError

# `:)` and `:( :(` begin lines of words; a name begins with a letter or digit, perhaps in brackets or quotes.
_HEADER = re.compile(r":\s*([(\[{\"'«“]*\w.*)")


def _has_categories(source: DataSetSource) -> bool:
    """Headers, unless what follows them is as likely four words of an analogy.

    Those have a space after the colon and several lines of a section, category files neither.
    """
    headers = [line.strip() for line in source.sample if header(line)]
    lines = [line for line in source.sample if not header(line)]
    if not headers or not most(len(fields(line, SPACE)) == 4 for line in lines):
        return bool(headers)
    return len(lines) <= len(headers) or not most(line.startswith(": ") for line in headers)


@dataset_format("categories", rank=2, looks_like=_has_categories)
def read_categories(source: DataSetSource) -> TestSetContent:
    """Categories of words parted by spaces, over one or more lines; one without words stays, to be named.

    Raises:
        TestSetError: There are words before the first header, a name twice, or no category.
    """
    words = words_by_name(source.file)
    if not words:
        raise TestSetError(
            f"{source.path}: no category in it; a category is a line `:name` and a line of words"
        )
    return TestSetContent(categories=tuple(category(name, of_name) for name, of_name in words.items()))


def header(line: str) -> str | None:
    """The name, if a line is a header."""
    found = _HEADER.fullmatch(line.strip())
    return found[1] if found else None


def words_by_name(document: DataFile) -> dict[str, list[str]]:
    """The words of each category; only spaces part them, for labels may hold other white space.

    Raises:
        TestSetError: There are words before the first header, or a name twice.
    """
    found: dict[str, list[str]] = {}
    of_name: list[str] | None = None
    for number, line in document.lines:
        name = header(line)
        if name is not None:
            if name in found:
                document.fail(number, f"category {name!r} occurs twice; rename one of them")
            of_name = found[name] = []
        elif of_name is None:
            document.fail(number, "words before any category; add a line `:name` first")
        else:
            of_name += _words(line.split(" "))
    return found


def _words(parts: Iterable[str]) -> list[str]:
    return [part.strip() for part in parts if part.strip()]
