"""How models differ: what was tested, a table, and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from evaluator.reports.cells import columns, name, tested, tested_columns
from evaluator.reports.page import Block, Cell, Column, Figure, Table, Text
from evaluator.reports.words import READING
from evaluator.results.base import Tested
from evaluator.results.figures.forest import MOST_PANELS, MOST_ROWS, Mark, forest_figure
from evaluator.results.scores import TestedDifference
from evaluator.statistics.inference import SIGNIFICANT, holm


@dataclass(frozen=True, eq=False)
class TestedModels:
    """The models of one file, as far as they were tested against each other.

    Attributes:
        p_values: Of each test of each difference, corrected for all models that were tested on a test set by
            a measure (Holm 1979).
    """

    p_values: Mapping[TestedDifference, Sequence[float]]

    @classmethod
    def of(cls, differences: Sequence[TestedDifference]) -> TestedModels:
        """Correct p-values."""
        together: dict[tuple[str, str], list[TestedDifference]] = {}
        for each in differences:
            together.setdefault((each.test_set, each.measure), []).append(each)
        p_values: dict[TestedDifference, list[float]] = {each: [] for each in differences}
        for own in together.values():
            for kind in ("of_categories", "of_words"):
                tested = [(each, test.p) for each in own if (test := getattr(each, kind)) is not None]
                for (each, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
                    p_values[each].append(p)
        return cls(p_values)

    def better(self, test_set: str, measure: str, one: str, other: str) -> bool | None:
        """Whether one model is significantly better than another; None if that was not tested."""
        for each, p in self.p_values.items():
            pair = {each.first, each.second}
            if (each.test_set, each.measure) == (test_set, measure) and pair == {one, other}:
                gain = each.value if each.second == one else -each.value
                return gain > 0 and p[0] < SIGNIFICANT
        return None


def differences_of(tested: TestedModels) -> Iterator[Block]:
    """The blocks of the section on differences."""
    yield Text(
        "Second minus first; p by a paired t-test, then corrected for the number of models (Holm). A test "
        "over categories is for other categories like these, one over words for other words of exactly "
        "these. “Not told apart” does not say that models are equal: with more categories or words a smaller "
        "difference would be found."
    )
    rows = [
        _difference_row(each, over, test, p)
        for each, of_tests in tested.p_values.items()
        for (over, test), p in zip(each.tests, of_tests, strict=True)
    ]
    same = {
        name: len({getattr(each, name) for each in tested.p_values}) == 1 for name in ("first", "test_set")
    }
    headings = [
        *columns("second", kind="name"),
        Column("first", kind="text", detail=same["first"]),
        Column("test set", kind="text", detail=same["test_set"]),
        *(*columns("measure", kind="text"), *tested_columns(), *columns(READING, kind="text")),
    ]
    yield Table("Differences between models", headings, rows, "differences.csv")
    yield from _differences_figure(list(tested.p_values))


def _differences_figure(found: Sequence[TestedDifference]) -> Iterator[Figure]:
    """A row for each two models, a panel for each measure."""
    pairs = list(dict.fromkeys((each.test_set, each.first, each.second) for each in found))
    if len(pairs) > MOST_ROWS:
        return
    measures = list(dict.fromkeys(each.measure for each in found))[:MOST_PANELS]
    tests = {test for test, _, _ in pairs}
    marks = [
        Mark(
            f"{each.second}, {each.test_set}" if len(tests) > 1 else each.second,
            *("", each.value, each.tested.low, each.tested.high),
            panel=each.measure,
        )
        for each in found
        if each.measure in measures
    ]
    yield Figure(
        "Differences between models with their 95% intervals; the table above has the same numbers",
        f"The line is {pairs[0][1]}; models to the right of it are better. If an interval does not touch the "
        "line, other categories, or other words of these, would probably have shown a difference, too.",
        partial(forest_figure, marks, 0.0, "difference, with its 95% interval"),
    )


def _difference_row(found: TestedDifference, over: str, test: Tested, p_holm: float) -> list[Cell]:
    better = "second is better" if found.value > 0 else "first is better"
    reading = better if p_holm < SIGNIFICANT and found.value else "not told apart"
    return [
        *map(name, (found.second, found.first, found.test_set, found.measure)),
        *(*tested(found.value, test, p_holm, over), name(reading)),
    ]
