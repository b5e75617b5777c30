"""Pairs of words with rated similarity: WS-353, SimLex-999, MEN and others, and Multi-SimLex."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.datasets.columns import named_rows
from evaluator.datasets.data_files import DROP, DataSetSource, most, number, rows, sample_rows
from evaluator.datasets.pair_columns import ROLES, PairColumns, pair_columns
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.errors import TestSetError

# Multi-SimLex: the languages that have a two-letter code, which the columns of the files do not use.
_TWO_LETTERS = ["ar", "zh", "cy", "en", "et", "fi", "fr", "he", "pl", "ru", "es", "sw"]
_THREE_LETTERS = ["ARA", "CMN", "CYM", "ENG", "EST", "FIN", "FRA", "HEB", "POL", "RUS", "SPA", "SWA"]
_CODES = dict(zip(_TWO_LETTERS, _THREE_LETTERS, strict=True))


def looks_like_rated_pairs(source: DataSetSource) -> bool:
    """Two words and a number in most rows."""
    table = sample_rows(source.sample)
    try:
        found = pair_columns(source, table)
    except TestSetError:  # reading it says which columns fit equally well
        widths = [len(row) for row in table]
        return most(width == max(widths) for width in widths)
    return found is not None and most(
        len(row) > max(found.one, found.two, found.rating)
        and number(row[found.rating]) is not None
        and all(row[column] and number(row[column]) is None for column in (found.one, found.two))
        for row in (table[1:] if found.names else table)
    )


@dataset_format("rated-pairs", rank=2, looks_like=looks_like_rated_pairs, roles=ROLES)
def read_rated_pairs(source: DataSetSource) -> TestSet:
    """Two words and a number per line, separated by tab, semicolon, comma or spaces.

    Words are in the columns whose names differ in 1 and 2, such as `word1` and `word2`; of several such pairs
    in those of the language that the caller names. The rating is in the column of the surest name: `mean` and
    `score` before parts of names, never counts, deviations, frequencies or ranks. Without names, two columns
    hold words and one numbers. Where several columns fit equally well, the file is refused. Other columns are
    ignored. Pairs that occur twice are kept twice; a row that has neither words nor a rating is left out.
    """
    file = source.file
    table = list(rows(file))
    found = pair_columns(source, [row for _, row in table]) or PairColumns()
    one, two, score = found.one, found.two, found.rating
    pairs: list[tuple[str, str, float]] = []
    skipped = []
    for line, row in table[1:] if found.names else table:
        if not any(field for column, field in enumerate(row) if column in (one, two, score)):
            skipped.append(f"{file.name}, line {line}: neither words nor a rating")
            continue
        if len(row) <= max(one, two, score) or not (row[one] and row[two]):
            filled = len([*filter(None, row)])
            file.fail(line, f"{filled} fields; two words and their score are needed{DROP if pairs else ''}")
        rating = number(row[score])
        if rating is None:
            hint = "; names of columns must include word1 and word2, or be named with --columns"
            hint = DROP if pairs else hint
            file.fail(line, f"the score is {row[score]!r}, which is not a number such as 3.5{hint}")
        pairs.append((row[one], row[two], rating))
    if not pairs:
        file.fail(table[0][0], "no pair follows the names of the columns")
    return source.test_set(
        columns=found.labels,
        others=found.others,
        skipped=skipped,
        rated_pairs=(RatedPairs(file.stem, file.stem, tuple(pairs)),),
    )


def has_language_columns(source: DataSetSource) -> bool:
    """A column ID, and two for the words of a language."""
    tables = [file.first_row() for file in source.files[:2]]
    return all(
        "ID" in names and any(f"{name[:-1]}2" in names for name in names if name.endswith(" 1"))
        for names in tables
    )


@dataset_format("multi-simlex", rank=1, looks_like=has_language_columns)
def read_multi_simlex(source: DataSetSource) -> TestSet:
    """The columns `FRA 1`, `FRA 2` (words) and `FRA` (their score) for language "FRA" or "fr".

    They may be in one file, or in several of a folder, joined by the column ID. A pair that lacks one of its
    words in the language (one of 1,888 in Estonian) is left out.
    """
    joined = _joined(source)
    one, two, score = _language_columns(source, next(iter(joined.values())))
    pairs, skipped = [], []
    for key, row in joined.items():
        rating = number(row[score])
        if rating is None:
            raise TestSetError(
                f"{source.path}: ID {key}: the score {score} is {row[score]!r}, which is not a number"
            )
        if row[one] and row[two]:
            pairs.append((row[one], row[two], rating))
        else:
            skipped.append(f"ID {key}: lacks a word")
    columns = dict(zip(ROLES, (one, two, score), strict=True))
    rated = RatedPairs("multi-simlex", "Multi-SimLex", tuple(pairs))
    return source.test_set(columns=columns, skipped=skipped, rated_pairs=(rated,))


def _joined(source: DataSetSource) -> dict[str, dict[str, str]]:
    joined: dict[str, dict[str, str]] = {}
    for file in source.files:
        by_id: dict[str, dict[str, str]] = {}
        first, names, table = named_rows(file, ",")
        if "ID" not in names:
            file.fail(first, "the first line must name the column ID")
        for line, fields in table:
            row = dict(zip(names, fields, strict=True))
            file.refuse_again(line, "the ID", row["ID"], by_id)
            by_id[row["ID"]] = row
        if joined and by_id.keys() != joined.keys():
            some = min(by_id.keys() ^ joined.keys())
            raise TestSetError(
                f"{file.path}: the ID {some!r} is in one of the files only; add it, or remove it"
            )
        for key, row in by_id.items():
            joined.setdefault(key, {}).update(row)
    return joined


def _language_columns(source: DataSetSource, names: Mapping[str, str]) -> tuple[str, str, str]:
    """The names of the columns of both words and their score in the language asked for."""
    code = _CODES.get(source.language, source.language)
    if {f"{code} 1", f"{code} 2", code} <= names.keys():
        return f"{code} 1", f"{code} 2", code
    codes = sorted(name for name in names if name.isupper() and {f"{name} 1", f"{name} 2"} <= names.keys())
    advice = (
        f"name one with language= (--language): {', '.join(codes)}"
        if codes
        else "give the folder that has both"
    )
    raise TestSetError(f"{source.path}: no words and scores of language {source.language!r} in it; {advice}")
