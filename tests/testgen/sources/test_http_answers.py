"""What HTTP answers mean, by status, headers and body."""

from __future__ import annotations

import email.utils
import time

import pytest

from testgen.errors import (
    CacheError,
    MissingAnswerError,
    QueryFaultError,
    QueryTimeoutError,
    RefusedError,
    SourceError,
)
from testgen.sources.http_answers import (
    BusyServer,
    IncompleteAnswer,
    RateLimit,
    TemporaryFault,
    check_status,
    not_json_error,
    retry_after,
    wrong_content_error,
)

LATER = {"retry-after": "7"}


def raised(status, headers=None, body="Oops"):
    with pytest.raises(Exception) as caught:  # the type is what is tested
        check_status("X", status, headers or {}, body)
    return caught.value


def test_200_is_no_error():
    assert check_status("X", 200, LATER, "timed out") is None


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "wait"),
    [
        (429, LATER, "timed out", RateLimit, 7.0),
        (429, {"retry-after": "0"}, "", RateLimit, 0.0),
        (429, {}, "too many", RateLimit, 60.0),
        (429, LATER, '{"error": "timed out"}', RateLimit, 7.0),
        (429, LATER, '"exception"', RateLimit, 7.0),
        *((status, {}, "", TemporaryFault, None) for status in (408, 425, 500, 502, 503, 504, 520, 522, 524)),
        *((status, LATER, "", TemporaryFault, 7.0) for status in (500, 502, 504)),
        (503, LATER, "", BusyServer, 7.0),
    ],
)
def test_what_may_pass(status, headers, body, kind, wait):
    error = raised(status, headers, body)
    assert type(error) is kind
    assert (error.wait, error.answered) == (wait, True)


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (429, {}, "Query TIMED OUT", QueryTimeoutError),
        (429, LATER, '{"exception": "cancelled"}', QueryTimeoutError),
        (500, LATER, "java.util.concurrent.TimeoutException", QueryTimeoutError),
        (400, {}, "exceeds the limit", QueryTimeoutError),
        (500, {}, "Virtuoso 37000 Error", QueryFaultError),
        (500, {}, "From Virtuoso 37000 Error", TemporaryFault),
        *((status, {}, "", QueryFaultError) for status in (400, 413, 414)),
        (403, {}, "", RefusedError),
        *((status, {}, "", SourceError) for status in (201, 301, 401, 404, 418, 505)),
    ],
)
def test_what_does_not(status, headers, body, kind):
    assert type(raised(status, headers, body)) is kind


@pytest.mark.parametrize(
    ("status", "headers", "body", "message"),
    [
        (400, {}, "a  b\nc", "X refuses (HTTP 400), it does not understand the query: 'a b c'"),
        (
            301,
            {"location": "http://y"},
            "",
            "X refuses (HTTP 301), it has moved to http://y: use this address: ''",
        ),
        (418, {}, "z" * 120, f"X refuses (HTTP 418): '{'z' * 120}'"),
        (418, {}, "z" * 121, f"X refuses (HTTP 418): '{'z' * 120}…'"),
        (500, {}, "Virtuoso no", "X cannot answer the query: 'Virtuoso no'"),
        (503, {}, "no", "server error (HTTP 503)"),
        (429, {}, "no", "too many requests (HTTP 429)"),
    ],
)
def test_what_is_said(status, headers, body, message):
    assert str(raised(status, headers, body)) == message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("see our robot policy", "set one that reaches you"),
        ("Set a User-Agent", "set one that reaches you"),
        ("you are banned until 2026-12-01T00:00:00Z, go", "this client until 2026-12-01T00:00:00Z; run"),
        ("go away", "may have blocked this client"),
    ],
)
def test_what_to_do_about_a_ban(body, said):
    assert said in str(raised(403, {}, body))
    assert "blocked" not in str(raised(401, {}, body))


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, None), ("3", 3), ("2.5", 2.5), ("-4", 0), ("soon", None), ("", None)]
)
def test_seconds_to_wait(value, seconds):
    assert retry_after(value) == seconds


def test_a_date_to_wait_for():
    def date(seconds):
        return email.utils.formatdate(time.time() + seconds, usegmt=True)

    assert 97 < retry_after(date(100)) <= 100
    assert retry_after(date(-100)) == 0


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("", TemporaryFault, "the answer is empty"),
        (" \n", TemporaryFault, "the answer is empty"),
        (' {"results"', IncompleteAnswer, "the answer is incomplete"),
        ("[1, 2", IncompleteAnswer, "the answer is incomplete"),
        ("{ Operation timed out", QueryTimeoutError, "ran out of time"),
        ("plain", SourceError, "answered with text/plain where JSON was expected"),
    ],
)
def test_what_is_not_json(body, kind, said):
    error = not_json_error("X", "text/plain", body)
    assert type(error) is kind
    assert said in str(error)


@pytest.mark.parametrize(
    ("content_type", "body", "kind", "said"),
    [
        ("text/html", "robot policy", RefusedError, "X refuses clients without a contact"),
        ("application/json", ' {"a": 1}', SourceError, "JSON of an unknown form"),
        ("application/json", "[1]", SourceError, "JSON of an unknown form"),
        ("text/plain", " " * 1995 + "<HTML>", SourceError, "X answered with a web page where"),
        ("text/plain", " " * 1996 + "<HTML>", SourceError, "X answered with text/plain where"),
        ("", "", SourceError, "X answered with content without a type where"),
    ],
)
def test_content_of_another_kind(content_type, body, kind, said):
    error = wrong_content_error("X", content_type, body)
    assert type(error) is kind
    assert said in str(error)


BLAZEGRAPH = """\
SPARQL-QUERY: queryStr=SELECT ?item WHERE {{ ?item wdt:P31 wd:Q1 }}
java.util.concurrent.ExecutionException: java.util.concurrent.ExecutionException: {0}
\tat java.base/java.util.concurrent.FutureTask.report(FutureTask.java:122)
\t... 21 more
Caused by: {0}
\tat com.bigdata.rdf.internal.constraints.DateBOp.get(DateBOp.java:1)
"""


@pytest.mark.parametrize(
    ("java", "kind", "said"),
    [
        (
            "java.lang.IllegalArgumentException: Invalid value 0 for Month field.",
            QueryFaultError,
            "Invalid value 0",
        ),
        ("java.lang.RuntimeException: java.lang.StackOverflowError", QueryFaultError, "'StackOverflowError'"),
        (
            "com.bigdata.bop.engine.QueryTimeoutException: Query deadline is expired.",
            QueryTimeoutError,
            "time",
        ),
        ("java.util.concurrent.TimeoutException", QueryTimeoutError, "time"),
        ("java.io.IOException: java.net.UnknownHostException: x: no", TemporaryFault, "500"),
        ("java.util.concurrent.RejectedExecutionException: Task", TemporaryFault, "500"),
    ],
)
def test_a_failure_of_blazegraph_is_what_its_exception_says(java, kind, said):
    error = raised(500, {}, BLAZEGRAPH.format(java))
    assert type(error) is kind
    assert said in str(error)
    assert "queryStr" not in str(error)
    in_body = not_json_error("X", "application/json", '{"results": {"bindings": [{' + BLAZEGRAPH.format(java))
    assert type(in_body) is (IncompleteAnswer if kind is TemporaryFault else kind)


def test_a_body_that_only_repeats_the_query_tells_of_no_timeout():
    assert type(raised(500, {}, "SPARQL-QUERY: queryStr=SELECT ?item WHERE { }")) is TemporaryFault


def test_what_is_malformed_is_told_without_the_query():
    java = 'org.openrdf.query.MalformedQueryException: Encountered "<EOF>" at line 1, column 27.'
    said = str(raised(400, {}, BLAZEGRAPH.format(java)))
    assert said == f"X refuses (HTTP 400), it does not understand the query: {java.partition(': ')[2]!r}"


def test_after_which_errors_a_source_may_be_asked_more():
    """One answer that is missing says nothing of the others."""
    assert not MissingAnswerError("not in the cache").final
    assert CacheError("cannot be read").final
