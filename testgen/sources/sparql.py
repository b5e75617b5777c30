"""A SPARQL endpoint over HTTP, asked through SPARQLWrapper: answers to queries, and names of items."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from testgen.errors import QueryFaultError, QueryTimeoutError
from testgen.queries import split_prologue
from testgen.sources.base import Texts, id_of, iri_of
from testgen.sources.http_answers import (
    BusyServer,
    TemporaryFault,
    check_status,
    not_json_error,
)
from testgen.sources.server import Server

Binding = dict[str, dict[str, str]]
"""A row of an answer: the term of each variable, as in the SPARQL 1.1 JSON results format."""

_LIMITED = regex.compile(r"(?is)\}[^{}]*\b(LIMIT|OFFSET)\s+\d|\bVALUES\b[^{}]*\{[^{}]*\}\s*\Z")
_ORDER = regex.compile(r"(?is)(\}[^{}]*?)\bORDER\s+BY\b[^{}]*\Z")
_SECONDS = 330.0  # the longest time limit is that of query-next.wikidata.org: 300
_MOST_OF_LIMIT = 45.0  # seconds; the shortest time limit of Wikidata's is 60
_NAMES_QUERY = """\
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?item ?kind ?name WHERE {{
  VALUES ?item {{ {items} }}
  {{ ?item rdfs:label ?name . BIND("labels" AS ?kind) }}
  UNION
  {{ ?item skos:altLabel ?name . BIND("aliases" AS ?kind) }}
  UNION
  {{ ?item owl:sameAs ?target . ?target rdfs:label ?name . BIND("labels" AS ?kind) }}
  UNION
  {{ ?item owl:sameAs ?target . ?target skos:altLabel ?name . BIND("aliases" AS ?kind) }}
}}
"""


@dataclass(frozen=True)
class SparqlEndpoint:
    """The client of one endpoint; an answer may have as many rows as the limit."""

    url: str
    user_agent: str
    server: Server
    row_limit: int = 200_000
    batch_size: int = field(default=100, init=False)  # items whose names one request asks for

    def select(self, text: str) -> list[Binding]:
        """The rows of a SELECT query."""
        bindings = self.server.ask(lambda: self._send(_limited(text, self.row_limit + 1)))
        if len(bindings) > self.row_limit:
            raise QueryFaultError(self._too_many_message(text))
        return bindings

    def names(self, items: Sequence[str]) -> dict[str, dict[str, Texts]]:
        """Labels and aliases of items in all languages, each `{"labels": …, "aliases": …}`, by item id."""
        # A batch that takes too long, or has more names than the server gives, is split in two.
        query = _NAMES_QUERY.format(items=" ".join(f"<{iri_of(item)}>" for item in items))
        try:
            bindings = self.select(query)
        except QueryFaultError:
            if len(items) == 1:
                raise
            middle = len(items) // 2
            return self.names(items[:middle]) | self.names(items[middle:])
        found: dict[str, dict[str, Texts]] = {item: {"labels": {}, "aliases": {}} for item in items}
        for row in bindings:
            try:
                item, tag = id_of(row["item"]["value"]), row["name"].get("xml:lang", "").lower()
                found[item][row["kind"]["value"]].setdefault(tag, []).append(row["name"]["value"])
            except KeyError as error:
                raise QueryFaultError(f"{self.server.name}: answers another question: {row}") from error
        for kinds in found.values():
            for texts in (*kinds["labels"].values(), *kinds["aliases"].values()):
                texts.sort()  # engines give them in any order
        return found

    def _too_many_message(self, text: str) -> str:
        try:
            (row,) = self.server.ask(lambda: self._send(count_query(text)))
            count = f"{int(row['count']['value']):,}"
        except (QueryFaultError, KeyError, ValueError):
            count = f"more than {self.row_limit:,}"
        return (
            f"{self.server.name}: the query has {count} results, and at most {self.row_limit:,} are allowed: "
            "a test set needs no more. Restrict it to a subclass, a country, or things with many sitelinks"
        )

    def _send(self, text: str) -> list[Binding]:
        # Whatever goes wrong after most of the time limit was caused by it: gateways have answers of their
        # own for it (502, 504), or cut the connection, and some engines break off.
        clock, begun = self.server.pace.clock, self.server.pace.clock.monotonic()
        try:
            status, headers, body = self._exchange(text)
            check_status(self.server.name, status, headers, body)
            return _parse_select(self.server, headers.get("content-type", ""), body, headers)
        except TemporaryFault as fault:
            seconds = clock.monotonic() - begun
            if isinstance(fault, BusyServer) or seconds < _MOST_OF_LIMIT:
                raise
            raise QueryTimeoutError(
                f"{self.server.name} ran out of time for the query ({fault}, after {seconds:.0f} seconds)"
            ) from fault

    def _exchange(self, text: str) -> tuple[int, dict[str, str], str]:
        import SPARQLWrapper

        request = SPARQLWrapper.SPARQLWrapper(self.url, agent=self.user_agent)
        request.setMethod(SPARQLWrapper.POST)  # a query's length does not matter in a form
        request.setRequestMethod(SPARQLWrapper.URLENCODED)
        request.setReturnFormat(SPARQLWrapper.JSON)
        request.setQuery(text)
        # SPARQLWrapper would add the bare words `json` and so on to the form, which confuses some servers.
        request.setOnlyConneg(True)
        # The transport of SPARQLWrapper unpacks nothing and opens a new connection for each request.
        made = request._createRequest()
        headers = dict(made.header_items())
        return self.server.exchange("POST", made.full_url, _SECONDS, data=made.data, headers=headers)


def _limited(text: str, rows: int) -> str:
    """The query with a limit, unless it has one already, or ends in a VALUES block and cannot have one."""
    # Rows are sorted when they are read: ORDER BY costs time, and Virtuoso refuses to sort more than 10,000.
    if _LIMITED.search(text):
        return text
    unordered = _ORDER.sub(r"\1", text).rstrip()
    return f"{unordered}\nLIMIT {rows}\n"


def count_query(text: str) -> str:
    """The query that counts the rows of a query."""
    prologue, select = split_prologue(text)
    return f"{prologue}SELECT (COUNT(*) AS ?count) WHERE {{ {{\n{select}\n}} }}"


def _parse_select(server: Server, content_type: str, body: str, headers: Mapping[str, str]) -> list[Binding]:
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise not_json_error(server.name, content_type, body) from error
    results = value.get("results") if isinstance(value, dict) else None
    bindings = results.get("bindings") if isinstance(results, dict) else None
    if not isinstance(bindings, list) or not all(map(_is_row, bindings)):
        raise QueryFaultError(
            f"{server.name}: the answer has no `results.bindings`; is this a SPARQL endpoint?"
        )
    most = headers.get("x-sparql-maxrows", "")
    if most.isdecimal() and len(bindings) >= int(most):
        raise QueryFaultError(
            f"{server.name} cuts answers off at {most} rows (X-SPARQL-MaxRows), and this answer has so many; "
            "restrict the query, or ask the operator to raise the limit"
        )
    return bindings


def _is_row(row: object) -> bool:
    terms = row.values() if isinstance(row, dict) else [None]
    return all(isinstance(term, dict) and isinstance(term.get("value"), str) for term in terms)
