"""How fast servers are asked, and how long they are waited for: on a clock on which waiting takes no time."""

from __future__ import annotations

import contextlib
import itertools

import pytest

from testgen.errors import RefusedError
from testgen.sources.entity_api import EntityApi
from testgen.sources.http_answers import BusyServer, RateLimit
from testgen.sources.server import Pace, RetryPolicy, Server, published_interval
from tests.servers import faults
from tests.servers.proxy import FaultProxy, always
from tests.testgen.network import FastClock, MinuteLimit

POLICY = RetryPolicy(patience=1800)


@pytest.fixture
def clock():
    return FastClock()


@pytest.fixture
def api_proxy(small_world):
    with FaultProxy(small_world.api.url) as proxy:
        yield proxy


def api(proxy, clock, interval=0.0, policy=POLICY):
    return EntityApi(proxy.url, "testgen-tests", Server("the server", policy, pace=Pace(interval, clock)))


class TestPublishedLimits:
    @pytest.mark.parametrize(
        ("url", "contact", "token", "per_minute"),
        [
            ("https://www.wikidata.org/w/api.php", False, False, 10),
            ("https://www.wikidata.org/w/api.php", True, False, 200),
            ("https://query-next.wikidata.org/sparql", True, False, 200),
            ("https://query.wikidata.org/sparql", False, True, 10),  # a token alone gives no more
            ("https://www.wikidata.org/w/api.php", True, True, 5 * 60),
        ],
    )
    def test_requests_stay_below_them(self, clock, url, contact, token, per_minute):
        pace = Pace(published_interval(url, contact=contact, token=token), clock)
        times = []
        for _ in range(per_minute * 2):
            with pace.kept():
                times.append(clock.now)
                clock.sleep(0.01)
        most = max(sum(begin <= each < begin + 60 for each in times) for begin in times)
        assert 0.75 * per_minute < most <= per_minute
        assert all(after - before >= 0.2 for before, after in itertools.pairwise(times))

    @pytest.mark.parametrize("url", ["http://127.0.0.1:7001/sparql", "https://notwikidata.org/sparql"])
    def test_other_servers_have_none(self, url):
        assert published_interval(url, contact=False, token=False) == 0

    @pytest.mark.parametrize("host", ["wikidata.org", "query.wikidata.org", "commons.wikimedia.org"])
    @pytest.mark.parametrize(
        ("contact", "token", "seconds"),
        [(False, False, 60 / 9), (False, True, 60 / 9), (True, False, 60 / 180), (True, True, 0.25)],
    )
    def test_nine_tenths_of_them_are_used(self, host, contact, token, seconds):
        assert published_interval(f"https://{host}/x", contact=contact, token=token) == pytest.approx(seconds)

    @pytest.mark.parametrize("fails", [False, True])
    @pytest.mark.parametrize(
        ("interval", "seconds", "wait"), [(0, 5, 0), (2, 0.5, 1.5), (2, 1.9, 0.19), (2, 30, 3)]
    )
    def test_a_request_is_followed_by_a_rest(self, clock, interval, seconds, wait, fails):
        begun = clock.now
        with contextlib.suppress(RefusedError), Pace(interval, clock).kept():
            clock.sleep(seconds)
            if fails:
                raise RefusedError("no")
        assert clock.now - begun == pytest.approx(seconds + wait)

    def test_a_minute_has_less_than_sixty_seconds_of_query_time(self, clock):
        pace = Pace(0.25, clock)
        for _ in range(10):
            with pace.kept():
                clock.sleep(50)
        assert 500 / clock.now < 56 / 60


class TestLearning:
    @pytest.mark.parametrize(
        ("per_minute", "header"),
        [
            (10, True),
            (100, False),
            *(pytest.param(*each, marks=pytest.mark.slow) for each in [(10, False), (20, True), (100, True)]),
        ],
    )
    def test_a_limit_that_nobody_published(self, api_proxy, clock, per_minute, header):
        api_proxy.plan = limit = MinuteLimit(per_minute, clock, 0.1, header=header)
        asked = api(api_proxy, clock)
        for number in range(200):
            asked.names([f"Q{number + 1}"])
        assert limit.refused <= 3
        assert clock.now < 1.35 * 60 * 200 / per_minute + 120

    def test_a_refusal_after_a_few_requests_has_another_reason(self, clock):
        pace = Pace(0, clock)
        for _ in range(9):
            with pace.kept():
                clock.sleep(1)
        pace.slow_down(30)
        assert pace.interval == 0

    @pytest.mark.parametrize(
        ("answers", "every", "wait", "interval"),
        [
            (9, 1, 30, 0),
            (10, 1, 30, 40 / 9),  # ten in ten seconds and thirty of waiting
            (10, 1, 90, 60 / 9),  # but at most in a minute
            (40, 3, 3, 60 / 17.1),  # those in the last minute: 19
        ],
    )
    def test_what_was_answered_in_a_minute_is_the_limit(self, clock, answers, every, wait, interval):
        pace = Pace(0, clock)
        for _ in range(answers):
            with pace.kept():
                clock.sleep(every)
        pace.slow_down(wait)
        assert pace.interval == pytest.approx(interval)
        pace.slow_down(0)
        assert pace.interval == pytest.approx(interval)  # it never asks faster again

    def test_a_limit_that_counts_seconds(self, clock):
        pace = Pace(0, clock)
        for _ in range(20):
            with pace.kept():
                clock.sleep(0.01)
        pace.slow_down(0.8)
        assert pace.interval == pytest.approx(1 / 18)


class TestPatience:
    def test_lag_is_waited_for(self, api_proxy, clock):
        api_proxy.plan = lambda request, before: faults.maxlag(5) if clock.now < 600 else None
        assert api(api_proxy, clock).names(["Q142"])["Q142"]["labels"]
        assert 600 <= clock.now < 630
        assert len(api_proxy.log) < 80

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            (faults.maxlag(5), r"the servers lag behind \(Waiting for wdqs1013"),
            (faults.wikimedia_429(30), r"too many requests \(HTTP 429\)"),
            (faults.READ_ONLY, "the server is read-only"),
            (faults.UNAVAILABLE_RETRY_AFTER, r"server error \(HTTP 503\)"),
        ],
        ids=lambda value: getattr(value, "name", ""),
    )
    def test_it_ends(self, api_proxy, clock, fault, reason):
        api_proxy.plan = always(fault)
        with pytest.raises(RefusedError, match=reason + ".*waiting .*resume"):
            api(api_proxy, clock).names(["Q142"])
        assert 1500 < clock.now <= 1800

    def test_of_the_user_s_own(self, api_proxy, clock):
        api_proxy.plan = always(faults.wikimedia_429(30))
        with pytest.raises(RefusedError, match=r"6[01] seconds.*90 seconds"):
            api(api_proxy, clock, policy=RetryPolicy(patience=90)).names(["Q142"])
        assert len(api_proxy.log) == 3

    def test_waits_for_a_busy_server_are_not_counted_as_attempts(self, clock):
        waits = itertools.chain([RateLimit("limit", 30)] * 20, [BusyServer("lag", 5)] * 20)

        def request():
            for fault in waits:
                raise fault
            return "answer"

        assert Server("the server", POLICY, pace=Pace(0, clock)).ask(request) == "answer"
        assert 700 < clock.now < 1300
