"""Reports: one HTML file, made from result files, that needs nothing beside it.

In the order in which the modules build on each other:

    page, cells  what a page is made of: sections, tables, figures
    commands     signatures, and the commands that give numbers again
    source       the files that a report is made of
    scores_file, emoji_file        what these files hold, where it takes more than a few lines
    summary, scores, coverage, …   the section of each sort of file
    build        from files to sections
    svg, links   figures and files within a page
    render       from sections to HTML
    write        make_report, write_report
"""

from __future__ import annotations

from evaluator.report.source import Source, read_sources
from evaluator.report.write import make_report, write_report

__all__ = ["Source", "make_report", "read_sources", "write_report"]
