"""How results are shown: each is said once, as a section, which a terminal, a page and a notebook show.

Nothing is read or computed here that is not in a result. In the order in which the modules build on each
other:

    page, words, cells  what is shown: sections of tables, figures and texts; and the words in them
    sections/           what is said of each kind of result; `section_of` finds it
    renderers           from sections to what a notebook and a paper show; `evaluator.cli` prints them
    render, build       from sections to a report, one HTML file that needs no other file
"""
