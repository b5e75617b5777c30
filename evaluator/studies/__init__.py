"""Studies: scoring one model or many, tuning, learning curves, comparisons of languages, emoji, coverage.

A study puts vectors, test sets and measures together; what a measure is, is in `measures`.
"""
