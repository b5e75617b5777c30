"""What HTTP answers mean, by status, headers and body."""

from __future__ import annotations

import email.utils
import time

import pytest

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError
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
