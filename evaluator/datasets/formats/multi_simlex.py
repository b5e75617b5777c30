"""Multi-SimLex: the same rated pairs in many languages, of which one is read."""

from __future__ import annotations

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataFile, DataSetSource
from evaluator.datasets.table import number, rows, sample_rows
from evaluator.datasets.testset import RatedPairs
from evaluator.errors import TestSetError

# The languages that have a two-letter code, which the columns of the files do not use.
_TWO_LETTERS = ["ar", "zh", "cy", "en", "et", "fi", "fr", "he", "pl", "ru", "es", "sw"]
_COLUMNS = ["ARA", "CMN", "CYM", "ENG", "EST", "FIN", "FRA", "HEB", "POL", "RUS", "SPA", "SWA"]
_CODES = dict(zip(_TWO_LETTERS, _COLUMNS, strict=True))

Rows = dict[str, dict[str, str]]


def _has_languages(source: DataSetSource) -> bool:
    """Columns ID, and a language's two words."""
    for document in source.documents[:2]:
        (names,) = sample_rows(document.sample[:1]) or [[]]
        if "ID" not in names or not any(f"{name[:-1]}2" in names for name in names if name.endswith(" 1")):
            return False
    return True


@dataset_format("multi-simlex", rank=1, looks_like=_has_languages)
def read_multi_simlex(source: DataSetSource) -> TestSetContent:
    """The columns `FRA 1`, `FRA 2` (words) and `FRA` (their score) for language "FRA" or "fr".

    They may be in one file, or in several of a folder, joined by the column ID. A pair without one of its
    words in the language (one of 1,888 in Estonian) is left out.

    Raises:
        TestSetError: The language is not named or not there, an ID occurs twice or in one file only, or a
            score is not a number.
    """
    joined: Rows = {}
    for place, document in enumerate(source.documents):
        table = _by_id(document)
        if place and table.keys() != joined.keys():
            some = min(table.keys() ^ joined.keys())
            raise TestSetError(
                f"{document.place}: the ID {some!r} is in one of the files only; add it, or remove it"
            )
        for key, row in table.items():
            joined.setdefault(key, {}).update(row)
    code = _CODES.get(source.language, source.language)
    one, two, score = f"{code} 1", f"{code} 2", code
    names = next(iter(joined.values()))
    if not {one, two, score} <= names.keys():
        codes = sorted(
            name for name in names if name.isupper() and {f"{name} 1", f"{name} 2"} <= names.keys()
        )
        raise TestSetError(
            f"{source.path}: no words and scores of language {source.language!r} in it; "
            + (
                f"name one with language= (--language): {', '.join(codes)}"
                if codes
                else "give the folder that has both"
            )
        )
    pairs = []
    for key, row in joined.items():
        rating = number(row[score])
        if rating is None:
            raise TestSetError(
                f"{source.path}: ID {key}: the score {score} is {row[score]!r}, which is not a number"
            )
        if row[one] and row[two]:
            pairs.append((row[one], row[two], rating))
    return TestSetContent(rated_pairs=(RatedPairs("multi-simlex", "Multi-SimLex", tuple(pairs)),))


def _by_id(document: DataFile) -> Rows:
    table = rows(document, ",")
    line, names = next(table)
    if "ID" not in names:
        document.fail(line, "no column is named ID")
    found: Rows = {}
    for line, row in table:
        if len(row) != len(names):
            document.fail(line, f"{len(row)} fields; the first line names {len(names)}")
        named = dict(zip(names, row, strict=True))
        if named["ID"] in found:
            document.fail(line, f"the ID {named['ID']!r} occurs twice; remove one of the lines")
        found[named["ID"]] = named
    if not found:
        document.fail(line, "no pair follows the names of the columns")
    return found
