"""The words of a category in several languages as their test sets have them, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from testgen.errors import LanguageError
from testgen.labels import LabelPolicy
from testgen.labels.words import why_without_words
from testgen.languages.codes import NEUTRAL
from testgen.queries import Query
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.sources import Answer, Names, Row
from testgen.testset.types import Relation

MOST_LANGUAGES = 4
_POLICY = LabelPolicy(minimum_words=1)


@dataclass(frozen=True)
class Cell:
    """An item, or a pair, in one language: its words in the test set, or its names and why it is left out."""

    texts: Sequence[Sequence[str]]
    why: str = ""


@dataclass(frozen=True)
class LanguageColumn:
    """A language: how many words (or pairs) its test set has, and how many items are left out, by reason."""

    code: str
    size: int
    cells: Sequence[Cell]
    left_out: Sequence[tuple[str, int]]


def columns(provider: TestSetProvider, query: Query, codes: Sequence[str]) -> list[LanguageColumn]:
    """A column for each language, with a cell for each row of the query's answer, which is available."""
    answer = provider.in_memory.answers[query]
    names = {names.item: names for names in provider.in_memory.names(answer.unnamed, codes)}
    names |= answer.names
    return [_column(provider, query, answer, names, code) for code in codes]


def _column(
    provider: TestSetProvider, query: Query, answer: Answer, names: Mapping[str, Names], code: str
) -> LanguageColumn:
    kept: dict[Row, Cell] = {}
    try:
        (section,) = provider.file(Selection((code,), (query.name,), policy=_POLICY)).test_set.sections
    except LanguageError:  # it has no word at all
        size = 0
    else:
        size, words = section.size, section.words_by_id
        in_set: list[Row] = [(item,) for item in words]
        if isinstance(section, Relation):
            in_set = [(pair.item, pair.of) for pair in section.pairs]
        kept = {row: Cell([words[item] for item in row]) for row in in_set}
    nameless = Names("", {}, {})
    cells = []
    for row in answer.rows:
        named = [names.get(item, nameless) for item in row]
        texts = [_texts(of_item, code) for of_item in named]
        cells.append(kept.get(row) or Cell(texts, _why(named, answer, code)))
    left_out = Counter(cell.why for cell in cells if cell.why).most_common()
    return LanguageColumn(code, size, cells, left_out)


def _texts(names: Names, code: str) -> list[str]:
    label = names.labels.get(code) or names.labels.get(NEUTRAL)
    return [label] if label else list(names.aliases.get(code, ()))


def _why(named: Sequence[Names], answer: Answer, code: str) -> str:
    reasons = (
        why_without_words(names, code, _POLICY, "query" if names.item in answer.names else "label")
        for names in named
    )
    known = ", ".join(dict.fromkeys(filter(None, reasons)))
    return known or ("the same word twice" if len(named) > 1 else "the word of another item")
