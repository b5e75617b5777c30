"""Statistics of scores: confidence intervals and tests, held-out halves, combined and composite scores.

Nothing here reads vectors; it starts from scores and from what each word contributes to them.
"""
