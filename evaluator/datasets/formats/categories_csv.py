"""Words with their category, in a table with columns of these names: AP, BLESS, ESSLLI, Battig."""

from __future__ import annotations

from evaluator.datasets.parts import category
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import rows, sample_rows


def _names_columns(source: DataSetSource) -> bool:
    (names,) = sample_rows(source.sample[:1]) or [[]]
    return {"category", "word"} <= {name.lower() for name in names}


@dataset_format("categories-csv", rank=1, looks_like=_names_columns)
def read_categories_csv(source: DataSetSource) -> TestSetContent:
    """A word a line, by tab, semicolon or comma; the first line names the columns `category` and `word`.

    Lines without a word are left out: AP and BLESS go around with one at the end of each category.

    Raises:
        TestSetError: A column is missing, or a line has more or fewer fields than the first or no category.
    """
    document = source.file
    table = rows(document)
    line, header = next(table)
    names = [name.lower() for name in header]
    if not {"category", "word"} <= set(names):
        document.fail(line, "the first line must name the columns category and word")
    words: dict[str, list[str]] = {}
    for line, row in table:
        if len(row) != len(names):
            document.fail(line, f"{len(row)} fields; the first line names {len(names)}")
        name, word = row[names.index("category")], row[names.index("word")]
        if not name:
            document.fail(line, "the category is empty")
        words.setdefault(name, []).extend([word] if word else [])
    if not words:
        document.fail(line, "no word follows the names of the columns")
    return TestSetContent(categories=tuple(category(name, of_name) for name, of_name in words.items()))
