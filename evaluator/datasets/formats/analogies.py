"""Analogies: questions of four words (Google, MSR, IceBATS), the same as CSV, and the pairs of BATS."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.datasets import recognition
from evaluator.datasets.data_files import DataFile, DataSetSource, fields, rows
from evaluator.datasets.reading import TestSetContent, dataset_format
from evaluator.datasets.recognition import ANALOGY_COLUMNS, category_header, question_words
from evaluator.datasets.testset import AnalogySection
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]


@dataset_format("questions", rank=2, looks_like=recognition.looks_like_questions)
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
        words = question_words(line)
        if len(words) != 4 or not all(words):
            file.fail(line_number, f"{len(words)} words; a question has four, separated by spaces or tabs")
        a, b, c, d = words
        sections.setdefault(file.stem if name is None else name, []).append((a, b, c, d))
    for each, questions in sections.items():
        if not questions:
            raise TestSetError(f"{source.path}: section {each!r} has no question; remove its line")
    return _content(sections)


@dataset_format("analogies-csv", rank=1, looks_like=recognition.has_analogy_columns)
def read_analogies_csv(source: DataSetSource) -> TestSetContent:
    """One question per line below the columns relation, a, b, c and d; each relation is a section.

    Raises:
        TestSetError: The first line is not `relation,a,b,c,d`, a line does not have five fields, or there is
            no other line.
    """
    file = source.file
    table = rows(file)
    line, names = next(table)
    if names != ANALOGY_COLUMNS:
        file.fail(line, f"the columns are not named; the first line must be {','.join(ANALOGY_COLUMNS)}")
    sections: dict[str, list[Question]] = {}
    for line, row in table:
        if len(row) != len(ANALOGY_COLUMNS) or not all(row):
            file.fail(
                line,
                f"{len([*filter(None, row)])} of {len(ANALOGY_COLUMNS)} fields: {','.join(ANALOGY_COLUMNS)}",
            )
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


@dataset_format("bats", rank=3, looks_like=recognition.looks_like_analogy_pairs)
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
