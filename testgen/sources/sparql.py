"""A SPARQL service over HTTP: queries go out through SPARQLWrapper, whole and parsed answers come back."""

from __future__ import annotations

import http.client
import json
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import regex

from testgen.errors import QueryFaultError, SourceError
from testgen.sources.web import (
    PassingFault,
    Web,
    broken_connection,
    check_status,
    lower_case,
    not_what_was_asked_for,
    read_beginning,
    read_text,
)

if TYPE_CHECKING:
    from SPARQLWrapper import SPARQLWrapper

T = TypeVar("T")

Binding = dict[str, dict[str, str]]
"""A row of an answer: for each variable its term, as in the SPARQL 1.1 JSON results format."""

_LIMITED = regex.compile(r"(?is)\}[^{}#]*\b(LIMIT|OFFSET)\s+\d|\bVALUES\b[^{}]*\{[^{}]*\}\s*\Z")
_CONSTRUCT = regex.compile(r"(?i)\bCONSTRUCT\b")
_SECONDS = 90  # Wikidata's own limit is 60
_PROLOGUE = regex.compile(r"(?is)\A((?:\s|#[^\n]*\n|PREFIX\s+[^\s:]*:\s*<[^>]*>)*)(SELECT\b.*)\Z")


@dataclass(frozen=True)
class SparqlService:
    """One endpoint.

    Attributes:
        url: Its address.
        user_agent: How to introduce oneself.
        web: Its door.
        row_limit: The most rows that are taken from an answer.
    """

    url: str
    user_agent: str
    web: Web
    row_limit: int = 200_000

    def select(self, text: str) -> list[Binding]:
        """The rows of a SELECT query.

        Raises:
            QueryTimeoutError: It takes the server too long.
            QueryFaultError: The server does not understand it, or there are more rows than the limit.
            SourceError: The server fails or refuses, or what it answers is no answer.
        """
        # A limit of the query's own, or a VALUES block at its end, leaves no place for ours.
        limited = text if _LIMITED.search(text) else f"{text.rstrip()}\nLIMIT {self.row_limit + 1}\n"
        bindings = self.web.ask(lambda: self._send(limited, _parse_select))
        if len(bindings) > self.row_limit:
            raise QueryFaultError(self._too_many(text))
        return bindings

    def construct(self, text: str) -> list[str]:
        """The triples of a CONSTRUCT query, as N-Triples, sorted.

        Raises:
            QueryTimeoutError: It takes the server too long.
            SourceError: The server fails or refuses, or what it answers is no RDF.
        """
        return self.web.ask(lambda: self._send(text, _parse_triples))

    def _too_many(self, text: str) -> str:
        try:
            (row,) = self.web.ask(lambda: self._send(counting(text), _parse_select))
            count = f"{int(row['count']['value']):,}"
        except (SourceError, KeyError, ValueError):
            count = f"more than {self.row_limit:,}"
        return (
            f"{self.web.name}: the query has {count} results, and at most {self.row_limit:,} are taken: a "
            "test set needs no more. Narrow it to a subclass, a country, or things with many sitelinks"
        )

    def _send(self, text: str, parse: Callable[[Web, str, str, Mapping[str, str]], T]) -> T:
        """Send a query once; see `Web.ask` for what is raised."""
        status, headers, body = self._exchange(self._request(text))
        check_status(self.web.name, status, headers, body)
        return parse(self.web, headers.get("content-type", ""), body, headers)

    def _request(self, text: str) -> SPARQLWrapper:
        import SPARQLWrapper

        request = SPARQLWrapper.SPARQLWrapper(self.url, agent=self.user_agent)
        request.setMethod(SPARQLWrapper.POST)  # a query's length does not matter in a form
        request.setRequestMethod(SPARQLWrapper.URLENCODED)
        construct = _CONSTRUCT.search(text) is not None
        request.setReturnFormat(SPARQLWrapper.TURTLE if construct else SPARQLWrapper.JSON)
        request.setTimeout(_SECONDS)
        request.setQuery(text)
        # The bare words `json` and so on that SPARQLWrapper adds in the form confuse some servers.
        request.setOnlyConneg(True)
        return request

    def _exchange(self, request: SPARQLWrapper) -> tuple[int, dict[str, str], str]:
        """Status, headers by lower-case name, and the whole body."""
        from SPARQLWrapper import SPARQLExceptions

        statuses = {
            SPARQLExceptions.QueryBadFormed: 400,
            SPARQLExceptions.Unauthorized: 401,
            SPARQLExceptions.EndPointNotFound: 404,
            SPARQLExceptions.URITooLong: 414,
            SPARQLExceptions.EndPointInternalError: 500,
        }
        try:
            result = request.query()
            with result.response as response:
                return 200, lower_case(response.headers), read_text(iter(partial(response.read, 65536), b""))
        except tuple(statuses) as error:
            return statuses[type(error)], {}, str(error).rpartition("Response:\n")[2]
        except urllib.error.HTTPError as error:
            with error:
                return error.code, lower_case(error.headers), read_beginning(error)
        except (OSError, http.client.HTTPException) as error:
            raise broken_connection(error) from error


def counting(text: str) -> str:
    """The query that counts the rows of a query."""
    match = _PROLOGUE.match(text)
    prologue, select = match.groups() if match else ("", text)
    return f"{prologue}SELECT (COUNT(*) AS ?count) WHERE {{ {{\n{select}\n}} }}"


def _parse_triples(web: Web, content_type: str, body: str, _headers: Mapping[str, str]) -> list[str]:
    import pyoxigraph

    format_ = pyoxigraph.RdfFormat.from_media_type(content_type.partition(";")[0].strip())
    if format_ is None:
        raise not_what_was_asked_for(web.name, content_type, body)
    try:
        return sorted({f"{quad.triple} ." for quad in pyoxigraph.parse(body.encode(), format=format_)})
    except SyntaxError as error:
        raise PassingFault("the answer breaks off") from error


def _parse_select(web: Web, content_type: str, body: str, headers: Mapping[str, str]) -> list[Binding]:
    try:
        value: Any = json.loads(body)
    except ValueError as error:
        if "json" in content_type.lower() and body.lstrip()[:1] == "{":
            # check_status has seen to the marks of timeouts; what is left is a connection that broke.
            raise PassingFault("the answer breaks off") from error
        raise not_what_was_asked_for(web.name, content_type, body) from error
    bindings = value.get("results", {}).get("bindings") if isinstance(value, dict) else None
    if not isinstance(bindings, list) or not all(isinstance(row, dict) for row in bindings):
        raise SourceError(f"{web.name}: the answer has no `results.bindings`; is this a SPARQL endpoint?")
    most = headers.get("x-sparql-maxrows", "")
    if most.isdigit() and len(bindings) >= int(most):
        raise QueryFaultError(
            f"{web.name} cuts answers off at {most} rows (X-SPARQL-MaxRows), and this one is as long; narrow "
            "the query, or have the limit raised"
        )
    return bindings
