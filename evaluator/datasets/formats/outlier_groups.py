"""Outlier groups: a file for each (50-8-8, WikiSem500), or a table of Python lists (8-8-8)."""

from __future__ import annotations

import ast
import re

from evaluator.datasets.data_files import DataFile, DataSetSource, most, named_rows, unix_line_ends
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import OutlierGroup, TestSet
from evaluator.errors import TestSetError

_COLUMNS = ("category", "outliers", "words")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SEVERAL_FIELDS = re.compile(r"[\t,;:]")


def looks_like_two_blocks(source: DataSetSource) -> bool:
    """One word per line, and blank lines in one position."""
    file = source.files[0]
    single_words = most(not _SEVERAL_FIELDS.search(line) for line in file.sample)
    return single_words and len(blocks_of_lines(file.content.decode("utf-8", errors="replace"))) == 2


def blocks_of_lines(text: str) -> list[str]:
    """The blocks of text between blank lines."""
    return [block for block in _BLANK_LINES.split(unix_line_ends(text).strip()) if block.strip()]


@dataset_format("outliers", rank=2, looks_like=looks_like_two_blocks)
def read_outliers(source: DataSetSource) -> TestSet:
    """One word per line: the members of the group, a blank line, its outliers; a group has its file's name.

    Words that occur twice are kept twice. If a folder or archive has a folder named as the language, as
    WikiSem500 has, only that folder is read.
    """
    groups: dict[str, OutlierGroup] = {}
    of_language = [each for each in source.files if source.language in each.name.split("/")[:-1]]
    for file in of_language or source.files:
        name = file.stem
        if name in groups:
            folders = sorted({each.name.split("/")[0] for each in source.files if "/" in each.name})
            raise TestSetError(
                f"{file.path}: a second file is called {name!r}; choose the folder of one language with "
                f"--language (language=): {', '.join(folders)}; or rename one of them"
            )
        blocks = blocks_of_lines(file.text)
        if len(blocks) != 2:
            raise TestSetError(
                f"{file.path}: {len(blocks)} blocks of lines; members, a blank line and outliers are needed"
            )
        groups[name] = OutlierGroup(name, name, *(tuple(map(str.strip, each.split("\n"))) for each in blocks))
    return source.test_set(outlier_groups=tuple(groups.values()))


@dataset_format(
    "outliers-csv", rank=1, looks_like=lambda source: set(_COLUMNS) <= {*source.files[0].first_row(",")}
)
def read_outliers_csv(source: DataSetSource) -> TestSet:
    """Columns category, outliers and words, the last two `['a', 'b', …]`; empty words are dropped."""
    file = source.file
    groups: dict[str, OutlierGroup] = {}
    for line, row in named_rows(file, _COLUMNS, ","):
        name, *lists = (row[column] for column in _COLUMNS)
        file.refuse_again(line, "group", name, groups)
        outliers, members = (_words_of_list(file, line, each) for each in lists)
        groups[name] = OutlierGroup(name, name, members, outliers)
    return source.test_set(outlier_groups=tuple(groups.values()))


def _words_of_list(file: DataFile, line: int, text: str) -> tuple[str, ...]:
    """The words of a list; only a literal is read, nothing is executed."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        file.fail(line, f"{text[:40]!r} is not a list of words such as ['a', 'b']")
    words = tuple(word.strip() for word in value if word.strip())
    if not words:
        file.fail(line, "a list without words; a group needs members and outliers")
    return words
