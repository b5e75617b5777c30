"""Texts with their class: a label, a tab and a text a line."""

from __future__ import annotations

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import most
from evaluator.datasets.testset import LabelledTexts


def _has_texts(source: DataSetSource) -> bool:
    """A field without spaces, and one with some."""
    parts = [line.strip().partition("\t") for line in source.sample]
    return most(
        bool(label) and " " not in label and " " in text and "\t" not in text for label, _, text in parts
    )


@dataset_format("labelled-texts", rank=3, looks_like=_has_texts)
def read_labelled_texts(source: DataSetSource) -> TestSetContent:
    """Lines `label<TAB>text`; the words of a text are parted by white space.

    Raises:
        TestSetError: A line has no tab, no label or no text.
    """
    document = source.file
    texts = []
    for number, line in document.lines:
        label, _, text = line.partition("\t")
        if not label.strip() or not text.strip():
            document.fail(number, "a label, a tab and a text are needed")
        texts.append((label.strip(), tuple(text.split())))
    return TestSetContent(labelled_texts=(LabelledTexts(document.stem, document.stem, tuple(texts)),))
