"""The Language Comparison: what do corpora of several languages know of the same topics?

In the order in which the modules build on each other:

    entries      the languages, and the categories and topics they are compared on
    known        what a vocabulary has of the categories
    aligned      the same things in all languages, in vocabularies of the same size
    rows         scores of one language on a category or topic, beside chance and the frequency baseline
    work         what is done for each language, in whatever process
    differences  which languages differ, and where nothing can be said
    compare      compare_languages, which ties them together
"""

from __future__ import annotations

from evaluator.studies.languages.compare import Comparison, compare_languages
from evaluator.studies.languages.entries import Language

__all__ = ["Comparison", "Language", "compare_languages"]
