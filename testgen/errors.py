"""Everything testgen raises on purpose.

TestgenError
├── QueryError      a query file, a category name or a class id cannot be used
├── LanguageError   a language code is malformed or unknown
├── SourceError     a source cannot be opened, or does not answer as it should
│   ├── QueryFaultError     a source is well, but cannot answer this query
│   │   └── QueryTimeoutError   it takes too long; asked again unchanged it would do so again
│   ├── RefusedError        a server wants no more requests from this client for a while
│   ├── MissingAnswerError  an answer is not in the cache, and nothing may be asked
│   └── CacheError          the cache of answers cannot be read or written
├── ConfigError     the user's configuration lacks something or is wrong
├── PolicyError     a label policy, or the least size of a class, has a value that does not exist
└── OutputError     a file cannot be written

Each message says what was wrong, where, and what to do; the command line prints it and exits
with 2.
"""

from __future__ import annotations


class TestgenError(Exception):
    """The root of all errors that a user of testgen can do something about."""

    __test__ = False  # pytest would otherwise collect a class named Test…


class QueryError(TestgenError):
    """A query file, a category name or a class id cannot be used."""


class LanguageError(TestgenError):
    """A language code is malformed, or no source knows it."""


class SourceError(TestgenError):
    """A source cannot be opened, or does not answer as it should.

    Attributes:
        final: Whether it makes no sense to ask the source anything else.
    """

    final = True


class QueryFaultError(SourceError):
    """A source is well, but cannot answer this query; others may be asked."""

    final = False


class QueryTimeoutError(QueryFaultError):
    """A query takes the server too long; asked again unchanged it would do so again."""


class RefusedError(SourceError):
    """A server wants no more requests from this client for a while."""


class MissingAnswerError(SourceError):
    """An answer is not in the cache, and nothing may be asked."""

    final = False


class CacheError(SourceError):
    """The cache of answers cannot be read or written."""


class ConfigError(TestgenError):
    """The user's configuration lacks something or is wrong."""


class PolicyError(TestgenError):
    """A label policy, or the least size of a class, has a value that does not exist."""


class OutputError(TestgenError):
    """A file or directory cannot be written."""
