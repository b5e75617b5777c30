"""The section on the words and categories of a test set that tell models apart, or do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from evaluator.reports.cells import columns, count, interval, name, rate, words
from evaluator.reports.page import Block, Cell, Column, Section, Table, Text
from evaluator.reports.words import INTERVAL, SCORE
from evaluator.results.items import ItemFigures, ItemsFile

_SHOWN = 40
_FINDINGS = ("against the rest", "no model is above chance", "no model knows it")


def items_section(found: ItemsFile) -> Section:
    """All categories, and the words to look at."""
    subsections = [
        Section(f"{measure} on {test_set} ({language})", list(_blocks(list(own))))
        for (test_set, language, measure), own in groupby(
            found.items, lambda each: (each.test_set, each.language, each.measure)
        )
    ]
    explained = Text(
        "A word's score is the share of the comparisons with it that are right. Discrimination is the rank "
        "correlation, over the models that know it, of its score with that of the rest of the test set: on "
        "an item against the rest (its whole 95% interval is below 0), better models are worse. Look at "
        "items before you drop them: models of one corpus share its gaps, and few models show little."
    )
    return Section("Items", [explained], subsections)


def _blocks(found: Sequence[ItemFigures]) -> Iterator[Block]:
    categories = [each for each in found if each.word is None]
    yield Table("Categories", _columns(), [_row(each) for each in categories], "categories.csv")
    of_words = [each for each in found if each.word is not None]
    if not of_words:
        yield Text("Scores in files do not say which words were right: give the vectors to see words.")
        return
    found_fault = (each for each in of_words if each.finding)
    # What most models know comes first.
    listed = sorted(found_fault, key=lambda each: (_FINDINGS.index(each.finding), -each.known))
    heading = [*columns("word", kind="name"), *_columns()]
    rows = [[words([each.word or ""], each.language), *_row(each)] for each in listed]
    yield Table("Words to look at", heading, rows, "items.csv", first=_SHOWN)
    against = sum(each.finding == _FINDINGS[0] for each in listed)
    tested = sum(each.discrimination is not None for each in of_words)
    yield Text(
        f"{len(listed)} of {len(of_words)} words. {against} of the {tested} that have a discrimination are "
        f"against the rest; by chance alone {tested / 40:.0f} would be."
    )


def _columns() -> list[Column]:
    counts = columns("models", "knowing", "above chance", SCORE, "discrimination")
    return [
        *columns("category", kind="name"),
        *(*counts, Column(INTERVAL, ("low", "high")), *columns("finding", kind="text")),
    ]


def _row(each: ItemFigures) -> list[Cell]:
    return [
        *(name(each.title), count(each.models), count(each.known), count(each.above), rate(each.value)),
        *(rate(each.discrimination), interval(each.low, each.high), name(each.finding)),
    ]
