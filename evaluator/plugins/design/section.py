"""The sections on the words of a test set that tell models apart, and on how large it must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from evaluator.plugins import (
    INTERVAL,
    SCORE,
    Block,
    Cell,
    Column,
    Section,
    Table,
    Text,
    columns,
    count,
    interval,
    name,
    rate,
    words,
)
from evaluator.plugins.design.result import ItemFigures, ItemsFile, Plan, PlanFile

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
    said = f"{len(listed)} of {len(of_words)} words."
    if tested:
        said += (
            f" {against} of the {tested} that have a discrimination are against the rest; by chance alone "
            f"{tested / 40:.1f} would be."
        )
    yield Text(said)


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


def plan_section(found: PlanFile) -> Section:
    """What can be found now, what with more words or categories, and what is needed."""
    subsections = [
        Section(f"{each.measure} on {each.test_set} ({each.language})", list(_plan_blocks(each)))
        for each in found.plans
    ]
    explained = Text(
        "The smallest difference between two models that `evaluator score` finds (p < 0.05) in four of five "
        "cases, on other words, or other categories, like these."
    )
    return Section("How large must the test set be?", [explained], subsections)


def _plan_blocks(found: Plan) -> Iterator[Block]:
    now = found.sizes[0]
    needed = _needed(found.words, now.words, "words"), _needed(found.categories, now.categories, "categories")
    aim = (
        f"A difference of {shown(found.difference)} needs {needed[0]} in a test over words, and {needed[1]} "
        "in one over categories."
    )
    if found.difference > found.most - found.value:
        aim = (
            f"No model can be better by {shown(found.difference)}: with the words that are known, a score is "
            f"at most {shown(found.most)}."
        )
    kinds = "category" if now.categories == 1 else "categories"
    yield Text(
        f"With these {now.words:,} words in {now.categories} {kinds}: {_smallest(now.over_words)} over "
        f"words, {_smallest(now.over_categories)} over categories. {aim}"
    )
    heading = columns("words", "categories", "over words", "over categories")
    rows = [
        [count(each.words), count(each.categories), rate(each.over_words), rate(each.over_categories)]
        for each in found.sizes
    ]
    yield Table("The smallest difference that is found", heading, rows, "plan.csv")
    assumed = (
        ""
        if found.models == 2
        else ", which is assumed: give vectors of two models that differ to measure it"
    )
    yield Text(
        f"The worse model has {shown(found.value)}. Both are right on the same words with a correlation of "
        f"{found.correlation:.2f}{assumed}. Words that are added are in categories like these."
    )


def shown(value: float) -> str:
    """A score with four decimals, in a sentence."""
    return rate(value).text


def _smallest(difference: float | None) -> str:
    return "no difference" if difference is None else shown(difference)


def _needed(number: int | None, there: int, of: str) -> str:
    if number is None:
        return f"more {of} than can be told from this pilot"
    return f"{number:,} {of}" + (f" ({number - there:,} more)" if number > there else "")
