"""Test sets for word embeddings in hundreds of languages, from Wikidata.

>>> import testgen
>>> frame = testgen.generate("testsets", languages=["la", "grc"], categories=["country"])
"""

from __future__ import annotations

from testgen.emoji import EmojiPolicy, emoji_test_set
from testgen.errors import LanguageError, OutputError, PolicyError, QueryError, SourceError, TestgenError
from testgen.generate import build_test_sets, coverage, generate
from testgen.labels import LabelPolicy, words_of
from testgen.queries import Query, choose, class_query, read_query, shipped_queries
from testgen.sources import Source, open_source
from testgen.testset import TestSet, serialize

__all__ = [
    "EmojiPolicy",
    "LabelPolicy",
    "LanguageError",
    "OutputError",
    "PolicyError",
    "Query",
    "QueryError",
    "Source",
    "SourceError",
    "TestSet",
    "TestgenError",
    "build_test_sets",
    "choose",
    "class_query",
    "coverage",
    "emoji_test_set",
    "generate",
    "open_source",
    "read_query",
    "serialize",
    "shipped_queries",
    "words_of",
]
