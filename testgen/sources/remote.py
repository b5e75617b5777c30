"""Sources on the network, with a cache of everything that they answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from testgen.errors import CacheError, MissingAnswerError, QueryTimeoutError
from testgen.queries import Query
from testgen.sources.answer_cache import AnswerCache, CachedAnswer
from testgen.sources.base import Answer, Names, Provenance, Term, Texts, gather_names, read_answer
from testgen.sources.server import Server
from testgen.sources.sparql import Binding, SparqlEndpoint
from testgen.sources.statements import construct_query

_TOO_SLOW = (
    "asking the same again will not help. Make the query smaller: name a subclass instead of "
    "wdt:P31/wdt:P279*, add a restriction that few items meet, or split it in two"
)


class NamesService(Protocol):
    """A service that knows the names of items."""

    @property
    def url(self) -> str:
        """The URL of the service."""

    @property
    def server(self) -> Server:
        """The server, asked one request at a time."""

    @property
    def batch_size(self) -> int:
        """How many items one request may ask for."""

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases by item id."""


@dataclass(frozen=True)
class RequestPlan:
    """The requests that something would take.

    Attributes:
        queries: Queries whose answers are not in the cache: a request each.
        items: The number of known items whose names are not in the cache.
        batch_size: How many of them one request asks for.
        known: Whether this is all: False if the queries may return items that are not known yet.
    """

    queries: tuple[Query, ...]
    items: int
    batch_size: int
    known: bool

    @property
    def requests(self) -> int:
        """The number of requests, as far as it is known."""
        return len(self.queries) + -(-self.items // self.batch_size)


class RemoteSource:
    """A SPARQL endpoint for ids, a service for names, and a cache in front of both."""

    def __init__(
        self, kind: str, name: str, endpoint: SparqlEndpoint, names: NamesService, cache: AnswerCache
    ) -> None:
        """Connect the two services and the cache; no request is sent yet."""
        self._kind, self._name = kind, name
        self._endpoint, self._names, self._cache = endpoint, names, cache
        self.servers = tuple({id(server): server for server in (endpoint.server, names.server)}.values())
        self._newest = ""
        self.notify: Callable[[str, int], None] = lambda _what, _left: None
        """Called before each request: what is asked, and how many more requests are known to follow."""

    @property
    def provenance(self) -> Provenance:
        """The endpoint, and the newest retrieval among the answers used so far."""
        return Provenance(
            self._kind,
            self._name,
            self._newest[:10] or None,
            endpoint=self._endpoint.url,
            retrieved=self._newest or None,
        )

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """Run the query, unless its answer is in the cache; see `Source.answer`."""
        text = query.narrowed(languages)
        cached = self._cached_or_asked(
            [self._endpoint.url, "query", text],
            f"the answer to query {query.name!r}",
            f"query {query.name}",
            lambda: self._select(query, text),
        )
        self._newest = max(self._newest, cached.retrieved)
        return read_answer(query, map(_terms, cached.value), self._name)

    def _cached_or_asked(
        self, key: list[str], what: str, request: str, ask: Callable[[], object]
    ) -> CachedAnswer:
        """An answer from the cache; if it is not there, ask the endpoint and store it."""
        cached = self._cache.get(key)
        if cached is None:
            self._check_online(what)
            self.notify(request, 0)
            with self._endpoint.server.lock:
                cached = self._cache.get(key)  # another process may have asked while this one waited
                if cached is None:
                    value = ask()
                    cached = CachedAnswer(value, self._cache.put_all([(key, value)]))
        return cached

    def _select(self, query: Query, text: str) -> list[Binding]:
        """The rows of a query, without variables that nobody reads: the cache stays small."""
        try:
            bindings = self._endpoint.select(text)
        except QueryTimeoutError as error:
            raise QueryTimeoutError(f"{error} {query.name!r}; {_TOO_SLOW}") from error
        return [{name: term for name, term in row.items() if name in query.selected} for row in bindings]

    def statements(self, query: Query) -> list[str]:
        """See `Source.statements`."""
        text = construct_query(query.narrowed(None))
        if text is None:
            return []
        cached = self._cached_or_asked(
            [self._endpoint.url, "statements", text],
            f"the statements that query {query.name!r} needs",
            f"statements of {query.name}",
            lambda: self._endpoint.construct(text),
        )
        # `_newest` ignores these: test sets are the same with and without them.
        return [str(line) for line in cached.value]

    def names(
        self,
        items: Iterable[str],
        languages: Collection[str] | None = None,  # noqa: ARG002 - servers give all of them at once
    ) -> Iterator[Names]:
        """Names of the items, asking only for those that are not in the cache; see `Source.names`."""
        wanted = list(items)
        self._fetch([item for item in wanted if self._cache.get(self._key(item)) is None])
        for item in wanted:
            yield from self._read(item)

    def _fetch(self, missing: Sequence[str]) -> None:
        """Ask for names and store them in the cache: they may be too many for the memory."""
        if missing:
            self._check_online(f"the names of {len(missing)} items ({', '.join(missing[:5])}, …)")
        size = self._names.batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            self.notify(f"names of {len(batch)} items", -(-(len(missing) - start - len(batch)) // size))
            with self._names.server.lock:
                self._fetch_batch([item for item in batch if self._cache.get(self._key(item)) is None])

    def _fetch_batch(self, batch: Sequence[str]) -> None:
        if batch:
            found = self._names.names(batch)
            self._cache.put_all((self._key(item), found[item]) for item in batch)

    def _read(self, item: str) -> Iterator[Names]:
        cached = self._cache.get(self._key(item))
        if cached is None:
            raise CacheError(f"{self._name}: the names of {item} have disappeared from the cache; run again")
        self._newest = max(self._newest, cached.retrieved)
        names = gather_names(item, cached.value["labels"], cached.value["aliases"])
        if names.labels or names.aliases:
            yield names

    def plan(
        self, queries: Iterable[Query], languages: Sequence[str] | None = None, named: Iterable[str] = ()
    ) -> RequestPlan:
        """The requests for these queries, and for the names of some more items; sends none of them."""
        unasked: list[Query] = []
        items = set(named)
        for query in queries:
            cached = self._cache.get([self._endpoint.url, "query", query.narrowed(languages)])
            if cached is None:
                unasked.append(query)
            else:
                items.update(read_answer(query, map(_terms, cached.value), self._name).unnamed)
        missing = sum(self._cache.get(self._key(item)) is None for item in items)
        return RequestPlan(tuple(unasked), missing, self._names.batch_size, not unasked)

    def _key(self, item: str) -> list[str]:
        return [self._names.url, "names", item]

    def _check_online(self, what: str) -> None:
        if self._cache.freshness.offline:
            raise MissingAnswerError(f"{self._name}, offline: {what} is not in the cache")


def _terms(row: Binding) -> dict[str, Term]:
    return {name: Term(term.get("value", ""), term.get("xml:lang")) for name, term in row.items()}
