"""Snapshots from dumps of all of Wikidata, files of more than a terabyte of text, which are read twice.

The first of the two `readings` collects the statements that the queries require, which are derived before
(`required_statements`), and answers the queries. A dump (`dump_file`) is unpacked in blocks of lines
(`blocks`); worker processes (`extraction`) parse the entities (`entities`, `values`) and select from them
(`statement_filter`). The second takes the names of the items in the answers. `creation` does both.
Other sources need no library of the extra `dump`: `testgen.snapshots.creation`.
"""
