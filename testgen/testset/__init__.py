"""Test sets: the categories and relations of one language, and the file that holds them.

The format is described in docs/testset.md and testset.v1.schema.json, which is made from these types.
"""
