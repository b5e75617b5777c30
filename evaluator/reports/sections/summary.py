"""The summary of all scores: models × test sets, and which model to keep where one can be named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

from evaluator.reports.cells import (
    BASELINES,
    CHANCE,
    INTERVAL,
    SCORE,
    columns,
    name,
    with_baselines,
)
from evaluator.reports.page import Block, Column, Figure, Fold, Notes, Section, Table, Text
from evaluator.results import numbers
from evaluator.results.comparable import ComparisonKey
from evaluator.results.figures.forest import MOST_ROWS, MOST_SERIES, Mark, forest_figure
from evaluator.results.kept import Kept
from evaluator.results.score import ABOVE_CHANCE, COMBINED
from evaluator.results.scores import ALL_LANGUAGES, Scores, ScoresFile, marks_for_print

MOST_MEASURES = 4
_LEGEND = (
    "Dots are scores, lines their 95% intervals, short strokes the chance level, diamonds the frequency "
    "baseline, triangles the spelling baseline."
)
_MOST_NOTES = 12


class SummaryRow(NamedTuple):
    """The scores of a model on a test set: a row of the summary."""

    record: Scores
    file: ScoresFile


Rows = Mapping[ComparisonKey, Sequence[SummaryRow]]


def by_key(files: Sequence[ScoresFile]) -> dict[ComparisonKey, list[SummaryRow]]:
    """Models that can be compared by a measure; and those that were asked their own words, which cannot."""
    found: dict[ComparisonKey, list[SummaryRow]] = {}
    for file in files:
        for record in file.results:
            for score in record.scores:
                key = ComparisonKey.of(record, score)._replace(own_words="")
                found.setdefault(key, []).append(SummaryRow(record, file))
    return found


def measures_of(measures: Iterable[str]) -> list[str]:
    """Topk and OddOneOut first, then Combined, then all others."""
    texts = dict.fromkeys(each for each in measures if each != ABOVE_CHANCE)
    heads = [text for kind in ("Topk", "OddOneOut") for text in texts if re.split("[@(]", text)[0] == kind]
    both = [COMBINED] if COMBINED in texts else []
    return [*heads, *both, *(text for text in texts if text not in (*heads, COMBINED))]


def summary_section(files: Sequence[ScoresFile]) -> Section:
    """All models on all test sets."""
    every = by_key(files)
    measures = measures_of(key.measure for key in every)
    shown = measures[:MOST_MEASURES]
    places = list(dict.fromkeys((key.language, key.test_set) for key in every))
    order = {
        key: (places.index((key.language, key.test_set)), shown.index(key.measure))
        for key in every
        if key.measure in shown
    }
    rows = {key: every[key] for key in sorted(order, key=order.__getitem__)}
    several = [each for each in files if each.over_languages]
    overall = [f"{ALL_LANGUAGES}: {each.kept[-1]}" for each in several if each.kept]
    found = numbers.first_few([*overall, *_findings(rows)], _MOST_NOTES, "and {} more such remarks")
    one = {
        key: own for key, few in rows.items() if (own := [each for each in few if each.file not in several])
    }
    blocks: list[Block] = [
        *([Notes("Found", found)] if found else []),
        *_figure(one, shown),
        *chain.from_iterable(map(_by_language, several)),
        Fold("All models, test sets and measures", [_table(rows)]) if several else _table(rows),
        Text(
            "The model to keep is marked, if one can be named. It is above chance, and above frequency and "
            "spelling where there are such baselines. It is better than every other such model, by tests of "
            "all pairs, corrected (Holm). Where all know enough related words, KeywordRank alone compares "
            "them. Elsewhere, the one to keep is better by one measure, and worse by none. So another one "
            "may have a higher score. Combined is not tested, as it is not a mean over words."
        ),
    ]
    if len(measures) > len(shown):
        blocks.append(Text(f"Further measures are below: {', '.join(measures[MOST_MEASURES:])}."))
    return Section("Summary", blocks)


def _by_language(file: ScoresFile) -> Iterator[Block]:
    """The answer of each language, a line for each and one for all, and the figure."""
    models, languages = (len({getattr(each, key) for each in file.results}) for key in ("model", "language"))
    if models <= MOST_SERIES and languages <= MOST_ROWS:
        yield Figure(
            f"Scores of {models} models in {languages} languages; the tables below have the same numbers",
            _LEGEND,
            lambda: forest_figure(marks_for_print(file)),
        )
    if file.kept:
        often = Counter(each.language for each in file.kept)
        rows = [
            [
                name(f"{each.language} {each.test_set}" if often[each.language] > 1 else each.language)
                if each.test_set != ALL_LANGUAGES
                else name(ALL_LANGUAGES),
                replace(name(each.best or "–"), strong=each.best is not None),
                name(str(each)),
            ]
            for each in file.kept
        ]
        headings = [Column("language", kind="name"), Column("keep", kind="text"), Column("why", kind="prose")]
        last = file.kept[-1].test_set == ALL_LANGUAGES
        yield Table("Which model to keep in each language", headings, rows, "languages.csv", int(last))


def _findings(rows: Rows) -> Iterator[str]:
    """The highest score by each measure on each test set, and whether it is above what it must be above."""
    labels = _labels(rows)
    versions = {(_name(several), key.language, key.test_set) for key, several in rows.items()}
    for (test, language), number in Counter(each[:2] for each in sorted(versions)).items():
        if number > 1:
            yield (
                f"{test} ({language}) is here in {number} versions: models scored on different ones cannot "
                "be compared. Score all of them on one."
            )
    told = set[tuple[str, int]]()
    for key, several in rows.items():
        label, file = labels[key], several[0].file
        kept = _kept(several)
        if key.measure == COMBINED or (label, id(file)) in told or (kept is not None and file.over_languages):
            continue
        if kept is not None:
            told.add((label, id(file)))  # one answer for all measures
            yield f"{label}: {kept}"
        elif len(several) == 1:
            told.add((label, id(file)))
            yield f"{label}: {several[0].record.model}: {several[0].record.kept}"
        else:
            yield f"{label}: {key.measure}: {_why_not(several, key.measure)}."


def _kept(runs: Sequence[SummaryRow]) -> Kept | None:
    """Which of several models to keep, if all are of one file, which compared them."""
    if len(runs) < 2 or any(each.file is not runs[0].file for each in runs):
        return None
    record = runs[0].record
    found = (each for each in runs[0].file.kept if each.is_of(record.test_set, record.language))
    return next(found, None)


def _name(several: Sequence[SummaryRow]) -> str:
    """The name of a test set, as the first file has it."""
    return several[0].record.test_set


def _why_not(runs: Sequence[SummaryRow], measure: str) -> str:
    own = any(ComparisonKey.of(each.record, each.record[measure]).own_words for each in runs)
    number = len({each.record.model for each in runs})
    files = len({id(each.file) for each in runs})
    if own:
        why = "were not compared, as each was asked words of its own"
    elif files > 1:
        why = f"are in {files} files, and models of several files are not compared"
    else:
        why = "were not compared"
    return f"{number} models {why}; score them in one run of evaluator score, which asks all the same words"


def _table(rows: Rows) -> Table:
    labels, cells = _labels(rows), []
    told = set[tuple[str, ...]]()
    for key, several in rows.items():
        best, place = _best(several), (key.language, key.test_set)
        # What has no score by the measure has an empty row, once.
        lacking = {
            id(each.record): each
            for other, own in rows.items()
            for each in own
            if other[1:3] == place and (*place, key.measure) not in told and key.measure not in each.record
        }
        told.add((*place, key.measure))
        for each in (*several, *lacking.values()):
            model = name(each.record.model, "keep" if best is each else "")
            own = with_baselines(each.record.get(key.measure))
            cells.append([model, name(labels[key]), name(key.measure), *own])
    headings = [Column("model", kind="name"), Column("test set", kind="text"), Column("measure", kind="text")]
    headings += [Column(SCORE), Column(INTERVAL, ("low", "high")), *columns(CHANCE, *BASELINES)]
    return Table("Models and test sets", headings, cells, "summary.csv")


def _labels(rows: Rows) -> dict[ComparisonKey, str]:
    """Test set and language; and, where a measure has several keys of these, what sets each apart."""
    named = {key: (key.measure, key.language, _name(several)) for key, several in rows.items()}
    labels = {}
    for key, (_, language, test_set) in named.items():
        others = [other for other in rows if named[other] == named[key] and other != key]
        apart = dict.fromkeys(each.replace(":", " ", 1) for other in others for each in key.apart(other)[0])
        labels[key] = f"{test_set} ({'; '.join(filter(None, (language, ', '.join(apart))))})"
    return labels


def _figure(rows: Rows, measures: Sequence[str]) -> Iterator[Figure]:
    labels = _labels(rows)
    several = len(set(labels.values())) > 1
    found = {
        (f"{each.record.model}, {labels[key]}" if several else each.record.model, key.measure): each.record[
            key.measure
        ]
        for key, own in rows.items()
        for each in own
    }
    names = list(dict.fromkeys(row for row, _ in found))
    if not 1 < len(names) <= MOST_ROWS:
        return
    marks = []
    for measure in measures:
        for row in names:
            score = found.get((row, measure))
            marks.append(
                Mark(row, "", None, panel=measure)
                if score is None
                else Mark(
                    *(row, "", score.value, score.low, score.high),
                    *(score.chance, score.baseline, score.spelling, measure),
                )
            )
    yield Figure(
        f"Scores of {len(names)} models by {', '.join(measures)}; the table below has the same numbers",
        _LEGEND,
        partial(forest_figure, marks),
    )


def _best(runs: Sequence[SummaryRow]) -> SummaryRow | None:
    """The model to keep, if these are all of one file."""
    kept = _kept(runs)
    return next((each for each in runs if kept is not None and each.record.model == kept.best), None)
