"""What a server sees of a run of the program itself."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers import faults
from tests.servers.proxy import FaultProxy, always, scripted
from tests.testgen.network import CONTACT, files

TESTGEN = str(Path(sys.executable).with_name("testgen"))
ARGUMENTS = ["--source", "wikidata", "-l", "en", "-l", "la", "-c", "country", "-c", "country-capital",
             "--minimum-words", "1"]  # fmt: skip


class Program:
    """The program, asking the small world through proxies."""

    def __init__(self, directory, sparql, api, command):
        self.sparql, self.api, self.command = sparql, api, command
        self.output = ["-o", str(directory / "out")]

    def start(self):
        """In a process of its own."""
        command = [TESTGEN, "generate", *ARGUMENTS, *self.output]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, *arguments, code=0):
        ended, out, err = self.command(*arguments, *(self.output if arguments[0] == "generate" else []))
        assert ended == code, err
        return out, err

    @property
    def asked(self):
        return len(self.sparql.log) + len(self.api.log)


@pytest.fixture
def program(small_world, tmp_path, monkeypatch, command):
    with FaultProxy(small_world.sparql.url) as sparql, FaultProxy(small_world.api.url) as api:
        monkeypatch.setenv("TESTGEN_WIKIDATA_QUERY", sparql.url)
        monkeypatch.setenv("TESTGEN_WIKIDATA_API", api.url)
        monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        yield Program(tmp_path, sparql, api, command)


def test_a_run_and_what_follows_from_it(program, tmp_path):
    out, _ = program("generate", *ARGUMENTS, "--dry-run")
    assert "query country: 1 request" in out
    assert "At least 2 requests; none was sent." in out
    assert program.asked == 0
    program("generate", *ARGUMENTS)
    assert program.asked == 3
    first = files(tmp_path / "out")
    assert first.keys() == {"en.json", "la.json"}
    out, _ = program("generate", *ARGUMENTS, "--dry-run")
    assert "\n0 requests; none was sent.".strip() in out
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESTGEN_CONTACT", "")
        program("generate", *ARGUMENTS, "--offline")
    program("generate", *ARGUMENTS, "--max-age", "1")
    assert program.asked == 3
    assert files(tmp_path / "out") == first
    program("generate", *ARGUMENTS, "--max-age", "0")
    assert program.asked == 6
    assert program("cache", "clear")[0] == "14 answers deleted\n", (
        "of two queries, and the names of twelve items"
    )
    _, err = program("generate", *ARGUMENTS, "--offline", code=2)
    assert "offline: the answer to query 'country' is not in the cache" in err
    assert "offline: the answer to query 'country-capital' is not in the cache" in err
    assert program.asked == 6


def test_nobody_asks_without_a_contact(program, monkeypatch):
    monkeypatch.setenv("TESTGEN_CONTACT", "")
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "testgen config contact" in err
    assert program.asked == 0
    program("config", "contact", "kept@example.org")
    program("generate", *ARGUMENTS)
    assert {log.headers["user-agent"] for log in (*program.sparql.log, *program.api.log)} == {
        next(iter(program.sparql.log)).headers["user-agent"]
    }
    assert "kept@example.org" in program.sparql.log[0].headers["user-agent"]


def test_a_ban_is_the_last_request(program):
    program.sparql.plan = always(faults.BANNED)
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "has blocked this client until 2099" in err
    assert program.asked == 1


def test_patience(program, monkeypatch, tmp_path):
    monkeypatch.setattr(time, "sleep", lambda _: None)
    program.sparql.plan = always(faults.wikimedia_429(30))
    program("config", "patience", "70s")
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "testgen: Wikidata's query service: too many requests (HTTP 429); waiting 30 seconds" in err
    assert "testgen gives up after waiting 60 seconds, as your patience is 70 seconds" in err
    assert program.asked == 3
    monkeypatch.setenv("TESTGEN_PATIENCE", "40s")
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "after waiting 30 seconds, as your patience is 40 seconds" in err
    assert "testgen config patience 2h" in err
    program.sparql.plan = scripted()
    program("generate", *ARGUMENTS)
    assert files(tmp_path / "out").keys() == {"en.json", "la.json"}


def test_a_query_that_fails_leaves_the_others(program, tmp_path):
    program.sparql.plan = always(faults.QUERY_TIMEOUT, lambda request: "P36" in request.query)
    for asked in (3, 4):
        out, err = program("generate", *ARGUMENTS, code=1)
        assert "Categories: 1. Relations: 0." in out
        assert "testgen: left out country-capital: Wikidata's query service ran out of time" in err
        assert program.asked == asked
    program.sparql.plan = scripted()
    out, _ = program("generate", *ARGUMENTS)
    assert "Categories: 1. Relations: 1." in out


def test_a_captive_portal(program):
    program.sparql.plan = always(faults.CAPTIVE_PORTAL)
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "does the network require a login?" in err
    assert program.asked == 1


def test_a_server_that_is_not_there(program, tmp_path, monkeypatch):
    program.sparql.stop()
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    _, err = program("generate", *ARGUMENTS, code=2)
    assert "no connection" in err
    assert 0 < sum(waited) < 20
    assert files(tmp_path / "out") == {}


@pytest.mark.slow
def test_two_at_a_time_ask_one_at_a_time(program):
    slow = faults.slow_first_byte(0.3)
    program.sparql.plan, program.api.plan = always(slow), always(slow)
    both = [program.start() for _ in range(2)]
    ended = [(process.communicate(timeout=60)[1], process.returncode) for process in both]
    assert [code for _, code in ended] == [0, 0], ended
    log = sorted([*program.sparql.log, *program.api.log], key=lambda exchange: exchange.time)
    assert all(earlier.answered <= later.time for earlier, later in itertools.pairwise(log))
    assert len(log) == 3  # what one has asked the other need not


@pytest.mark.slow
def test_a_wait_that_the_server_asks_for(program):
    program.sparql.plan = scripted(faults.TOO_MANY_REQUESTS)
    program("generate", *ARGUMENTS)
    assert [exchange.status for exchange in program.sparql.log] == [429, 200, 200]
    assert program.sparql.requests_before_retry_after() == []
