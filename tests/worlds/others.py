"""Data sets of other kinds about the words of a world: rated pairs, outlier groups, synonym questions.

Each is drawn with the world's number, written as a file that others write, and scored from vectors in memory,
from files and by the command; its score is also computed here from its definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

import evaluator
from tests.worlds.generate import Generator
from tests.worlds.reference import EXACT_TIE, Bounds, Expected, Known, groups_expected, refused, settings_of
from tests.worlds.routes import Outcome, Routes, attempt, command, loads, refusal_of, tree
from tests.worlds.sources import vectors

Rows = list[tuple[str, ...]]
_WORD = re.compile(r"[wu]\d+")  # of which no format makes anything else


@dataclass(frozen=True)
class Kind:
    """A kind of data set.

    Attributes:
        separator: Of the fields of its file.
        rows: Draws one about some words, the line of column names first.
        measures: Those that score it.
        definition: The score of its rows by a measure; None if that is not certain.
    """

    separator: str
    rows: Callable[[Generator, Sequence[str]], Rows]
    measures: tuple[str, ...]
    definition: Callable[[Rows, Known, str], Expected | None]


@dataclass(frozen=True)
class Scored:
    """What a data set of one kind gives: from vectors in memory, by other routes, and by its definition."""

    memory: Outcome
    others: Sequence[tuple[str, Outcome]]
    expected: Mapping[str, Expected | None]


def of_other_kinds(routes: Routes) -> Iterator[tuple[str, Scored]]:
    """A data set of each kind, by its name."""
    made = routes.world
    draw, known = np.random.default_rng([2013, made.number]), None
    if not refused(made):
        known = Known(made, settings_of(made))
    for name, kind in _KINDS.items():
        rows = kind.rows(draw, [each for each in made.words if _WORD.fullmatch(each)])
        path = routes.folder / f"{name}{'.tsv' if kind.separator == chr(9) else '.csv'}"
        path.write_text("".join(f"{kind.separator.join(row)}\n" for row in rows), encoding="utf-8")
        expected = {each: kind.definition(rows[1:], known, each) for each in kind.measures} if known else {}
        yield name, _scored(routes, path, kind.measures, expected)


def _scored(
    routes: Routes, path: Path, measures: tuple[str, ...], expected: Mapping[str, Expected | None]
) -> Scored:
    how = path, measures, routes.how[1]
    found = [("--json", _by_command(routes, path, measures))]
    for name, file in routes.files.items():
        if file.exists():
            found.append((name, attempt(partial(evaluator.score, file, *how))))
    return Scored(attempt(partial(evaluator.score, vectors(routes.world), *how)), found, expected)


def _by_command(routes: Routes, path: Path, measures: Sequence[str]) -> Outcome:
    given = [each for each in routes.arguments if not each.startswith("--measure=")]
    given = [
        *given[: given.index("--test")],
        *(f"--measure={each}" for each in measures),
        "--test",
        str(path),
    ]
    ended = command("score", routes.files["text"], *given, "--json")
    return (
        Outcome(refusal=refusal_of(ended.err))
        if ended.code == 2
        else Outcome(tree(loads(ended.out)["results"][0]))
    )


def _some(draw: Generator, words: Sequence[str], number: int) -> list[str]:
    """Different words, some of them unknown."""
    unknown = [f"u{each}" for each in range(900, 900 + int(draw.choice([0, 0, 2])))]
    every = list(dict.fromkeys([*words, *unknown, *(f"w{each}" for each in range(2000, 2000 + number))]))
    known = max(len(words), number - len(unknown))
    return [every[each] for each in draw.permutation(min(len(every), known + len(unknown)))[:number]]


def _pairs(draw: Generator, words: Sequence[str]) -> Rows:
    number = int(draw.integers(2, 25))
    ratings = draw.integers(0, int(draw.choice([3, 100])), size=number) / 10
    words = _some(draw, words, 2 * number)
    of_pairs = zip(words[::2], words[1::2], ratings.tolist(), strict=True)
    return [("word1", "word2", "rating"), *((one, other, str(rating)) for one, other, rating in of_pairs)]


def _correlation(rows: Rows, known: Known, measure: str) -> Expected | None:
    """Spearman's or Pearson's, of the cosines; those of OOV words are 0."""
    units = [(known.unit(known.form(one)), known.unit(known.form(other))) for one, other, _ in rows]
    found = [one @ other if one is not None and other is not None else None for one, other in units]
    ratings, oov = np.array([float(rating) for *_, rating in rows]), found.count(None)
    counted = np.array([known.settings.oov == "wrong" or each is not None for each in found])
    values = np.array([each or 0.0 for each in found])
    cells = values * 2.0**40
    if (np.abs(cells - np.rint(cells)) > 0.48).any():
        return None  # rounding may make ties of these
    x, y = np.rint(cells)[counted], ratings[counted]
    flat = len(y) < 3 or y.min() == y.max()
    if len(rows) - oov < 3 or flat or x.min() == x.max():
        low = 0.0 if oov and known.settings.oov == "wrong" and not flat else None
        return _alone("pairs", low)
    of = stats.pearsonr if "pearson" in measure else stats.spearmanr
    return _alone("pairs", float(of(x, y).statistic))


def _alone(name: str, value: float | None) -> Expected:
    bounds: Bounds | None = None if value is None else (value, value)
    return Expected(bounds, {name: bounds})


def _groups(draw: Generator, words: Sequence[str]) -> Rows:
    found: Rows = [("category", "word", "is_outlier")]
    for number in range(int(draw.integers(1, 4))):
        members = int(draw.integers(2, 6))
        some = _some(draw, words, members + int(draw.integers(1, 4)))
        found += [(f"g{number}", word, str(int(place >= members))) for place, word in enumerate(some)]
    return found


def _outliers(rows: Rows, known: Known, measure: str) -> Expected:
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for name, word, is_outlier in rows:
        groups.setdefault(name, ([], []))[int(is_outlier)].append(word)
    listed = [(name, *each) for name, each in groups.items()]
    return groups_expected(listed, known, opp="OPP" in measure)


def _questions(draw: Generator, words: Sequence[str]) -> Rows:
    asked = int(draw.integers(2, 8))
    some = _some(draw, words, 4 * asked)
    return [("target", "a", "b", "c"), *(tuple(some[4 * each : 4 * each + 4]) for each in range(asked))]


def _choices(rows: Rows, known: Known, measure: str) -> Expected | None:
    """The first option is right if it is nearer than the others."""
    skip, right, counted = known.settings.oov == "skip", 0, 0
    for row in rows:
        word, answer, *others = (known.unit(known.form(each)) for each in row)
        there = [each for each in others if each is not None]
        usable = word is not None and answer is not None and bool(there)
        counted += usable or not skip
        if usable and (skip or len(there) == len(others)):
            ahead = answer @ word - max(each @ word for each in there)
            if EXACT_TIE / 4 < ahead < 4 * EXACT_TIE:
                return None
            right += ahead > EXACT_TIE
    needed = 3 if known.settings.small_categories == "skip" else 1
    return _alone("questions", right / counted if counted >= needed else None)


_KINDS = {
    "pairs": Kind("\t", _pairs, ("Similarity", "Similarity(correlation=pearson)"), _correlation),
    "groups": Kind(",", _groups, ("OutlierDetection", "OutlierDetection(score=OPP)"), _outliers),
    "questions": Kind(",", _questions, ("SynonymChoice",), _choices),
}
