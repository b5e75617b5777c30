"""From queries to files: test sets, those of emoji too, and dictionaries; and tables of what a source has."""

from __future__ import annotations

from testgen.generation.dictionaries import Dictionary, write_dictionaries
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import build_test_sets, coverage, generate

__all__ = ["Dictionary", "TestSetRequest", "build_test_sets", "coverage", "generate", "write_dictionaries"]
