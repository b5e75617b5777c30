"""From queries to files: test sets, those of emoji too, and dictionaries; and tables of what a source has."""

from testgen.generation.dictionaries import Dictionary as Dictionary
from testgen.generation.dictionaries import write_dictionaries as write_dictionaries
from testgen.generation.request import TestSetRequest as TestSetRequest
from testgen.generation.test_sets import build_test_sets as build_test_sets
from testgen.generation.test_sets import coverage as coverage
from testgen.generation.test_sets import generate as generate
from testgen.generation.test_sets import write_test_sets as write_test_sets
