"""Outlier groups: a file for each (50-8-8, WikiSem500), or a table of Python lists (8-8-8)."""

from __future__ import annotations

import ast
import re

from evaluator.datasets.columns import (
    OUTLIER_COLUMNS,
    NamedTable,
    has_columns,
    truth_of,
    two_languages,
)
from evaluator.datasets.data_files import DROP, DataFile, DataSetSource, most, unix_line_ends
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import OutlierGroup, TestSet
from evaluator.datasets.unknown import is_tagged_text
from evaluator.errors import TestSetError

_LISTS = {"category": ("category",), "outliers": ("outliers",), "words": ("words",)}
_WORDS = {"category": ("category",), "word": ("word",), "outlier": OUTLIER_COLUMNS}
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SEVERAL_FIELDS = re.compile(r"[\t,;:]")


def looks_like_two_blocks(source: DataSetSource) -> bool:
    """One word per line, and blank lines in one position."""
    file = source.files[0]
    single_words = most(not _SEVERAL_FIELDS.search(line) for line in file.sample)
    if is_tagged_text(file.sample):
        return False
    text = file.content.decode("utf-8", errors="replace")
    return single_words and len(blocks_of_lines(text)) == 2 and two_languages(file.name) is None


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
        blocks = blocks_of_lines("\n".join(line for _, line in file.all_lines).strip())
        if len(blocks) != 2:
            raise TestSetError(
                f"{file.path}: {len(blocks)} blocks of lines; members, a blank line and outliers are needed"
            )
        groups[name] = OutlierGroup(name, name, *(tuple(map(str.strip, each.split("\n"))) for each in blocks))
    return source.test_set(outlier_groups=tuple(groups.values()))


def looks_like_outliers_csv(source: DataSetSource) -> bool:
    """Columns of lists, or of words and of whether each is an outlier."""
    return has_columns(source, _LISTS, ",") or has_columns(source, _WORDS)


@dataset_format("outliers-csv", rank=1, looks_like=looks_like_outliers_csv, roles=_WORDS)
def read_outliers_csv(source: DataSetSource) -> TestSet:
    """A row for each group or for each word.

    The columns are category, outliers and words, the last two `['a', 'b', …]`, in which empty words are
    dropped; or category, word and is_outlier (true or false, yes or no, 1 or 0), as vecto has them.
    """
    if has_columns(source, _WORDS):
        return _of_words(source)
    file, table = source.file, NamedTable(source, _LISTS, ",")
    groups: dict[str, OutlierGroup] = {}
    for line, row in table:
        name = row["category"]
        file.refuse_again(line, "group", name, groups)
        members, outliers = (_words_of_list(file, line, row[each]) for each in ("words", "outliers"))
        groups[name] = OutlierGroup(name, name, members, outliers)
    return source.test_set(columns=table.columns, outlier_groups=tuple(groups.values()))


def _of_words(source: DataSetSource) -> TestSet:
    file, table = source.file, NamedTable(source, _WORDS)
    words: dict[str, tuple[list[str], list[str]]] = {}
    for line, row in table:
        is_outlier = truth_of(row["outlier"])
        if is_outlier is None or not row["category"] or not row["word"]:
            file.fail(line, f"a category, a word and true or false are needed, not {row['outlier']!r}{DROP}")
        words.setdefault(row["category"], ([], []))[is_outlier].append(row["word"])
    for name, (members, outliers) in words.items():
        if not members or not outliers:
            raise TestSetError(f"{file.path}: the group {name!r} needs members and outliers")
    groups = (OutlierGroup(name, name, *map(tuple, each)) for name, each in words.items())
    return source.test_set(columns=table.columns, outlier_groups=tuple(groups))


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
