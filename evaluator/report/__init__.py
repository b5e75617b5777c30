"""Reports: one HTML file, made from result files, that needs no other file.

Nothing is read or computed here that is not in a result file. In the order in which the modules build on
each other:

    page, cells  what a page is made of: sections, tables, figures
    commands     signatures, and the commands that give the same numbers again
    inputs       the files that a report is made of
    figures/     figures fit for print
    sections/    what a report says of each kind of result file
    render       from sections to HTML
    build        make_report, write_report
"""

from __future__ import annotations

from evaluator.report.build import make_report, write_report
from evaluator.report.inputs import InputFile, input_of, read_inputs

__all__ = ["InputFile", "input_of", "make_report", "read_inputs", "write_report"]
