"""Result files: the types that commands write as JSON and that files are read with, and tables in notebooks.

Nothing is scored or compared here, and nothing is drawn.
"""
