"""Pairs of words with rated similarity: WS-353, SimLex-999, MEN and others, and Multi-SimLex."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.datasets.data_files import (
    DROP,
    DataSetSource,
    letters_of,
    most,
    named_rows,
    number,
    rows,
    sample_rows,
)
from evaluator.datasets.reading import dataset_format
from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.errors import TestSetError

_WORDS = ("word", "w", "term")
_RATINGS = ("score", "mean", "sim", "relatedness", "rating")

# Multi-SimLex: the languages that have a two-letter code, which the columns of the files do not use.
_TWO_LETTERS = ["ar", "zh", "cy", "en", "et", "fi", "fr", "he", "pl", "ru", "es", "sw"]
_THREE_LETTERS = ["ARA", "CMN", "CYM", "ENG", "EST", "FIN", "FRA", "HEB", "POL", "RUS", "SPA", "SWA"]
_CODES = dict(zip(_TWO_LETTERS, _THREE_LETTERS, strict=True))


def looks_like_rated_pairs(source: DataSetSource) -> bool:
    """Two words and a number."""
    table = sample_rows(source.sample)
    if not table:
        return False
    one, two, score = rated_pair_columns(table)
    data = table[1:] if _word_columns(table[0]) else table
    return most(
        len(row) > score > 1
        and number(row[score]) is not None
        and all(row[column] and number(row[column]) is None for column in (one, two))
        for row in data
    )


def _word_columns(row: list[str]) -> tuple[int, int] | None:
    """The columns that a row names as those of the words: `word1`, `word2`, or as `twi1`, `twi2`."""
    names = [letters_of(name) for name in row]
    plain = all(number(name) is None for name in row)  # `a1 a2 3.5` are two words and their score
    for column, name in enumerate(names):
        stem = name.removesuffix("1")
        if stem != name and (stem in _WORDS or (plain and stem.isalpha())) and f"{stem}2" in names:
            return column, names.index(f"{stem}2")
    return None


def rated_pair_columns(table: list[list[str]]) -> tuple[int, int, int]:
    """The columns of the first word, the second and the score."""
    named_words = _word_columns(table[0])
    names = [letters_of(name) for name in table[0]] if named_words else []
    one, two = named_words or (0, 1)
    data = table[1:] if names else table
    width = max((len(row) for row in data), default=0)
    numeric = [
        column
        for column in range(max(one, two) + 1, width)
        if most(len(row) > column and number(row[column]) is not None for row in data)
    ]
    named = [
        each for each in numeric if each < len(names) and any(score in names[each] for score in _RATINGS)
    ]
    return one, two, next(iter(named + numeric), max(one, two) + 1)


@dataset_format("rated-pairs", rank=2, looks_like=looks_like_rated_pairs)
def read_rated_pairs(source: DataSetSource) -> TestSet:
    """Two words and a number per line, separated by tab, semicolon, comma or spaces.

    A first line that names columns `word1` and `word2` may put them anywhere; without it, words are the
    first two fields. The score is the column of such a name, else the first of numbers after the words.
    Other columns are ignored. Pairs that occur twice are kept twice.
    """
    file = source.file
    table = list(rows(file))
    one, two, score = rated_pair_columns([row for _, row in table])
    pairs: list[tuple[str, str, float]] = []
    for line, row in table[1:] if _word_columns(table[0][1]) else table:
        if len(row) <= max(one, two, score) or not (row[one] and row[two]):
            file.fail(line, f"{len([*filter(None, row)])} fields; two words and their score are needed")
        rating = number(row[score])
        if rating is None:
            hint = "; names of columns must include word1 and word2" if not pairs else DROP
            file.fail(line, f"the score is {row[score]!r}, which is not a number such as 3.5{hint}")
        pairs.append((row[one], row[two], rating))
    if not pairs:
        file.fail(table[0][0], "no pair follows the names of the columns")
    return source.test_set(rated_pairs=(RatedPairs(file.stem, file.stem, tuple(pairs)),))


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
    pairs = []
    for key, row in joined.items():
        rating = number(row[score])
        if rating is None:
            raise TestSetError(
                f"{source.path}: ID {key}: the score {score} is {row[score]!r}, which is not a number"
            )
        if row[one] and row[two]:
            pairs.append((row[one], row[two], rating))
    return source.test_set(rated_pairs=(RatedPairs("multi-simlex", "Multi-SimLex", tuple(pairs)),))


def _joined(source: DataSetSource) -> dict[str, dict[str, str]]:
    joined: dict[str, dict[str, str]] = {}
    for file in source.files:
        by_id: dict[str, dict[str, str]] = {}
        for line, row in named_rows(file, ("ID",), ","):
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
