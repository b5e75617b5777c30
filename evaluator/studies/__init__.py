"""Studies: scoring one model or many, tuning, learning curves, language comparison, coverage.

A study combines vectors, test sets and measures; the measures themselves are in `measures`.
"""
