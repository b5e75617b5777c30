"""Texts with a label each: label and text, a table with named columns, or fastText's `__label__x text`."""

from __future__ import annotations

from evaluator.datasets.data_files import DataSetSource, most, rows
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import LabelledTexts, TestSet

_PREFIX = "__label__"
_TEXT = ("text", "tweet", "sentence")
_LABEL = ("label", "sentiment", "handlabel")


def looks_like_labelled_texts(source: DataSetSource) -> bool:
    """The last field has spaces, and the one before it none."""
    found = [text_columns(line) for line in source.sample]
    return most(bool(label) and " " not in label and " " in text for label, text in found)


def text_columns(line: str) -> tuple[str, str]:
    """The last two fields of a line with tabs: label and text."""
    before, _, text = line.rstrip().rpartition("\t")
    return before.rpartition("\t")[2].strip(' "'), text.strip()


@dataset_format("labelled-texts", rank=3, looks_like=looks_like_labelled_texts)
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


def named_columns(names: list[str]) -> list[int]:
    """The first column of texts and the first one of labels, by their names; fewer if there is none."""
    lower = [name.lower() for name in names]
    found = (
        next((lower.index(name) for name in lower if name in wanted), None) for wanted in (_TEXT, _LABEL)
    )
    return [column for column in found if column is not None]


@dataset_format("text-table", rank=1, looks_like=lambda source: len(named_columns(source.columns)) == 2)
def read_text_table(source: DataSetSource) -> TestSet:
    """A table whose first row names a column of texts and one of labels, such as `text` and `sentiment`."""
    (_, names), *table = rows(source.file)
    columns = named_columns(names)
    if len(columns) < 2:
        wanted = "a column of texts (text, tweet or sentence) and one of labels (label, sentiment, HandLabel)"
        source.file.fail(1, f"the first line must name {wanted}")
    text, label = columns
    if not table:
        source.file.fail(1, "no text follows the names of the columns")
    texts = []
    for number, row in table:
        if len(row) <= max(text, label) or not row[text] or not row[label]:
            source.file.fail(number, f"a {names[label]} and a {names[text]} are needed")
        texts.append((row[label], tuple(row[text].split())))
    return _test_set(source, texts)


@dataset_format(
    "fasttext",
    rank=1,
    looks_like=lambda source: most(line.lstrip().startswith(_PREFIX) for line in source.sample),
)
def read_fasttext(source: DataSetSource) -> TestSet:
    """Lines `__label__x text`; white space separates the words of a text."""
    texts = []
    for number, line in source.file.lines:
        label, *words = line.split()
        if label == _PREFIX or not label.startswith(_PREFIX):
            source.file.fail(number, f"no label; a line begins with {_PREFIX} and its label")
        if not words or words[0].startswith(_PREFIX):
            source.file.fail(number, "one label and a text are needed; several labels cannot be read")
        texts.append((label.removeprefix(_PREFIX), tuple(words)))
    return _test_set(source, texts)


def _test_set(source: DataSetSource, texts: list[tuple[str, tuple[str, ...]]]) -> TestSet:
    name = source.file.stem
    return source.test_set(labelled_texts=(LabelledTexts(name, name, tuple(texts)),))
