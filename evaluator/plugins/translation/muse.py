"""Bilingual dictionaries in the format of MUSE: `source target`, a pair a line."""

from __future__ import annotations

import re

from evaluator.plugins import (
    DROP,
    DataSetSource,
    dataset_format,
    most,
)
from evaluator.plugins.translation.dictionary import Dictionary, TranslatedItem, TranslationList

_CODE = "([a-z]{2,3}(?:-[a-z]{4,})?)"
_NAME = re.compile(rf"{_CODE}-{_CODE}(?:\.[\w-]+)?\.txt(?:\.gz)?")


def looks_like_muse(source: DataSetSource) -> bool:
    """Two words a line in a file named after two languages, such as `en-it.0-5000.txt`."""
    return _NAME.fullmatch(source.name) is not None and most(len(line.split()) == 2 for line in source.sample)


@dataset_format("muse", rank=0, looks_like=looks_like_muse)
def read_muse(source: DataSetSource) -> Dictionary:
    """A word and its translation, with white space between; a word on several lines has several translations.

    The name of the file states the languages, as `en-it.txt` or `en-it.5000-6500.txt`; of another name the
    caller names the first one. Each word is an item of its own.
    """
    file = source.file
    found: dict[str, dict[str, None]] = {}
    for number, line in file.lines:
        words = line.split()
        if len(words) != 2:
            file.fail(number, f"a word and its translation are needed, and nothing else{DROP}")
        found.setdefault(words[0], {})[words[1]] = None
    items = tuple(TranslatedItem(word, (word,), tuple(others)) for word, others in found.items())
    codes = _NAME.fullmatch(source.name)
    language, target = (codes[1], codes[2]) if codes else (None, "und")
    of_file = language or source.language, source.name, source.sha256
    return Dictionary(*of_file, translations=(TranslationList(file.stem, file.stem, items),), target=target)
