"""A category a line, without a name: words parted by commas."""

from __future__ import annotations

from evaluator.datasets.formats.category_lines import is_lists
from evaluator.datasets.parts import category
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import rows
from evaluator.datasets.testset import Category


@dataset_format("word-lines", rank=3, looks_like=is_lists)
def read_word_lines(source: DataSetSource) -> TestSetContent:
    """Lines `word,word,…`, each a category called `line 1` and so on; empty fields at the end are left out.

    Raises:
        TestSetError: A line has an empty field between others.
    """
    document = source.file
    categories: list[Category] = []
    for line, words in rows(document, ","):
        while not words[-1]:
            words.pop()
        if not all(words):
            document.fail(line, "an empty field; only words are needed: word,word,word")
        categories.append(category(f"line {line}", words))
    return TestSetContent(categories=tuple(categories))
