"""From queries to files: test sets, also of emoji, and bilingual dictionaries; and tables of the words of a source."""

from __future__ import annotations

from testgen.generation.dictionaries import Dictionary, write_dictionaries
from testgen.generation.test_sets import STANDARD_WORDS, build_test_sets, coverage, generate

__all__ = [
    "STANDARD_WORDS",
    "Dictionary",
    "build_test_sets",
    "coverage",
    "generate",
    "write_dictionaries",
]
