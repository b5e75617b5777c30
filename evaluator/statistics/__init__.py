"""Statistics of scores: confidence intervals and tests, held-out halves, the combined score, composite scores.

Nothing here reads vectors; it starts from scores and from what each word contributes to them.
"""
