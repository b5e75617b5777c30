"""The section on how large a test set must be."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.reports.cells import columns, count, rate
from evaluator.reports.page import Block, Section, Table, Text
from evaluator.results.numbers import rate as shown
from evaluator.results.plan import Plan, PlanFile


def plan_section(found: PlanFile) -> Section:
    """What can be found now, what with more words or categories, and what is needed."""
    subsections = [
        Section(f"{each.measure} on {each.test_set} ({each.language})", list(_blocks(each)))
        for each in found.plans
    ]
    explained = Text(
        "The smallest difference between two models that `evaluator score` finds (p < 0.05) in four of five "
        "cases, on other words, or other categories, like these."
    )
    return Section("How large must the test set be?", [explained], subsections)


def _blocks(found: Plan) -> Iterator[Block]:
    now = found.sizes[0]
    needed = _needed(found.words, now.words, "words"), _needed(found.categories, now.categories, "categories")
    yield Text(
        f"With these {now.words} words in {now.categories} categories: {_smallest(now.over_words)} over "
        f"words, {_smallest(now.over_categories)} over categories. A difference of "
        f"{shown(found.difference)} needs {needed[0]} in a test over words, and {needed[1]} in one over "
        "categories."
    )
    heading = columns("words", "categories", "over words", "over categories")
    rows = [
        [count(each.words), count(each.categories), rate(each.over_words), rate(each.over_categories)]
        for each in found.sizes
    ]
    yield Table("The smallest difference that is found", heading, rows, "plan.csv")
    assumed = "" if found.models == 2 else ", which is assumed: give two models to measure it"
    yield Text(
        f"The worse model has {shown(found.value)}. Both are right on the same words with a correlation of "
        f"{found.correlation:.2f}{assumed}. Words that are added are in categories like these."
    )


def _smallest(difference: float | None) -> str:
    return "nothing" if difference is None else shown(difference)


def _needed(number: int | None, there: int, of: str) -> str:
    if number is None:
        return f"more {of} than can be told from this pilot"
    return f"{number:,} {of}" + (f" ({number - there:,} more)" if number > there else "")
