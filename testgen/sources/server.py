"""Asking one server politely: one request at a time, with the waits that it asks for, and with retries.

A temporary fault is retried after the wait that the server asks for, or after a wait that grows. A fault that
the same request would cause again (a query that takes too long) is not retried, and neither is a refusal.
"""

from __future__ import annotations

import email.utils
import http.client
import random
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, TypeVar

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError

if TYPE_CHECKING:
    import tenacity

T = TypeVar("T")

_BODY_SECONDS = 300.0
_LONGEST_WAIT = 3600.0  # seconds; a longer wait is a refusal
_TIMEOUT_MARKS = (
    "java.util.concurrent.TimeoutException",
    "SPARQL-QUERY: queryStr=",
    "com.bigdata.bop.engine.QueryTimeoutException",
    "An error has occurred while exporting",
    "Operation timed out",
    "exceeds the limit",  # Virtuoso's estimated execution time
)


_ADVICE = {
    400: ", it does not understand the query",
    401: ", it asks for a password",
    403: " and may have blocked this client; no more requests are sent; try again later",
    404: ", there is nothing at this URL; is it a SPARQL endpoint?",
}


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


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is repeated, and after which waits.

    Attributes:
        attempts: The most attempts for one request.
        first_attempts: The most attempts as long as the server has never answered.
        first_wait: The first wait in seconds; each further one is twice as long, give or take half.
        longest_wait: The longest wait in seconds, unless the server asks for a longer one.
    """

    attempts: int = 8
    first_attempts: int = 3
    first_wait: float = 1.0
    longest_wait: float = 120.0


@dataclass
class Server:
    """One server, which is asked one request at a time.

    Attributes:
        name: Its name in messages.
        retry_policy: How often a request is repeated, and after which waits.
        lock: Held while asking and waiting, so that several processes ask one at a time.
        notify: Called before each wait with the reason and the seconds.
        asked: How many requests have been sent.
    """

    name: str
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)
    notify: Callable[[str, float], None] = lambda _reason, _seconds: None
    asked: int = 0
    _has_answered: bool = False

    def ask(self, request: Callable[[], T]) -> T:
        """Send a request until it is answered.

        Args:
            request: Sends it and returns the complete, parsed answer; raises `TemporaryFault` to be called
                again.

        Raises:
            SourceError: The fault is permanent, or it happened in every attempt.
        """
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TemporaryFault),
            wait=self._wait,
            stop=lambda state: state.attempt_number >= self._attempts(),
            before_sleep=self._announce,
            reraise=True,
        )
        try:
            with self.lock:
                answer: T = retrying(self._ask_once, request)
                return answer
        except TemporaryFault as fault:
            raise SourceError(
                f"{self.name}: {fault}, in each of {self._attempts()} attempts; try later: the answers "
                "so far are in the cache"
            ) from fault

    def _ask_once(self, request: Callable[[], T]) -> T:
        self.asked += 1
        try:
            answer = request()
        except TemporaryFault as fault:
            self._has_answered |= fault.answered
            if fault.wait is not None and fault.wait > _LONGEST_WAIT:
                raise RefusedError(
                    f"{self.name}: {fault}; it asks to come back in {fault.wait / 3600:.0f} hours"
                ) from fault
            raise
        self._has_answered = True
        return answer

    def _attempts(self) -> int:
        return self.retry_policy.attempts if self._has_answered else self.retry_policy.first_attempts

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        asked_for = fault.wait if isinstance(fault, TemporaryFault) else None
        policy = self.retry_policy
        growing = min(policy.longest_wait, policy.first_wait * 2 ** (state.attempt_number - 1))
        random_wait: float = growing * random.uniform(0.5, 1.5)  # noqa: S311  # so that clients do not retry together
        return random_wait if asked_for is None else asked_for + random_wait / 10

    def _announce(self, state: tenacity.RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        self.notify(str(state.outcome.exception() if state.outcome else ""), seconds)


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
    if status == 429 and (wait is not None or "<html" in body.lower()):
        raise TemporaryFault("too many requests (HTTP 429)", 60.0 if wait is None else wait)
    timeout = timeout_error(name, body, certain=status == 429)  # QLever says 429 without Retry-After
    if timeout:
        raise timeout
    if status == 500 and body.startswith("Virtuoso "):  # this is how it refuses a query that it cannot run
        raise QueryFaultError(f"{name} cannot answer the query: {_beginning(body)}")
    if status in (408, 425, 500, 502, 503, 504, 520, 522, 524):
        raise TemporaryFault(f"server error (HTTP {status})", wait)
    faults = {400: QueryFaultError, 413: QueryFaultError, 414: QueryFaultError, 403: RefusedError}
    refusal = faults.get(status, SourceError)
    moved = f", it has moved to {headers['location']}" if "location" in headers else ""
    raise refusal(f"{name} refuses (HTTP {status}){_ADVICE.get(status, '')}{moved}: {_beginning(body)}")


def connection_fault(error: Exception) -> TemporaryFault:
    """The fault for an error of a network library."""
    return TemporaryFault(f"no connection, or a broken one ({type(error).__name__}: {error})", answered=False)


def read_text(chunks: Iterable[bytes]) -> str:
    """The whole body of an answer, as text.

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
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TemporaryFault("the answer is not UTF-8") from error


def read_beginning(body: IO[bytes]) -> str:
    """The beginning of an error's body, as far as it can be read."""
    try:
        return body.read(4000).decode("utf-8", errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def lower_case(headers: Any) -> dict[str, str]:  # noqa: ANN401  # of any network library
    """Headers by lower-case name."""
    return {str(name).lower(): str(value) for name, value in headers.items()}


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
    incomplete = TemporaryFault("the answer is incomplete") if body.lstrip()[0] in "{[" else None
    return timeout_error(name, body) or incomplete or wrong_content_error(name, content_type, body)


def wrong_content_error(name: str, content_type: str, body: str) -> SourceError:
    """The error for a body of another kind: a login page, another kind of server, a notice."""
    content = "a web page" if "<html" in body[:2000].lower() else content_type or "content without a type"
    return SourceError(
        f"{name} answered with {content} where JSON was expected; is the URL right, and does the network "
        f"require a login? The answer begins: {_beginning(body)}"
    )


def _beginning(body: str) -> str:
    text = " ".join(body.split())
    return repr(text[:120] + ("…" if len(text) > 120 else ""))
