"""Asking one server politely: one request at a time, with the waits that it asks for, and with retries.

A server that is busy (a rate limit, replication lag) is waited for as long as the patience lasts. Other
temporary faults are retried a few times, after waits that grow. A fault that the same request would cause
again (a query that takes too long) is not retried, and neither is a refusal.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import random
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import regex

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError
from testgen.sources.pace import Pace
from testgen.system import duration

if TYPE_CHECKING:
    import requests
    import tenacity

T = TypeVar("T")

_BODY_SECONDS = 300.0
_LIMIT_WAIT = 60.0  # seconds, if a server does not say when to come back: limits count per minute
_TIMEOUT_MARKS = (
    "java.util.concurrent.TimeoutException",
    "SPARQL-QUERY: queryStr=",
    "com.bigdata.bop.engine.QueryTimeoutException",
    "An error has occurred while exporting",
    "Operation timed out",
    "exceeds the limit",  # Virtuoso's estimated execution time
)
_SAYS_TIMEOUT = regex.compile(r"(?i)\btimed[ -]?out\b|\btime-?out|\btime limit\b")
_BANNED_UNTIL = regex.compile(r"banned until (\S+?)[,.]?\s")

_ADVICE = {
    400: ", it does not understand the query",
    401: (
        ", it asks for a password or a valid token; if you have set a token, it is wrong or has expired: "
        "set it again, or remove it, with testgen config token"
    ),
    403: " and may have blocked this client; no more requests are sent; try again later",
    404: ", there is nothing at this URL; is it a SPARQL endpoint?",
}
_ROBOT_ADVICE = (
    " clients without a contact in their User-Agent; check yours with testgen config contact, and set one "
    "that reaches you"
)


class TemporaryFault(Exception):  # noqa: N818  # becomes a SourceError after the last attempt
    """A fault that may not happen again when the same request is repeated.

    Attributes:
        wait: Seconds that the server asked to wait, if it did.
        answered: Whether the server sent an answer, even if not a usable one.
    """

    def __init__(self, reason: str, wait: float | None = None, *, answered: bool = True) -> None:
        """Say what happened."""
        super().__init__(reason)
        self.wait = wait
        self.answered = answered


class BusyServer(TemporaryFault):
    """The server works, and asks to wait: the same request will succeed later."""


class RateLimit(BusyServer):
    """This client has sent too many requests."""


class IncompleteAnswer(TemporaryFault):
    """The answer breaks off: by a bad connection, or because the server ran out of time or memory."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is repeated, and after which waits.

    Attributes:
        attempts: The most attempts for one request, not counting those that found the server busy.
        first_attempts: The most attempts as long as the server has never answered, and for an answer that
            breaks off.
        first_wait: The first wait in seconds; each further one is twice as long, give or take half.
        longest_wait: The longest wait in seconds, unless the server asks for a longer one.
        patience: How long in seconds one request may wait for a busy server.
    """

    attempts: int = 8
    first_attempts: int = 3
    first_wait: float = 1.0
    longest_wait: float = 120.0
    patience: float = 1800.0


@dataclass
class Server:
    """One server, which is asked one request at a time.

    Attributes:
        name: Its name in messages.
        retry_policy: How often a request is repeated, and after which waits.
        lock: Held while asking and waiting, so that several processes ask one at a time.
        pace: Keeps the requests apart.
        token: Sent with each request, for higher limits.
        notify: Called before each wait with the reason and the seconds.
        asked: How many requests have been sent.
    """

    name: str
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)
    pace: Pace = field(default_factory=Pace)
    token: str | None = field(default=None, repr=False)
    notify: Callable[[str, float], None] = lambda _reason, _seconds: None
    asked: int = 0
    _has_answered: bool = False
    _has_given_up: bool = False
    _faults: int = 0

    def ask(self, request: Callable[[], T]) -> T:
        """Send a request until it is answered.

        Args:
            request: Sends it and returns the complete, parsed answer; raises `TemporaryFault` to be called
                again.

        Raises:
            RefusedError: The server is still busy when the patience is at an end.
            QueryFaultError: The server fails in every attempt, and has not failed for the request before.
            SourceError: The fault is permanent, or it happened in every attempt.
        """
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TemporaryFault),
            wait=self._wait,
            stop=self._gives_up,
            before_sleep=self._announce,
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
            f"{self.name}: {fault}{asks}; testgen gives up after waiting {duration(waited)}, as --patience "
            f"is {patience}. The answers so far are in the cache: to resume, run the same command again, or "
            "with a longer --patience"
        )

    def _wait(self, state: tenacity.RetryCallState) -> float:
        asked_for, policy = _fault(state).wait, self.retry_policy
        growing = min(policy.longest_wait, policy.first_wait * 2 ** (state.attempt_number - 1))
        random_wait: float = growing * random.uniform(0.5, 1.5)  # noqa: S311  # so that clients do not retry together
        return random_wait if asked_for is None else asked_for + random_wait / 10

    def _announce(self, state: tenacity.RetryCallState) -> None:
        self.notify(f"{self.name}: {_fault(state)}", state.upcoming_sleep)

    @cached_property
    def _session(self) -> requests.Session:
        """One connection, which is kept open from one request to the next."""
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
        """Send a request once, and read the whole answer.

        Args:
            method: `GET` or `POST`.
            url: Where to.
            seconds: How long to wait for data.
            content: Other arguments of `requests.request`.

        Returns:
            The status, the headers by lower-case name, and the body.

        Raises:
            TemporaryFault: There is no complete answer.
        """
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
            reason = f"no connection, or a broken one ({type(error).__name__}: {error})"
            raise TemporaryFault(reason, answered=False) from error


def _fault(state: tenacity.RetryCallState) -> TemporaryFault:
    fault = state.outcome.exception() if state.outcome else None
    assert isinstance(fault, TemporaryFault)  # noqa: S101  # nothing else is retried
    return fault


def check_status(name: str, status: int, headers: Mapping[str, str], body: str) -> None:
    """Raise the error that an HTTP answer stands for; header names are in lower case, the body may be cut.

    Raises:
        TemporaryFault: The next attempt may succeed.
        QueryTimeoutError: The query takes too long.
        SourceError: The server refuses.
    """
    if status == 200:
        return
    wait = retry_after(headers.get("retry-after"))
    if status == 429 and not _is_timeout_429(wait, body):
        raise RateLimit("too many requests (HTTP 429)", _LIMIT_WAIT if wait is None else wait)
    timeout = timeout_error(name, body, certain=status == 429)
    if timeout:
        raise timeout
    if status == 500 and body.startswith("Virtuoso "):  # this is how it refuses a query that it cannot run
        raise QueryFaultError(f"{name} cannot answer the query: {_beginning(body)}")
    if status in (408, 425, 500, 502, 503, 504, 520, 522, 524):
        busy = status == 503 and wait is not None
        raise (BusyServer if busy else TemporaryFault)(f"server error (HTTP {status})", wait)
    faults = {400: QueryFaultError, 413: QueryFaultError, 414: QueryFaultError, 403: RefusedError}
    refusal = faults.get(status, SourceError)
    moved = f", it has moved to {headers['location']}" if "location" in headers else ""
    advice = _advice_on_403(body) if status == 403 else _ADVICE.get(status, "")
    raise refusal(f"{name} refuses (HTTP {status}){advice}{moved}: {_beginning(body)}")


def _is_timeout_429(wait: float | None, body: str) -> bool:
    """Whether a 429 is QLever's answer to a query that took too long, and not a limit of requests.

    QLever's is a JSON object with an `exception`, and has no Retry-After. Wikimedia's limits have Retry-After
    and plain text or a web page; on the way, either may lose the header.
    """
    with contextlib.suppress(ValueError):
        return "exception" in json.loads(body)
    return wait is None and _SAYS_TIMEOUT.search(body) is not None


def _advice_on_403(body: str) -> str:
    """What to do about a refusal: a ban that ends, a User-Agent that is not good enough, or anything else."""
    if "robot policy" in body or "user-agent" in body.lower():
        return _ROBOT_ADVICE
    until = _BANNED_UNTIL.search(body)
    if until is None:
        return _ADVICE[403]
    return f" and has blocked this client until {until[1]}; run the same command again then"


def _read_text(chunks: Iterable[bytes], *, strict: bool) -> str:
    """The whole body of an answer, as text; of an error, bytes that are not UTF-8 do not matter.

    Raises:
        TemporaryFault: It takes too long, or is not UTF-8.
    """
    deadline = time.monotonic() + _BODY_SECONDS
    body = bytearray()
    for chunk in chunks:
        body += chunk
        # A read timeout does not help against a server that sends one byte now and then.
        if time.monotonic() > deadline:
            raise TemporaryFault(f"the answer was not complete after {_BODY_SECONDS:.0f} seconds")
    try:
        return body.decode("utf-8", errors="strict" if strict else "replace")
    except UnicodeDecodeError as error:
        raise TemporaryFault("the answer is not UTF-8") from error


def timeout_error(name: str, body: str, *, certain: bool = False) -> QueryTimeoutError | None:
    """The error of a query that took too long.

    Returns:
        The error if it is certain, or if the text holds one of the marks that engines leave; None otherwise.
    """
    if certain or any(mark in body for mark in _TIMEOUT_MARKS):
        return QueryTimeoutError(f"{name} ran out of time for the query")
    return None


def retry_after(value: str | None) -> float | None:
    """Seconds from a Retry-After header, which holds a number or a date; None if there is none."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def not_json_error(name: str, content_type: str, body: str) -> Exception:
    """The error for a successful answer whose body is not JSON."""
    if not body.strip():
        return TemporaryFault("the answer is empty")
    incomplete = IncompleteAnswer("the answer is incomplete") if body.lstrip()[0] in "{[" else None
    return timeout_error(name, body) or incomplete or wrong_content_error(name, content_type, body)


def wrong_content_error(name: str, content_type: str, body: str) -> SourceError:
    """The error for a body of another kind: a login page, another kind of server, a notice."""
    if "robot policy" in body:
        return RefusedError(f"{name} refuses{_ROBOT_ADVICE}: {_beginning(body)}")
    content = "a web page" if "<html" in body[:2000].lower() else content_type or "content without a type"
    return SourceError(
        f"{name} answered with {content} where JSON was expected; is the URL right, and does the network "
        f"require a login? The answer begins: {_beginning(body)}"
    )


def _beginning(body: str) -> str:
    text = " ".join(body.split())
    return repr(text[:120] + ("…" if len(text) > 120 else ""))
