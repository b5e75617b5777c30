"""A word and its category a line, parted by a tab, without names of columns: Battig as it goes around."""

from __future__ import annotations

from evaluator.datasets.parts import category
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import fields, number


def _repeats_categories(source: DataSetSource) -> bool:
    """Two fields, the second of which is one of few, no number, and not alternatives (`a/b`)."""
    pairs = [fields(line, "\t") for line in source.sample]
    seconds = [pair[1] for pair in pairs if len(pair) == 2 and all(pair)]
    plain = [text for text in seconds if "/" not in text and number(text) is None]
    return 2 * len(plain) > len(pairs) and 2 * len(set(seconds)) <= len(seconds)


@dataset_format("word-category", rank=3, looks_like=_repeats_categories)
def read_word_category(source: DataSetSource) -> TestSetContent:
    """Lines `word<TAB>category`.

    Raises:
        TestSetError: A line has not two fields.
    """
    document = source.file
    words: dict[str, list[str]] = {}
    for line_number, line in document.lines:
        parts = fields(line, "\t")
        if len(parts) != 2 or not all(parts):
            document.fail(line_number, f"{len(parts)} fields; a word, a tab and its category are needed")
        words.setdefault(parts[1], []).append(parts[0])
    return TestSetContent(categories=tuple(category(name, of_name) for name, of_name in words.items()))
