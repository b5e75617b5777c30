"""Test sets: the categories, relations and related words of one language, and the file that holds them.

The format is described in docs/testset.md and testset.v2.schema.json, which is made from these types.
"""
