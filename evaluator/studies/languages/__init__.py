"""The Language Comparison: what do the corpora of several languages know of the same topics?

In the order in which the modules build on each other:

    inputs           the languages, and the categories and topics they are compared on
    alignment        the same items in all languages, in vocabularies of the same size
    compare          compare, which runs all of this, and says which languages differ
"""

from __future__ import annotations

from evaluator.studies.languages.compare import compare
from evaluator.studies.languages.inputs import Language

__all__ = ["Language", "compare"]
