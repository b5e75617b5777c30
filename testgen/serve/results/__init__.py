"""Results that evaluator wrote into a folder, as a table of models × languages.

Only the files connect the two packages: see docs/results.md and docs/schemas.
"""
