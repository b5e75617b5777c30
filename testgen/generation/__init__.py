"""From queries to files: test sets, those of emoji too, and dictionaries; and tables of what a source has."""
