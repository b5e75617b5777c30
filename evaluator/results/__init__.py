"""Results: what commands write as JSON and read again, and how results look in a notebook.

Nothing is computed here.
"""
