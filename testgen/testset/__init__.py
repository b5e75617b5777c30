"""Test sets: the categories and relations of one language, and the file that holds them.

The format is described in docs/testset.md and testset.v1.schema.json, which is made from these types.
"""

from testgen.testset.types import Category, Heading, Hierarchy, Item, Pair, Relation, Section, TestSet
from testgen.testset.writing import is_test_set, serialize, write

__all__ = [
    "Category",
    "Heading",
    "Hierarchy",
    "Item",
    "Pair",
    "Relation",
    "Section",
    "TestSet",
    "is_test_set",
    "serialize",
    "write",
]
