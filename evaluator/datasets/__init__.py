"""Data sets: every usual file format of the field, read into one kind of test set.

`testset` says what a test set is; `reading` finds out a file's format, and a module of `formats` reads it;
`outlier_groups` makes groups from categories. How test sets are scored is not here.
"""
