"""Texts with their class as fastText reads them: `__label__x` before the text."""

from __future__ import annotations

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import most
from evaluator.datasets.testset import LabelledTexts

_PREFIX = "__label__"


def _has_labels(source: DataSetSource) -> bool:
    return bool(source.sample) and most(line.lstrip().startswith(_PREFIX) for line in source.sample)


@dataset_format("fasttext", rank=1, looks_like=_has_labels)
def read_fasttext(source: DataSetSource) -> TestSetContent:
    """Lines `__label__x text`; the words of a text are parted by white space.

    Raises:
        TestSetError: A line does not begin with one label, or has no text.
    """
    document = source.file
    texts = []
    for number, line in document.lines:
        label, *words = line.split()
        if label == _PREFIX or not label.startswith(_PREFIX):
            document.fail(number, f"no label; a line begins with {_PREFIX} and its label")
        if not words or words[0].startswith(_PREFIX):
            document.fail(number, "one label and a text are needed: a text has one class here")
        texts.append((label.removeprefix(_PREFIX), tuple(words)))
    return TestSetContent(labelled_texts=(LabelledTexts(document.stem, document.stem, tuple(texts)),))
