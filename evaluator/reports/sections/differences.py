"""How models differ: what was tested, a table, and a figure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from evaluator.reports.cells import CORRECTED, READING, columns, name, tested, tested_columns
from evaluator.reports.page import Block, Cell, Column, Figure, Table, Text
from evaluator.results.base import Tested
from evaluator.results.figures.forest import MOST_PANELS, MOST_ROWS, Mark, forest_figure
from evaluator.results.kept import listed
from evaluator.results.scores import ScoresFile, TestedDifference
from evaluator.statistics.ranking import Reading, Readings, readings

_READINGS: Mapping[Reading, str] = {
    "better": "{second} is better",
    "worse": "{first} is better",
    "slightly better": "{second} is better, by less than the margin",
    "slightly worse": "{first} is better, by less than the margin",
    "equal": "equal within the margin",
    "undecided": "not told apart",
    "depends on vocabulary": "depends on the vocabulary",
}


_LETTER = re.compile(r"[a-z]\d*")
"""The name of one of the groups that a model is in."""


def differences_of(found: ScoresFile) -> Iterator[Block]:
    """The blocks of the section on differences."""
    equal = "" if found.margin is None else f" The margin is {found.margin}."
    yield Text(
        f"Second minus first, among the same candidates. {CORRECTED.format('all pairs of models')} A test "
        "over categories is for other categories like these, one over words for other words of exactly "
        "these. “Not told apart” does not say that models are equal: with more categories or words a smaller "
        f"difference would be found.{equal}",
        detail=True,
    )
    read = readings(found.differences, found.margin)
    names = ["second", "first", *["language"] * any(each.language for each in read), "test_set"]
    rows = [
        [*(name(getattr(each, of)) for of in (*names, "measure")), *_tested(each, over, test, p, reading)]
        for each, of_tests in read.items()
        for (over, _), (test, p, reading) in zip(each.tests, of_tests, strict=True)
    ]
    values = {each: list(dict.fromkeys(getattr(one, each) for one in read)) for each in names}
    headings = [
        Column(each.replace("_", " "), kind=kind, detail=len(values[each]) == 1)
        for each, kind in zip(names, ("name", "text", "text", "text"), strict=False)
    ]
    headings += [*columns("measure", kind="text"), *tested_columns()]
    headings.append(Column(READING, kind="text", detail=found.margin is None))
    pair = [values[each][0] for each in names[:2] if len(values[each]) == 1]
    caption = f"Differences, {' minus '.join(pair)}" if len(pair) > 1 else "Differences between models"
    yield Table(caption, headings, rows, "differences.csv")
    yield from _beside_ranks(found, read)
    yield from _differences_figure(list(read))


def _beside_ranks(found: ScoresFile, read: Readings) -> Iterator[Text]:
    """Which contenders are told apart by their scores only, or by their lifts only, which ranks compare."""
    groups = {
        (each.test_set, each.language, each.measure, model.model): {*_LETTER.findall(model.letters)}
        for each in found.rankings
        for model in each.models
    }
    only: dict[str, list[str]] = {"scores": [], "lifts": []}
    for each, tests in read.items():
        asked = each.test_set, each.language, each.measure
        first, second = (groups.get((*asked, model)) for model in (each.first, each.second))
        if first and second:
            _, _, reading = tests[0]
            differ, apart = reading.endswith(("better", "worse")), not first & second
            if differ != apart:
                pair = f"{each.first} and {each.second} by {each.measure}"
                only["scores" if differ else "lifts"].append(pair)
    said = [f"only the {what} of {listed(pairs)} differ" for what, pairs in only.items() if pairs]
    if said:
        yield Text(
            "This table compares scores; ranks and groups compare lifts, which are what scores are above the "
            f"highest of chance, frequency and spelling. Here {'; '.join(said)}."
        )


def _differences_figure(found: Sequence[TestedDifference]) -> Iterator[Figure]:
    """A row for each model but the first, on each test set; a panel for each measure."""
    line = found[0].first
    found = [each for each in found if each.first == line]
    tests = {(each.language, each.test_set) for each in found}
    if len({(each.language, each.test_set, each.second) for each in found}) > MOST_ROWS:
        return
    measures = list(dict.fromkeys(each.measure for each in found))[:MOST_PANELS]
    marks = [
        Mark(
            f"{each.second}, {f'{each.language} {each.test_set}'.strip()}" if len(tests) > 1 else each.second,
            "",
            each.value,
            None if each.is_none else each.tested.low,
            None if each.is_none else each.tested.high,
            panel=each.measure,
        )
        for each in found
        if each.measure in measures
    ]
    yield Figure(
        f"Differences from {line} with their 95% intervals; the table above has the same numbers",
        f"The line is {line}; models to the right of it are better. If an interval does not touch the "
        "line, other categories, or other words of these, would probably have shown a difference, too.",
        partial(forest_figure, marks, 0.0, "difference, with its 95% interval"),
    )


def _tested(found: TestedDifference, over: str, test: Tested, p_holm: float, reading: Reading) -> list[Cell]:
    said = _READINGS[reading].format(first=found.first, second=found.second)
    return [*tested(found, test, p_holm, over), name("the same scores" if found.is_none else said)]
