"""The summary of all scores: models × test sets, and which model is best where that is significant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from evaluator.reports.cells import name, with_baseline
from evaluator.reports.page import Block, Column, Figure, Notes, Section, Table, Text
from evaluator.reports.sections.scores import conclusion, settings_of
from evaluator.reports.words import BASELINE, CHANCE, INTERVAL, SCORE
from evaluator.results import numbers
from evaluator.results.figures.forest import MOST_ROWS, Mark, forest_figure
from evaluator.results.score_table import of_own_words
from evaluator.results.scores import ABOVE_CHANCE, COMBINED, Ranking, Scores, ScoresFile, verdict_of

MOST_MEASURES = 4
_MOST_NOTES = 12


class SummaryRow(NamedTuple):
    """The scores of a model on a test set: a row of the summary."""

    record: Scores
    file: ScoresFile


def task_of(found: Scores) -> tuple[str, ...]:
    """What must be the same where models are compared: the test set, then the settings."""
    settings = settings_of(found.scores[0].signature).items()
    held = (f"{key} {value}" for key, value in settings if key not in ("test", "seed"))
    return (found.test_set, found.language, found.test_sha256, *held)


def by_task(files: Sequence[ScoresFile]) -> dict[tuple[str, ...], list[SummaryRow]]:
    """Models that can be compared: on one test set, with the same settings."""
    tasks: dict[tuple[str, ...], list[SummaryRow]] = {}
    for file in files:
        for record in file.results:
            tasks.setdefault(task_of(record), []).append(SummaryRow(record, file))
    return tasks


def measures_of(runs: Sequence[SummaryRow]) -> list[str]:
    """Topk and OddOneOut first, then Combined, then all others."""
    texts = dict.fromkeys(score.measure for each in runs for score in each.record.scores)
    texts.pop(COMBINED, None)
    texts.pop(ABOVE_CHANCE, None)
    heads = [text for kind in ("Topk", "OddOneOut") for text in texts if re.split("[@(]", text)[0] == kind]
    both = [COMBINED] if any(each.record.get(COMBINED) for each in runs) else []
    return [*heads, *both, *(text for text in texts if text not in heads)]


def summary_section(files: Sequence[ScoresFile]) -> Section:
    """All models on all test sets."""
    tasks = by_task(files)
    every = [each for runs in tasks.values() for each in runs]
    measures = measures_of(every)
    shown = measures[:MOST_MEASURES]
    found = numbers.first_few(list(_findings(tasks, shown)), _MOST_NOTES, "and {} more such remarks")
    blocks: list[Block] = [
        *([Notes("Found", found)] if found else []),
        Text(
            "A model is marked as best only if it is above frequency, and better than every other one by the "
            "tests of all pairs, corrected (Holm). Combined is not tested, as it is not a mean over words."
        ),
    ]
    if len(measures) > len(shown):
        blocks.append(Text(f"Further measures are below: {', '.join(measures[MOST_MEASURES:])}."))
    blocks.append(_table(tasks, shown))
    blocks += _figure(tasks, shown)
    return Section("Summary", blocks)


def _findings(
    tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]
) -> Iterator[str]:
    """The highest score by each measure on each test set, and whether it is above what it must be above."""
    labels = _labels(tasks)
    for (test, language), number in Counter(each[:2] for each in {task[:3] for task in tasks}).items():
        if number > 1:
            yield (
                f"{test} ({language}) is here in {number} versions: models scored on different ones cannot "
                "be compared. Score all of them on one."
            )
    for task, runs in tasks.items():
        for measure in (each for each in measures if each != COMBINED):
            scored = [each for each in runs if each.record.get(measure)]
            ranking = _ranking(scored, measure)
            if ranking is not None:
                yield f"{labels[task]}: {conclusion(ranking, [each.record for each in scored])}"
            elif len(scored) == 1:
                score = scored[0].record[measure]
                said = f"{scored[0].record.model} has {measure} {numbers.short(score.value)}"
                yield f"{labels[task]}: {said}, {verdict_of(score)}."
            elif scored:
                yield f"{labels[task]}: {measure}: {_why_not(scored)}."


def _ranking(runs: Sequence[SummaryRow], measure: str) -> Ranking | None:
    if not runs or any(each.file is not runs[0].file for each in runs):
        return None
    found = (each for each in runs[0].file.rankings if each.measure == measure)
    return next((each for each in found if each.is_of(runs[0].record)), None)


def _why_not(runs: Sequence[SummaryRow]) -> str:
    asked = "of its own words" if any(of_own_words(each.record.scores[0].signature) for each in runs) else ""
    return (
        f"{len(runs)} models were not compared{f', as each was asked words {asked}' if asked else ''}; score "
        "them in one run of evaluator score, which asks all the same"
    )


def _table(tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]) -> Table:
    labels = _labels(tasks)
    rows = []
    for task, runs in tasks.items():
        for measure in measures:
            best = _best(runs, measure)
            for each in runs:
                cells = with_baseline(each.record.get(measure), "best" if best is each else "")
                head = [name(each.record.model), name(labels[task]), name(measure)]
                rows.append([*head, *cells])
    headings = [Column("model", kind="name"), Column("test set", kind="text"), Column("measure", kind="text")]
    headings += [Column(SCORE), Column(INTERVAL, ("low", "high")), Column(CHANCE), Column(BASELINE)]
    return Table("Models and test sets", headings, rows, "summary.csv")


def _labels(tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]]) -> dict[tuple[str, ...], str]:
    names = [task[:2] for task in tasks]
    return {
        task: f"{task[0]} ({task[1]})"
        if names.count(task[:2]) == 1
        else f"{task[0]} ({task[1]}; {', '.join(_apart(task, tasks))})"
        for task in tasks
    }


def _apart(task: tuple[str, ...], tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]]) -> list[str]:
    """The settings that not all tasks of the same name have; of a checksum the beginning."""
    others = [other for other in tasks if other[:2] == task[:2] and other != task]
    found = [setting for setting in task[3:] if any(setting not in other[3:] for other in others)]
    return found if all(other[2] == task[2] for other in others) else [*found, f"sha256 {task[2][:8]}"]


def _figure(
    tasks: Mapping[tuple[str, ...], Sequence[SummaryRow]], measures: Sequence[str]
) -> Iterator[Figure]:
    labels = _labels(tasks)
    rows = [(task, each) for task, runs in tasks.items() for each in runs]
    if not 1 < len(rows) <= MOST_ROWS:
        return
    several = len(tasks) > 1
    marks = []
    for measure in measures:
        for task, each in rows:
            row = f"{each.record.model}, {labels[task]}" if several else each.record.model
            found = each.record.get(measure)
            marks.append(
                Mark(row, "", None, panel=measure)
                if found is None
                else Mark(row, "", found.value, found.low, found.high, found.chance, found.baseline, measure)
            )
    yield Figure(
        f"Scores of {len(rows)} models by {', '.join(measures)}; the table above has the same numbers",
        "Dots are scores, lines their 95% intervals, short strokes the chance level, diamonds the frequency "
        "baseline.",
        partial(forest_figure, marks),
    )


def _best(runs: Sequence[SummaryRow], measure: str) -> SummaryRow | None:
    """The model that is better than every other one, and above frequency."""
    ranking = _ranking([each for each in runs if each.record.get(measure)], measure)
    if ranking is None or [each.best for each in ranking.models].count(1) != 1:
        return None
    first = [
        each for each in runs if each.record.model == ranking.models[0].model and each.record.get(measure)
    ]
    return first[0] if first and first[0].record[measure].above_baseline else None
