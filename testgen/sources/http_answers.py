"""What an HTTP answer means: a fault that passes, a query that takes too long, or a refusal."""

from __future__ import annotations

import contextlib
import email.utils
import json
import time
from collections.abc import Mapping

import regex

from testgen.errors import QueryFaultError, QueryTimeoutError, RefusedError, SourceError

_LIMIT_WAIT = 60.0  # seconds, if a server does not say when to come back: limits count per minute
_TIMEOUT_MARKS = (
    "java.util.concurrent.TimeoutException",
    "com.bigdata.bop.engine.QueryTimeoutException",
    "An error has occurred while exporting",
    "Operation timed out",
    "exceeds the limit",  # Virtuoso's estimated execution time
)
# What Blazegraph writes of a failure after the query: classes of Java, each caused by the next, then a text.
_JAVA = regex.compile(
    r"^(?:Caused by: )?((?:(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)(?:: |$))+)(.*)$", regex.MULTILINE
)
_PASSING = regex.compile(r"\.(?:RejectedExecution|Interrupted|Cancellation|IO|Socket|Connect)Exception\b")
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
    """A fault that may pass: after how many seconds, if the server said so; and whether it answered."""

    def __init__(self, reason: str, wait: float | None = None, *, answered: bool = True) -> None:
        super().__init__(reason)
        self.wait = wait
        self.answered = answered


class BusyServer(TemporaryFault):
    """The server works, and asks to wait: the same request will succeed later."""


class RateLimit(BusyServer):
    """This client has sent too many requests."""


class IncompleteAnswer(TemporaryFault):
    """The answer breaks off: by a bad connection, or because the server ran out of time or memory."""


def check_status(name: str, status: int, headers: Mapping[str, str], body: str) -> None:
    """Raise the error that an HTTP answer stands for; header names are in lower case, the body may be cut."""
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
    if status == 500 and (failure := _java_failure(name, body)):
        raise failure
    if status in (408, 425, 500, 502, 503, 504, 520, 522, 524):
        busy = status == 503 and wait is not None
        raise (BusyServer if busy else TemporaryFault)(f"server error (HTTP {status})", wait)
    faults = {400: QueryFaultError, 413: QueryFaultError, 414: QueryFaultError, 403: RefusedError}
    refusal = faults.get(status, SourceError)
    moved = f", it has moved to {headers['location']}: use this address" if "location" in headers else ""
    advice = _advice_on_403(body) if status == 403 else _ADVICE.get(status, "")
    raise refusal(f"{name} refuses (HTTP {status}){advice}{moved}: {_beginning(_java_cause(body) or body)}")


def _is_timeout_429(wait: float | None, body: str) -> bool:
    """Whether a 429 is QLever's answer to a query that took too long, and not a limit of requests."""
    # QLever's is a JSON object with an `exception`; on the way, a limit may lose its header.
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(body)
        if isinstance(value, dict) and "exception" in value:
            return True
    return wait is None and _SAYS_TIMEOUT.search(body) is not None


def _advice_on_403(body: str) -> str:
    if "robot policy" in body or "user-agent" in body.lower():
        return _ROBOT_ADVICE
    until = _BANNED_UNTIL.search(body)
    if until is None:
        return _ADVICE[403]
    return f" and has blocked this client until {until[1]}; run the same command again then"


def timeout_error(name: str, body: str, *, certain: bool = False) -> QueryTimeoutError | None:
    """The error of a query that took too long: for certain, or as the text has a mark that engines leave."""
    if certain or any(mark in body for mark in _TIMEOUT_MARKS):
        return QueryTimeoutError(f"{name} ran out of time for the query")
    return None


def _java_cause(body: str) -> str | None:
    """What an engine in Java names as the cause of a failure; None if it names none, or one that may pass."""
    found = list(_JAVA.finditer(body))
    if not found or any(_PASSING.search(match[1]) for match in found):
        return None
    classes, text = found[-1][1], found[-1][2]  # the last one is the cause of the others
    return text or classes.removesuffix(": ").rpartition(".")[2]


def _java_failure(name: str, body: str) -> QueryFaultError | None:
    cause = _java_cause(body)
    return QueryFaultError(f"{name} cannot answer the query: {_beginning(cause)}") if cause else None


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
    failure = timeout_error(name, body) or _java_failure(name, body)
    return failure or incomplete or wrong_content_error(name, content_type, body)


def wrong_content_error(name: str, content_type: str, body: str) -> SourceError:
    """The error for a body of another kind: a login page, another kind of server, a notice."""
    if "robot policy" in body:
        return RefusedError(f"{name} refuses{_ROBOT_ADVICE}: {_beginning(body)}")
    if body.lstrip()[:1] in ("{", "["):
        return SourceError(
            f"{name} answered with JSON of an unknown form; is the URL right? It begins: {_beginning(body)}"
        )
    content = "a web page" if "<html" in body[:2000].lower() else content_type or "content without a type"
    return SourceError(
        f"{name} answered with {content} where JSON was expected; is the URL right, and does the network "
        f"require a login? The answer begins: {_beginning(body)}"
    )


def _beginning(body: str) -> str:
    text = " ".join(body.split())
    return repr(text[:120] + ("…" if len(text) > 120 else ""))
