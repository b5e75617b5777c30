"""Analogies: questions of four words (Google, MSR, IceBATS), the same as CSV, and the pairs of BATS."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.datasets.data_files import DataFile, DataSetSource
from evaluator.datasets.fields import SPACE, fields, most, number, rows, sample_rows
from evaluator.datasets.formats.categories import category_header
from evaluator.datasets.reading import TestSetContent, dataset_format
from evaluator.datasets.testset import AnalogySection
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]

_COLUMNS = ["relation", "a", "b", "c", "d"]


def _looks_like_questions(source: DataSetSource) -> bool:
    """Most lines are four words; with headers written as in a category file, several lines to a section."""
    headers = [line.strip() for line in source.sample if category_header(line)]
    lines = [_question_words(line) for line in source.sample if not category_header(line)]
    if not most(len(words) == 4 and all(number(word) is None for word in words) for words in lines):
        return False
    return not headers or most(line.startswith(": ") for line in headers) or len(lines) > len(headers)


@dataset_format("questions", rank=2, looks_like=_looks_like_questions)
def read_questions(source: DataSetSource) -> TestSetContent:
    """Sections `: name` of lines `a b c d`; without headers, the file is one section that has its name.

    Tabs separate words, or spaces where a line has no tab. `b` and `d` may be alternatives, `b/b2`.

    Raises:
        TestSetError: A line does not have four words, a section occurs twice or has no question.
    """
    file = source.file
    sections: dict[str, list[Question]] = {}
    name: str | None = None
    for line_number, line in file.lines:
        header = category_header(line)
        if header is not None:
            if header in sections:
                file.fail(line_number, f"section {header!r} occurs twice; rename one of them")
            name = header
            sections[name] = []
            continue
        words = _question_words(line)
        if len(words) != 4 or not all(words):
            file.fail(line_number, f"{len(words)} words; a question has four, separated by spaces or tabs")
        a, b, c, d = words
        sections.setdefault(file.stem if name is None else name, []).append((a, b, c, d))
    for each, questions in sections.items():
        if not questions:
            raise TestSetError(f"{source.path}: section {each!r} has no question; remove its line")
    return _content(sections)


def _question_words(line: str) -> list[str]:
    return fields(line, "\t" if "\t" in line else SPACE)


def _has_columns(source: DataSetSource) -> bool:
    return sample_rows(source.sample[:1]) == [_COLUMNS]


@dataset_format("analogies-csv", rank=1, looks_like=_has_columns)
def read_analogies_csv(source: DataSetSource) -> TestSetContent:
    """One question per line below the columns relation, a, b, c and d; each relation is a section.

    Raises:
        TestSetError: The first line is not `relation,a,b,c,d`, a line does not have five fields, or there is
            no other line.
    """
    file = source.file
    table = rows(file)
    line, names = next(table)
    if names != _COLUMNS:
        file.fail(line, f"the columns are not named; the first line must be {','.join(_COLUMNS)}")
    sections: dict[str, list[Question]] = {}
    for line, row in table:
        if len(row) != len(_COLUMNS) or not all(row):
            file.fail(line, f"{len([*filter(None, row)])} of {len(_COLUMNS)} fields: {','.join(_COLUMNS)}")
        relation, a, b, c, d = row
        sections.setdefault(relation, []).append((a, b, c, d))
    if not sections:
        raise TestSetError(f"{source.path}: no question follows the names of the columns")
    return _content(sections)


def _content(sections: dict[str, list[Question]]) -> TestSetContent:
    return TestSetContent(analogies=tuple(_section(name, asked) for name, asked in sections.items()))


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


def _looks_like_pairs(source: DataSetSource) -> bool:
    """Two fields, of which the second is words without spaces; texts have spaces, and counts are numbers."""
    pairs = [fields(line, "\t") for line in source.files[0].sample]
    return most(
        len(pair) == 2 and all(pair) and " " not in pair[1] and number(pair[1]) is None for pair in pairs
    )


@dataset_format("bats", rank=3, looks_like=_looks_like_pairs)
def read_bats(source: DataSetSource) -> TestSetContent:
    """Lines `word<TAB>answer/answer/…`; each file is a section of all ordered pairs, and has its name.

    Raises:
        TestSetError: A line does not have two fields, two files have the same name, or a file has fewer than
            two pairs.
    """
    sections: dict[str, AnalogySection] = {}
    for file in source.files:
        if file.stem in sections:
            raise TestSetError(f"{file.path}: a second file is called {file.stem!r}; rename one of them")
        pairs = tuple(dict.fromkeys(_pair(file, line_number, line) for line_number, line in file.lines))
        if len(pairs) < 2:
            raise TestSetError(f"{file.path}: {len(pairs)} pairs; an analogy needs two")
        sections[file.stem] = AnalogySection(file.stem, file.stem, pairs)
    return TestSetContent(analogies=tuple(sections.values()))


def _pair(file: DataFile, line_number: int, line: str) -> tuple[str, tuple[str, ...]]:
    pair = fields(line, "\t")
    if len(pair) != 2 or not all(pair):
        file.fail(line_number, f"{len(pair)} fields; a word, a tab and its answers are needed")
    return pair[0], _alternatives(pair[1])
