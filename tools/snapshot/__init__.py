"""The parts of ``build_snapshot.py``: the id tables, what CLDR says, and how it is written."""
