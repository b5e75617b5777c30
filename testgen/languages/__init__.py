"""Language codes: which exist, how each is spelled, and in which scripts each language is written."""
