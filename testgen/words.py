"""Words in every language for the items of many queries, asked for once and shared by all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from testgen.labels import LabelPolicy, words_of
from testgen.languages import NEUTRAL, written_in_script_of
from testgen.queries import Query
from testgen.sources import Names, Row, Source, item_number

Origin = Literal["label", "alias", "mul"]


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of an item in one language.

    Attributes:
        words: Different words, those of the label first.
        origin: What the first of them is taken from.
    """

    words: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True)
class Harvest:
    """What a source gave for some queries.

    Attributes:
        rows: For each query the rows of its answer.
        words: By language code, the words of each item that has any in that language, by item id.
    """

    rows: Mapping[Query, Sequence[Row]]
    words: Mapping[str, Mapping[str, ItemWords]]


def harvest(
    source: Source, queries: Iterable[Query], policy: LabelPolicy, languages: Collection[str] | None = None
) -> Harvest:
    """Run the queries, then name every item they return, each item once.

    Args:
        source: Where to ask.
        queries: What to ask.
        policy: How labels become words.
        languages: Codes in use; None for every language in which the source names something.

    Raises:
        SourceError: The source fails.
    """
    rows = {query: source.rows(query) for query in queries}
    items = sorted({item for answer in rows.values() for row in answer for item in row}, key=item_number)
    words: dict[str, dict[str, ItemWords]] = {code: {} for code in languages or ()}
    neutral: list[Names] = []
    for names in source.names(items):
        for code in sorted(names.labels.keys() | names.aliases.keys()):
            if code != NEUTRAL and (languages is None or code in words):
                _add(words.setdefault(code, {}), names, code, policy)
        if policy.mul and NEUTRAL in names.labels:
            neutral.append(names)
    for names in neutral:
        _add_neutral(words, names, policy)
    return Harvest(rows, words)


def _add(words: dict[str, ItemWords], names: Names, code: str, policy: LabelPolicy) -> None:
    found = words_of(names.labels[code], policy, code) if code in names.labels else ()
    origin: Origin = "label" if found else "alias"
    if policy.aliases:
        others = (word for alias in names.aliases.get(code, ()) for word in words_of(alias, policy, code))
        found = tuple(dict.fromkeys([*found, *others]))
    if found:
        words[names.item] = ItemWords(found, origin)


def _add_neutral(words: dict[str, dict[str, ItemWords]], names: Names, policy: LabelPolicy) -> None:
    """Let the language-neutral label stand in where a language has no label of its own for the item."""
    label = names.labels[NEUTRAL]
    for code, of_language in words.items():
        if code in names.labels or names.item in of_language or not written_in_script_of(label, code):
            continue
        found = words_of(label, policy, code)
        if found:
            of_language[names.item] = ItemWords(found, "mul")
