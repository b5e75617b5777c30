"""All errors that testgen raises on purpose.

Each message says what is wrong, where, and what to do. The command line prints it and exits with 2.
"""

from __future__ import annotations


class TestgenError(Exception):
    """The base class of all errors that a user of testgen can do something about."""

    __test__ = False  # pytest would otherwise collect a class named Test…


class QueryError(TestgenError):
    """A query file, a category name or a class id cannot be used."""


class LanguageError(TestgenError):
    """A language code is malformed, or no source knows it."""


class SourceError(TestgenError):
    """A source cannot be opened, or gives no proper answer; `final` if it makes no sense to ask it more."""

    final = True


class QueryFaultError(SourceError):
    """The source works, but cannot answer this query; it may answer others."""

    final = False


class QueryTimeoutError(QueryFaultError):
    """The query takes the server too long; asking the same again will not help."""


class RefusedError(SourceError):
    """A server refuses further requests from this client for a while."""


class MissingAnswerError(SourceError):
    """An answer is not in the cache, and no request may be sent."""

    final = False


class CacheError(SourceError):
    """The cache of answers cannot be read or written."""


class ConfigError(TestgenError):
    """The user's configuration is incomplete or wrong."""


class PolicyError(TestgenError):
    """A label policy, or the minimum size of a class, has an invalid value."""


class TestSetError(TestgenError):
    """A file is not a test set, or a test set has too few words for what is wanted."""


class OutputError(TestgenError):
    """A file or folder cannot be written."""


class NotFoundError(TestgenError):
    """There is nothing of this name or id."""


class UnfinishedJobError(TestgenError):
    """The job has no result, or none yet."""


class TooManyJobsError(TestgenError):
    """The client has, or has started, too many jobs; `wait` is how many seconds later it may try again."""

    def __init__(self, message: str, wait: int = 30) -> None:
        super().__init__(message)
        self.wait = wait


class BusyError(TestgenError):
    """The service makes or stores as much as it can; the same request may succeed later."""


def one_line(error: Exception) -> str:
    """The message of a library's error, which may have several lines, on one."""
    return " ".join(str(error).split())
