"""Importers: snapshots from files of other sources, which `categories.tsv` joins to shipped categories."""
