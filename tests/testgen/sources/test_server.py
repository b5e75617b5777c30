"""Asking a server: which requests are repeated and after which waits, and the messages for people."""

from __future__ import annotations

import csv
import email.utils
import socket
import threading
import time
from dataclasses import replace

import pytest

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError
from testgen.sources import server, sparql
from testgen.sources.entity_api import EntityApi
from testgen.sources.http_answers import TemporaryFault, retry_after
from testgen.sources.server import Pace, RetryPolicy, Server
from testgen.sources.sparql import SparqlEndpoint, count_query
from tests.servers import faults
from tests.servers.base import AnsweringServer, Response
from tests.servers.faults import FAULTS, RETRYABLE, RETRYABLE_API
from tests.servers.proxy import FaultProxy, always, scripted
from tests.testgen.network import FastClock

AGENT = "testgen-tests/0 (mail@example.org)"
QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05)
STATES = """PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?item wdt:P31 wd:Q3624078 } ORDER BY ?item
"""
TIMEOUTS = [
    "QUERY_TIMEOUT",
    "QUERY_TIMEOUT_IN_BODY",
    "QLEVER_TIMEOUT",
    "QLEVER_ERROR_IN_BODY",
]
# Good answers, if slow or badly labelled ones.
HARMLESS = ["SLOW_FIRST_BYTE", "JSON_AS_TEXT"]
REFUSALS = {
    "BANNED": "has blocked this client until 2099-01-01T00:00:00Z; run the same command again then",
    "CAPTIVE_PORTAL": "a web page where JSON was expected.*require a login",
    "HTML_AS_JSON": "a web page where JSON was expected",
    "REDIRECT_LOOP": r"HTTP 302.*it has moved to",
}


def passing(names):
    return [name for name, fault in FAULTS.items() if fault in names]


@pytest.fixture
def waits(monkeypatch):
    """The waits; none of them takes any time."""
    seconds = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


@pytest.fixture
def sparql_proxy(small_world):
    with FaultProxy(small_world.sparql.url) as proxy:
        yield proxy


@pytest.fixture
def api_proxy(small_world):
    with FaultProxy(small_world.api.url) as proxy:
        yield proxy


def service(url, retry_policy=QUICK, **options):
    return SparqlEndpoint(url, AGENT, Server("the server", retry_policy), **options)


def api(url, retry_policy=QUICK):
    return EntityApi(url, AGENT, Server("the server", retry_policy))


def states(bindings):
    return [row["item"]["value"].rpartition("/")[2] for row in bindings]


NO_ROWS = ["NO_BINDINGS", "NO_TERM", "NO_VALUE", "RESULTS_LIST", "JSON_LIST", "JSON_NULL"]
"""JSON, but no answer to a query: nothing of it is kept."""


class TestFaultsOfQueries:
    @pytest.mark.parametrize("name", passing(RETRYABLE))
    def test_what_passes_is_asked_again(self, sparql_proxy, waits, name):
        good = states(service(sparql_proxy.url).select(STATES))
        sparql_proxy.log.clear()
        sparql_proxy.plan = scripted(FAULTS[name], FAULTS[name])
        assert states(service(sparql_proxy.url).select(STATES)) == good
        assert len(sparql_proxy.log) == 3
        assert len(waits) == 2
        assert sparql_proxy.repeated_after_success() == []

    @pytest.mark.parametrize("name", TIMEOUTS)
    def test_timeouts_are_not_asked_again(self, sparql_proxy, waits, name):
        sparql_proxy.plan = always(FAULTS[name])
        with pytest.raises(QueryTimeoutError):
            service(sparql_proxy.url).select(STATES)
        assert len(sparql_proxy.log) == 1
        assert waits == []

    @pytest.mark.parametrize("name", REFUSALS)
    def test_refusals_stop_everything(self, sparql_proxy, waits, name):
        sparql_proxy.plan = always(FAULTS[name])
        with pytest.raises(SourceError, match=REFUSALS[name]) as raised:
            service(sparql_proxy.url).select(STATES)
        assert raised.value.final
        assert waits == []
        # urllib itself goes round a loop a few times before it gives up.
        assert len(sparql_proxy.log) == 1 or name == "REDIRECT_LOOP"

    @pytest.mark.parametrize("name", NO_ROWS)
    def test_json_of_another_kind(self, sparql_proxy, waits, name):
        sparql_proxy.plan = always(FAULTS[name])
        with pytest.raises(SourceError, match=r"results\.bindings.*SPARQL endpoint") as raised:
            service(sparql_proxy.url).select(STATES)
        assert not raised.value.final, "another query may have an answer"
        assert len(sparql_proxy.log) == 1

    @pytest.mark.parametrize("name", HARMLESS)
    def test_what_is_good_all_the_same(self, sparql_proxy, waits, name):
        sparql_proxy.plan = always(FAULTS[name])
        assert "Q142" in states(service(sparql_proxy.url).select(STATES))
        assert len(sparql_proxy.log) == 1

    @pytest.mark.parametrize(
        "name",
        [
            "JETTY_429",
            "JETTY_429_ZERO",
            "TOO_MANY_REQUESTS_EDGE",
            "BAD_UTF8",
            "WIKIMEDIA_429",
            "WIKIMEDIA_429_BARE",
        ],
    )
    def test_other_faults_that_pass(self, sparql_proxy, waits, name):
        sparql_proxy.plan = scripted(FAULTS[name])
        assert "Q142" in states(service(sparql_proxy.url).select(STATES))
        assert len(sparql_proxy.log) == 2

    def test_every_fault_is_in_one_of_these_tests(self):
        elsewhere = {"SILENCE", "TRICKLE", "BAD_GZIP", "MAXLAG", "MAXLAG_503", "RATE_LIMITED", "READ_ONLY",
                     "INTERNAL_API_ERROR", "INTERNAL_API_ERROR_500"}  # fmt: skip
        others = {*NO_ROWS, "JETTY_429", "JETTY_429_ZERO", "BAD_UTF8",
                  "TOO_MANY_REQUESTS_EDGE", "WIKIMEDIA_429", "WIKIMEDIA_429_BARE"}  # fmt: skip
        here = {*passing(RETRYABLE), *TIMEOUTS, *REFUSALS, *HARMLESS, *others}
        assert here | elsewhere == FAULTS.keys()

    def test_silence_is_a_query_that_takes_too_long(self, sparql_proxy, waits, monkeypatch):
        monkeypatch.setattr(sparql, "_SECONDS", 0.3)
        monkeypatch.setattr(sparql, "_MOST_OF_LIMIT", 0.2)
        sparql_proxy.plan = always(faults.SILENCE)
        with pytest.raises(QueryTimeoutError, match="no answer in 0 seconds"):
            service(sparql_proxy.url).select(STATES)
        assert len(sparql_proxy.log) == 1

    @pytest.mark.parametrize(
        "name", ["BAD_GATEWAY", "GATEWAY_TIMEOUT", "CUT_WITH_ITS_LENGTH", "CUT_WITHOUT_LENGTH", "CLOSED"]
    )
    def test_what_goes_wrong_after_most_of_the_time_limit_is_a_timeout(
        self, sparql_proxy, waits, monkeypatch, name
    ):
        monkeypatch.setattr(sparql, "_MOST_OF_LIMIT", 0.05)
        late = replace(FAULTS[name], act=lambda spoiler: spoiler.wait(0.1) and FAULTS[name].act(spoiler))
        sparql_proxy.plan = always(late)
        with pytest.raises(QueryTimeoutError, match="after 0 seconds"):
            service(sparql_proxy.url).select(STATES)
        assert len(sparql_proxy.log) == 1

    def test_an_answer_that_breaks_off_each_time_concerns_that_query_alone(self, sparql_proxy, waits):
        sparql_proxy.plan = always(faults.CUT_WITH_ITS_LENGTH)
        asked = service(sparql_proxy.url)
        asked.server.ask(lambda: 1)  # it has answered before
        with pytest.raises(QueryFaultError, match=r"\b3 attempts") as raised:
            asked.select(STATES)
        assert not raised.value.final
        assert len(sparql_proxy.log) == 3

    @pytest.mark.parametrize(
        ("body", "header", "kind"),
        [
            ("You are making too many requests to the API.\n", "30", RefusedError),
            ("You are making too many requests to the API.\n", None, RefusedError),
            ("Too many requests: your rate exceeds the limit", None, RefusedError),
            ("", None, RefusedError),
            ('{"httpCode": 429, "httpReason": "Too Many Requests"}', None, RefusedError),
            ('{"exception": "Operation timed out.", "status": "ERROR"}', None, QueryTimeoutError),
            ('{"exception": "Operation was cancelled.", "status": "ERROR"}', "30", QueryTimeoutError),
            ('{"error": "query timed out"}', None, QueryTimeoutError),
            ("429", None, RefusedError),
            ("The query timed out", None, QueryTimeoutError),
            ("Query exceeded its time limit of 60 s", None, QueryTimeoutError),
        ],
    )
    def test_a_limit_is_told_from_a_timeout_by_the_answer(self, waits, body, header, kind):
        headers = {} if header is None else {"Retry-After": header}
        with Saying(Response.text(429, body, **headers)) as server, pytest.raises(kind):
            service(server.url, replace(QUICK, patience=1)).select(STATES)
        assert waits == []

    def test_a_trickle_is_not_waited_for_for_ever(self, sparql_proxy, waits, monkeypatch):
        monkeypatch.setattr(server, "_BODY_SECONDS", 0.1)
        sparql_proxy.plan = scripted(faults.trickle(0.01))
        assert "Q142" in states(service(sparql_proxy.url).select(STATES))
        assert len(sparql_proxy.log) == 2

    def test_zipped_without_being_asked(self, sparql_proxy, waits):
        sparql_proxy.plan = scripted(faults.BAD_GZIP)
        assert "Q142" in states(service(sparql_proxy.url).select(STATES))

    def test_words_of_a_timeout_in_a_name_are_no_timeout(self, small_world, waits):
        text = 'SELECT ("java.util.concurrent.TimeoutException exceeds the limit" AS ?item) WHERE {}'
        (row,) = service(small_world.sparql.url).select(text)
        assert row["item"]["value"].startswith("java.util")

    def test_a_query_that_is_not_understood_concerns_that_query_alone(self, small_world, waits):
        with pytest.raises(QueryFaultError, match=r"HTTP 400.*malformed query") as raised:
            service(small_world.sparql.url).select("SELECT ?item WHERE { ?item ?p }")
        assert not raised.value.final
        assert "b'" not in str(raised.value)
        assert len(small_world.sparql.log) == 1

    @pytest.mark.parametrize(
        ("status", "body", "message"),
        [
            (
                403,
                "Please set a user-agent and respect our robot policy",
                "config contact.*robot policy",
            ),
            (403, "Forbidden", "may have blocked this client"),
            (
                200,
                "Please respect our robot policy https://w.wiki/4wJS",
                "config contact.*robot policy",
            ),
            (401, "", "a password or a valid token.*testgen config token"),
            (404, "nothing here", r"is it a SPARQL endpoint\?"),
            (301, "", r"HTTP 301.*: ''"),
            (418, "teapot", "HTTP 418.*teapot"),
        ],
    )
    def test_what_is_said_goes_into_the_message(self, waits, status, body, message):
        with Saying(Response.text(status, body)) as server:
            with pytest.raises(SourceError, match=message) as raised:
                service(server.url).select(STATES)
            assert raised.value.final
            assert len(server.log) == 1

    def test_a_web_site_is_no_endpoint(self, waits):
        page = Response(200, b"<!DOCTYPE html><html><body>Hello</body></html>", faults.HTML)
        with Saying(page) as server, pytest.raises(SourceError, match="web page"):
            service(server.url).select(STATES)

    def test_nobody_is_listening(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}/sparql"
        begun = time.monotonic()
        said = r"no connection, or a broken one \(Connection refused\), in each of 3 attempts; the answers"
        with pytest.raises(SourceError, match=said):
            service(url).select(STATES)
        assert time.monotonic() - begun < 1

    def test_a_name_that_does_not_exist(self, waits):
        with pytest.raises(SourceError, match="no connection"):
            service("http://nowhere.invalid/sparql").select(STATES)

    def test_a_server_that_was_heard_is_tried_more_often(self, sparql_proxy, waits):
        sparql_proxy.plan = always(faults.UNAVAILABLE)
        asked, final = service(sparql_proxy.url), []
        for _ in range(3):
            with pytest.raises(SourceError, match=r"HTTP 503.*\b8 attempts") as raised:
                asked.select(STATES)
            final.append(raised.value.final)
        assert final == [False, True, True]  # one query may be the reason itself
        assert len(sparql_proxy.log) == 8 * 2  # two in a row: the server is not asked again

    def test_gone_for_a_while(self, sparql_proxy):
        asked = service(sparql_proxy.url, RetryPolicy(attempts=30, first_wait=0.02, longest_wait=0.02))
        asked.select(STATES)
        with sparql_proxy.refusing():
            thread = threading.Thread(target=asked.select, args=(STATES,))
            thread.start()
            while asked.server.asked < 4:
                time.sleep(0.01)
        thread.join()
        assert [exchange.delivered for exchange in sparql_proxy.log] == [True, True]


class Saying(AnsweringServer):
    """A server with one answer to every request."""

    path = "/sparql"

    def __init__(self, response):
        super().__init__()
        self.response = response

    def respond(self, request):
        return self.response


class TestFaultsOfNames:
    @pytest.mark.parametrize("name", [*passing(RETRYABLE_API), "BAD_GZIP", "BAD_UTF8", "JETTY_429_ZERO"])
    def test_what_passes_is_asked_again(self, api_proxy, waits, name):
        api_proxy.plan = scripted(FAULTS[name], FAULTS[name])
        assert api(api_proxy.url).names(["Q142"])["Q142"]["labels"]["de"] == ["Frankreich"]
        assert len(api_proxy.log) == 3
        assert len(waits) == 2

    @pytest.mark.parametrize("name", ["MAXLAG", "MAXLAG_503"])
    def test_lag_is_waited_for_at_least_five_seconds(self, api_proxy, waits, name):
        api_proxy.plan = scripted(FAULTS[name], faults.maxlag(8))
        api(api_proxy.url).names(["Q142"])
        first, second = waits
        assert 5 <= first < 6
        assert 8 <= second < 9

    @pytest.mark.parametrize("name", REFUSALS)
    def test_refusals_stop_everything(self, api_proxy, waits, name):
        api_proxy.plan = always(FAULTS[name])
        with pytest.raises(SourceError, match=REFUSALS[name]) as raised:
            api(api_proxy.url).names(["Q142"])
        assert raised.value.final
        assert len(api_proxy.log) == 1

    @pytest.mark.parametrize("name", ["NO_BINDINGS", "JSON_LIST", "JSON_NULL"])
    def test_json_of_another_kind(self, api_proxy, waits, name):
        api_proxy.plan = always(FAULTS[name])
        with pytest.raises(SourceError, match=r"unknown form|where JSON was expected|not have the form"):
            api(api_proxy.url).names(["Q142"])
        assert len(api_proxy.log) == 1

    def test_refusals_of_the_api_itself(self, api_proxy, waits):
        api_proxy.plan = always(faults.api_error("badvalue", "Unrecognized value for parameter."))
        with pytest.raises(SourceError, match=r"badvalue.*Unrecognized"):
            api(api_proxy.url).names(["Q142"])
        assert len(api_proxy.log) == 1

    @pytest.mark.parametrize(
        "entities",
        [{"Q142": 1}, {"Q142": {"labels": {"en": "France"}}}, {"Q142": {"labels": {"en": {}}}}, [], {}, None],
    )
    def test_entities_of_another_form(self, waits, entities):
        import json

        answer = Response(200, json.dumps({"entities": entities, "success": 1}).encode(), faults.JSON)
        with (
            Saying(answer) as server,
            pytest.raises(SourceError, match=r"do not have the form|holds none of Q142"),
        ):
            api(server.url).names(["Q142"])

    def test_a_trickle_is_not_waited_for_for_ever(self, api_proxy, waits, monkeypatch):
        monkeypatch.setattr(server, "_BODY_SECONDS", 0.1)
        api_proxy.plan = scripted(faults.trickle(0.01))
        assert api(api_proxy.url).names(["Q142"])["Q142"]["labels"]
        assert len(api_proxy.log) == 2


REAL = {
    "api-maxlag-queryservice.json": None,
    "api-maxlag-short.json": None,
    "api-failed-save-spam.json": None,
    "api-assertuserfailed.json": SourceError,
    "api-badtoken.json": SourceError,
    "api-warnings.json": SourceError,
    "wdqs-429-jetty.html": None,
    "wdqs-429-jetty-zero.html": None,
    "wdqs-403-banned.txt": RefusedError,
    "robot-policy-no-user-agent.txt": RefusedError,
    "edge-429-wikimedia-error.partial.html": None,
    "wdqs-timeout-mid-stream.json.txt": QueryTimeoutError,
    "wdqs-timeout-500.txt": QueryTimeoutError,
    "wdqs-timeout-deadline-500.txt": QueryTimeoutError,
    "wdqs-malformed-query-400.txt": QueryFaultError,
    "wikimedia-429-ratelimit-2026.txt": None,
}


@pytest.mark.parametrize("name", REAL)
def test_real_bodies_of_errors(shared_data, sparql_proxy, api_proxy, waits, name):
    """Once such an answer, then a good one: None where the request succeeds after a wait."""
    directory = shared_data / "wikidata" / "responses"
    with (directory / "index.tsv").open(encoding="utf-8") as index:
        row = next(row for row in csv.DictReader(index, delimiter="\t") if row["file"] == name)
    headers = dict([row["headers"].split(": ")] if row["headers"].startswith("Retry-After") else [])
    headers["Content-Type"] = row["content_type"]
    answer = Response(int(row["status"][:3]), (directory / name).read_bytes(), headers)
    fault = faults.answering(name, lambda spoiler: answer)
    sparql_proxy.plan, api_proxy.plan = scripted(fault), scripted(fault)

    def ask():
        if name.startswith("api"):
            return api(api_proxy.url).names(["Q142"])
        return service(sparql_proxy.url).select(STATES)

    if REAL[name] is None:
        assert ask()
        assert len(waits) == 1
    else:
        with pytest.raises(SourceError) as raised:
            ask()
        assert type(raised.value) is REAL[name]
        assert waits == []


class TestWaits:
    def test_they_grow_with_jitter(self, sparql_proxy, waits):
        sparql_proxy.plan = scripted(*[faults.UNAVAILABLE] * 7)
        service(sparql_proxy.url, RetryPolicy(first_wait=1, longest_wait=20)).select(STATES)
        usual = [1, 2, 4, 8, 16, 20, 20]
        assert [seconds >= 0.5 * base for seconds, base in zip(waits, usual, strict=True)] == [True] * 7
        assert [seconds <= 1.5 * base for seconds, base in zip(waits, usual, strict=True)] == [True] * 7
        assert all(seconds not in usual for seconds in waits)

    @pytest.mark.parametrize(
        ("header", "least", "most"),
        [
            ("7", 7, 8),
            ("0", 0, 0.2),
            ("2.5", 2.5, 3.5),
            ("-3", 0, 0.2),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0, 0.2),
            ("1700", 1700, 1701),
        ],
    )
    def test_what_the_server_names(self, sparql_proxy, waits, header, least, most):
        sparql_proxy.plan = scripted(telling(header))
        service(sparql_proxy.url, RetryPolicy(first_wait=1)).select(STATES)
        assert least <= waits[0] <= most

    def test_a_date(self, sparql_proxy, waits):
        sparql_proxy.plan = scripted(telling(email.utils.formatdate(time.time() + 30, usegmt=True)))
        service(sparql_proxy.url).select(STATES)
        assert 28.5 <= waits[0] <= 30.1

    @pytest.mark.parametrize("header", ["soon", "", "1e", "Sun, 99 Nov 1994", "٣"])
    def test_a_header_that_says_nothing(self, header):
        assert retry_after(header) in (None, 3.0)

    @pytest.mark.parametrize(
        "header",
        ["86400", "1e400", "inf", email.utils.formatdate(time.time() + 9e8, usegmt=True)],
        ids=["a day", "1e400", "inf", "a date"],
    )
    def test_an_absurd_wait_is_a_refusal(self, sparql_proxy, waits, header):
        sparql_proxy.plan = always(telling(header))
        with pytest.raises(SourceError, match=r"[0-9.a-z]+ hours.*30 minutes") as raised:
            service(sparql_proxy.url).select(STATES)
        assert raised.value.final
        assert waits == []
        assert len(sparql_proxy.log) == 1

    def test_absurd_lag_too(self, api_proxy, waits):
        api_proxy.plan = always(faults.maxlag(100_000))
        with pytest.raises(SourceError, match=r"27\.8 hours"):
            api(api_proxy.url).names(["Q142"])
        assert len(api_proxy.log) == 1

    @pytest.mark.parametrize("fault", ["SERVER_ERROR", "UNAVAILABLE_RETRY_AFTER"])
    def test_headers_of_errors_are_read_whatever_the_status(self, sparql_proxy, waits, fault):
        sparql_proxy.plan = scripted(faults.gateway(500, "Internal Server Error", 9))
        service(sparql_proxy.url).select(STATES)
        assert 9 <= waits[0] <= 10

    def test_real_waits_are_obeyed(self, sparql_proxy):
        sparql_proxy.plan = scripted(faults.too_many_requests(1))
        service(sparql_proxy.url).select(STATES)
        assert sparql_proxy.requests_before_retry_after() == []
        first, second = sparql_proxy.log
        assert second.time - first.time >= 1

    def test_they_are_announced(self, sparql_proxy, waits):
        told = []
        asked = service(sparql_proxy.url)
        asked.server.notify = lambda reason, seconds: told.append((reason, seconds))
        sparql_proxy.plan = scripted(faults.too_many_requests(4), faults.RESET)
        asked.select(STATES)
        assert [reason.partition("(")[0] for reason, _ in told] == [
            "the server: too many requests ",
            "the server: no connection, or a broken one ",
        ]
        assert [seconds for _, seconds in told] == waits


def telling(header):
    """Status 429 with this Retry-After."""
    response = Response(429, b"Rate limit exceeded\n", {"Retry-After": header, **faults.HTML})
    fault = faults.answering("429", lambda spoiler: response)
    # The proxy cannot read every such header; it need not.
    return faults.Fault("429", lambda spoiler: _send_unread(spoiler, fault, response))


def _send_unread(spoiler, fault, response):
    spoiler.proxy.leave(spoiler._place)
    spoiler.handler.send(response)


class TestCounting:
    def test_too_many_rows(self, sparql_proxy, waits):
        with pytest.raises(QueryFaultError, match=r"\b8 results.*\b5\b.*Restrict") as raised:
            service(sparql_proxy.url, row_limit=5).select(STATES)
        assert not raised.value.final
        assert len(sparql_proxy.log) == 2
        assert "LIMIT 6" in sparql_proxy.log[0].query
        assert "COUNT(*)" in sparql_proxy.log[1].query

    def test_as_many_as_are_taken(self, sparql_proxy, waits):
        assert len(service(sparql_proxy.url, row_limit=8).select(STATES)) == 8
        assert len(service(sparql_proxy.url).select(STATES)) == 8
        assert [each.query.split()[-2:] for each in sparql_proxy.log] == [["LIMIT", "9"], ["LIMIT", "200001"]]

    def test_a_count_that_takes_too_long(self, sparql_proxy, waits):
        sparql_proxy.plan = scripted(None, faults.QUERY_TIMEOUT)
        with pytest.raises(QueryFaultError, match=r"more than 5\b"):
            service(sparql_proxy.url, row_limit=5).select(STATES)
        assert len(sparql_proxy.log) == 2

    def test_a_ban_over_the_count_stops_everything(self, sparql_proxy, waits):
        sparql_proxy.plan = scripted(None, faults.BANNED)
        with pytest.raises(SourceError, match="blocked") as raised:
            service(sparql_proxy.url, row_limit=5).select(STATES)
        assert raised.value.final

    @pytest.mark.parametrize(
        "text",
        [
            STATES + "LIMIT 3",
            STATES + "limit\n3 offset 0",
            STATES + "OFFSET 1 LIMIT 3",
            STATES.replace("ORDER BY ?item", "") + "VALUES ?item { <http://www.wikidata.org/entity/Q142> }",
        ],
    )
    def test_limits_of_the_query_s_own(self, small_world, waits, text):
        assert len(service(small_world.sparql.url).select(text)) in (1, 3)

    def test_counting_keeps_the_prologue_in_front(self, small_world, waits):
        (row,) = service(small_world.sparql.url).select(count_query(STATES))
        assert row["count"]["value"] == "8"


def test_a_token_is_not_shown():
    assert "secret" not in repr(Server("the server", token="secret"))  # noqa: S106


class TestDoor:
    def test_the_lock_is_held_while_waiting(self, waits):
        class Lock:
            held = 0

            def __enter__(self):
                self.held += 1

            def __exit__(self, *_):
                self.held -= 1

        lock, seen = Lock(), []

        def request():
            seen.append(lock.held)
            if len(seen) < 3:
                raise TemporaryFault("not yet")
            return "answer"

        assert Server("the server", QUICK, lock).ask(request) == "answer"
        assert (seen, lock.held) == ([1, 1, 1], 0)

    def test_the_lock_is_held_until_the_next_request_may_follow(self):
        events = []

        class Lock:
            def __enter__(self):
                events.append("locked")

            def __exit__(self, *_):
                events.append("free")

        class Clock(FastClock):
            def sleep(self, seconds):
                events.append(round(seconds, 2))

        asked = Server("the server", QUICK, Lock(), pace=Pace(0.25, Clock()))
        asked.ask(lambda: events.append("request"))
        assert events == ["locked", "request", 0.25, "free"]

    def test_what_is_not_expected_is_not_hidden(self, waits):
        with pytest.raises(ZeroDivisionError):
            Server("the server", QUICK).ask(lambda: 1 // 0)
