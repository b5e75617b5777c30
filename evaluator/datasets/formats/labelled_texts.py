"""Texts with a label each: label and text, a table with named columns, or fastText's `__label__x text`."""

from __future__ import annotations

from evaluator.datasets import recognition
from evaluator.datasets.data_files import DataSetSource, rows
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.recognition import (
    LABEL_COLUMNS,
    LABEL_PREFIX,
    TEXT_COLUMNS,
    column_named,
    text_columns,
)
from evaluator.datasets.testset import LabelledTexts, TestSet


@dataset_format("labelled-texts", rank=3, looks_like=recognition.looks_like_labelled_texts)
def read_labelled_texts(source: DataSetSource) -> TestSet:
    """Lines `label<TAB>text`, or with other columns before these, as in SemEval's `id<TAB>label<TAB>text`.

    White space separates the words of a text.
    """
    texts = []
    for number, line in source.file.lines:
        label, text = text_columns(line)
        if not label or not text:
            source.file.fail(number, "a label, a tab and a text are needed")
        texts.append((label, tuple(text.split())))
    return _test_set(source, texts)


@dataset_format("text-table", rank=1, looks_like=recognition.has_text_columns)
def read_text_table(source: DataSetSource) -> TestSet:
    """A table whose first row names a column of texts and one of labels, such as `text` and `sentiment`."""
    (_, names), *table = rows(source.file)
    text, label = (column_named(names, wanted) for wanted in (TEXT_COLUMNS, LABEL_COLUMNS))
    if text is None or label is None:
        wanted = "a column of texts (text, tweet or sentence) and one of labels (label, sentiment, HandLabel)"
        source.file.fail(1, f"the first line must name {wanted}")
    if not table:
        source.file.fail(1, "no text follows the names of the columns")
    texts = []
    for number, row in table:
        if len(row) <= max(text, label) or not row[text] or not row[label]:
            source.file.fail(number, f"a {names[label]} and a {names[text]} are needed")
        texts.append((row[label], tuple(row[text].split())))
    return _test_set(source, texts)


@dataset_format("fasttext", rank=1, looks_like=recognition.looks_like_fasttext)
def read_fasttext(source: DataSetSource) -> TestSet:
    """Lines `__label__x text`; white space separates the words of a text."""
    texts = []
    for number, line in source.file.lines:
        label, *words = line.split()
        if label == LABEL_PREFIX or not label.startswith(LABEL_PREFIX):
            source.file.fail(number, f"no label; a line begins with {LABEL_PREFIX} and its label")
        if not words or words[0].startswith(LABEL_PREFIX):
            source.file.fail(number, "one label and a text are needed; several labels cannot be read")
        texts.append((label.removeprefix(LABEL_PREFIX), tuple(words)))
    return _test_set(source, texts)


def _test_set(source: DataSetSource, texts: list[tuple[str, tuple[str, ...]]]) -> TestSet:
    name = source.file.stem
    return source.test_set(labelled_texts=(LabelledTexts(name, name, tuple(texts)),))
