"""Pairs of words with their rated similarity: WS-353, SimLex-999, MEN, RG-65 and all like them."""

from __future__ import annotations

from evaluator.datasets.registry import TestSetContent, dataset_format
from evaluator.datasets.source import DataSetSource
from evaluator.datasets.table import most, number, rows, sample_rows
from evaluator.datasets.testset import RatedPairs

_FIRST, _SECOND = {"word1", "w1", "term1"}, {"word2", "w2", "term2"}
_SCORES = ("score", "mean", "simlex", "similarity", "relatedness", "rating")


def _rates_pairs(source: DataSetSource) -> bool:
    table = sample_rows(source.sample)
    if not table:
        return False
    one, two, score = _columns(table)
    data = table[1:] if _is_header(table[0]) else table
    return most(
        len(row) > score > 1
        and number(row[score]) is not None
        and all(row[column] and number(row[column]) is None for column in (one, two))
        for row in data
    )


@dataset_format("rated-pairs", rank=2, looks_like=_rates_pairs)
def read_rated_pairs(source: DataSetSource) -> TestSetContent:
    """Two words and a number a line, by tab, semicolon, comma or spaces; pairs that come twice stay so.

    A first line that names columns `word1` and `word2` may put them anywhere; without it, words are the
    first two fields. The score is the column of such a name, else the first of numbers after the words.
    Other columns are ignored.

    Raises:
        TestSetError: A line has too few fields, or its score is not a number.
    """
    document = source.file
    table = list(rows(document))
    one, two, score = _columns([row for _, row in table])
    pairs: list[tuple[str, str, float]] = []
    for line, row in table[1:] if _is_header(table[0][1]) else table:
        if len(row) <= max(one, two, score) or not (row[one] and row[two]):
            document.fail(line, f"{len([*filter(None, row)])} fields; two words and their score are needed")
        rating = number(row[score])
        if rating is None:
            hint = "; names of columns must include word1 and word2" if not pairs else ""
            document.fail(line, f"the score is {row[score]!r}, which is not a number such as 3.5{hint}")
        pairs.append((row[one], row[two], rating))
    if not pairs:
        document.fail(table[0][0], "no pair follows the names of the columns")
    return TestSetContent(rated_pairs=(RatedPairs(document.stem, document.stem, tuple(pairs)),))


def _is_header(row: list[str]) -> bool:
    names = {_plain(name) for name in row}
    return bool(names & _FIRST and names & _SECOND)


def _columns(table: list[list[str]]) -> tuple[int, int, int]:
    """Where the first word, the second and the score are."""
    names = [_plain(name) for name in table[0]] if _is_header(table[0]) else []
    one = next((place for place, name in enumerate(names) if name in _FIRST), 0)
    two = next((place for place, name in enumerate(names) if name in _SECOND), 1)
    data = table[1:] if names else table
    width = max((len(row) for row in data), default=0)
    numeric = [
        place
        for place in range(max(one, two) + 1, width)
        if most(len(row) > place and number(row[place]) is not None for row in data)
    ]
    named = [place for place in numeric if place < len(names) and any(s in names[place] for s in _SCORES)]
    return one, two, next(iter(named + numeric), max(one, two) + 1)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
