"""The table of what the papers do, row by row, with the command that does it."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Annotated, ClassVar, Literal

import msgspec

from evaluator.plugins import NonEmpty, ResultFile

Paper = Literal[
    "Stringham & Izbicki 2020",
    "Jastrzebski, Leśniak & Czarnecki 2017",
    "Giabelli 2022",
    "Che et al. 2017",
]
Command = Annotated[str, msgspec.Meta(pattern="^((evaluator|testgen) .*)?$")]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a paper does.

    Attributes:
        key: Its short name, which does not change.
        paper: The paper.
        item: What it is: an equation, a table, a figure, a default, a data set.
        command: The command that does it here; "" if there is none.
        note: What differs and why; or why nobody can have it.
    """

    key: str
    paper: Paper
    item: str
    command: Command
    note: str


class PapersFile(ResultFile, frozen=True, kw_only=True, tag="papers"):
    """What `evaluator papers --json` writes.

    Attributes:
        rows: In the order of the papers.
    """

    command: ClassVar[str] = "evaluator papers --json"

    version: Literal[1] = 1
    rows: NonEmpty[Row]


def papers() -> PapersFile:
    """The table that ships beside this module."""
    text = files(__package__).joinpath("papers.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return PapersFile(rows=msgspec.convert(list(rows), tuple[Row, ...]))
