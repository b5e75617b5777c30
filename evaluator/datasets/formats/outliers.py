"""Outlier groups, a file for each: 50-8-8, WikiSem500."""

from __future__ import annotations

import re

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import most
from evaluator.datasets.testset import OutlierGroup
from evaluator.errors import TestSetError

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_SEVERAL_FIELDS = re.compile(r"[\t,;:]")


def _is_two_lists(source: DataSetSource) -> bool:
    """A word a line, and blank lines at one place."""
    document = source.documents[0]
    words_alone = most(not _SEVERAL_FIELDS.search(line) for line in document.sample)
    return words_alone and len(_blocks(document.content.decode("utf-8", errors="replace"))) == 2


@dataset_format("outliers", rank=2, looks_like=_is_two_lists)
def read_outliers(source: DataSetSource) -> TestSetContent:
    """A word a line, the members of the group, a blank line, its outliers; a group has its file's name.

    Words that are there twice stay so. Of a folder or archive that has a folder named as the language,
    as WikiSem500 has, only that folder is read.

    Raises:
        TestSetError: A file has not two blocks of words, or two files have the same name.
    """
    groups: dict[str, OutlierGroup] = {}
    of_language = [each for each in source.documents if source.language in each.name.split("/")[:-1]]
    for document in of_language or source.documents:
        name = document.stem
        if name in groups:
            raise TestSetError(
                f"{document.place}: a second file is called {name!r}; name the folder of one language "
                "with language=, or rename one of them"
            )
        blocks = _blocks(document.text)
        if len(blocks) != 2:
            raise TestSetError(
                f"{document.place}: {len(blocks)} blocks of lines; "
                "members, a blank line and outliers are needed"
            )
        groups[name] = OutlierGroup(name, name, *map(_words, blocks))
    return TestSetContent(outlier_groups=tuple(groups.values()))


def _blocks(text: str) -> list[str]:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return [block for block in _BLANK_LINES.split(plain.strip()) if block.strip()]


def _words(block: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in block.split("\n"))
