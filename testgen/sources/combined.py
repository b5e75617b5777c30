"""Several snapshots and files as one source: with the rows of all, and labels of the first that has one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from testgen.queries import Query
from testgen.sources.answering import AnsweringSource
from testgen.sources.base import Keywords, Names, Provenance, Solution, united
from testgen.sources.keywords import united_keywords
from testgen.sources.rdf import RdfSource
from testgen.sources.snapshot import Snapshot


class CombinedSource(AnsweringSource):
    """Snapshots, and files of RDF as one; a query must be one that each of them can answer."""

    has_own_categories = True

    def __init__(self, sources: Sequence[Snapshot | RdfSource]) -> None:
        super().__init__(" + ".join(source.name for source in sources))
        self._sources = sources

    @property
    def provenance(self) -> Provenance:
        """The origins of all, each with the languages in which it has names."""
        parts = tuple(part for source in self._sources for part in source.origins)
        return Provenance("combined", " + ".join(part.name for part in parts), None, parts=parts)

    def rows(self, query: Query, language: str | None = None, rest: Sequence[str] = ()) -> Sequence[Solution]:
        """See `AnsweringSource.rows`."""
        return [row for source in self._sources for row in source.rows(query, language, rest)]

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """See `Source.names`."""
        wanted = list(items)
        named = [{each.item: each for each in source.names(wanted, languages)} for source in self._sources]
        for item in wanted:
            if of_item := [by_item[item] for by_item in named if item in by_item]:
                yield united(of_item)

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """See `AnsweringSource.keyword_languages`."""
        return tuple(sorted({code for source in self._sources for code in source.keyword_languages}))

    def keywords(self, code: str) -> Keywords | None:
        """The keywords of all of them."""
        return united_keywords(source.keywords(code) for source in self._sources)

    def holds(self, query: Query) -> bool:
        """Whether each of them can answer a query."""
        return all(source.holds(query) for source in self._sources)
