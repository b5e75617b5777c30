"""A SPARQL service over HTTP: queries go out through SPARQLWrapper, whole and parsed answers come back."""

from __future__ import annotations

import ast
import http.client
import json
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import regex

from testgen.errors import QueryFaultError, QueryTimeoutError, SourceError
from testgen.queries import parted
from testgen.sources.web import (
    PassingFault,
    Web,
    broken_connection,
    check_status,
    lower_case,
    no_json,
    not_what_was_asked_for,
    out_of_time,
    read_beginning,
    read_text,
)

if TYPE_CHECKING:
    from SPARQLWrapper import SPARQLWrapper

T = TypeVar("T")

Binding = dict[str, dict[str, str]]
"""A row of an answer: for each variable its term, as in the SPARQL 1.1 JSON results format."""

_LIMITED = regex.compile(r"(?is)\}[^{}#]*\b(LIMIT|OFFSET)\s+\d|\bVALUES\b[^{}]*\{[^{}]*\}\s*\Z")
_ORDER = regex.compile(r"(?is)(\}[^{}]*?)\bORDER\s+BY\b[^{}]*\Z")
_SECONDS = 90  # Wikidata's own limit is 60


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
        bindings = self.web.ask(lambda: self._send(_limited(text, self.row_limit + 1), _parse_select))
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
        except (QueryFaultError, KeyError, ValueError):
            count = f"more than {self.row_limit:,}"
        return (
            f"{self.web.name}: the query has {count} results, and at most {self.row_limit:,} are taken: a "
            "test set needs no more. Narrow it to a subclass, a country, or things with many sitelinks"
        )

    def _send(self, text: str, parse: Callable[[Web, str, str, Mapping[str, str]], T]) -> T:
        """Send a query once; see `Web.ask` for what is raised."""
        status, headers, body = self._exchange(self._request(text, triples=parse is _parse_triples))
        check_status(self.web.name, status, headers, body)
        return parse(self.web, headers.get("content-type", ""), body, headers)

    def _request(self, text: str, *, triples: bool) -> SPARQLWrapper:
        import SPARQLWrapper

        request = SPARQLWrapper.SPARQLWrapper(self.url, agent=self.user_agent)
        request.setMethod(SPARQLWrapper.POST)  # a query's length does not matter in a form
        request.setRequestMethod(SPARQLWrapper.URLENCODED)
        request.setReturnFormat(SPARQLWrapper.TURTLE if triples else SPARQLWrapper.JSON)
        request.setTimeout(_SECONDS)
        request.setQuery(text)
        # The bare words `json` and so on that SPARQLWrapper adds in the form confuse some servers.
        request.setOnlyConneg(True)
        return request

    def _exchange(self, request: SPARQLWrapper) -> tuple[int, dict[str, str], str]:
        """Status, headers by lower-case name, and the whole body."""
        from SPARQLWrapper import SPARQLExceptions

        try:
            result = request.query()
        except SPARQLExceptions.SPARQLWrapperException as error:
            return _refusal(error)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, lower_case(error.headers), read_beginning(error)
        except TimeoutError as error:  # the connection stands, and nothing comes
            raise QueryTimeoutError(f"{self.web.name} did not answer in {_SECONDS} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            raise broken_connection(error) from error
        try:
            with result.response as response:
                return response.status, lower_case(response.headers), read_text(_pieces(response))
        except (OSError, http.client.HTTPException) as error:
            raise broken_connection(error) from error


def _refusal(error: Exception) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of an answer that SPARQLWrapper has turned into an exception of its own."""
    cause, told = error.__context__, str(error).rpartition("Response:\n")[2]
    if not isinstance(cause, urllib.error.HTTPError):
        raise error
    cause.close()
    body = ast.literal_eval(told).decode("utf-8", errors="replace") if told[:1] == "b" else told
    return cause.code, lower_case(cause.headers), body


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body as it comes in: a plain `read` would wait until so much is there, or for ever."""
    while piece := response.read(len(response.peek(1)) or 1):
        yield piece
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)


def _limited(text: str, rows: int) -> str:
    """The query with a limit, unless one of its own or a VALUES block at its end leaves no place for it.

    Such a query is sent without its order, which costs the server time and serves nobody: rows are put in
    order when they are read. Virtuoso refuses to sort for a limit of more than 10,000.
    """
    if _LIMITED.search(text):
        return text
    unordered = _ORDER.sub(r"\1", text).rstrip()
    return f"{unordered}\nLIMIT {rows}\n"


def counting(text: str) -> str:
    """The query that counts the rows of a query."""
    prologue, select = parted(text)
    return f"{prologue}SELECT (COUNT(*) AS ?count) WHERE {{ {{\n{select}\n}} }}"


def _parse_triples(web: Web, content_type: str, body: str, _headers: Mapping[str, str]) -> list[str]:
    import pyoxigraph

    format_ = pyoxigraph.RdfFormat.from_media_type(content_type.partition(";")[0].strip())
    if format_ is None:
        raise not_what_was_asked_for(web.name, content_type, body)
    try:
        return sorted({f"{quad.triple} ." for quad in pyoxigraph.parse(body.encode(), format=format_)})
    except SyntaxError as error:
        raise out_of_time(web.name, body) or PassingFault("the answer breaks off") from error


def _parse_select(web: Web, content_type: str, body: str, headers: Mapping[str, str]) -> list[Binding]:
    try:
        value: Any = json.loads(body)
    except ValueError as error:
        raise no_json(web.name, content_type, body) from error
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
