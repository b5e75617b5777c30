"""What a report says of each kind of result file, one module for each kind, and the summary of all scores.

How a section looks on the page is not decided here.
"""
