"""Sources on the network, with a cache of everything that they answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from testgen.errors import CacheError, MissingAnswerError, QueryTimeoutError
from testgen.queries import Query
from testgen.sources.answer_cache import AnswerCache, CachedAnswer
from testgen.sources.answering import AnsweringSource
from testgen.sources.base import BLANK, Keywords, Names, Provenance, Solution, Term, gather_names
from testgen.sources.entity_api import EntityApi
from testgen.sources.keywords import KeywordFiles
from testgen.sources.lexemes import LEXEME_LANGUAGES, lexeme_query
from testgen.sources.shipped import shipped_snapshots
from testgen.sources.sparql import Binding, SparqlEndpoint

_TOO_SLOW = (
    "asking the same again will not help. Make the query smaller: name a subclass instead of "
    "wdt:P31/wdt:P279*, add a restriction that few items meet, or split it in two"
)


@dataclass(frozen=True)
class RequestPlan:
    """The requests that something would take."""

    # The number of requests for those that are not in the cache; 0 if the languages are not known yet.
    queries: Mapping[Query, int]
    items: int  # the number of known items whose names are not in the cache
    batch_size: int  # how many of them one request asks for
    known: bool  # whether this is all: not if there are queries, which may return other items

    @property
    def requests(self) -> int:
        """The number of requests, as far as it is known."""
        return sum(self.queries.values()) + -(-self.items // self.batch_size)


def _term(term: Mapping[str, str]) -> Term:
    blank = BLANK if term.get("type") == "bnode" else ""
    return Term(blank + term.get("value", ""), term.get("xml:lang"))


class RemoteSource(AnsweringSource):
    """A SPARQL endpoint for ids, a service for names, and a cache in front of both."""

    def __init__(
        self,
        kind: str,
        name: str,
        endpoint: SparqlEndpoint,
        names: EntityApi | SparqlEndpoint,
        cache: AnswerCache,
    ) -> None:
        super().__init__(name)
        self._kind = kind
        self._endpoint, self._names, self._cache = endpoint, names, cache
        self.servers = tuple({id(server): server for server in (endpoint.server, names.server)}.values())
        self._newest, self._keywords = "", KeywordFiles(shipped_snapshots())
        self.notify: Callable[[str, int], None] = lambda _what, _left: None
        """Called before each request: what is asked, and how many more requests are known to follow."""

    @property
    def provenance(self) -> Provenance:
        """The endpoint, and the newest retrieval among the answers used so far."""
        return Provenance(
            self._kind,
            self.name,
            self._newest[:10] or None,
            endpoint=self._endpoint.url,
            retrieved=self._newest or None,
        )

    def _query_key(self, query: Query, language: str | None) -> list[str]:
        return [self._endpoint.url, "query", query.narrowed(None if language is None else [language])]

    def rows(self, query: Query, language: str | None = None, rest: Sequence[str] = ()) -> Sequence[Solution]:
        """See `AnsweringSource.rows`; from the cache or from the endpoint."""
        left = sum(self._is_missing(query, code) for code in rest)
        name = query.name if language is None else f"{query.name} in {language}"
        key = self._query_key(query, language)
        cached = self._cached_or_asked(
            key,
            f"the answer to query {name!r}",
            (f"query {name}{self.position}", left),
            lambda: self._select(query, name, key[-1]),
        )
        self._newest = max(self._newest, cached.retrieved)
        return [{variable: _term(term) for variable, term in row.items()} for row in cached.value]

    def _cached_or_asked(
        self, key: list[str], what: str, request: tuple[str, int], ask: Callable[[], object]
    ) -> CachedAnswer:
        cached = self._cache.get(key)
        if cached is None:
            self._check_online(what)
            self.notify(*request)
            with self._endpoint.server.lock:
                cached = self._cache.get(key)  # another process may have asked while this one waited
                if cached is None:
                    value = ask()
                    cached = CachedAnswer(value, self._cache.put_all([(key, value)]))
        return cached

    def _select(self, query: Query, name: str, text: str) -> list[Binding]:
        try:
            bindings = self._endpoint.select(text)
        except QueryTimeoutError as error:
            raise QueryTimeoutError(f"{error} {name!r}; {_TOO_SLOW}") from error
        return [{name: term for name, term in row.items() if name in query.selected} for row in bindings]

    def names(
        self,
        items: Iterable[str],
        languages: Collection[str] | None = None,  # noqa: ARG002 - servers give all of them at once
    ) -> Iterator[Names]:
        """Names of the items, asking only for those that are not in the cache; see `Source.names`."""
        wanted = list(items)
        self._fetch([item for item in wanted if self._cache.get(self._key(item)) is None])
        for item in wanted:
            cached = self._cache.get(self._key(item))
            if cached is None:
                raise CacheError(
                    f"{self.name}: the names of {item} have disappeared from the cache; run again"
                )
            self._newest = max(self._newest, cached.retrieved)
            found = gather_names(item, cached.value["labels"], cached.value["aliases"])
            if found.labels or found.aliases:
                yield found

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """Those of the shipped keywords: they are Unicode's, and Wikidata has none."""
        return self._keywords.languages

    def keywords(self, code: str) -> Keywords | None:
        """The shipped keywords."""
        return self._keywords.keywords(code)

    def _fetch(self, missing: Sequence[str]) -> None:
        if missing:
            self._check_online(f"the names of {len(missing)} items ({', '.join(missing[:5])}, …)")
        size = self._names.batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            self.notify(f"names of {len(batch)} items", -(-(len(missing) - start - len(batch)) // size))
            with self._names.server.lock:
                batch = [item for item in batch if self._cache.get(self._key(item)) is None]
                texts = self._names.names(batch) if batch else {}
                self._cache.put_all((self._key(item), texts[item]) for item in batch)

    def plan(
        self, queries: Iterable[Query], languages: Sequence[str] | None = None, named: Iterable[str] = ()
    ) -> RequestPlan:
        """The requests for these queries, and for the names of some more items; sends none of them."""
        unasked: dict[Query, int] = {}
        items = set(named)
        for query in queries:
            needed = self._unasked(query, languages)
            unasked |= needed
            if not needed:
                items.update(query.own_class, self.answer(query, languages).unnamed)
        missing = sum(self._cache.get(self._key(item)) is None for item in items)
        return RequestPlan(unasked, missing, self._names.batch_size, not unasked)

    def _unasked(self, query: Query, languages: Sequence[str] | None) -> dict[Query, int]:
        """How many requests a query needs; with the query for languages, if these are not known."""
        wholes: Sequence[str | None] = [None]
        if query.by_language:
            if languages is None and self._is_missing(LEXEME_LANGUAGES, None):
                return {LEXEME_LANGUAGES: 1, query: 0}
            wholes = self.languages_of(query, languages)
        missing = sum(self._is_missing(query, code) for code in wholes)
        lexemes = lexeme_query(query)
        missing += lexemes is not None and self._is_missing(lexemes, None)
        return {query: missing} if missing else {}

    def _is_missing(self, query: Query, language: str | None) -> bool:
        return self._cache.get(self._query_key(query, language)) is None

    def _key(self, item: str) -> list[str]:
        return [self._names.url, "names", item]

    def _check_online(self, what: str) -> None:
        if self._cache.offline:
            raise MissingAnswerError(f"{self.name}, offline: {what} is not in the cache")
