"""A SPARQL 1.1 endpoint: the Oxigraph engine behind the HTTP protocol."""

from __future__ import annotations

from pyoxigraph import (
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
)

from tests.servers.base import FORM, LocalServer, Request, Response

_RESULTS = {
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/json": QueryResultsFormat.JSON,
    "application/sparql-results+xml": QueryResultsFormat.XML,
    "application/xml": QueryResultsFormat.XML,
    "text/csv": QueryResultsFormat.CSV,
    "text/tab-separated-values": QueryResultsFormat.TSV,
}
_GRAPHS = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
}


class SparqlServer(LocalServer):
    """Answers queries on a store at `/sparql`; `log` holds the requests, `log[i].query` their text."""

    path = "/sparql"

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store

    def respond(self, request: Request) -> Response:
        if request.path != self.path:
            return Response.text(404, "Not Found\n")
        if request.method not in ("GET", "HEAD", "POST"):
            return Response.text(405, "Method Not Allowed\n", Allow="GET, HEAD, POST")
        if request.method == "POST" and request.content_type not in (FORM, "application/sparql-query"):
            return Response.text(415, f"Unsupported Media Type: {request.content_type!r}\n")
        query = request.query
        if query is None:
            return Response.text(400, "the parameter 'query' is missing\n")
        return self._answer(query, request)

    def _answer(self, query: str, request: Request) -> Response:
        graph = request.params.get("default-graph-uri")
        try:
            results = self.store.query(query, default_graph=NamedNode(graph) if graph else None)
            return self._serialized(results, request.headers.get("accept", "*/*"))
        except SyntaxError as error:
            return Response.text(400, f"malformed query: {error}\n")
        except (OSError, RuntimeError, ValueError) as error:
            return Response.text(500, f"{type(error).__name__}: {error}\n")

    def _serialized(self, results: QuerySolutions | QueryBoolean | QueryTriples, accept: str) -> Response:
        formats = _GRAPHS if isinstance(results, QueryTriples) else _RESULTS
        media_type = negotiated(accept, list(formats))
        if media_type is None:
            return Response.text(406, f"Not Acceptable: {accept}\n")
        body = results.serialize(format=formats[media_type])
        return Response(200, body, {"Content-Type": f"{media_type};charset=utf-8"})


def negotiated(accept: str, offered: list[str]) -> str | None:
    """The offered media type that an Accept header likes best; the first offered among equals."""
    wishes = [_wish(part) for part in accept.split(",") if part.strip()]
    liked = [
        (max((q for range_, q in wishes if _covers(range_, kind)), default=0.0), kind) for kind in offered
    ]
    best = max(liked, key=lambda pair: pair[0])
    return best[1] if best[0] > 0 else None


def _wish(part: str) -> tuple[str, float]:
    """A media range and its weight; by the weight of `*/*` a named type wins over it."""
    media_range, *parameters = (piece.strip() for piece in part.split(";"))
    weights = [float(piece[2:]) for piece in parameters if piece.startswith("q=")]
    return media_range.lower(), (weights[0] if weights else 1.0) * (0.999 if "*" in media_range else 1.0)


def _covers(media_range: str, kind: str) -> bool:
    return media_range in ("*/*", kind) or (media_range.endswith("/*") and kind.startswith(media_range[:-1]))
