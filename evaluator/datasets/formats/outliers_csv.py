"""Outlier groups as CSV with lists of Python: the set 8-8-8 as it goes around."""

from __future__ import annotations

import ast

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataFile, DataSetSource
from evaluator.datasets.table import rows, sample_rows
from evaluator.datasets.testset import OutlierGroup

_COLUMNS = ("category", "outliers", "words")


def _names_columns(source: DataSetSource) -> bool:
    (names,) = sample_rows(source.sample[:1], ",") or [[]]
    return set(_COLUMNS) <= set(names)


@dataset_format("outliers-csv", rank=1, looks_like=_names_columns)
def read_outliers_csv(source: DataSetSource) -> TestSetContent:
    """Columns category, outliers and words, the latter two `['a', 'b', …]`; empty words are dropped.

    Raises:
        TestSetError: A column is missing, a field is no list of words, or a group occurs twice.
    """
    document = source.file
    table = rows(document, ",")
    line, names = next(table)
    if not set(_COLUMNS) <= set(names):
        document.fail(line, f"the first line must name the columns {', '.join(_COLUMNS)}")
    groups: dict[str, OutlierGroup] = {}
    for line, row in table:
        if len(row) != len(names):
            document.fail(line, f"{len(row)} fields; the first line names {len(names)}")
        name, outliers, members = (row[names.index(column)] for column in _COLUMNS)
        if name in groups:
            document.fail(line, f"group {name!r} occurs twice; rename one of them")
        groups[name] = OutlierGroup(
            name, name, _words(document, line, members), _words(document, line, outliers)
        )
    if not groups:
        document.fail(line, "no group follows the names of the columns")
    return TestSetContent(outlier_groups=tuple(groups.values()))


def _words(document: DataFile, line: int, text: str) -> tuple[str, ...]:
    """The words of a list; only a literal is read, nothing is run."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        document.fail(line, f"{text[:40]!r} is not a list of words such as ['a', 'b']")
    words = tuple(word.strip() for word in value if word.strip())
    if not words:
        document.fail(line, "a list without words; a group needs members and outliers")
    return words
