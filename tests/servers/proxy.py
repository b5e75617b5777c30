"""A reverse proxy that spoils answers on purpose and watches how its clients behave.

`FaultProxy(upstream, plan)` forwards every request to a real server and lets `plan` say which fault, if
any, an answer gets. The faults are in `faults.py`.
"""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import hashlib
import http.client
import math
import random
import socket
import struct
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from tests.servers.base import Handler, LocalServer, Request, Response, accepts_gzip, is_gone

_HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "date",
               "server")  # fmt: skip


@dataclass(frozen=True)
class Exchange(Request):
    """A logged request: the fault its answer got, and whether a complete good answer went out.

    Times are `time.monotonic()`; `retry_at` is the moment before which a client was told not to come back.
    """

    fault: str | None = None
    delivered: bool = False
    answered: float = math.inf
    retry_at: float | None = None

    @property
    def key(self) -> tuple[str, str, bytes]:
        """What makes two requests the same question."""
        return self.method, self.target, self.body

    @property
    def ids(self) -> list[str]:
        """The entity ids that were asked for."""
        return self.params["ids"].split("|") if "ids" in self.params else []


@dataclass(frozen=True)
class Fault:
    """A way to spoil an answer.

    Attributes:
        name: Its name in the log and in `FAULTS`.
        act: Sends the spoilt answer, or some of it.
        needs_answer: Whether the upstream server is asked, so that there is an answer to spoil.
    """

    name: str
    act: Callable[[Spoiler], None] = field(repr=False, compare=False)
    needs_answer: bool = False


Plan = Callable[[Request, int], Fault | None]
"""Says which fault a request gets; the number is how often the same question came before."""


def scripted(*faults: Fault | None) -> Plan:
    """These faults in this order (None: a good answer), then good answers."""
    rest = iter(faults)
    lock = threading.Lock()

    def plan(request: Request, before: int) -> Fault | None:
        with lock:
            return next(rest, None)

    return plan


def seeded(rate: float, faults: Iterable[Fault], seed: int = 1, at_most: int | None = None) -> Plan:
    """Each request gets one of the faults with this probability.

    What a request gets depends on the seed, on its text and on how often it came before, and not on the order
    in which different requests arrive. With `at_most`, no question is spoilt more often than that.
    """
    choices = list(faults)

    def plan(request: Request, before: int) -> Fault | None:
        text = f"{seed}:{before}:{request.method}:{request.target}:".encode() + request.body
        rng = random.Random(hashlib.sha256(text).digest())
        spoilt = rng.random() < rate and (at_most is None or before < at_most)
        return rng.choice(choices) if spoilt else None

    return plan


def always(fault: Fault, when: Callable[[Request], bool] = lambda request: True) -> Plan:
    """This fault for every request, or for those for which `when` holds."""
    return lambda request, before: fault if when(request) else None


class FaultProxy(LocalServer):
    """Forwards to `upstream`, spoils what the plan says, and logs every request as an `Exchange`."""

    def __init__(self, upstream: str, plan: Plan | None = None) -> None:
        super().__init__()
        parts = urllib.parse.urlsplit(upstream)
        self.upstream = (parts.hostname or "127.0.0.1", parts.port or 80)
        self.path = parts.path
        self.plan = plan or scripted()
        self.log: list[Exchange] = []
        self.max_concurrency = 0
        self.loop: tuple[str, Fault] | None = None  # a target that gets a fault whatever the plan says
        self._lock = threading.Lock()
        self._seen: dict[tuple[str, str, bytes], int] = {}
        self._under_way: dict[int, socket.socket] = {}

    def handle(self, handler: Handler, request: Request) -> None:
        place = self._arrive(handler, request)
        spoiler = Spoiler(self, handler, request, place)
        fault = self._planned(request)
        self.note(place, fault=fault.name if fault else None)
        try:
            if fault is None or fault.needs_answer:
                spoiler.answer = self._forward(request)
            if fault is None:
                spoiler.pass_on()
            else:
                fault.act(spoiler)
        except (ConnectionError, TimeoutError):
            self.note(place, delivered=False)
            handler.close_connection = True
        finally:
            self.leave(place)

    def note(self, place: int, **fields: object) -> None:
        """Add to what is known about a request."""
        with self._lock:
            self.log[place] = replace(self.log[place], **fields)

    def leave(self, place: int) -> None:
        """The request counts as answered from now on."""
        with self._lock:
            if self._under_way.pop(place, None) is not None:
                self.log[place] = replace(self.log[place], answered=time.monotonic())

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Nobody listens on the port while this lasts: connections are refused."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def requests_before_retry_after(self, tolerance: float = 0.02) -> list[Exchange]:
        """The requests that came before the time announced by an earlier answer's Retry-After."""
        return [
            late
            for late in self.log
            if any(
                first.retry_at is not None and first.answered < late.time < first.retry_at - tolerance
                for first in self.log
            )
        ]

    def repeated_after_success(self) -> list[Exchange]:
        """The requests whose very question had been answered completely before."""
        return [
            again
            for place, again in enumerate(self.log)
            if any(first.delivered and first.key == again.key for first in self.log[:place])
        ]

    def repeated_ids_after_success(self) -> list[str]:
        """Entity ids asked for again after a complete answer about them, in whatever company."""
        repeated: list[str] = []
        known: set[str] = set()
        for exchange in self.log:
            repeated += [key for key in exchange.ids if key in known]
            if exchange.delivered:
                known.update(exchange.ids)
        return repeated

    def _arrive(self, handler: Handler, request: Request) -> int:
        with self._lock:
            for place, connection in list(self._under_way.items()):
                if is_gone(connection):
                    del self._under_way[place]
            place = len(self.log)
            self.log.append(Exchange(**vars(request)))
            self._under_way[place] = handler.connection
            self.max_concurrency = max(self.max_concurrency, len(self._under_way))
            return place

    def _planned(self, request: Request) -> Fault | None:
        if self.loop and request.target == self.loop[0]:
            return self.loop[1]
        key = request.method, request.target, request.body
        with self._lock:
            before = self._seen.get(key, 0)
            self._seen[key] = before + 1
        return self.plan(request, before)

    def _forward(self, request: Request) -> Response:
        """The upstream server's answer."""
        headers = {name: value for name, value in request.headers.items() if name not in _HOP_BY_HOP}
        headers |= {"accept-encoding": "identity", "host": "{}:{}".format(*self.upstream)}
        headers.setdefault("user-agent", "")
        connection = http.client.HTTPConnection(*self.upstream, timeout=60)
        try:
            connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.putheader("content-length", str(len(request.body)))
            connection.endheaders(request.body)
            answer = connection.getresponse()
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP_BY_HOP}
            return Response(answer.status, answer.read(), kept, answer.reason)
        finally:
            connection.close()


class Spoiler:
    """One answer in the making: the upstream server's, and the ways to send it or something else."""

    def __init__(self, proxy: FaultProxy, handler: Handler, request: Request, place: int) -> None:
        self.proxy = proxy
        self.handler = handler
        self.request = request
        self.answer = Response()
        self._place = place

    @property
    def good(self) -> bool:
        """Whether the upstream server's answer is one to be content with."""
        refused = any(name.lower() == "mediawiki-api-error" for name in self.answer.headers)
        return self.answer.status == 200 and not refused

    @property
    def body(self) -> bytes:
        return self.answer.body

    def pass_on(self) -> None:
        """Send the answer as it came."""
        self.proxy.note(self._place, delivered=self.good)
        self.send(self.answer)

    def send(self, response: Response) -> None:
        """Send a whole answer, zipped if the client likes that."""
        headers: dict[str, str | None] = {}
        if len(response.body) > 400 and accepts_gzip(self.request):
            response = replace(response, body=gzip.compress(response.body, 1))
            headers["content_encoding"] = "gzip"
        self._note_status(response)
        self.proxy.leave(self._place)
        self.handler.send(response, **headers)

    def send_raw(self, response: Response, body: bytes, **headers: str | None) -> None:
        """Send a head, and after it a body that need not fit; then hang up."""
        self._note_status(response)
        head = self.handler.head(response, connection="close", **headers)
        self.handler.wfile.write(head + body)
        self.hang_up()

    def begin(self, response: Response, **headers: str | None) -> None:
        """Send a head alone."""
        self._note_status(response)
        self.handler.wfile.write(self.handler.head(response, connection="close", **headers))

    def hang_up(self) -> None:
        """Close the connection in an orderly way."""
        self.proxy.leave(self._place)
        self.handler.close_connection = True
        with contextlib.suppress(OSError):
            self.handler.connection.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Close the connection with a TCP reset."""
        self.proxy.leave(self._place)
        self.handler.close_connection = True
        connection = self.handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.handler.rfile.close()
        connection.close()

    def wait(self, seconds: float) -> bool:
        """Wait; whether the client is still there afterwards."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.proxy.stopping.wait(min(left, 0.02)) or is_gone(self.handler.connection):
                return False
        return True

    def _note_status(self, response: Response) -> None:
        announced = {name.lower(): value for name, value in response.headers.items()}.get("retry-after")
        retry_at = None if announced is None else time.monotonic() + seconds_of(announced)
        self.proxy.note(self._place, status=response.status, retry_at=retry_at)


def seconds_of(retry_after: str) -> float:
    """How long a Retry-After header asks to wait."""
    if retry_after.isdigit():
        return float(retry_after)
    return email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time()
