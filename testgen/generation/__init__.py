"""From queries to files: test sets, those of emoji too, and dictionaries; and tables of what a source has."""

from __future__ import annotations

from testgen.generation.dictionaries import Dictionary, write_dictionaries
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import WrittenTestSets, build_test_sets, coverage, generate, write_test_sets

__all__ = [
    "Dictionary",
    "TestSetRequest",
    "WrittenTestSets",
    "build_test_sets",
    "coverage",
    "generate",
    "write_dictionaries",
    "write_test_sets",
]
