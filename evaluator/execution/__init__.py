"""How tasks run and files are reached: worker processes, Dask clusters, files at URLs, output files.

What a task computes does not matter here: nothing in this folder knows vectors, test sets or scores.
"""
