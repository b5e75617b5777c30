"""Connections: how many there may be, and how long a client may take to send its request."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEAD_SECONDS, _BODY_SECONDS = 10.0, 20.0


class Slots:
    """Places of which there are so many in all, and so many for one client."""

    def __init__(self, most: int, per_client: int | None) -> None:
        self.most, self.per_client, self.refused = most, per_client, 0
        # Connections without a whole request, the longest without one first: they make room.
        self.waiting: dict[LimitedProtocol, None] = {}
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self._taken.total()

    def take(self, client: str) -> bool:
        """Take a place for a client; False if there is none left."""
        allowed = self.per_client is None or self._taken[client] < self.per_client
        if allowed and self.taken >= self.most and self.waiting:
            next(iter(self.waiting)).make_room()
        free = allowed and self.taken < self.most
        self._taken[client] += free
        self.refused += not free
        self._taken += Counter()  # forgets clients without places
        return free

    def release(self, client: str) -> None:
        """Give back the place of a client."""
        self._taken[client] -= 1
        self._taken += Counter()


def client_of(host: str | None) -> str:
    """The client at an address: in IPv6, one client has a whole network of 64 bits."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or ""
    if address.version == 4:
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def most_connections(wanted: int) -> int:
    """How many connections there can be: a quarter of the open files is for everything else."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if allowed == resource.RLIM_INFINITY else min(wanted, allowed * 3 // 4)


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, which has no limits of its own for requests that are sent slowly or in part."""

    head_seconds, body_seconds = _HEAD_SECONDS, _BODY_SECONDS
    _phase: object = None
    _deadline: asyncio.TimerHandle | None = None
    _address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place for the connection, or close it at once; another one may have to make room."""
        self.transport = transport
        address = client_of((transport.get_extra_info("peername") or ("",))[0])
        if self._slots.take(address):
            self._address = address
            super().connection_made(transport)
            self._watch()
        else:
            self._close(503, "too many connections; try again in a few seconds")

    def data_received(self, data: bytes) -> None:
        """Read on; what is still missing has to arrive in time."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back the place."""
        self._leave()
        super().connection_lost(exc)

    def make_room(self) -> None:
        """Give the place to another connection: many addresses that ask nothing must not take all."""
        self._leave()
        self.transport.abort()

    def _leave(self) -> None:
        self._stop_watching()
        self._slots.waiting.pop(self, None)
        if self._address is not None:
            self._slots.release(self._address)
            self._address = None

    @property
    def _slots(self) -> Slots:
        slots: Slots = self.config.app.state.connections  # type: ignore[union-attr]
        return slots

    def _watch(self) -> None:
        state = self.conn.their_state
        if state is self._phase:  # more of the same head or body does not set the clock back
            return
        self._stop_watching()
        seconds = {h11.IDLE: self.head_seconds, h11.SEND_BODY: self.body_seconds}.get(state)
        if seconds is None or self.transport.is_closing():
            self._slots.waiting.pop(self, None)
        else:
            self._phase = state
            self._deadline = self.loop.call_later(seconds, self._too_late)
            self._slots.waiting.setdefault(self)

    def _stop_watching(self) -> None:
        self._phase = None
        if self._deadline is not None:
            self._deadline.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request, as long as uvicorn keeps the connection."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and self._address is not None:
            self._stop_watching()
            self._slots.waiting[self] = None

    def _too_late(self) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._close(408, "the request did not arrive in time")
        else:
            self.transport.close()

    def _close(self, status: int, reason: str) -> None:
        head = f"HTTP/1.1 {status} \r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
        wait = "Retry-After: 10\r\n" if status == 503 else ""
        self.transport.write(f"{head}{wait}Content-Length: {len(reason)}\r\n\r\n{reason}".encode())
        self.transport.close()
