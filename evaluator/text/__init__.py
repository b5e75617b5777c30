"""Text: corpora, and how words are normalized before they are compared (case, orthography, lemmas).

No test sets, scores or trained models here.
"""
