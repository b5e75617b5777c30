"""The shipped snapshot with its answers in a cache, as loading it takes longer than all else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testgen.errors import CacheError
from testgen.queries import Query
from testgen.sources.answer_cache import AnswerCache, default_directory
from testgen.sources.base import Names, Provenance, Term
from testgen.sources.snapshot import Snapshot, load_store, sha256_of

if TYPE_CHECKING:
    import pyoxigraph


class CachedSnapshot(Snapshot):
    """A snapshot that is loaded when it is asked something new; other answers are in a cache.

    The cache is in the user's folder of caches. Where that cannot be used, the snapshot is loaded.
    """

    def __init__(self, path: Path) -> None:
        """Open the cache; the file must be a snapshot, which is not checked yet."""
        self._name, self._path = str(path), path
        self._digest = sha256_of(path)
        self._cache: AnswerCache | None = None
        with suppress(CacheError):
            self._cache = AnswerCache(default_directory().with_name("snapshots"))

    @cached_property
    def _store(self) -> pyoxigraph.Store:  # type: ignore[override]  # set by others when they begin
        return load_store(self._path, (), None)

    @cached_property
    def _provenance(self) -> Provenance:  # type: ignore[override]  # set by others when they begin
        stated = self._kept(["provenance"], lambda: self._provenance_of(self._path).as_dict())
        return Provenance.from_dict(stated)

    @cached_property
    def _all_names(self) -> Mapping[str, Any]:
        """Labels and aliases of all items."""

        def named() -> dict[str, Any]:
            names = (self._names_in(None, item, None) for item in self.named_items())
            return {each.item: [each.labels, each.aliases] for each in names}

        return self._kept(["names"], named)  # type: ignore[no-any-return]

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:  # noqa: ARG002
        """Look the items up; see `Source.names`."""
        return (Names(item, *self._all_names[item]) for item in items if item in self._all_names)

    def _rows(self, query: Query, languages: Sequence[str] | None) -> list[dict[str, Term]]:
        key = ["rows", self._text(query, languages), *sorted(query.selected)]
        rows = self._kept(key, lambda: super(CachedSnapshot, self)._rows(query, languages))
        return [{name: Term(*term) for name, term in row.items()} for row in rows]

    def _kept(self, key: list[str], computed: Callable[[], Any]) -> Any:  # noqa: ANN401  # any JSON value
        """A value from the cache; if it is not there, computed and cached."""
        key = [self._digest, *key]
        if self._cache is None:
            return computed()
        with suppress(CacheError):
            if found := self._cache.get(key):
                return found.value
        value = computed()
        with suppress(CacheError):
            self._cache.put_all([(key, value)])
        return value
