"""Texts with a label each: label and text, a table with named columns, or fastText's `__label__x text`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.datasets.columns import column_named, columns_by_role, label_of
from evaluator.datasets.data_files import DROP, DataSetSource, most, rows
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import LabelledTexts, TestSet
from evaluator.errors import TestSetError

_PREFIX = "__label__"
_ROLES = ("label", "text")
_TEXT = ("text", "tweet", "sentence", "content", "review", "document", "comment", "utterance")
_LABEL = ("label", "sentiment", "handlabel", "polarity", "emotion")
_PERHAPS_LABEL = ("class", "category", "topic", "subject", "target")  # if there is none of these
_MOST_LABELS = 0.7  # of the texts: a label is that of several texts


def looks_like_labelled_texts(source: DataSetSource) -> bool:
    """The last field has spaces, and the one before it none; few of these are different."""
    found = [text_columns(line) for line in source.sample]
    if source.chosen:
        return most(
            "\t" in line and " " in text for line, (_, text) in zip(source.sample, found, strict=True)
        )
    labels = [label for label, _ in found if label]
    return _are_labels(labels) and most(
        bool(label) and " " not in label and " " in text for label, text in found
    )


def _are_labels(labels: Sequence[str]) -> bool:
    return len(labels) < 4 or len(set(labels)) <= _MOST_LABELS * len(labels)


def text_columns(line: str) -> tuple[str, str]:
    """The last two fields of a line with tabs: label and text."""
    before, _, text = line.rstrip().rpartition("\t")
    return before.rpartition("\t")[2].strip(' "'), text.strip()


@dataset_format(
    "labelled-texts",
    rank=3,
    looks_like=looks_like_labelled_texts,
    roles=_ROLES,
    what="labelled texts",
)
def read_labelled_texts(source: DataSetSource) -> TestSet:
    """Lines `label<TAB>text`, or with other columns before these, as in SemEval's `id<TAB>label<TAB>text`.

    White space separates the words of a text. What differs from text to text is no label. Other columns may
    be chosen by their numbers.
    """
    texts: list[tuple[str, tuple[str, ...]]] = []
    rows_: list[list[str]] = []
    chosen = {
        role: column_named(source.path, (), spec, max(map(_width, source.sample), default=0))
        for role, spec in source.chosen.items()
    }
    for number, line in source.file.lines:
        row = [each.strip(' "') for each in line.rstrip().split("\t")]
        label, text = text_columns(line)
        label = _field(row, chosen.get("label"), label)
        text = _field(row, chosen.get("text"), text)
        if not label or not text:
            source.file.fail(number, f"a label, a tab and a text are needed{DROP}")
        rows_.append(row)
        texts.append((label, tuple(text.split())))
    if "label" not in chosen:
        _refuse_no_label(source, rows_)
    labels = {label for label, _ in texts}
    width = _width(source.file.sample[0])
    return _test_set(
        source,
        texts,
        {role: str(chosen.get(role, width - back) + 1) for role, back in zip(_ROLES, (2, 1), strict=True)},
        {"label": _others(rows_, len(labels))} if width > 2 else {},
    )


def _width(line: str) -> int:
    return len(line.rstrip().split("\t"))


def _field(row: Sequence[str], column: int | None, otherwise: str) -> str:
    if column is None:
        return otherwise
    return row[column] if column < len(row) else ""


def _refuse_no_label(source: DataSetSource, table: Sequence[Sequence[str]]) -> None:
    """Refuse what stands before the text and is no label: it differs everywhere, or is a place in it."""
    places = [
        len(row) > 3
        and all(row[each].isdecimal() and int(row[each]) <= len(row[-1].split()) for each in (-3, -2))
        for row in table
    ]
    if most(places):
        raise TestSetError(
            f"{source.path}: the numbers before each text are two places in it, so that the label is of "
            "these and not of the text; if it is, choose it with columns= (--columns label=1)"
        )
    if not _are_labels([row[-2] for row in table if len(row) > 1]):
        raise TestSetError(
            f"{source.path}: what stands before each text differs from text to text, and is no label; "
            "choose the column of the label with columns= (--columns label=1)"
        )


def _others(table: Sequence[Sequence[str]], labels: int) -> list[str]:
    """The columns before the label that hold as few different texts."""
    width = min(map(len, table))
    columns = ([row[each] for row in table] for each in range(width - 2))
    return [str(each + 1) for each, fields in enumerate(columns) if 1 < len(set(fields)) <= max(labels, 2)]


def named_columns(source: DataSetSource, names: Sequence[str]) -> list[dict[str, int]]:
    """The columns of text and label by their names, those first that are surest; empty if one is missing."""
    found: list[dict[str, int]] = []
    for labels in ([each] for each in (*_LABEL, *_PERHAPS_LABEL)):
        columns = columns_by_role(source, names, {"text": _TEXT, "label": labels})
        sure = labels[0] in _LABEL or not found
        if columns is not None and columns["text"] != columns["label"] and sure and columns not in found:
            found.append(columns)
    return found


def looks_like_text_table(source: DataSetSource) -> bool:
    """The first row names a column of texts and one of labels."""
    try:
        return bool(named_columns(source, source.columns))
    except TestSetError:  # reading says which column is not there
        return True


@dataset_format("text-table", rank=1, looks_like=looks_like_text_table, roles=_ROLES)
def read_text_table(source: DataSetSource) -> TestSet:
    """A table whose first row names a column of texts and one of labels, such as `text` and `sentiment`.

    Several columns of labels that divide the texts in different ways are refused.
    """
    (first, names), *table = rows(source.file)
    found = named_columns(source, names)
    if not found:
        known = f"a column of texts ({', '.join(_TEXT)}) and one of labels ({', '.join(_LABEL)})"
        source.file.fail(first, f"the first line must name {known}, or choose them with --columns")
    (text, label), *others = ((each["text"], each["label"]) for each in found)
    if not table:
        source.file.fail(first, "no text follows the names of the columns")
    texts = []
    for number, row in table:
        if len(row) <= max(text, label) or not row[text] or not row[label]:
            source.file.fail(number, f"a {names[label]} and a {names[text]} are needed{DROP}")
        texts.append((row[label], tuple(row[text].split())))
    for _, other in others:
        pairs = {(row[label], row[other]) for _, row in table if len(row) > other}
        if not len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs}):
            listed = " or ".join(repr(label_of(names, each)) for each in (label, other))
            raise TestSetError(
                f"{source.path}: the labels may be in {listed}; choose with --columns "
                f"label={label_of(names, label)} (columns=)"
            )
    columns = {"label": label_of(names, label), "text": label_of(names, text)}
    return _test_set(source, texts, columns, {"label": [label_of(names, other) for _, other in others]})


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


def _test_set(
    source: DataSetSource,
    texts: list[tuple[str, tuple[str, ...]]],
    columns: Mapping[str, str] | None = None,
    others: Mapping[str, Sequence[str]] | None = None,
) -> TestSet:
    name = source.file.stem
    labelled = LabelledTexts(name, name, tuple(texts))
    return source.test_set(columns=columns, others=others, labelled_texts=(labelled,))
