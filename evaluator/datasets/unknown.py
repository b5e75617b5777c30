"""What a file is that no format reads: the reason, and what to do with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from evaluator.datasets.data_files import (
    DataSetSource,
    category_header,
    most,
    number,
    sample_rows,
)
from evaluator.errors import TestSetError

_LFS = "version https://git-lfs.github.com/spec/"
_PAGE = re.compile(r"\s*(<!doctype html|<html|<\?xml)", re.IGNORECASE)
_SEVERAL = re.compile(r"[\s,;:]")
_TREE = re.compile(r"\(\S+ .*\)")
_TAG = re.compile(r"([BIO](-\w+)?|[A-Z]{1,5}\$?|[.,:;'`\"()-]+|-X-|_)")
_PAIRS = re.compile(r"[^\W_][^-]*-[^-]*[^\W_-]")


def refuse_other_content(source: DataSetSource) -> None:
    """Refuse what stands in place of a file that was not fetched rightly, whatever format is named."""
    for file in source.files[:1]:
        for looks_like, reason in _KNOWN[:2]:
            if file.sample and looks_like(file.sample):
                raise TestSetError(f"{file.path}: is not a data set, but {reason}")


def not_recognised(source: DataSetSource, names: Iterable[str]) -> str:
    """The message about a file that no format reads."""
    first = source.files[0]
    begin = first.text[:40]  # fails with a better message if the file is not text
    reason = next((text for looks_like, text in _KNOWN if first.sample and looks_like(first.sample)), None)
    if reason is not None:
        return f"{first.path}: not recognised as a data set; it holds {reason}"
    return (
        f"{first.path}: not recognised as a data set; it starts with {begin!r}. Are vectors and test set "
        f"swapped? If it is in one of these formats, name it: {', '.join(names)}"
    )


def _is_lfs_pointer(lines: Sequence[str]) -> bool:
    return lines[0].startswith(_LFS)


def _is_page(lines: Sequence[str]) -> bool:
    return _PAGE.match(lines[0]) is not None


def _are_trees(lines: Sequence[str]) -> bool:
    return most(_TREE.fullmatch(line.strip()) is not None for line in lines)


def is_tagged_text(lines: Sequence[str]) -> bool:
    """A word and its tags a line, as in the CoNLL tasks: one of few tags is last in each line."""
    rows = [re.split(r"[ \t]+", line.strip()) for line in lines]
    several = [row for row in rows if len(row) > 2]
    if not most(len(row) > 2 for row in rows):
        return False
    return any(row[0] == "-DOCSTART-" for row in several) or (
        most(all(_TAG.fullmatch(tag) for tag in row[1:]) for row in several)
    )


def asks_for_the_odd_word(lines: Sequence[str]) -> bool:
    """Words that fit, and last several that do not, joined by hyphens: `cat dog cow Monday-March-hour`."""
    rows = [line.split() for line in lines if category_header(line) is None]
    return most(len(row) > 2 and row[-1].count("-") > 1 for row in rows)


def are_joined_pairs(lines: Sequence[str]) -> bool:
    """Sections such as `: country-currency` of pairs joined by a hyphen, one a line.

    Words of a category may have hyphens, too; its name would hardly have one then.
    """
    names = [category_header(line) for line in lines]
    rows = [line.split() for line, name in zip(lines, names, strict=True) if name is None]
    pairs = all(len(row) == 1 and _PAIRS.fullmatch(row[0]) for row in rows)
    return (
        bool(rows)
        and pairs
        and most(_PAIRS.fullmatch(name) is not None for name in names if name is not None)
    )


def _are_pairs_and_relations(lines: Sequence[str]) -> bool:
    names = {name.lower() for name in sample_rows(lines[:1])[0]} if lines else set()
    return "relation" in names and {"word1", "word2"} <= names


def _are_four_words(lines: Sequence[str]) -> bool:
    return most(len(line.split()) == 4 for line in lines)


def _are_indented(lines: Sequence[str]) -> bool:
    return not lines[0].startswith("\t") and most(line.startswith("\t") for line in lines)


def _are_single_words(lines: Sequence[str]) -> bool:
    return not any(_SEVERAL.search(line.strip()) or _is_number(line) for line in lines)


def _is_number(text: str) -> bool:
    return number(text.strip()) is not None


_KNOWN: Sequence[tuple[Callable[[Sequence[str]], bool], str]] = (
    (_is_lfs_pointer, "a Git LFS pointer, not the file itself; fetch that with `git lfs pull`"),
    (_is_page, "a page of the web or XML; get the file itself, with the button for the raw file"),
    (_are_trees, "trees of sentences in brackets; write label, tab and text on a line"),
    (is_tagged_text, "a text with tags, a word and its tags on a line (CoNLL)"),
    (
        asks_for_the_odd_word,
        (
            "questions which word does not fit, not analogies; write a file of members, a blank line and "
            "outliers for each (format outliers)"
        ),
    ),
    (
        are_joined_pairs,
        (
            "pairs joined by a hyphen, not four words a line; write a file of lines word, tab, answer for "
            "each section (format bats)"
        ),
    ),
    (
        _are_pairs_and_relations,
        (
            "pairs of words and a relation, without ratings or categories; format relation-pairs makes "
            "analogies of each relation"
        ),
    ),
    (
        _are_four_words,
        (
            "four words on a line without sections; if they are analogies, name the format questions, or "
            "put a line `: section` above them"
        ),
    ),
    (_are_indented, "lines with others indented below them, without ratings"),
    (_are_single_words, "a list of words without categories; put a line `:name` above those of each"),
)
