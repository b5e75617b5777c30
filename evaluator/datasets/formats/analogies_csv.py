"""Analogy questions with their relation: CSV with the columns relation, a, b, c and d."""

from __future__ import annotations

from evaluator.datasets.parts import section
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import rows, sample_rows
from evaluator.errors import TestSetError

_COLUMNS = ["relation", "a", "b", "c", "d"]


def _names_columns(source: DataSetSource) -> bool:
    return sample_rows(source.sample[:1]) == [_COLUMNS]


@dataset_format("analogies-csv", rank=1, looks_like=_names_columns)
def read_analogies_csv(source: DataSetSource) -> TestSetContent:
    """A question a line; those of a relation, which need not follow each other, are one section.

    Raises:
        TestSetError: The first line is not `relation,a,b,c,d`, a line has not five fields, or none follows.
    """
    document = source.file
    table = rows(document)
    number, names = next(table)
    if names != _COLUMNS:
        document.fail(number, f"the columns are not named; the first line must be {','.join(_COLUMNS)}")
    sections: dict[str, list[tuple[str, str, str, str]]] = {}
    for number, row in table:
        if len(row) != len(_COLUMNS) or not all(row):
            document.fail(
                number, f"{len([*filter(None, row)])} of {len(_COLUMNS)} fields: {','.join(_COLUMNS)}"
            )
        relation, a, b, c, d = row
        sections.setdefault(relation, []).append((a, b, c, d))
    if not sections:
        raise TestSetError(f"{source.path}: no question follows the names of the columns")
    return TestSetContent(analogies=tuple(section(name, questions) for name, questions in sections.items()))
