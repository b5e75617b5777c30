"""Snapshots from dumps of all of Wikidata, files of more than a terabyte of text, which are read twice.

The first reading collects the statements that `required_statements` derives, in worker processes
(`extraction`), and answers the queries; the second takes the names of the items. `creation` does both.
"""
