"""Texts with a label each: `label<TAB>text`, or fastText's `__label__x text`."""

from __future__ import annotations

from evaluator.datasets import recognition
from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import TestSetContent, dataset_format
from evaluator.datasets.recognition import LABEL_PREFIX
from evaluator.datasets.testset import LabelledTexts


@dataset_format("labelled-texts", rank=3, looks_like=recognition.looks_like_labelled_texts)
def read_labelled_texts(source: DataSetSource) -> TestSetContent:
    """Lines `label<TAB>text`; white space separates the words of a text.

    Raises:
        TestSetError: A line has no tab, no label or no text.
    """
    texts = []
    for number, line in source.file.lines:
        label, _, text = line.partition("\t")
        if not label.strip() or not text.strip():
            source.file.fail(number, "a label, a tab and a text are needed")
        texts.append((label.strip(), tuple(text.split())))
    return _content(source, texts)


@dataset_format("fasttext", rank=1, looks_like=recognition.looks_like_fasttext)
def read_fasttext(source: DataSetSource) -> TestSetContent:
    """Lines `__label__x text`; white space separates the words of a text.

    Raises:
        TestSetError: A line does not begin with one label, or has no text.
    """
    texts = []
    for number, line in source.file.lines:
        label, *words = line.split()
        if label == LABEL_PREFIX or not label.startswith(LABEL_PREFIX):
            source.file.fail(number, f"no label; a line begins with {LABEL_PREFIX} and its label")
        if not words or words[0].startswith(LABEL_PREFIX):
            source.file.fail(number, "one label and a text are needed; several labels cannot be read")
        texts.append((label.removeprefix(LABEL_PREFIX), tuple(words)))
    return _content(source, texts)


def _content(source: DataSetSource, texts: list[tuple[str, tuple[str, ...]]]) -> TestSetContent:
    name = source.file.stem
    return TestSetContent(labelled_texts=(LabelledTexts(name, name, tuple(texts)),))
