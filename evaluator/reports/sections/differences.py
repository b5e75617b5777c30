"""How models differ: what was tested, a table, and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from evaluator.reports.cells import columns, name, rate, signed, tested
from evaluator.reports.page import Block, Cell, Column, Figure, Table, Text
from evaluator.results.figures.dots import MOST_PANELS, MOST_ROWS, Dot, dots_figure
from evaluator.results.scores import TestedDifference
from evaluator.statistics.inference import SIGNIFICANT, holm


@dataclass(frozen=True, eq=False)
class TestedModels:
    """The models of one file, as far as they were tested against each other.

    Attributes:
        p_values: Of each difference, corrected for all models that were tested on a test set by a measure
            (Holm 1979).
    """

    p_values: Mapping[TestedDifference, float]

    @classmethod
    def of(cls, differences: Sequence[TestedDifference]) -> TestedModels:
        """Correct p-values."""
        tests: dict[tuple[str, str], list[TestedDifference]] = {}
        for each in differences:
            tests.setdefault((each.test_set, each.measure), []).append(each)
        return cls(
            {
                each: p
                for own in tests.values()
                for each, p in zip(own, holm([one.tested.p for one in own]), strict=True)
            }
        )

    def better(self, test_set: str, measure: str, one: str, other: str) -> bool | None:
        """Whether one model is significantly better than another; None if that was not tested."""
        for each, p in self.p_values.items():
            pair = {each.first, each.second}
            if (each.test_set, each.measure) == (test_set, measure) and pair == {one, other}:
                gain = each.value if each.second == one else -each.value
                return gain > 0 and p < SIGNIFICANT
        return None


def differences_of(tested: TestedModels) -> Iterator[Block]:
    """The blocks of the section on differences."""
    yield Text(
        "Second minus first; p by a paired t-test, then corrected for the number of models (Holm). A test "
        "over categories is for other categories like these, one over words for other words of exactly "
        "these. “Not told apart” does not say that models are equal: with more categories or words a smaller "
        "difference would be found."
    )
    rows = [_difference_row(each, p) for each, p in tested.p_values.items()]
    headings = [
        *(*columns("second", kind="name"), *columns("first", "test set", "measure", kind="text")),
        *(Column("difference"), Column("95% interval", ("low", "high"))),
        *(*columns("p", "p (Holm)"), *columns("test over", "reading", kind="text")),
    ]
    yield Table("Differences between models", headings, rows, "differences.csv")
    yield from _differences_figure(list(tested.p_values))


def _differences_figure(found: Sequence[TestedDifference]) -> Iterator[Figure]:
    """A row for each two models, a panel for each measure."""
    pairs = list(dict.fromkeys((each.test_set, each.first, each.second) for each in found))
    if len(pairs) > MOST_ROWS:
        return
    measures = list(dict.fromkeys(each.measure for each in found))[:MOST_PANELS]
    dots = {
        (each.measure, (each.test_set, each.first, each.second)): Dot(
            each.value, each.tested.low, each.tested.high
        )
        for each in found
    }
    panels = {measure: [dots.get((measure, pair), Dot(None)) for pair in pairs] for measure in measures}
    tests = {test for test, _, _ in pairs}
    names = [f"{second}, {test}" if len(tests) > 1 else second for test, _, second in pairs]
    yield Figure(
        "Differences between models with their 95% intervals; the table above has the same numbers",
        f"The line is {pairs[0][1]}; models to the right of it are better. If an interval does not touch the "
        "line, other categories, or other words of these, would probably have shown a difference, too.",
        partial(dots_figure, names, panels, 0.0),
    )


def _difference_row(found: TestedDifference, p_holm: float) -> list[Cell]:
    better = "second is better" if found.value > 0 else "first is better"
    reading = better if p_holm < SIGNIFICANT and found.value else "not told apart"
    return [
        *map(name, (found.second, found.first, found.test_set, found.measure)),
        *(signed(found.value), *tested(found.tested)),
        *(rate(p_holm), name(found.tests[0][0]), name(reading)),
    ]
