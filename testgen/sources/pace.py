"""How fast a server is asked: below its published limits, and slower once it says that this is too fast."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_WIKIMEDIA = ("wikidata.org", "wikimedia.org")
_WINDOW = 60.0  # seconds: limits count per minute
_SHARE = 0.9  # of a limit that is used
_SHORTEST = 0.25  # seconds; Wikimedia's robot policy allows fewer than 5 requests a second
_REST = 0.1  # of the time that a request took: a minute has at most 60 seconds of query time
_LOWEST = 10  # requests a minute; no published limit is lower


@dataclass
class Pace:
    """Keeps requests to one server apart."""

    interval: float = 0.0  # the shortest time from one request to the next in seconds; 0 for no limit
    clock: Any = time  # the module `time`, or a faster one: `monotonic` and `sleep`
    _answered: list[float] = field(default_factory=list)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Wait after the block's request until the next may follow: only then may another process ask."""
        begun = self.clock.monotonic()
        try:
            yield
        except Exception:
            self._rest(begun)
            raise
        self._answered = [each for each in self._answered if each > begun - _WINDOW] + [begun]
        self._rest(begun)

    def _rest(self, begun: float) -> None:
        if self.interval:
            seconds = self.clock.monotonic() - begun
            self.clock.sleep(max(self.interval - seconds, _REST * seconds))

    def slow_down(self, wait: float) -> None:
        """Learn from a refusal that asks to wait so many seconds."""
        # What was answered lately is what the server allows from the first of these requests to the end of
        # the wait. After fewer than the lowest limit, it has another reason: limits count query time and
        # other clients too.
        now = self.clock.monotonic()
        answered = [each for each in self._answered if each > now - _WINDOW]
        if len(answered) >= _LOWEST:
            window = min(_WINDOW, now - answered[0] + wait)
            self.interval = max(self.interval, window / (_SHARE * len(answered)))


def published_interval(url: str, *, contact: bool, token: bool) -> float:
    """The shortest time between two requests to a URL of Wikimedia in seconds; 0 for other servers."""
    # Limits since May 2026: 10 a minute for unknown clients, 200 with a contact, 2,000 with a token.
    host = urlsplit(url).hostname or ""
    if not any(host == domain or host.endswith(f".{domain}") for domain in _WIKIMEDIA):
        return 0.0
    per_minute = _LOWEST if not contact else 2000 if token else 200
    return max(_SHORTEST, _WINDOW / (_SHARE * per_minute))
