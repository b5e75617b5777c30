"""Analogy questions, four words a line: questions-words.txt and the MSR and IceBATS files."""

from __future__ import annotations

from evaluator.datasets.formats.categories import header
from evaluator.datasets.parts import section
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import SPACE, fields, most, number
from evaluator.errors import TestSetError

Question = tuple[str, str, str, str]


def _asks(source: DataSetSource) -> bool:
    """Most lines are four words; with headers written as in a category file, several lines to a section."""
    headers = [line.strip() for line in source.sample if header(line)]
    lines = [_words(line) for line in source.sample if not header(line)]
    if not most(len(words) == 4 and all(number(word) is None for word in words) for words in lines):
        return False
    return not headers or most(line.startswith(": ") for line in headers) or len(lines) > len(headers)


@dataset_format("questions", rank=2, looks_like=_asks)
def read_questions(source: DataSetSource) -> TestSetContent:
    """Sections `: name` of lines `a b c d`; without any, the file is one section that has its name.

    Words are parted by tabs, or by spaces where a line has no tab. `b` and `d` may be alternatives, `b/b2`.

    Raises:
        TestSetError: A line has not four words, a section occurs twice or has no question.
    """
    document = source.file
    sections: dict[str, list[Question]] = {}
    name: str | None = None
    for line_number, line in document.lines:
        found = header(line)
        if found is not None:
            if found in sections:
                document.fail(line_number, f"section {found!r} occurs twice; rename one of them")
            name = found
            sections[name] = []
            continue
        words = _words(line)
        if len(words) != 4 or not all(words):
            document.fail(line_number, f"{len(words)} words; a question has four, parted by spaces or tabs")
        a, b, c, d = words
        sections.setdefault(document.stem if name is None else name, []).append((a, b, c, d))
    for each, questions in sections.items():
        if not questions:
            raise TestSetError(f"{source.path}: section {each!r} has no question; remove its line")
    return TestSetContent(analogies=tuple(section(each, questions) for each, questions in sections.items()))


def _words(line: str) -> list[str]:
    return fields(line, "\t" if "\t" in line else SPACE)
