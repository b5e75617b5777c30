"""The words of a category in several languages as their test sets have them, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from testgen.errors import LanguageError
from testgen.labels import LabelPolicy
from testgen.labels.words import why_without_words
from testgen.languages import NEUTRAL
from testgen.queries import Query
from testgen.serve.provider import TestSetProvider
from testgen.serve.selection import Selection
from testgen.sources import Names, Row
from testgen.testset import Relation

MOST_LANGUAGES = 4
_POLICY = LabelPolicy(minimum_words=1)


@dataclass(frozen=True)
class Cell:
    """An item, or a pair, in one language.

    Attributes:
        texts: The words of each side as the test set has them; if it is left out, its names.
        why: Why it is left out; empty if it is in the test set.
    """

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
    named = {names.item: names for names in provider.in_memory.names(answer.unnamed, codes)}
    names = _NamesByItem(answer.names, named)
    return [_column(provider, query, answer.rows, names, code) for code in codes]


@dataclass(frozen=True)
class _NamesByItem:
    of_query: Mapping[str, Names]
    of_items: Mapping[str, Names]

    def why(self, item: str, code: str) -> str:
        if item in self.of_query:
            return why_without_words(self.of_query[item], code, _POLICY, "query")
        return why_without_words(self.of_items.get(item) or Names(item, {}, {}), code, _POLICY)

    def texts(self, item: str, code: str) -> list[str]:
        names = self.of_query.get(item) or self.of_items.get(item) or Names(item, {}, {})
        label = names.labels.get(code) or names.labels.get(NEUTRAL)
        return [label] if label else list(names.aliases.get(code, ()))


def _column(
    provider: TestSetProvider, query: Query, rows: Sequence[Row], names: _NamesByItem, code: str
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
    cells = [
        kept.get(row) or Cell([names.texts(item, code) for item in row], _why(row, names, code))
        for row in rows
    ]
    left_out = Counter(cell.why for cell in cells if cell.why).most_common()
    return LanguageColumn(code, size, cells, left_out)


def _why(row: Row, names: _NamesByItem, code: str) -> str:
    reasons = dict.fromkeys(filter(None, (names.why(item, code) for item in row)))
    return ", ".join(reasons) or ("the same word twice" if len(row) > 1 else "the word of another item")
