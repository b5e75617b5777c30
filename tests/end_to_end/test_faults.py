"""A whole run through everything that passes by itself gives what a run in fair weather gives."""

from __future__ import annotations

import collections
import itertools
import time

import pytest

from testgen import LabelPolicy
from testgen.errors import SourceError
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.sources import RetryPolicy
from testgen.sources.server import Server
from tests.servers import faults
from tests.servers.entities import EntityServer
from tests.servers.faults import RETRYABLE, RETRYABLE_API
from tests.servers.proxy import FaultProxy, always, scripted, seeded
from tests.servers.sparql import SparqlServer
from tests.servers.world import big_world
from tests.testgen.network import (
    FastClock,
    MinuteLimit,
    files,
    open_cache,
    queries_of,
    report,
    stop_clock,
    wikidata_source,
)

POLICY = LabelPolicy(aliases=True)


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    stop_clock(monkeypatch)


def in_turn(rate, kinds):
    """Spoils answers with this probability, and uses one kind of fault after the other."""
    chosen, rest = seeded(rate, kinds, seed=7), itertools.cycle(kinds)
    return lambda request, before: next(rest) if chosen(request, before) else None


class World:
    """A world behind a query service and an entity API, with a proxy before each."""

    def __init__(self, items, categories, languages):
        self.world = big_world(items, categories, languages)
        self.sparql = SparqlServer(self.world.store)
        self.api = EntityServer(self.world.entities)

    def __enter__(self):
        for server in (self.sparql, self.api):
            server.start()
        self.proxies = FaultProxy(self.sparql.url), FaultProxy(self.api.url)
        for proxy in self.proxies:
            proxy.start()
        return self

    def __exit__(self, *_):
        for server in (*self.proxies, self.sparql, self.api):
            server.stop()

    @property
    def log(self):
        return [exchange for proxy in self.proxies for exchange in proxy.log]

    def spoil(self, rate):
        for proxy, kinds in zip(self.proxies, (RETRYABLE, RETRYABLE_API), strict=True):
            proxy.log.clear()
            proxy._seen.clear()
            proxy.plan = in_turn(rate, kinds)

    def make(self, output, cache_directory, queries=None, clock=time, **options):
        with open_cache(cache_directory) as cache:
            source = wikidata_source(
                cache, *(proxy.url for proxy in self.proxies), RetryPolicy(12, 12, 0.01, 0.05)
            )
            for server in source.servers:
                server.pace.clock = clock
            return generate(
                output,
                TestSetRequest(categories=queries or queries_of(self.world), policy=POLICY),
                source=source,
                **options,
            )


def contents(cache_directory):
    """Everything that is kept, by key."""
    with open_cache(cache_directory, offline=True) as cache:
        keys = list(cache._cache)
        return {tuple(key): cache.get(key) for key in keys}


def compare(world, tmp_path):
    """A run without faults, then one with them; how many faults of each kind there were."""
    world.make(tmp_path / "fair", tmp_path / "fair-cache")
    fair = len(world.log)
    assert {exchange.fault for exchange in world.log} == {None}
    world.spoil(0.2)
    begun = time.monotonic()
    world.make(tmp_path / "foul", tmp_path / "foul-cache")
    seconds = time.monotonic() - begun
    assert files(tmp_path / "fair") == files(tmp_path / "foul")
    assert len(files(tmp_path / "fair")) == len(world.world.languages)
    assert contents(tmp_path / "fair-cache") == contents(tmp_path / "foul-cache")
    for proxy in world.proxies:
        assert proxy.repeated_after_success() == []
        assert proxy.repeated_ids_after_success() == []
        assert proxy.requests_before_retry_after() == []
        assert proxy.max_concurrency == 1
    kinds = collections.Counter(exchange.fault for exchange in world.log if exchange.fault)
    assert sum(exchange.delivered for exchange in world.log) == fair
    report(f"{seconds:.0f} s, {fair} requests without faults, {len(world.log)} with; faults: {dict(kinds)}")
    return kinds


@pytest.fixture
def _short_lag(monkeypatch):
    """The five seconds of politeness over lag are seen to elsewhere; here they would only take time."""
    from testgen.sources import entity_api

    monkeypatch.setattr(entity_api, "_LAG_WAIT", 0.0)


@pytest.mark.slow
@pytest.mark.usefixtures("_short_lag")
def test_faults_that_pass_leave_no_trace(tmp_path):
    with World(1500, 22, 8) as world:
        kinds = compare(world, tmp_path)
    assert sum(kinds.values()) >= 8
    assert len(kinds) >= 5


@pytest.mark.slow
def test_faults_that_pass_leave_no_trace_in_a_large_run(tmp_path):
    with World(10_000, 60, 100) as world:
        kinds = compare(world, tmp_path)
    assert set(kinds) == {fault.name for fault in RETRYABLE_API}


def busy_for_ten_minutes(clock):
    """A plan of lag."""
    return lambda request, before: faults.maxlag(5) if clock.now < 600 else None


@pytest.mark.parametrize(
    ("size", "plans", "least", "most"),
    [
        pytest.param(
            *((1500, 30, 2), lambda clock: [MinuteLimit(20, clock) for _ in range(2)], 60, 180),
            marks=pytest.mark.slow,
            id="20 requests a minute",
        ),
        pytest.param(
            *((300, 6, 2), lambda clock: [None, busy_for_ten_minutes(clock)], 600, 660),
            id="lag for ten minutes",
        ),
        pytest.param(
            (300, 6, 2),
            lambda clock: [scripted(faults.WIKIMEDIA_429, faults.JETTY_429, faults.JETTY_429_ZERO)] * 2,
            0,
            30,
            id="three limits",
        ),
    ],
)
def test_a_busy_server_is_waited_for(tmp_path, size, plans, least, most):
    with World(*size) as world:
        world.make(tmp_path / "fair", tmp_path / "fair-cache")
        clock, fair = FastClock(), len(world.log)
        for proxy, plan in zip(world.proxies, plans(clock), strict=True):
            proxy.log.clear()
            proxy.plan = plan or proxy.plan
        world.make(tmp_path / "out", tmp_path / "cache", clock=clock)
        assert files(tmp_path / "out") == files(tmp_path / "fair")
        report(f"{fair} requests without faults, {len(world.log)} with, in {clock.now:.0f} s")
        assert least <= clock.now < most
        assert [server.connections for server in world.proxies] == [2, 2]  # one for each run


def without_waits(monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda _: None)


def test_a_query_that_takes_too_long_costs_that_query_alone(tmp_path):
    with World(300, 6, 5) as world:
        queries = queries_of(world.world)
        world.make(tmp_path / "fair", tmp_path / "fair-cache")
        bad = world.world.classes[2]
        for proxy in world.proxies:
            proxy.log.clear()
        world.proxies[0].plan = always(faults.QUERY_TIMEOUT, lambda request: bad in request.query)
        for asked in (6, 7):  # the next run asks only for the one that failed
            frame = world.make(tmp_path / "out", tmp_path / "cache")
            assert len(world.proxies[0].log) == asked
            assert frame.attrs["failed"].keys() == {bad}
            assert "Make the query smaller" in frame.attrs["failed"][bad]
        assert set(frame["name"]) == set(world.world.classes) - {bad}
        world.proxies[0].plan = world.proxies[1].plan = always(faults.BANNED, lambda request: False)
        before = len(world.log)
        world.make(tmp_path / "out", tmp_path / "cache", queries)
        assert files(tmp_path / "out") == files(tmp_path / "fair")
        asked_last = [exchange for proxy in world.proxies for exchange in proxy.log][
            before - len(world.log) :
        ]
        assert len(asked_last) <= 2
        assert all(proxy.repeated_after_success() == [] for proxy in world.proxies)


@pytest.mark.parametrize(
    ("after", "whole"), [*(pytest.param(n, 0, marks=pytest.mark.slow) for n in (0, 6)), (3, 0), (8, 1)]
)
def test_a_ban_stops_the_run_and_what_was_answered_is_kept(tmp_path, after, whole):
    """A refusal is the last request to a server; categories whose items all have names are written."""
    with World(300, 6, 5) as world:
        world.make(tmp_path / "fair", tmp_path / "fair-cache")
        fair = len(world.log)
        for proxy in world.proxies:
            proxy.log.clear()
            proxy.plan = always(faults.BANNED, lambda request: len(world.log) > after)
        if whole:
            failed = world.make(tmp_path / "out", tmp_path / "cache").attrs["failed"]
            assert len(failed) == 6 - whole
            assert all("has blocked this client until" in message for message in failed.values())
        else:
            with pytest.raises(SourceError, match=r"blocked.*until"):
                world.make(tmp_path / "out", tmp_path / "cache")
        refused = [exchange for exchange in world.log if exchange.fault]
        assert len(world.log) == after + len(refused)
        assert len({id(proxy) for proxy in world.proxies for each in refused if each in proxy.log}) == len(
            refused
        )
        for proxy in world.proxies:
            proxy.plan = always(faults.BANNED, lambda request: False)
        world.make(tmp_path / "out", tmp_path / "cache")
        assert len(world.log) == fair + len(refused)
        assert files(tmp_path / "out") == files(tmp_path / "fair")


def test_a_ban_from_the_query_service_leaves_the_names_of_what_was_answered(tmp_path):
    with World(300, 6, 5) as world:
        world.make(tmp_path / "fair", tmp_path / "fair-cache")
        queries, names = world.proxies
        names_asked = len(names.log)
        queries.log.clear(), names.log.clear()
        queries.plan = always(faults.BANNED, lambda request: len(queries.log) > 3)
        frame = world.make(tmp_path / "out", tmp_path / "cache")
        assert len(queries.log) == 4
        assert len(names.log) < names_asked
        assert set(frame["name"]) == set(world.world.classes[:3])
        assert list(frame.attrs["failed"]) == list(world.world.classes[3:])


def test_a_connection_that_is_lost_for_good(tmp_path, monkeypatch):
    without_waits(monkeypatch)
    with World(300, 6, 5) as world:
        world.make(tmp_path / "fair", tmp_path / "fair-cache")
        fair = len(world.log)
        for proxy in world.proxies:
            proxy.log.clear()
        world.proxies[1].plan = always(faults.RESET, lambda request: len(world.proxies[1].log) > 2)
        frame = world.make(tmp_path / "out", tmp_path / "cache")
        assert set(frame["name"]) == set(world.world.classes[:1])  # the name of the second class is missing
        assert all("the answers so far are in the cache" in each for each in frame.attrs["failed"].values())
        good = sum(exchange.delivered for exchange in world.log)
        assert good == 6 + 2
        world.proxies[1].plan = always(faults.RESET, lambda request: False)
        world.make(tmp_path / "out", tmp_path / "cache")
        assert sum(exchange.delivered for exchange in world.log) == fair
        assert files(tmp_path / "out") == files(tmp_path / "fair")


def test_the_door_counts_what_it_asks():
    server = Server("the server")
    server.ask(lambda: 1)
    assert server.asked == 1
