"""Text: corpora, and the form in which words are compared (case, orthography, lemmas).

No vectors and no scores here.
"""
