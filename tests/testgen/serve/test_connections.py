"""Connections that are too many, too slow or only half used, on real sockets."""

from __future__ import annotations

import socket
import threading
import time

import pytest
import uvicorn
from msgspec import structs

from testgen.serve.app import create_app, listening, server_config
from testgen.serve.connections import LimitedProtocol, Slots, client_of
from testgen.serve.settings import Limits

GET = b"GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"


@pytest.fixture(scope="module")
def port(settings, tmp_path_factory):
    """The port of a service with few connections and short times."""
    limits = structs.replace(
        settings.limits, connections=6, connections_per_client=4, streams=3, streams_per_client=1
    )
    app = create_app(structs.replace(settings, directory=tmp_path_factory.mktemp("few"), limits=limits))
    with pytest.MonkeyPatch.context() as patch, listening("127.0.0.1", 0) as listener:
        patch.setattr(LimitedProtocol, "head_seconds", 0.5)
        patch.setattr(LimitedProtocol, "body_seconds", 0.3)
        server = uvicorn.Server(server_config(app))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = server.force_exit = True
        thread.join(10)


def connect(port, first=b"", address="127.0.0.1"):
    found = socket.create_connection(("127.0.0.1", port), 5, (address, 0))
    found.sendall(first)
    return found


def rest(connection):
    """All that the service sends until it closes the connection."""
    with connection:
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


def answer(connection):
    """One answer of a connection that stays open."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += connection.recv(65536)
    head, _, body = found.partition(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < int(length.partition(b":")[2]):
        body += connection.recv(65536)
    return head


def works(port):
    """Whether the service answers: places of earlier tests may become free only now."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        with connect(port, GET) as asking:
            if asking.recv(12).endswith(b"200"):
                return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: local", POST, POST + b"{"])
def test_a_request_that_does_not_come_is_given_up(port, sent):
    assert works(port)
    began = time.monotonic()
    assert rest(connect(port, sent)).startswith(b"HTTP/1.1 408 ")
    assert 0.2 < time.monotonic() - began < 3


def test_bytes_that_trickle_in_set_no_clock_back(port):
    began = time.monotonic()
    with connect(port, b"GET / HTTP/1.1\r\n") as slow:
        slow.settimeout(0.1)
        while time.monotonic() < began + 4:
            try:
                slow.sendall(b"X")
                if slow.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
    assert time.monotonic() - began < 2


def test_a_second_request_has_its_own_time(port):
    assert works(port)
    with connect(port) as both:
        both.settimeout(5)
        for _ in range(3):
            both.sendall(GET)
            assert answer(both).startswith(b"HTTP/1.1 200")
            time.sleep(0.2)
        both.sendall(GET[:20])
        assert rest(both).startswith(b"HTTP/1.1 408")


def test_one_address_does_not_take_all_connections(port):
    assert works(port)
    own = [connect(port) for _ in range(4)]
    time.sleep(0.1)
    assert b"too many connections" in rest(connect(port))
    with connect(port, GET, "127.0.0.2") as another:
        assert another.recv(12).endswith(b"200")
    for each in own:
        each.close()
    assert works(port)


def test_many_addresses_do_not_take_all_connections(port):
    assert works(port)
    idle = []
    for last in range(3, 43):  # seven times as many as there may be
        idle.append(connect(port, [b"", GET[:20], POST][last % 3], f"127.0.0.{last}"))
        if last % 5 == 0:
            with connect(port, GET, f"127.0.1.{last}") as one:
                assert one.recv(12).endswith(b"200")
    for each in idle:
        each.close()
    assert works(port)


def test_the_connection_that_has_waited_longest_makes_room(port):
    assert works(port)
    with connect(port, address="127.0.0.3") as first, connect(port, address="127.0.0.4") as asking:
        time.sleep(0.05)  # `first` and `asking` are the oldest
        asking.sendall(GET)
        answer(asking)
        others = [connect(port, address=f"127.0.0.{last}") for last in range(5, 10)]
        assert first.recv(1) == b"", "closed without a message"
        asking.sendall(GET)
        assert answer(asking).startswith(b"HTTP/1.1 200")
        for each in others:
            each.close()
    assert works(port)


def test_connections_that_are_answered_make_no_room():
    slots = Slots(1, None)
    assert slots.take("one")
    assert not slots.take("two"), "no connection is waiting"
    assert slots.refused == 1


def test_a_client_has_so_many_streams_of_events(client):
    streams = Slots(3, 1)
    assert streams.take("one")
    assert not streams.take("one")
    assert streams.take("two")
    assert streams.take("three")
    assert not streams.take("four")
    assert (streams.taken, streams.refused) == (3, 2)
    streams.release("one")
    assert streams.take("four")


def test_streams_beyond_these_are_refused_and_ended_ones_are_free_again(client, monkeypatch):
    monkeypatch.setattr(client.app.state, "streams", Slots(1, 1))
    order = {"languages": ["la"], "categories": ["country"]}
    job = client.post("/api/v1/jobs", json=order).json()["id"]
    assert client.app.state.streams.take("another")
    assert client.get(f"/api/v1/jobs/{job}/events").status_code == 503
    client.app.state.streams.release("another")
    for _ in range(2):
        assert client.get(f"/api/v1/jobs/{job}/events").status_code == 200
    assert client.app.state.streams.taken == 0


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
        (None, ""),
    ],
)
def test_a_client_is_an_address_or_a_network_of_ipv6(host, client):
    assert client_of(host) == client


def test_connections_leave_files_for_everything_else(settings, tmp_path, monkeypatch):
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, 4096))
    app = create_app(structs.replace(settings, directory=tmp_path, limits=Limits(connections=5000)))
    assert app.state.connections.most == 768
    app.state.jobs.stop()
