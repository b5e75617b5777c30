"""Asking one server politely: one request at a time, with the waits that it asks for, and with retries.

A busy server is waited for as long as the patience lasts; other temporary faults are retried a few times. One
that refuses this client, or has failed for two requests in a row, is not asked again.
"""

from __future__ import annotations

import http.client
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from testgen.errors import QueryFaultError, RefusedError, SourceError
from testgen.sources.config import PATIENCE
from testgen.sources.http_answers import BusyServer, IncompleteAnswer, RateLimit, TemporaryFault
from testgen.system import duration

if TYPE_CHECKING:
    import requests
    import tenacity

_WIKIMEDIA = ("wikidata.org", "wikimedia.org")
_WINDOW = 60.0  # seconds: limits count per minute
_SHARE = 0.9  # of a limit that is used
_SHORTEST = 0.25  # seconds; Wikimedia's robot policy allows fewer than 5 requests a second
_REST = 0.1  # of the time that a request took: a minute has at most 60 seconds of query time
_LOWEST = 10  # requests a minute; no published limit is lower
T = TypeVar("T")
_BODY_SECONDS = 300.0


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


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is repeated, and after which waits."""

    attempts: int = 8  # the most attempts for one request, not counting those that found the server busy
    first_attempts: int = 3  # as long as the server has never answered, and for an answer that breaks off
    first_wait: float = 1.0  # the first wait in seconds; each further one is twice as long, give or take half
    longest_wait: float = 120.0  # the longest wait in seconds, unless the server asks for a longer one
    patience: float = PATIENCE  # how long in seconds one request may wait for a busy server


@dataclass
class Server:
    """One server, which is asked one request at a time."""

    name: str  # in messages
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)  # processes ask one at a time
    pace: Pace = field(default_factory=Pace)  # keeps the requests apart
    token: str | None = field(default=None, repr=False)  # sent with each request, for higher limits
    notify: Callable[[str, float], None] = lambda _reason, _seconds: None  # called before each wait
    asked: int = 0  # how many requests have been sent
    _has_answered: bool = False
    _has_given_up: bool = False
    _faults: int = 0
    _final: SourceError | None = None

    def ask(self, request: Callable[[], T]) -> T:
        """Send a request, which raises `TemporaryFault` to be sent again, until it gives an answer."""
        if self._final is not None:
            raise self._final
        try:
            return self._retry(request)
        except SourceError as error:
            self._final = error if error.final else None
            raise

    def _retry(self, request: Callable[[], T]) -> T:
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TemporaryFault),
            wait=self._wait,
            stop=self._gives_up,
            before_sleep=lambda state: self.notify(f"{self.name}: {_fault(state)}", state.upcoming_sleep),
            sleep=self.pace.clock.sleep,
            reraise=True,
        )
        self._faults = 0
        try:
            with self.lock:
                answer: T = retrying(self._ask_once, request)
                return answer
        except BusyServer as fault:
            raise RefusedError(self._out_of_patience(fault, retrying.statistics["idle_for"])) from fault
        except TemporaryFault as fault:
            # One request that fails each time may be the reason itself; two in a row are a broken server.
            of_query = isinstance(fault, IncompleteAnswer) or (fault.answered and not self._has_given_up)
            error = QueryFaultError if of_query else SourceError
            self._has_given_up = True
            raise error(
                f"{self.name}: {fault}, in each of {self._faults} attempts; the answers so far are in the "
                "cache: run the same command again later to resume"
            ) from fault

    def _ask_once(self, request: Callable[[], T]) -> T:
        self.asked += 1
        try:
            with self.pace.kept():
                answer = request()
        except TemporaryFault as fault:
            self._has_answered |= fault.answered
            self._faults += not isinstance(fault, BusyServer)
            if isinstance(fault, RateLimit):
                self.pace.slow_down(fault.wait or 0.0)
            raise
        self._has_answered, self._has_given_up = True, False
        return answer

    def _gives_up(self, state: tenacity.RetryCallState) -> bool:
        fault, policy = _fault(state), self.retry_policy
        if isinstance(fault, BusyServer):
            return state.idle_for + state.upcoming_sleep > policy.patience
        few = isinstance(fault, IncompleteAnswer) or not self._has_answered
        return self._faults >= (policy.first_attempts if few else policy.attempts)

    def _out_of_patience(self, fault: BusyServer, waited: float) -> str:
        asks = f", and it asks to wait {duration(fault.wait)} more" if fault.wait else ""
        patience = duration(self.retry_policy.patience)
        return (
            f"{self.name}: {fault}{asks}; testgen gives up after waiting {duration(waited)}, as your "
            f"patience is {patience}. The answers so far are in the cache: to resume, run the same command "
            "again. To wait longer: testgen config patience 2h"
        )

    def _wait(self, state: tenacity.RetryCallState) -> float:
        asked_for, policy = _fault(state).wait, self.retry_policy
        growing = min(policy.longest_wait, policy.first_wait * 2 ** (state.attempt_number - 1))
        random_wait: float = growing * random.uniform(0.5, 1.5)  # noqa: S311  # so that clients do not retry together
        return random_wait if asked_for is None else asked_for + random_wait / 10

    @cached_property
    def _session(self) -> requests.Session:
        import requests

        session = requests.Session()
        session.headers["Accept-Encoding"] = "gzip"
        if self.token:
            session.auth = self._authorized  # not a header, which a user's .netrc would replace
        return session

    def _authorized(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.token}"
        return request

    def exchange(
        self,
        method: str,
        url: str,
        seconds: float,
        **content: Any,  # noqa: ANN401  # as requests has them
    ) -> tuple[int, dict[str, str], str]:
        """Send a request once, and read the whole answer: status, headers by lower-case name, and body."""
        import requests

        try:
            with self._session.request(
                method, url, timeout=seconds, allow_redirects=False, stream=True, **content
            ) as response:
                body = _read_text(response.iter_content(1024), strict=response.ok)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return response.status_code, headers, body
        except requests.ReadTimeout as error:
            raise TemporaryFault(f"no answer in {seconds:.0f} seconds", answered=False) from error
        except (requests.RequestException, http.client.HTTPException, OSError) as error:
            reason = f"no connection, or a broken one{_reason(error)}"
            raise TemporaryFault(reason, answered=False) from error


def _reason(error: BaseException | None) -> str:
    """What the operating system says in one of the errors from which an error of a connection was made."""
    while error is not None:
        if isinstance(error, OSError) and error.strerror:
            return f" ({error.strerror})"
        error = error.__cause__ or error.__context__
    return ""


def _fault(state: tenacity.RetryCallState) -> TemporaryFault:
    fault = state.outcome.exception() if state.outcome else None
    assert isinstance(fault, TemporaryFault)  # noqa: S101  # nothing else is retried
    return fault


def _read_text(chunks: Iterable[bytes], *, strict: bool) -> str:
    """The whole body of an answer, as text; of an error, bytes that are not UTF-8 do not matter."""
    deadline = time.monotonic() + _BODY_SECONDS
    body = bytearray()
    for chunk in chunks:
        body += chunk
        # A read timeout does not help against a server that sends one byte now and then.
        if time.monotonic() > deadline:
            raise TemporaryFault(f"the answer was not complete after {_BODY_SECONDS:.0f} seconds")
    try:
        return body.decode("utf-8-sig", errors="strict" if strict else "replace")
    except UnicodeDecodeError as error:
        raise TemporaryFault("the answer is not UTF-8") from error
