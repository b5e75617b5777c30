"""Counts what is in a snapshot, and compares two snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from testgen.errors import SourceError
from testgen.generation.collection import WordsByItem, collect_words, words_by_variable
from testgen.generation.request import TestSetRequest
from testgen.labels import LabelPolicy
from testgen.queries import Query, choose
from testgen.sources import RdfSource, Row, Snapshot, Source, id_order, own_categories

if TYPE_CHECKING:
    import pandas as pd


def info(source: Snapshot | RdfSource) -> dict[str, Any]:
    """Origin, items with names, labels and keywords by language, and rows of the queries that have any."""
    labels: Counter[str] = Counter()
    items = 0
    for names in source.names(source.named_items()):
        items += 1
        labels.update(names.labels.keys())
    if isinstance(source, Snapshot):
        answers = source.queries
    else:
        queries = choose(own=own_categories(source))
        answers = {query.name: len(source.answer(query).rows) for query in queries}
    return {
        "provenance": source.provenance,
        "items": items,
        "labels": dict(sorted(labels.items())),
        "keywords": len(source.keyword_languages),
        "answers": {name: rows for name, rows in answers.items() if rows},
    }


def diff(
    old: Source, new: Source, queries: Iterable[Query], languages: Collection[str] | None = None
) -> pd.DataFrame:
    """Compare two snapshots by category and language; all languages if None.

    Returns:
        One row for each change: category, language, change, item, old, new (words, separated by commas). The
        change is `gained`, `lost`, `renamed`, or `merged` (the item is gone, and another one has its words).
    """
    import pandas as pd

    policy, chosen = LabelPolicy(minimum_words=1, several_words="keep"), list(queries)
    request = TestSetRequest(None if languages is None else list(languages), policy=policy)
    before, after = (collect_words(snapshot, chosen, request) for snapshot in (old, new))
    if not any(each.rows.get(query) for each in (before, after) for query in chosen):
        raise SourceError("neither snapshot has items for these queries, so there is nothing to compare")
    rows = []
    for code in sorted({*before.named_in, *after.named_in}):
        sides = [(each, each.words(code)) for each in (before, after)]
        for query in chosen:
            had, has = (_named(each.rows[query], words_by_variable(query, words)) for each, words in sides)
            rows += [(query.name, code, *change) for change in _changes(had, has)]
    return pd.DataFrame(rows, columns=["category", "language", "change", "item", "old", "new"])


def _named(rows: Iterable[Row], words: Sequence[WordsByItem]) -> dict[str, tuple[str, ...]]:
    bound = ((item, side) for row in rows for item, side in zip(row, words, strict=True))
    return {item: side[item].words for item, side in bound if item in side and side[item].words}


def _changes(
    had: Mapping[str, tuple[str, ...]], has: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, str, str]]:
    owners = {words: item for item, words in has.items()}
    for item in sorted({*had, *has}, key=id_order):
        old, new = ", ".join(had.get(item, ())), ", ".join(has.get(item, ()))
        if item not in has and had[item] in owners:
            yield "merged", item, old, f"{old} ({owners[had[item]]})"
        elif old != new:
            yield "renamed" if old and new else "gained" if new else "lost", item, old, new
