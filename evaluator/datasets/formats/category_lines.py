"""A category a line: its name, then its words, parted by commas."""

from __future__ import annotations

from evaluator.datasets.parts import category
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import most, number, rows, sample_rows
from evaluator.datasets.testset import Category


def is_lists(source: DataSetSource) -> bool:
    """Three or more fields a line, none a number: lists of words, whose first may be a name."""
    table = sample_rows(source.sample, ",")
    words = [[field for field in row if field] for row in table]
    return most(len(row) > 2 and all(number(word) is None for word in row) for row in words)


@dataset_format("category-lines", rank=3, looks_like=is_lists)
def read_category_lines(source: DataSetSource) -> TestSetContent:
    """Lines `name,word,word,…`; empty fields at the end are left out.

    Raises:
        TestSetError: A line has no word, an empty field between others, or a name that was there before.
    """
    document = source.file
    categories: dict[str, Category] = {}
    for line, row in rows(document, ","):
        name, *words = row
        while words and not words[-1]:
            words.pop()
        if not name or not words or not all(words):
            document.fail(line, "an empty field, or no word; a name and its words are needed: name,word,word")
        if name in categories:
            document.fail(line, f"category {name!r} occurs twice; rename one of them")
        categories[name] = category(name, words)
    return TestSetContent(categories=tuple(categories.values()))
