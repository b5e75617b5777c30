"""The Bigger Analogy Test Set: a file for each relation, a word and its answers a line."""

from __future__ import annotations

from evaluator.datasets.parts import alternatives
from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataFile, DataSetSource
from evaluator.datasets.table import fields, most, number
from evaluator.datasets.testset import AnalogySection
from evaluator.errors import TestSetError


def _has_answers(source: DataSetSource) -> bool:
    """Two fields, of which the second is words without spaces; texts have spaces, and counts are numbers."""
    pairs = [fields(line, "\t") for line in source.documents[0].sample]
    return most(
        len(pair) == 2 and all(pair) and " " not in pair[1] and number(pair[1]) is None for pair in pairs
    )


@dataset_format("bats", rank=3, looks_like=_has_answers)
def read_bats(source: DataSetSource) -> TestSetContent:
    """Lines `word<TAB>answer/answer/…`; each file is a section of all ordered pairs, and has its name.

    Raises:
        TestSetError: A line has not two fields, or two files have the same name.
    """
    sections: dict[str, AnalogySection] = {}
    for document in source.documents:
        if document.stem in sections:
            raise TestSetError(
                f"{document.place}: a second file is called {document.stem!r}; rename one of them"
            )
        pairs = tuple(dict.fromkeys(_pair(document, number, line) for number, line in document.lines))
        if len(pairs) < 2:
            raise TestSetError(f"{document.place}: {len(pairs)} pairs; an analogy needs two")
        sections[document.stem] = AnalogySection(document.stem, document.stem, pairs)
    return TestSetContent(analogies=tuple(sections.values()))


def _pair(document: DataFile, line_number: int, line: str) -> tuple[str, tuple[str, ...]]:
    parts = fields(line, "\t")
    if len(parts) != 2 or not all(parts):
        document.fail(line_number, f"{len(parts)} fields; a word, a tab and its answers are needed")
    return parts[0], alternatives(parts[1])
