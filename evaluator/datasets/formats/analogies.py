"""Analogies: questions of four words (Google, MSR, IceBATS), the same as CSV, and the pairs of BATS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluator.datasets.columns import NamedTable, are_two_words, has_columns, two_languages
from evaluator.datasets.data_files import (
    DROP,
    SPACE,
    DataFile,
    DataSetSource,
    category_header,
    fields,
    most,
    number,
    separator_of,
    two_fields,
)
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.datasets.unknown import is_tagged_text
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]


_RELATION = ("relation", "type", "category", "section", "subcategory")
_COLUMNS = {
    "relation": _RELATION,
    "a": ("a", "word1", "w1"),
    "b": ("b", "word2", "w2"),
    "c": ("c", "word3", "w3"),
    "d": ("d", "word4", "w4", "target", "answer", "expected"),
}
_PAIRS = {"relation": _RELATION, "word1": ("word1", "w1", "a"), "word2": ("word2", "w2", "b")}
_LEAST_AGAIN = 0.25  # of the pairs in questions without sections, which are made of pairs


def question_words(line: str) -> list[str]:
    """The words of a line, separated by tabs, or by spaces where it has no tab."""
    return fields(line, "\t" if "\t" in line else SPACE)


def looks_like_questions(source: DataSetSource) -> bool:
    """Most lines are four words, with headers or made of pairs that come again.

    With headers written as in a category file, there are several lines to a section.
    """
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [question_words(line) for line in source.sample if not category_header(line)]
    if not most(len(words) == 4 and all(number(word) is None for word in words) for words in lines):
        return False
    if not headers:
        return not is_tagged_text(source.sample) and made_of_pairs(
            [words for words in lines if len(words) == 4]
        )
    return most(line.startswith(": ") for line in headers) or len(lines) > len(headers)


def made_of_pairs(questions: Sequence[Sequence[str]]) -> bool:
    """Whether lines of four words are questions of pairs: some pairs come again, each word has few others.

    Which word does not fit is asked with words that do not come again; tags of a text have many words each.
    """
    pairs = [tuple(sorted(pair)) for a, b, c, d in questions for pair in ((a, b), (c, d))]
    again = len(pairs) - len(set(pairs))
    sides = [{(row[place], row[place + 1]) for row in questions} for place in (0, 2)]
    even = all(
        2 * min(len(firsts), len(seconds)) >= max(len(firsts), len(seconds))
        for firsts, seconds in ((set(column) for column in zip(*side, strict=True)) for side in sides)
    )
    return again >= _LEAST_AGAIN * len(pairs) and even


@dataset_format("questions", rank=2, looks_like=looks_like_questions, what="analogies")
def read_questions(source: DataSetSource) -> TestSet:
    """Sections `: name` of lines `a b c d`; without headers, the file is one section that has its name.

    Tabs separate words, or spaces where a line has no tab. `b` and `d` may be alternatives, `b/b2`. Where
    there are headers, a question above the first one is an error.
    """
    file = source.file
    sections: dict[str, list[Question]] = {}
    name: str | None = None
    has_headers = any(category_header(line) is not None for _, line in file.lines)
    for line_number, line in file.lines:
        header = category_header(line)
        if header is not None:
            file.refuse_again(line_number, "section", header, sections)
            name = header
            sections[name] = []
            continue
        words = question_words(line)
        if len(words) != 4 or not all(words):
            advice = DROP if sections else ""
            what = f"{len(words)} words; a question has four, separated by spaces or tabs"
            file.fail(line_number, what + advice)
        if name is None and has_headers:
            file.fail(
                line_number, f"a question above the first `: section`; remove it, or name its section{DROP}"
            )
        a, b, c, d = words
        sections.setdefault(file.stem if name is None else name, []).append((a, b, c, d))
    for each, questions in sections.items():
        if not questions:
            raise TestSetError(f"{source.path}: section {each!r} has no question; remove its line")
    return _test_set(source, sections)


@dataset_format(
    "analogies-csv", rank=1, looks_like=lambda source: has_columns(source, _COLUMNS), roles=_COLUMNS
)
def read_analogies_csv(source: DataSetSource) -> TestSet:
    """One question per line below the columns relation, a, b, c and d; each relation is a section.

    vecto calls them type, word1, word2, word3 and target.
    """
    file, table = source.file, NamedTable(source, _COLUMNS)
    sections: dict[str, list[Question]] = {}
    for line, row in table:
        relation, a, b, c, d = (row[column] for column in _COLUMNS)
        if not all((relation, a, b, c, d)):
            file.fail(line, f"an empty field; needed are {', '.join(_COLUMNS)}")
        sections.setdefault(relation, []).append((a, b, c, d))
    return _test_set(source, sections, table.columns)


@dataset_format("relation-pairs", rank=3, looks_like=lambda _: False, roles=_PAIRS)
def read_relation_pairs(source: DataSetSource) -> TestSet:
    """Two words and their relation per line, below the columns word1, word2 and relation.

    Each relation is a section of all ordered pairs. The format must be named: such tables, as that of BLESS,
    are made for other questions, too.
    """
    file, table = source.file, NamedTable(source, _PAIRS)
    found: dict[str, dict[tuple[str, tuple[str, ...]], None]] = {}
    for line, row in table:
        if not all(row.values()):
            file.fail(line, f"an empty field; needed are {', '.join(_PAIRS)}{DROP}")
        found.setdefault(row["relation"], {})[row["word1"], _alternatives(row["word2"])] = None
    for name, pairs in found.items():
        if len(pairs) < 2:
            raise TestSetError(f"{file.path}: relation {name!r} has 1 pair; an analogy needs two")
    sections = (AnalogySection(name, name, tuple(pairs)) for name, pairs in found.items())
    return source.test_set(columns=table.columns, analogies=tuple(sections))


def _test_set(
    source: DataSetSource, sections: dict[str, list[Question]], columns: Mapping[str, str] | None = None
) -> TestSet:
    found = tuple(_section(name, asked) for name, asked in sections.items())
    return source.test_set(columns=columns, analogies=found)


def _section(name: str, questions: Iterable[Question]) -> AnalogySection:
    """A section of questions a : b :: c : d, each pair kept once; b and d may name alternatives (`b/b2`)."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}

    def number_of(word: str, answers: str) -> int:
        return numbers.setdefault((word, _alternatives(answers)), len(numbers))

    asked = tuple((number_of(a, b), number_of(c, d)) for a, b, c, d in questions)
    return AnalogySection(name, name, tuple(numbers), asked)


def _alternatives(text: str) -> tuple[str, ...]:
    """The words that `a/b/c` names, none twice; a lone slash is a word."""
    return tuple(dict.fromkeys(word for word in map(str.strip, text.split("/")) if word)) or (text,)


def looks_like_analogy_pairs(source: DataSetSource) -> bool:
    """Two fields, of which the second is words without spaces; a file named after two languages is none.

    Texts have spaces, and counts are numbers.
    """
    sample = source.files[0].sample
    words = are_two_words(sample) and two_languages(source.name) is None
    tabs = [line for line in sample if "\t" in line]
    return words and (not tabs or most(" " not in line.rpartition("\t")[2] for line in tabs))


@dataset_format(
    "bats", rank=3, looks_like=looks_like_analogy_pairs, what="pairs of one relation, without ratings"
)
def read_bats(source: DataSetSource) -> TestSet:
    """Lines `word<TAB>answer/answer/…`; each file is a section of all ordered pairs, and has its name.

    Another separator may stand in place of the tab in all lines of a file.
    """
    sections: dict[str, AnalogySection] = {}
    for file in source.files:
        if file.stem in sections:
            raise TestSetError(f"{file.path}: a second file is called {file.stem!r}; rename one of them")
        has_tabs = any("\t" in line for line in file.sample)
        separator = "\t" if has_tabs else separator_of(file.sample)
        pairs = tuple(dict.fromkeys(_pair(file, number_, line, separator) for number_, line in file.lines))
        if len(pairs) < 2:
            raise TestSetError(f"{file.path}: {len(pairs)} pairs; an analogy needs two")
        sections[file.stem] = AnalogySection(file.stem, file.stem, pairs)
    return source.test_set(analogies=tuple(sections.values()))


def _pair(file: DataFile, line_number: int, line: str, separator: str) -> tuple[str, tuple[str, ...]]:
    word, answers = two_fields(file, line_number, line, "answers", separator)
    return word, _alternatives(answers)
