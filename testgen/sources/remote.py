"""Sources that are asked over a network, with everything they answer kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from testgen.errors import CacheError, MissingAnswerError, QueryTimeoutError
from testgen.queries import Query
from testgen.sources.answers import Answers, Kept
from testgen.sources.base import Answer, Names, Provenance, Term, gather_names, read_answer
from testgen.sources.entities import Texts
from testgen.sources.sparql import Binding, SparqlService
from testgen.sources.statements import construct_query
from testgen.sources.web import Web

_TOO_SLOW = (
    "asked again unchanged it would take as long. Make it smaller: name a subclass instead of "
    "wdt:P31/wdt:P279*, add a restriction that holds of few things, or split it in two"
)


class NamesService(Protocol):
    """What knows the names of items."""

    @property
    def url(self) -> str:
        """The address that is asked."""

    @property
    def web(self) -> Web:
        """The server's door."""

    @property
    def batch_size(self) -> int:
        """How many items one request may ask for."""

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases by item id."""


@dataclass(frozen=True)
class Plan:
    """What would be asked.

    Attributes:
        queries: Queries that are not kept: a request each.
        items: Items that are known of and whose names are not kept.
        batch_size: How many of them one request asks for.
        known: Whether that is all: False if queries that are still to be asked may return more items.
    """

    queries: tuple[Query, ...]
    items: int
    batch_size: int
    known: bool

    @property
    def requests(self) -> int:
        """How many requests it takes, as far as it is known."""
        return len(self.queries) + -(-self.items // self.batch_size)


class Remote:
    """A SPARQL endpoint for ids, something that knows names, and a cache in front of both."""

    def __init__(
        self, kind: str, name: str, service: SparqlService, names_service: NamesService, answers: Answers
    ) -> None:
        """Put the parts together; nothing is asked yet.

        Args:
            kind: `wikidata` or `endpoint`.
            name: What to call the source.
            service: Answers queries.
            names_service: Knows names.
            answers: Keeps what both say.
        """
        self._kind, self._name = kind, name
        self._service, self._names, self._answers = service, names_service, answers
        self.webs = tuple({id(web): web for web in (service.web, names_service.web)}.values())
        self._newest = ""
        self.notify: Callable[[str, int], None] = lambda _what, _left: None
        """Told before each request: what is asked, and how many more requests are known to follow."""

    @property
    def provenance(self) -> Provenance:
        """The endpoint, and the newest retrieval among the answers used so far."""
        return Provenance(
            self._kind,
            self._name,
            self._newest[:10] or None,
            endpoint=self._service.url,
            retrieved=self._newest or None,
        )

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """Run the query, unless its answer is kept; see `Source.answer`."""
        text = query.narrowed(languages)
        kept = self._answers.get([self._service.url, "query", text])
        if kept is None:
            self._may_ask(f"the answer to query {query.name!r}")
            self.notify(f"query {query.name}", 0)
            with self._service.web.lock:  # another process may have asked while this one waited
                kept = self._answers.get([self._service.url, "query", text]) or self._ask(query, text)
        self._note(kept.retrieved)
        return read_answer(query, map(_terms, kept.value), self._name)

    def _ask(self, query: Query, text: str) -> Kept:
        try:
            bindings = self._service.select(text)
        except QueryTimeoutError as error:
            raise QueryTimeoutError(f"{error} {query.name!r}; {_TOO_SLOW}") from error
        value = [_slim(query, row) for row in bindings]
        return Kept(value, self._answers.put_all([([self._service.url, "query", text], value)]))

    def statements(self, query: Query) -> list[str]:
        """The statements that a query rests on, as N-Triples.

        Raises:
            QueryFaultError: It is not known what the query rests on.
            SourceError: The source fails.
        """
        text = construct_query(query.narrowed(None))
        if text is None:
            return []
        key = [self._service.url, "statements", text]
        kept = self._answers.get(key)
        if kept is None:
            self._may_ask(f"what query {query.name!r} rests on")
            self.notify(f"statements of {query.name}", 0)
            with self._service.web.lock:
                kept = self._answers.get(key) or self._construct(key, text)
        # Not noted among what test sets are made of: they are the same with and without it.
        return [str(line) for line in kept.value]

    def _construct(self, key: list[str], text: str) -> Kept:
        lines = self._service.construct(text)
        return Kept(lines, self._answers.put_all([(key, lines)]))

    def names(
        self,
        items: Iterable[str],
        languages: Collection[str] | None = None,  # noqa: ARG002 - servers give all of them at once
    ) -> Iterator[Names]:
        """Names of the items, asking only for those that are not kept; see `Source.names`."""
        wanted = list(items)
        self._fetch([item for item in wanted if self._answers.get(self._key(item)) is None])
        for item in wanted:
            yield from self._read(item)

    def _fetch(self, missing: Sequence[str]) -> None:
        """Ask for names and keep them: they may be too many to be held in memory."""
        if missing:
            self._may_ask(f"the names of {len(missing)} items ({', '.join(missing[:5])}, …)")
        size = self._names.batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            self.notify(f"names of {len(batch)} items", -(-(len(missing) - start - len(batch)) // size))
            with self._names.web.lock:
                self._fetch_batch([item for item in batch if self._answers.get(self._key(item)) is None])

    def _fetch_batch(self, batch: Sequence[str]) -> None:
        if batch:
            found = self._names.names(batch)
            self._answers.put_all((self._key(item), found[item]) for item in batch)

    def _read(self, item: str) -> Iterator[Names]:
        kept = self._answers.get(self._key(item))
        if kept is None:
            raise CacheError(f"{self._name}: the names of {item} were kept and are gone; run again")
        self._note(kept.retrieved)
        names = gather_names(item, kept.value["labels"], kept.value["aliases"])
        if names.labels or names.aliases:
            yield names

    def plan(
        self, queries: Iterable[Query], languages: Sequence[str] | None = None, named: Iterable[str] = ()
    ) -> Plan:
        """What would be asked for these queries, and for names of some items besides; asks nothing."""
        unasked: list[Query] = []
        items = set(named)
        for query in queries:
            text = query.narrowed(languages)
            kept = self._answers.get([self._service.url, "query", text])
            if kept is None:
                unasked.append(query)
            else:
                items.update(read_answer(query, map(_terms, kept.value), self._name).unnamed)
        missing = sum(self._answers.get(self._key(item)) is None for item in items)
        return Plan(tuple(unasked), missing, self._names.batch_size, not unasked)

    def _key(self, item: str) -> list[str]:
        return [self._names.url, "names", item]

    def _may_ask(self, what: str) -> None:
        if self._answers.freshness.offline:
            raise MissingAnswerError(f"{self._name}, offline: {what} is not in the cache")

    def _note(self, retrieved: str) -> None:
        self._newest = max(self._newest, retrieved)


def _slim(query: Query, row: Binding) -> Binding:
    """A row without what is not read, so that the cache stays small."""
    return {name: term for name, term in row.items() if name in query.selected}


def _terms(row: Binding) -> dict[str, Term]:
    return {name: Term(term.get("value", ""), term.get("xml:lang")) for name, term in row.items()}
