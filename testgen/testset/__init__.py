"""Test sets: the categories and relations of one language, and the file that holds them.

The format is described in docs/testset.md and testset.v1.schema.json, which is made from these types.
"""

from testgen.testset.types import Category as Category
from testgen.testset.types import Heading as Heading
from testgen.testset.types import Hierarchy as Hierarchy
from testgen.testset.types import Item as Item
from testgen.testset.types import Pair as Pair
from testgen.testset.types import Relation as Relation
from testgen.testset.types import Section as Section
from testgen.testset.types import TestSet as TestSet
from testgen.testset.writing import is_test_set as is_test_set
from testgen.testset.writing import serialize as serialize
from testgen.testset.writing import write as write
