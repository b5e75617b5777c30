"""Everything that goes wrong between a client and Wikidata, as values for a `FaultProxy`.

`FAULTS` holds them by the names of their constants; functions make others with other times. The wording of
answers follows the query service (Blazegraph behind Jetty), QLever, Wikimedia's edge and MediaWiki's API.
"""

from __future__ import annotations

import email.utils
import gzip
import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import replace

from tests.servers.base import Response
from tests.servers.proxy import Fault, Spoiler

JSON = {"Content-Type": "application/json; charset=utf-8"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
RESULTS = {"Content-Type": "application/sparql-results+json;charset=utf-8"}


def half(body: bytes) -> bytes:
    """The first half of a body: never all of it."""
    return body[: len(body) // 2]


def chunk(body: bytes) -> bytes:
    """A body as one chunk of a chunked answer."""
    return b"%x\r\n%b\r\n" % (len(body), body)


# Connections that break.


def _cut(spoiler: Spoiler) -> None:
    length = str(len(spoiler.body))
    spoiler.send_raw(spoiler.answer, half(spoiler.body), content_length=length)


def _reset_in_body(spoiler: Spoiler) -> None:
    length = str(len(spoiler.body))
    spoiler.begin(spoiler.answer, content_length=length)
    spoiler.handler.wfile.write(half(spoiler.body))
    spoiler.wait(0.05)  # A reset overtakes what the client has not read yet.
    spoiler.reset()


def _cut_with_its_length(spoiler: Spoiler) -> None:
    spoiler.send_raw(spoiler.answer, half(spoiler.body), content_length=str(len(half(spoiler.body))))


def _cut_without_length(spoiler: Spoiler) -> None:
    spoiler.send_raw(spoiler.answer, half(spoiler.body))


def _cut_chunked(spoiler: Spoiler) -> None:
    spoiler.send_raw(spoiler.answer, chunk(half(spoiler.body)), transfer_encoding="chunked")


def _cut_gzip(spoiler: Spoiler) -> None:
    zipped = half(gzip.compress(spoiler.body))
    spoiler.send_raw(spoiler.answer, zipped, content_encoding="gzip", content_length=str(len(zipped)))


def _bad_gzip(spoiler: Spoiler) -> None:
    length = str(len(spoiler.body))
    spoiler.send_raw(spoiler.answer, spoiler.body, content_encoding="gzip", content_length=length)


CLOSED = Fault("closed before the answer", lambda spoiler: spoiler.hang_up())
RESET = Fault("reset before the answer", lambda spoiler: spoiler.reset())
RESET_IN_BODY = Fault("reset in the body", _reset_in_body, needs_answer=True)
CUT = Fault("body shorter than its Content-Length", _cut, needs_answer=True)
CUT_WITH_ITS_LENGTH = Fault("body cut, and Content-Length with it", _cut_with_its_length, needs_answer=True)
CUT_WITHOUT_LENGTH = Fault("body of no stated length cut", _cut_without_length, needs_answer=True)
CUT_CHUNKED = Fault("chunked body without its last chunk", _cut_chunked, needs_answer=True)
CUT_GZIP = Fault("zipped body cut", _cut_gzip, needs_answer=True)
BAD_GZIP = Fault("said to be zipped and is not", _bad_gzip, needs_answer=True)


# Answers of servers, gateways and networks in trouble.


def answering(name: str, make: Callable[[Spoiler], Response]) -> Fault:
    """A fault that is a whole answer of its own, whatever the upstream server would say."""
    return Fault(name, lambda spoiler: spoiler.send(make(spoiler)))


def too_many_requests(seconds: int = 1) -> Fault:
    """429 with Retry-After in seconds."""
    response = Response(429, b"Rate limit exceeded\n", {"Retry-After": str(seconds), **HTML})
    return answering(f"429, Retry-After {seconds}", lambda spoiler: response)


def too_many_requests_until(seconds: float = 1) -> Fault:
    """429 with Retry-After as a date, so many seconds ahead and up to one more."""

    def make(spoiler: Spoiler) -> Response:
        date = email.utils.formatdate(math.ceil(time.time() + seconds), usegmt=True)
        return Response(429, b"Rate limit exceeded\n", {"Retry-After": date, **HTML})

    return answering("429, Retry-After a date", make)


def wikimedia_429(seconds: int | None = 30) -> Fault:
    """The limit of Wikimedia's APIs since 2026: plain text, as a rule with Retry-After."""
    text = (
        "You are making too many requests to the API.\nPlease follow the best practices at "
        "<https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits>.\n\nrequest-id: 0\n"
    )
    headers = {"Content-Type": "text/plain"} | ({} if seconds is None else {"Retry-After": str(seconds)})
    return answering(
        f"429 of Wikimedia, Retry-After {seconds}", lambda spoiler: Response(429, text.encode(), headers)
    )


def jetty_429(seconds: int = 1) -> Fault:
    """The query service's throttling page."""
    page = _jetty_page("429 Too Many Requests", f"Too Many Requests - Please retry in {seconds} seconds.")
    response = Response(429, page, {"Retry-After": str(seconds), "Content-Type": "text/html;charset=utf-8"})
    return answering(f"429 of Jetty, Retry-After {seconds}", lambda spoiler: response)


def _jetty_page(error: str, reason: str) -> bytes:
    title = f"<title>Error {error}</title>"
    text = (
        f"<h2>HTTP ERROR {error[:3]}</h2>\n<p>Problem accessing /sparql. Reason:\n<pre>    {reason}</pre></p>"
    )
    return f"<html>\n<head>\n{title}\n</head>\n<body>{text}<hr/></body>\n</html>\n".encode()


def _qlever_timeout(spoiler: Spoiler) -> Response:
    answer = {
        "exception": "Operation timed out.",
        "query": spoiler.request.query or "",
        "resultsize": 0,
        "status": "ERROR",
        "time": {"computeResult": 30000, "total": 30000},
    }
    return Response(
        429, json.dumps(answer).encode(), {"Content-Type": "application/json"}, "Too Many Requests"
    )


def _java_timeout(spoiler: Spoiler) -> bytes:
    lines = (
        f"SPARQL-QUERY: queryStr={spoiler.request.query or 'SELECT'}",
        "java.util.concurrent.TimeoutException",
        "\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)",
        "\tat com.bigdata.rdf.sail.webapp.BigdataServlet.submitApiTask(BigdataServlet.java:292)",
        "\tat com.bigdata.rdf.sail.webapp.QueryServlet.doSparqlQuery(QueryServlet.java:678)",
    )
    return ("\n".join(lines) + "\n").encode()


def _query_timeout(spoiler: Spoiler) -> Response:
    return Response(500, _java_timeout(spoiler), {"Content-Type": "text/plain;charset=utf-8"})


def _broken_off(spoiler: Spoiler, inside_a_string: bool, ending: bytes) -> None:
    """The first half of the results and then other text; as far as HTTP knows, a complete answer."""
    values = [match.end() for match in re.finditer(rb'"value"\s*:\s*"', spoiler.body)]
    rows = [match.end() for match in re.finditer(rb"\}\s*\},", spoiler.body)]
    places = values if inside_a_string else rows
    end = places[len(places) // 2] if places else len(spoiler.body) // 2
    body = chunk(spoiler.body[:end] + ending) + b"0\r\n\r\n"
    spoiler.send_raw(Response(200, b"", RESULTS), body, transfer_encoding="chunked")


_QLEVER_ENDING = (
    b"\n!!!!>># An error has occurred while exporting the query result. Unfortunately due to limitations in "
    b"the HTTP 1.1 protocol, there is no better way to report this than to append it to the incomplete "
    b"result. The error message was:\nThe query was cancelled after its time limit\n"
)


def gateway(status: int, reason: str, seconds: int | None = None) -> Fault:
    """A gateway's page of HTML, with Retry-After if seconds are given."""
    page = f"<html><head><title>{status} {reason}</title></head><body><h1>{reason}</h1></body></html>\n"
    headers = HTML if seconds is None else {**HTML, "Retry-After": str(seconds)}
    response = Response(status, page.encode(), headers, reason)
    name = f"{status}" if seconds is None else f"{status}, Retry-After {seconds}"
    return answering(name, lambda spoiler: response)


_BANNED = Response(
    403,
    _jetty_page(
        "403 Forbidden", "This client is banned until 2099-01-01T00:00:00Z for ignoring Retry-After."
    ),
    {"Content-Type": "text/html;charset=utf-8"},
)
_EDGE = Response(
    429,
    b'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Wikimedia Error</title>\n</html>\n',
    HTML,
    "Too many requests. Please comply with the User-Agent policy to get a higher rate limit",
)
_PORTAL = Response(
    200,
    b"<!DOCTYPE html>\n<html><head><title>Welcome to the guest network</title></head><body>"
    b"<form action='/login' method='post'><input name='room'><button>Connect</button></form></body></html>\n",
    HTML,
)

TOO_MANY_REQUESTS = too_many_requests()
TOO_MANY_REQUESTS_UNTIL = too_many_requests_until()
TOO_MANY_REQUESTS_EDGE = answering("429 of the edge, no Retry-After", lambda spoiler: _EDGE)
WIKIMEDIA_429 = wikimedia_429(1)
WIKIMEDIA_429_BARE = wikimedia_429(None)
JETTY_429 = jetty_429()
JETTY_429_ZERO = jetty_429(0)
QLEVER_TIMEOUT = answering("429 of QLever for a timeout", _qlever_timeout)
BANNED = answering("403, banned", lambda spoiler: _BANNED)
QUERY_TIMEOUT = answering("500, query timeout", _query_timeout)
QUERY_TIMEOUT_IN_BODY = Fault(
    "200, query timeout inside a string",
    lambda spoiler: _broken_off(spoiler, True, _java_timeout(spoiler)),
    needs_answer=True,
)
QLEVER_ERROR_IN_BODY = Fault(
    "200, QLever's error after a row",
    lambda spoiler: _broken_off(spoiler, False, _QLEVER_ENDING),
    needs_answer=True,
)
SERVER_ERROR = gateway(500, "Internal Server Error")
BAD_GATEWAY = gateway(502, "Bad Gateway")
UNAVAILABLE = gateway(503, "Service Unavailable")
UNAVAILABLE_RETRY_AFTER = gateway(503, "Service Unavailable", 1)
GATEWAY_TIMEOUT = gateway(504, "Gateway Timeout")
CAPTIVE_PORTAL = answering("200, a login page", lambda spoiler: _PORTAL)


# Answers that are not what they should be.


def _redirect_loop(spoiler: Spoiler) -> Response:
    target = spoiler.request.path + "?again"
    spoiler.proxy.loop = target, REDIRECT_LOOP
    return Response(302, b"", {"Location": target})


def _as_text(spoiler: Spoiler) -> None:
    headers = {
        name: value for name, value in spoiler.answer.headers.items() if name.lower() != "content-type"
    }
    spoiler.send(replace(spoiler.answer, headers={**headers, "Content-Type": "text/plain"}))


def _not_utf8(spoiler: Spoiler) -> None:
    place = spoiler.body.rfind(b'"value":"') + len(b'"value":"')
    body = spoiler.body[:place] + b"\xe9" + spoiler.body[place:]
    spoiler.send(replace(spoiler.answer, body=body))


HTML_AS_JSON = answering("200, HTML said to be JSON", lambda spoiler: replace(_PORTAL, headers=RESULTS))
JSON_AS_TEXT = Fault("200, JSON said to be plain text", _as_text, needs_answer=True)
NO_BINDINGS = answering(
    "200, results without bindings",
    lambda spoiler: Response(200, b'{"head": {"vars": ["item"]}, "results": {}}', RESULTS),
)
NO_TERM = answering(
    "200, a row that binds null",
    lambda spoiler: Response(200, b'{"head": {}, "results": {"bindings": [{"item": null}]}}', RESULTS),
)
NO_VALUE = answering(
    "200, a term whose value is a number",
    lambda spoiler: Response(200, b'{"results": {"bindings": [{"item": {"value": 5}}]}}', RESULTS),
)
RESULTS_LIST = answering(
    "200, results are a list", lambda spoiler: Response(200, b'{"head": {}, "results": []}', RESULTS)
)
JSON_LIST = answering("200, a JSON list", lambda spoiler: Response(200, b"[1, 2, 3]", RESULTS))
JSON_NULL = answering("200, JSON null", lambda spoiler: Response(200, b"null", RESULTS))
EMPTY_BODY = answering("200, nothing", lambda spoiler: Response(200, b"", RESULTS))
BAD_UTF8 = Fault("200, a byte that is not UTF-8 in a string", _not_utf8, needs_answer=True)
REDIRECT_LOOP = answering("302, to itself", _redirect_loop)


# Slowness.


def slow_first_byte(seconds: float = 0.5) -> Fault:
    """A good answer that starts late."""

    def act(spoiler: Spoiler) -> None:
        if spoiler.wait(seconds):
            spoiler.pass_on()
        else:
            spoiler.hang_up()

    return Fault(f"first byte after {seconds} s", act, needs_answer=True)


def silence(seconds: float = 600) -> Fault:
    """Takes the request and never answers, or hangs up after so long."""

    def act(spoiler: Spoiler) -> None:
        spoiler.wait(seconds)
        spoiler.hang_up()

    return Fault("silence", act)


def trickle(interval: float = 0.05) -> Fault:
    """The answer byte by byte and slower than anybody waits; it goes on with blanks and never ends."""

    def act(spoiler: Spoiler) -> None:
        spoiler.begin(spoiler.answer, transfer_encoding="chunked")
        for byte in spoiler.body[:-1]:
            spoiler.handler.wfile.write(chunk(bytes([byte])))
            if not spoiler.wait(interval):
                break
        while spoiler.wait(interval):
            spoiler.handler.wfile.write(chunk(b" "))
        spoiler.hang_up()

    return Fault(f"a byte every {interval} s", act, needs_answer=True)


SLOW_FIRST_BYTE = slow_first_byte()
SILENCE = silence()
TRICKLE = trickle()


# The entity API's own refusals.


def api_error(
    code: str, info: str, status: int = 200, retry_after: int | None = None, **data: object
) -> Fault:
    """An error of the entity API in its usual form."""
    body = json.dumps(
        {"error": {"code": code, "info": info, **data, "docref": "See /w/api.php for API usage."}}
    )
    headers = {**JSON, "MediaWiki-API-Error": code}
    if retry_after is not None:
        headers |= {"Retry-After": str(retry_after)}
    name = code if status == 200 else f"{status}, {code}"
    return answering(name, lambda spoiler: Response(status, body.encode(), headers))


def maxlag(seconds: int = 1, status: int = 200) -> Fault:
    """A refusal for lag. Wikidata announces 5 seconds; tests have less time."""
    lag = {"host": "wdqs1013", "lag": 7.95, "type": "wikibase-queryservice"}
    return api_error("maxlag", "Waiting for wdqs1013: 7.95 seconds lagged.", status, seconds, **lag)


_INTERNAL = (
    "internal_api_error_DBQueryTimeoutError",
    "[c0ffee] Caught exception of type DBQueryTimeoutError",
)

MAXLAG = maxlag()
MAXLAG_503 = maxlag(status=503)
RATE_LIMITED = api_error(
    "ratelimited", "You've exceeded your rate limit. Please wait some time and try again."
)
READ_ONLY = api_error("readonly", "The wiki is currently in read-only mode.")
INTERNAL_API_ERROR = api_error(*_INTERNAL)
INTERNAL_API_ERROR_500 = api_error(*_INTERNAL, 500)

FAULTS: dict[str, Fault] = {
    name: value for name, value in list(globals().items()) if isinstance(value, Fault) and name.isupper()
}
"""Every fault by the name of its constant."""

RETRYABLE = [
    CLOSED, RESET, RESET_IN_BODY, CUT, CUT_WITH_ITS_LENGTH, CUT_WITHOUT_LENGTH, CUT_CHUNKED, CUT_GZIP,
    TOO_MANY_REQUESTS, TOO_MANY_REQUESTS_UNTIL, SERVER_ERROR, BAD_GATEWAY, UNAVAILABLE,
    UNAVAILABLE_RETRY_AFTER, GATEWAY_TIMEOUT, EMPTY_BODY,
]  # fmt: skip
"""Faults that pass, for SPARQL endpoints and the entity API alike: asking again later is right."""

RETRYABLE_API = [*RETRYABLE, MAXLAG, MAXLAG_503, RATE_LIMITED, INTERNAL_API_ERROR, INTERNAL_API_ERROR_500]
"""Those and the entity API's own."""
