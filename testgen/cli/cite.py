"""The command `cite`: what to write in a publication about test sets."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from testgen.cli.output import echo


def cite(
    test_sets: Annotated[
        list[Path], typer.Argument(metavar="TESTSET...", help="Test sets of different languages.")
    ],
) -> None:
    """Show how to cite test sets: BibTeX, the licences of the words, and what stands in for what.

    For example: testgen cite testsets/la.json
    """
    from testgen.exports.card import bibtex, licences, stand_ins, template
    from testgen.exports.reading import read_test_sets

    found = read_test_sets(test_sets)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in test_sets}
    echo(bibtex(found, digests))
    echo(f"\nThe kind of test is from:\n\n{template('citation.bib')}\n")
    for name, licence in licences(found).items():
        echo(f"Licence of the words from {name}: {licence}.")
    named = ((each.language, of_each.named_in, of_each.name) for each in found for of_each in each.sections)
    for line in stand_ins((code, other, name) for code, other, name in named if other):
        echo(line)
