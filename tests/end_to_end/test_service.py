"""The service as its operator runs it: what it listens on, and how it ends and begins again."""

from __future__ import annotations

import io
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.testgen.network import CONTACT, files

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

PROGRAM = str(Path(sys.executable).with_name("testgen"))
SECONDS = 60


@contextmanager
def serving(directory, *options, **environment):
    """A service of its own; its process, its address, and its answers are handed over."""
    command = [PROGRAM, "serve", "--port", "0", "--data", str(directory / "data"), *options]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}, start_new_session=True
    )
    try:
        yield process, address_of(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def address_of(process):
    for line in process.stderr:
        if found := re.search(r"http://\S+", line):
            return found[0] + "api/v1"
    raise AssertionError("it has ended")


def call(url, order=None):
    """What an address answers, or what it answers to an order."""
    if order is None:
        answer = requests.get(url, timeout=SECONDS)
    else:
        answer = requests.post(url, json=order, timeout=SECONDS)
    answer.raise_for_status()
    return answer.json()


def until(condition):
    end = time.monotonic() + SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)
    return found


@pytest.fixture
def slow_world(small_world, monkeypatch):
    """A live source that takes its time."""
    respond = small_world.sparql.respond

    def slow(request):
        small_world.sparql.stopping.wait(0.3)
        return respond(request)

    monkeypatch.setattr(small_world.sparql, "respond", slow)
    return small_world


def live(world, directory):
    return {
        "TESTGEN_WIKIDATA_QUERY": world.sparql.url,
        "TESTGEN_WIKIDATA_API": world.api.url,
        "TESTGEN_CONTACT": CONTACT,
        "XDG_CACHE_HOME": str(directory / "cache"),
    }


@pytest.mark.slow
def test_a_download_under_way_is_finished_after_sigterm(tmp_path):
    several = [f"--category={name}" for name in ("country", "language", "capital", "country-capital")]
    with serving(tmp_path, *several) as (process, address):
        host, port = re.search(r"//([^:]+):(\d+)", address).groups()
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(
                b"GET /api/v1/test-sets.zip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            time.sleep(0.2)  # it is being made
            process.send_signal(signal.SIGTERM)
            received = b""
            while piece := connection.recv(65536):
                received += piece
        assert process.wait(SECONDS) == 0
    head, _, content = received.partition(b"\r\n\r\n")
    assert f"content-length: {len(content)}".encode() in head
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) > 250


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGKILL], ids=["terminated", "killed"])
@pytest.mark.slow
def test_a_job_under_way_is_taken_up_again(slow_world, tmp_path, signal_):
    options = ["--source", "wikidata", *(f"--category={name}" for name in ("country", "capital", "currency"))]
    environment = live(slow_world, tmp_path)
    with serving(tmp_path, *options, **environment) as (process, address):
        done = call(f"{address}/jobs", {"languages": ["en"], "categories": ["country"]})
        until(lambda: call(f"{address}/jobs/{done['id']}")["state"] == "done")
        job = call(f"{address}/jobs", {"languages": ["la"], "policy": {"minimum_words": 1}})
        until(lambda: call(f"{address}/jobs/{job['id']}")["asked"])
        process.send_signal(signal_)
        assert process.wait(SECONDS) == (0 if signal_ == signal.SIGTERM else -signal.SIGKILL)
    with serving(tmp_path, *options, **environment) as (_, address):
        assert call(f"{address}/jobs/{done['id']}")["state"] == "done"
        until(lambda: call(f"{address}/jobs/{job['id']}")["state"] == "done")
        made = requests.get(f"{address}/jobs/{job['id']}/result", timeout=SECONDS).content
    answered = [request.query for request in slow_world.sparql.log if request.status == 200]
    assert len(set(answered)) == 4  # three categories, and the words of lexemes for one of them
    assert len(answered) <= 5  # what was under way when it ended is asked again, and nothing else
    # A job that names no category has the keywords of symbols, too, as the command that pages show says.
    asked = ["generate", "-l", "la", "--keywords", "--minimum-words", "1", "-o", str(tmp_path / "out")]
    made_again = subprocess.run(
        [PROGRAM, *asked, *options, "--offline"],
        check=False,
        env={**os.environ, **environment},
        capture_output=True,
    )
    assert made_again.returncode == 1  # one of the categories has no words
    assert files(tmp_path / "out") == {"la.json": made}


@pytest.mark.slow
def test_events_do_not_keep_it_from_ending(slow_world, tmp_path):
    with serving(tmp_path, "--source", "wikidata", **live(slow_world, tmp_path)) as (process, address):
        job = call(f"{address}/jobs", {"languages": ["la"]})
        with requests.get(f"{address}/jobs/{job['id']}/events", timeout=SECONDS, stream=True) as events:
            assert next(events.iter_lines())
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0
            assert time.monotonic() - begun < 10


def test_it_listens_on_this_machine_alone_and_logs_each_request(tmp_path):
    (tmp_path / "s.toml").write_text("access_log = true", encoding="utf-8")
    with serving(tmp_path, "--category", "month", "--settings", tmp_path / "s.toml") as (process, address):
        assert address.startswith("http://127.0.0.1:")
        requests.get(f"{address}/languages/la?x=%0Aforged", timeout=SECONDS)
        line = process.stderr.readline()
        assert requests.get(address, headers={"Host": "example.org"}, timeout=SECONDS).status_code == 421
    asked = r'127\.0\.0\.1:\d+ "GET /api/v1/languages/la\?x=%0Aforged HTTP/1\.1"'
    logged = rf"[-0-9]+ [0-9:,]+ {asked} 422 Unprocessable \w+\n"  # there is no such parameter
    assert re.fullmatch(logged, line)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--source", "nothing.ttl"], "nothing.ttl: cannot be read"),
        (["--category", "nonsense"], "unknown category 'nonsense'"),
        (["--host", "256.256.256.256"], "cannot listen on 256.256.256.256"),
        (["--data", "/dev/null/data", "--category", "month"], "choose another --data"),
    ],
    ids=["source", "category", "host", "data"],
)
def test_what_the_operator_gets_wrong_is_said(command, tmp_path, options, said):
    code, _, err = command("serve", "--port", "0", "--data", tmp_path, *options)
    assert code == 2
    assert said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host = ['x']", "unknown field `host`"),
        ("root_path = 'testgen'", "$.root_path"),
        ("[limits]\njobs = 3", "unknown field `jobs` - at `$.limits`"),
        ("[limits]\nclasses = 0", "$.limits.classes"),
        ("hosts = [", "Invalid value"),
    ],
)
def test_wrong_settings_are_said(command, tmp_path, text, said):
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    code, _, err = command("serve", "--port", "0", "--data", tmp_path, "--settings", path)
    assert code == 2
    assert str(path) in err
    assert said in err


def test_a_port_in_use_is_said(command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, err = command("serve", "--port", taken.getsockname()[1], "--data", tmp_path)
    assert code == 2
    assert "choose another --port" in err


def attack(port, number, request):
    """Many connections from many addresses, each with a request whose answer is not read."""
    made = []
    for each in range(number):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.bind((f"127.0.{each // 90 + 1}.1", 0))
        one.connect(("127.0.0.1", port))
        one.sendall(request(each))
        made.append(one)
    return made


def memory(process):
    """Megabytes of memory that a process has in use."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 4096, reason="needs many open files")
@pytest.mark.slow
def test_half_sent_requests_and_slow_readers_need_little_memory(tmp_path):
    paths = ("/coverage", "/api/v1/test-sets/en.json", "/api/v1/test-sets.zip")
    (tmp_path / "s.toml").write_text("[limits]\nconnections = 3000", encoding="utf-8")
    with serving(tmp_path, "--settings", tmp_path / "s.toml") as (process, address):
        site = address.removesuffix("/api/v1")
        for path in paths[:2]:
            requests.get(f"{site}{path}", timeout=SECONDS)
        before, port = memory(process), int(site.rpartition(":")[2])
        for number, request in (
            (1800, lambda _: b"GET / HTTP/1.1\r\nHost: loc"),
            (1200, lambda n: f"GET {paths[n % 3]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()),
        ):
            waiting = attack(port, number, request)
            time.sleep(5)
            assert requests.get(f"{site}/healthz", timeout=SECONDS).text.strip() == "ok"
            assert memory(process) < before + 200  # 82 were measured
            for each in waiting:
                each.close()
