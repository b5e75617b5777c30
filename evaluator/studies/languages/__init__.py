"""The Language Comparison: what do the corpora of several languages know of the same topics?

In the order in which the modules build on each other:

    inputs           the languages, and the categories and topics they are compared on
    alignment        the same items in all languages, in vocabularies of the same size
    group_scores     the scores of one language on a category or topic
    tasks            what is computed for each language, in any process
    differences      which languages differ, and when nothing can be said
    compare          compare, which runs all of this
"""

from __future__ import annotations

from evaluator.studies.languages.compare import compare
from evaluator.studies.languages.inputs import Language

__all__ = ["Language", "compare"]
