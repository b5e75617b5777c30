"""A standing differential machine: random small worlds, each scored by every route and by slow definitions.

`generate` draws a world from its number, `reference` scores it straight from the definitions, `sources` and
`routes` score it in every way that the program offers, `others` has data sets of other kinds about its words,
`changes` makes worlds whose scores must be the same, `comparisons` says what differs, and `machine` runs
many: `make worlds WORLDS=10000 SEED=0`. The number of a world is all that is needed to see it again: `python
-m tests.worlds --world 17`.
"""
