"""The formats of data sets, one module for each kind of content.

Each function decorated with `dataset_format` is found by itself. What all formats share is not here but in
`evaluator.datasets`.
"""
