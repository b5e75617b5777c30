"""Bilingual dictionaries in the format of MUSE: `source target`, a pair a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.plugins import (
    DROP,
    SPACE,
    DataSetSource,
    NamedTable,
    are_relation_pairs,
    are_two_words,
    dataset_format,
    has_columns,
    rows,
    separator_of,
    two_fields,
    two_languages,
)
from evaluator.plugins.translation.dictionary import Dictionary, TranslatedItem, TranslationList

_COLUMNS = {"word": ("word", "source"), "translation": ("translation", "target")}


def looks_like_muse(source: DataSetSource) -> bool:
    """Two words a line, in a file named after two languages, or not known to be pairs of one relation."""
    if source.is_folder or not are_two_words(source.sample):
        return False
    named = two_languages(source.name) is not None
    return named or not (are_relation_pairs(source) or _are_labels(source.sample))


def _are_labels(lines: Sequence[str]) -> bool:
    """Whether the same words stand before texts."""
    pairs = [line.partition("\t") for line in lines]
    firsts = [first for first, _, second in pairs if " " not in first and " " in second]
    return 2 * len(firsts) > len(pairs) and len(set(firsts)) < len(firsts)


@dataset_format("muse", rank=3, looks_like=looks_like_muse, roles=_COLUMNS, what="a dictionary")
def read_muse(source: DataSetSource) -> Dictionary:
    """A word and its translation; a word on several lines has several translations.

    A tab, semicolon or comma stands between them, or spaces; other columns only if a first line names those
    of `word` and `translation`. The name of the file states the languages, as `en-it.txt` or
    `en-it.5000-6500.txt`; of another name the caller names the first one. Each word is an item of its own.
    """
    found: dict[str, dict[str, None]] = {}
    table = NamedTable(source, _COLUMNS) if source.chosen or has_columns(source, _COLUMNS) else None
    pairs = _pairs(source) if table is None else ((row["word"], row["translation"]) for _, row in table)
    for word, other in pairs:
        found.setdefault(word, {})[other] = None
    items = tuple(TranslatedItem(word, (word,), tuple(others)) for word, others in found.items())
    language, target = two_languages(source.name) or (None, "und")
    name = source.file.stem
    return source.test_set(
        language,
        kind=Dictionary,
        columns=table.columns if table else None,
        translations=(TranslationList(name, name, items),),
        target=target,
    )


def _pairs(source: DataSetSource) -> Iterator[tuple[str, str]]:
    file = source.file
    separator = separator_of(file.sample)
    if separator in ",;":
        for number, row in rows(file, separator):
            if len(row) != 2 or not all(row):
                file.fail(number, f"{len(row)} fields; a word and its translation are needed{DROP}")
            yield row[0], row[1]
        return
    for number, line in file.lines:  # a file may have both tabs and spaces
        yield two_fields(file, number, line, "translation", "\t" if "\t" in line else SPACE)
