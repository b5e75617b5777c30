"""Data sets: every usual file format of the field, read into one kind of test set.

In the order in which the modules build on each other:

    source     a file, or the files of a folder or archive, unpacked in memory
    registry   what a format is, and which one a file is in
    table      rows of fields, shared by the formats with a row on a line
    parts      categories and sections of analogies from plain words
    formats/   one reader each; a new format is one file there
    write      categories as a category file
    read       read_testset, which ties them together
"""

from __future__ import annotations

from evaluator.datasets.read import read_testset
from evaluator.datasets.write import write_category_file

__all__ = ["read_testset", "write_category_file"]
