"""Everything testgen raises on purpose.

TestgenError
├── QueryError      a query file, a category name or a class id cannot be used
├── LanguageError   a language code is malformed or unknown
├── SourceError     a source cannot be opened, or does not answer as it should
├── PolicyError     a label policy has a value that does not exist
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
    """A source cannot be opened, or does not answer as it should."""


class PolicyError(TestgenError):
    """A label policy has a value that does not exist."""


class OutputError(TestgenError):
    """A file or directory cannot be written."""
