"""What `build_snapshot.py` uses: the tables of ids, the names in CLDR, and the writing of RDF."""
