"""Analogies: questions of four words (Google, MSR, IceBATS), the same as CSV, and the pairs of BATS."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.datasets.data_files import (
    SPACE,
    DataFile,
    DataSetSource,
    category_header,
    fields,
    most,
    named_rows,
    number,
    two_fields,
)
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]


_COLUMNS = ["relation", "a", "b", "c", "d"]


def question_words(line: str) -> list[str]:
    """The words of a line, separated by tabs, or by spaces where it has no tab."""
    return fields(line, "\t" if "\t" in line else SPACE)


def looks_like_questions(source: DataSetSource) -> bool:
    """Most lines are four words; with headers written as in a category file, several lines to a section."""
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [question_words(line) for line in source.sample if not category_header(line)]
    if not most(len(words) == 4 and all(number(word) is None for word in words) for words in lines):
        return False
    return not headers or most(line.startswith(": ") for line in headers) or len(lines) > len(headers)


@dataset_format("questions", rank=2, looks_like=looks_like_questions)
def read_questions(source: DataSetSource) -> TestSet:
    """Sections `: name` of lines `a b c d`; without headers, the file is one section that has its name.

    Tabs separate words, or spaces where a line has no tab. `b` and `d` may be alternatives, `b/b2`.
    """
    file = source.file
    sections: dict[str, list[Question]] = {}
    name: str | None = None
    for line_number, line in file.lines:
        header = category_header(line)
        if header is not None:
            file.refuse_again(line_number, "section", header, sections)
            name = header
            sections[name] = []
            continue
        words = question_words(line)
        if len(words) != 4 or not all(words):
            file.fail(line_number, f"{len(words)} words; a question has four, separated by spaces or tabs")
        a, b, c, d = words
        sections.setdefault(file.stem if name is None else name, []).append((a, b, c, d))
    for each, questions in sections.items():
        if not questions:
            raise TestSetError(f"{source.path}: section {each!r} has no question; remove its line")
    return _test_set(source, sections)


@dataset_format("analogies-csv", rank=1, looks_like=lambda source: source.columns == _COLUMNS)
def read_analogies_csv(source: DataSetSource) -> TestSet:
    """One question per line below the columns relation, a, b, c and d; each relation is a section."""
    file = source.file
    sections: dict[str, list[Question]] = {}
    for line, row in named_rows(file, _COLUMNS):
        relation, a, b, c, d = (row[column] for column in _COLUMNS)
        if not all((relation, a, b, c, d)):
            file.fail(line, f"an empty field; needed are {', '.join(_COLUMNS)}")
        sections.setdefault(relation, []).append((a, b, c, d))
    return _test_set(source, sections)


def _test_set(source: DataSetSource, sections: dict[str, list[Question]]) -> TestSet:
    return source.test_set(analogies=tuple(_section(name, asked) for name, asked in sections.items()))


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
    """Two fields, of which the second is words without spaces; texts have spaces, and counts are numbers."""
    pairs = [fields(line, "\t") for line in source.files[0].sample]
    return most(
        len(pair) == 2 and all(pair) and " " not in pair[1] and number(pair[1]) is None for pair in pairs
    )


@dataset_format("bats", rank=3, looks_like=looks_like_analogy_pairs)
def read_bats(source: DataSetSource) -> TestSet:
    """Lines `word<TAB>answer/answer/…`; each file is a section of all ordered pairs, and has its name."""
    sections: dict[str, AnalogySection] = {}
    for file in source.files:
        if file.stem in sections:
            raise TestSetError(f"{file.path}: a second file is called {file.stem!r}; rename one of them")
        pairs = tuple(dict.fromkeys(_pair(file, line_number, line) for line_number, line in file.lines))
        if len(pairs) < 2:
            raise TestSetError(f"{file.path}: {len(pairs)} pairs; an analogy needs two")
        sections[file.stem] = AnalogySection(file.stem, file.stem, pairs)
    return source.test_set(analogies=tuple(sections.values()))


def _pair(file: DataFile, line_number: int, line: str) -> tuple[str, tuple[str, ...]]:
    word, answers = two_fields(file, line_number, line, "answers")
    return word, _alternatives(answers)
