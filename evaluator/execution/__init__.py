"""Where work runs and where files are: worker processes, Dask clusters, files at URLs, results on disk.

What the work is does not matter here: nothing in this folder knows of vectors or scores.
"""
