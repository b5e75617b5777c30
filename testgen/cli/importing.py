"""The commands that make a snapshot from files of other sources."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testgen.cli import options
from testgen.cli.options import MADE, OUTPUT, option
from testgen.cli.output import echo, print_json

if TYPE_CHECKING:
    from testgen.snapshots.importers.content import Imported

import_app = typer.Typer(
    no_args_is_help=True, help="Make a snapshot from files of another source that you have downloaded."
)

_MOST = 8  # names in a line

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="The files to read.")]


@dataclass(frozen=True)
class OutputOptions:
    """The snapshot to write, and how the result is printed."""

    output: Annotated[Path, option(OUTPUT, "The file to write.", "--output", "-o", metavar="FILE.ttl.gz")]
    force: options.Force = False
    as_json: options.Json = False


def wordnet(
    files: Files,
    *,
    english: Annotated[
        list[Path],
        option(
            MADE,
            "The English WordNet: data.noun of WordNet 3.0, or OMW's in WN-LMF; or noun.*.yaml of the Open "
            "English Wordnet with ili-map-pwn30.tab, for Wikidata ids. May be repeated.",
            metavar="FILE",
        ),
    ],
    output: OutputOptions,
) -> None:
    """Import wordnets in the tab format of the Open Multilingual Wordnet.

    For example: testgen snapshot import wordnet wn-wikt-lat.tab --english data.noun -o latin.ttl.gz
    """
    from testgen.snapshots.importers.wordnet import read_wordnet

    _write(read_wordnet(files, english), output)


def openfoodfacts(files: Files, *, output: OutputOptions) -> None:
    """Import taxonomies of Open Food Facts, such as ingredients.txt.

    For example: testgen snapshot import openfoodfacts ingredients.txt -o food.ttl.gz
    """
    from testgen.snapshots.importers.openfoodfacts import read_openfoodfacts

    _write(read_openfoodfacts(files), output)


def wiktextract(files: Files, *, output: OutputOptions) -> None:
    """Import Wiktionary as kaikki.org publishes it, .jsonl or .jsonl.gz: translations and topics of entries.

    For example: testgen snapshot import wiktextract kaikki.org-dictionary-Latin.jsonl -o latin.ttl.gz
    """
    from testgen.snapshots.importers.wiktextract import read_wiktextract

    found = read_wiktextract(files)
    _write(found, output)
    if found.unplaced:
        echo(f"translations left out, as their sense is not certain: {found.unplaced:,}", err=True)


def cldf(
    metadata: Annotated[
        Path, typer.Argument(metavar="METADATA", help="The metadata of a word list, cldf-metadata.json.")
    ],
    *,
    column: Annotated[
        str | None,
        option(
            MADE,
            "The column of the words in the table of forms. By default Orthography, native_script or Form.",
            metavar="NAME",
        ),
    ] = None,
    concepticon: Annotated[
        Path | None,
        option(
            MADE,
            "Concepticon's table of concepts, concepticon.tsv: for categories by semantic field, such as "
            "verbs of motion.",
            metavar="FILE",
        ),
    ] = None,
    output: OutputOptions,
) -> None:
    """Import a word list in the Cross-Linguistic Data Formats (CLDF), with concepts of Concepticon.

    For example: testgen snapshot import cldf cldf-metadata.json --concepticon concepticon.tsv -o ids.ttl.gz
    """
    from testgen.snapshots.importers.cldf import read_cldf

    found = read_cldf(metadata, column, concepticon)
    _write(found, output)
    if concepticon is None:
        left = len(found.words) - len(found.items)
        echo(f"{left:,} concepts are in no category; --concepticon FILE makes categories of them", err=True)


def _write(imported: Imported, chosen: OutputOptions) -> None:
    from testgen.snapshots.importers.content import is_import, write_import
    from testgen.system import check_overwrite, listed

    check_overwrite(chosen.output, is_import, force=chosen.force)
    write_import(chosen.output, imported)
    counts = {category.name: len(imported.named(category)) for category in imported.members}
    categories = {name: items for name, items in sorted(counts.items()) if items}
    unknown, forms = sorted(imported.unknown_languages), imported.forms
    if chosen.as_json:
        print_json(
            {
                "file": str(chosen.output),
                "items": len(imported.items),
                "languages": len(imported.languages),
                "categories": categories,
                "unknown_languages": unknown,
                "private_codes": imported.private_codes,
                "in_other_script": imported.in_other_script,
                "lines_left_out": imported.ignored,
                "not_spelled_as_in_texts": {code: each.as_dict() for code, each in forms.odd.items()},
                "values_left_out": dict(sorted(imported.left_out.items())),
            }
        )
        return
    languages = f"{len(imported.languages)} language{'s' if len(imported.languages) > 1 else ''}"
    echo(f"{chosen.output}: {len(imported.items):,} items with names in {languages}")
    echo(", ".join(f"{name} {items}" for name, items in categories.items()))
    echo(*filter(None, [forms.described()]))
    private = [f"{name} is {code}" for code, name in imported.private_codes.items()]
    for what, which in (
        ("left out, as these are codes of no language", unknown),
        ("with the column of values, since the forms are phonetic", sorted(imported.of_values)),
        ("with a code of their own, as ISO 639-3 has none, or one for several", private),
        (
            "languages with words in another script only (--policy any-script=yes keeps them)",
            imported.in_other_script,
        ),
    ):
        if which:
            echo(f"{what}: {listed(which, _MOST, ' and {} more (--json)')}", err=True)
    echo(*forms.warnings(), err=True)
    if imported.left_out:
        values = ", ".join(f"{kind} {number:,}" for kind, number in imported.left_out.most_common(_MOST))
        echo(f"values left out, as they are null or of no use: {values}", err=True)
    if imported.reason:
        echo(f"in no category: {imported.reason}", err=True)
    if imported.ignored:
        count = f"{imported.ignored:,}, the first: {imported.first_ignored}"
        echo(f"lines left out, since they could not be understood: {count}", err=True)


for command in (wordnet, openfoodfacts, cldf, wiktextract):
    import_app.command()(options.grouped(command))
