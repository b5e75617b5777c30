"""Asking a server politely: one request at a time, waits obeyed, faults told apart.

A fault that will pass is retried, after the wait that the server names or one that grows. A fault that comes
again with the same request (a query that takes too long) is not, and neither is a refusal.
"""

from __future__ import annotations

import email.utils
import http.client
import random
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import IO, Any, TypeVar

import tenacity

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError

T = TypeVar("T")

_BODY_SECONDS = 300.0
_FOREVER = 3600.0  # a longer wait than this is a refusal
_TIMEOUT_MARKS = (
    "java.util.concurrent.TimeoutException",
    "SPARQL-QUERY: queryStr=",
    "com.bigdata.bop.engine.QueryTimeoutException",
    "An error has occurred while exporting",
    "Operation timed out",
    "exceeds the limit",  # Virtuoso's estimated execution time
)


class PassingFault(Exception):  # noqa: N818  # becomes a SourceError when it does not pass
    """A fault that may be gone when the same is asked again.

    Attributes:
        wait: Seconds that the server asked to wait, if it did.
        answered: Whether there was an answer, if a bad one.
    """

    def __init__(self, reason: str, wait: float | None = None, *, answered: bool = True) -> None:
        """Say what happened."""
        super().__init__(reason)
        self.wait = wait
        self.answered = answered


@dataclass(frozen=True)
class Patience:
    """How long to try.

    Attributes:
        attempts: How often the same is asked at most.
        attempts_unheard: How often a server is tried that has never answered.
        first: The first wait in seconds; each further one is twice as long, give or take half.
        longest: The longest wait that is not the server's own.
    """

    attempts: int = 8
    attempts_unheard: int = 3
    first: float = 1.0
    longest: float = 120.0


@dataclass
class Web:
    """One server's door.

    Attributes:
        name: What to call the server in messages.
        patience: How long to try.
        lock: Held while asking and waiting, so that several processes ask one at a time.
        notify: Told before each wait: why, and how many seconds.
        asked: How many requests have been sent.
    """

    name: str
    patience: Patience = field(default_factory=Patience)
    lock: AbstractContextManager[object] = field(default_factory=nullcontext)
    notify: Callable[[str, float], None] = lambda _reason, _seconds: None
    asked: int = 0
    _heard: bool = False

    def ask(self, request: Callable[[], T]) -> T:
        """Send a request until it is answered.

        Args:
            request: Sends it and returns the whole, parsed answer; raises `PassingFault` to be called again.

        Raises:
            SourceError: The fault did not pass.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(PassingFault),
            wait=self._wait,
            stop=lambda state: state.attempt_number >= self._attempts(),
            before_sleep=self._announce,
            reraise=True,
        )
        try:
            with self.lock:
                answer: T = retrying(self._once, request)
                return answer
        except PassingFault as fault:
            raise SourceError(
                f"{self.name}: {fault}, and again after {self._attempts()} tries; try later: "
                "what has been answered so far is kept"
            ) from fault

    def _once(self, request: Callable[[], T]) -> T:
        self.asked += 1
        try:
            answer = request()
        except PassingFault as fault:
            self._heard |= fault.answered
            if fault.wait is not None and fault.wait > _FOREVER:
                raise RefusedError(
                    f"{self.name}: {fault}; it asks to come back in {fault.wait / 3600:.0f} hours"
                ) from fault
            raise
        self._heard = True
        return answer

    def _attempts(self) -> int:
        return self.patience.attempts if self._heard else self.patience.attempts_unheard

    def _wait(self, state: tenacity.RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        named = fault.wait if isinstance(fault, PassingFault) else None
        growing = min(self.patience.longest, self.patience.first * 2 ** (state.attempt_number - 1))
        jittered: float = growing * random.uniform(0.5, 1.5)  # noqa: S311  # so that clients do not march in step
        return jittered if named is None else named + jittered / 10

    def _announce(self, state: tenacity.RetryCallState) -> None:
        seconds = state.next_action.sleep if state.next_action else 0.0
        self.notify(str(state.outcome.exception() if state.outcome else ""), seconds)


def check_status(name: str, status: int, headers: Mapping[str, str], body: str) -> None:
    """Raise the error that an HTTP answer stands for; return if it is a success.

    Args:
        name: What to call the server in messages.
        status: The HTTP status.
        headers: The answer's headers, by lower-case name.
        body: The answer's text, or the beginning of it.

    Raises:
        PassingFault: It may be gone on the next try.
        QueryTimeoutError: The query takes too long.
        SourceError: The server refuses.
    """
    if status == 200:
        return
    wait = retry_after(headers.get("retry-after"))
    if status == 429 and (wait is not None or "<html" in body.lower()):
        raise PassingFault("too many requests (HTTP 429)", 60.0 if wait is None else wait)
    timeout = out_of_time(name, body, certain=status == 429)  # QLever says 429 without Retry-After
    if timeout:
        raise timeout
    if status == 500 and body.startswith("Virtuoso "):  # it says so of a query that it cannot run
        raise QueryFaultError(f"{name} cannot answer the query: {_beginning(body)}")
    if status in (408, 425, 500, 502, 503, 504, 520, 522, 524):
        raise PassingFault(f"server error (HTTP {status})", wait)
    faults = {400: QueryFaultError, 413: QueryFaultError, 414: QueryFaultError, 403: RefusedError}
    refusal = faults.get(status, SourceError)
    moved = f", it has moved to {headers['location']}" if "location" in headers else ""
    raise refusal(f"{name} refuses (HTTP {status}){_advice(status)}{moved}: {_beginning(body)}")


def broken_connection(error: Exception) -> PassingFault:
    """The fault that an error of a network library stands for."""
    return PassingFault(
        f"no connection, or one that broke off ({type(error).__name__}: {error})", answered=False
    )


def read_text(chunks: Iterable[bytes]) -> str:
    """The whole body of an answer, as text.

    Raises:
        PassingFault: It takes for ever, or is not UTF-8.
    """
    deadline = time.monotonic() + _BODY_SECONDS
    body = bytearray()
    for chunk in chunks:
        body += chunk
        # A read timeout is no protection from a server that sends a byte now and then.
        if time.monotonic() > deadline:
            raise PassingFault(f"the answer was not complete after {_BODY_SECONDS:.0f} seconds")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PassingFault("the answer is not UTF-8") from error


def read_beginning(body: IO[bytes]) -> str:
    """The beginning of an error's body, as far as it can be read."""
    try:
        return body.read(4000).decode("utf-8", errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def lower_case(headers: Any) -> dict[str, str]:  # noqa: ANN401  # of any network library
    """Headers by lower-case name."""
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _advice(status: int) -> str:
    return {
        400: ", it does not understand the query",
        401: ", it wants a password",
        403: " and may have banned this client; nothing more is asked, wait a while before you try again",
        404: ", there is nothing at this address; is it a SPARQL endpoint?",
    }.get(status, "")


def out_of_time(name: str, body: str, *, certain: bool = False) -> QueryTimeoutError | None:
    """The error, if it is certain or a text holds the marks that engines leave when they run out of time."""
    if certain or any(mark in body for mark in _TIMEOUT_MARKS):
        return QueryTimeoutError(f"{name} ran out of time over the query")
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


def no_json(name: str, content_type: str, body: str) -> Exception:
    """The error for a success whose body is no JSON."""
    if not body.strip():
        return PassingFault("the answer is empty")
    broken_off = PassingFault("the answer breaks off") if body.lstrip()[0] in "{[" else None
    return out_of_time(name, body) or broken_off or not_what_was_asked_for(name, content_type, body)


def not_what_was_asked_for(name: str, content_type: str, body: str) -> SourceError:
    """The error for an answer that is no answer: a login page, another kind of server, a notice."""
    page = "a web page" if "<html" in body[:2000].lower() else content_type or "something unmarked"
    return SourceError(
        f"{name} answered with {page} where JSON was expected; is the address right, and does the network "
        f"want a login first? It begins: {_beginning(body)}"
    )


def _beginning(body: str) -> str:
    text = " ".join(body.split())
    return repr(text[:120] + ("…" if len(text) > 120 else ""))
