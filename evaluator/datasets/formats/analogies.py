"""Analogies: questions of four words (Google, MSR, IceBATS), the same as CSV, and the pairs of BATS."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.datasets import recognition
from evaluator.datasets.data_files import DataFile, DataSetSource, named_rows, two_fields
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.recognition import ANALOGY_COLUMNS, category_header, question_words
from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]


@dataset_format("questions", rank=2, looks_like=recognition.looks_like_questions)
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


@dataset_format("analogies-csv", rank=1, looks_like=recognition.has_analogy_columns)
def read_analogies_csv(source: DataSetSource) -> TestSet:
    """One question per line below the columns relation, a, b, c and d; each relation is a section."""
    file = source.file
    sections: dict[str, list[Question]] = {}
    for line, row in named_rows(file, ANALOGY_COLUMNS):
        relation, a, b, c, d = (row[column] for column in ANALOGY_COLUMNS)
        if not all((relation, a, b, c, d)):
            file.fail(line, f"an empty field; needed are {', '.join(ANALOGY_COLUMNS)}")
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


@dataset_format("bats", rank=3, looks_like=recognition.looks_like_analogy_pairs)
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
