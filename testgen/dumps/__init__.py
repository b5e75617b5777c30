"""Reading dumps of all of Wikidata: from files of a terabyte to the snapshot that some queries need.

What the queries need is derived from them (`needs`). The dumps are cut into blocks (`blocks`), and what is
needed of each block is picked out of it (`pieces`), by several processes (`parallel`). It goes into a folder
(`spill`), over which there is a source like any other (`source`), and of that a snapshot is made (`make`).

The modules need the libraries of the extra `dump`.
"""
