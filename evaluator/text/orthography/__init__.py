"""Orthography profiles: spelling conventions by which words of a test set match those of a vocabulary.

>>> latin = parse_profile("latin")
>>> latin("Jūlius") == latin("Iulius")
True
"""
