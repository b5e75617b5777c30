"""Write what the shipped snapshots answer to the shipped queries, so that nobody waits for it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

import testgen
from testgen.queries import OWN_CATEGORIES
from testgen.sources.hierarchy import hierarchy_queries
from testgen.sources.snapshot import ANSWERS, KeptAnswers, Snapshot, shipped_snapshots

T = TypeVar("T")


class RecordedSnapshot(Snapshot):
    """A snapshot that remembers what it was asked."""

    def __init__(self, *paths: Path) -> None:
        """Load the files."""
        self.recorded: dict[str, msgspec.Raw] = {}
        super().__init__(*paths)

    def _kept_or(self, computed: Callable[[], T], type_: type[T], *key: str) -> T:  # noqa: ARG002
        value = computed()
        self.recorded["\n".join(key)] = _encoded(value)
        return value


def _encoded(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def answers(*paths: Path) -> bytes:
    """The content of the file for some snapshots."""
    source = RecordedSnapshot(*paths)
    rows = {query: source.answer(query).rows for query in (*testgen.choose(), OWN_CATEGORIES)}
    for query in hierarchy_queries(rows, 1).values():
        source.answer(query)
    _ = source.provenance
    names: dict[str, dict[str, list[str]]] = {}
    for of_item in source.names(source.named_items()):
        for code in sorted({*of_item.labels, *of_item.aliases}):
            texts = [of_item.labels.get(code, ""), *of_item.aliases.get(code, ())]
            names.setdefault(code, {})[of_item.item] = texts
    by_code = {code: _encoded(of_code) for code, of_code in sorted(names.items())}
    kept = KeptAnswers(source.digest, dict(sorted(source.recorded.items())), by_code)
    return gzip.compress(msgspec.json.encode(kept), mtime=0)


if __name__ == "__main__":
    first, *others = shipped_snapshots()
    first.with_name(ANSWERS).write_bytes(answers(first, *others))
