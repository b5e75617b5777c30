"""Snapshots from dumps of all of Wikidata, files of more than a terabyte of text.

What the queries require is derived first (`required_statements`). A dump is unpacked (`unpacking`) and cut
into blocks (`blocks`). What is required is extracted from each block (`extraction`) by several processes
(`workers`) and stored in a folder (`extraction_store`). The snapshot is created (`creation`) from a source
over this folder (`extracted_source`). Snapshots of other sources are created in the folder above, which
does not need the libraries of the extra `dump`.
"""
