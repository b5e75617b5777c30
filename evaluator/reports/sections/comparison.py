"""The section of a comparison of languages: what each knows, and which differ on the same items."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.reports.cells import (
    BASELINES,
    CHANCE,
    CORRECTED,
    INTERVAL,
    READING,
    SCORE,
    WITH_BUILT,
    columns,
    count,
    interval,
    name,
    rate,
    tested,
    tested_columns,
    without_empty,
    words,
)
from evaluator.reports.page import Block, Cell, Column, Figure, Fold, Notes, Section, Table, Text
from evaluator.reports.sections.score_details import origins
from evaluator.results.comparison import (
    AlignedCategory,
    ComparisonFile,
    LanguageDifference,
    View,
    in_view,
)
from evaluator.results.figures.forest import MOST_GROUPS, Mark, forest_figure
from evaluator.results.kept import listed
from evaluator.results.numbers import first_few
from evaluator.results.score import ABOVE_CHANCE, bounds

_MOST_FOUND = 10


def comparison_section(found: ComparisonFile) -> Section:
    """All that a comparison found."""
    subsections = [
        Section("Each language on all words of its own test set", list(_whole(found))),
        Section("The same items in all languages", list(_aligned(found))),
        Section("Which languages differ", list(_differences(found))),
    ]
    return Section(
        f"Languages compared: {', '.join(found.languages)}",
        [Notes("Found", _findings(found)), _languages(found), *_remarks(found)],
        [each for each in subsections if each.blocks],
        list(origins(found.results)),
    )


def _findings(found: ComparisonFile) -> list[str]:
    if not found.differences:
        return ["No two languages could be compared on the same items."]
    differ = [each for each in found.differences if each.reading == "differ"]
    several = f"{len(differ)} of {len(found.differences)} differences"
    clear = f"are significant, with the better language above {_levels(found)}"
    better = []
    for each in differ:
        winner, other = (each.second, each.first) if each.value > 0 else (each.first, each.second)
        title = found.heading(each.category, each.kind)
        better.append(f"{title}: {winner} is better than {other} in {each.measure} by {abs(each.value):.4f}.")
    listed = first_few(better, _MOST_FOUND, "and {} more, in the table of differences")
    return [f"{several} between two languages on the same items {clear}.", *listed]


def _levels(found: ComparisonFile) -> str:
    """Chance, and the baselines that there are on the same items."""
    aligned = (score for each in found.results if each.keys.get("view") == "aligned" for score in each)
    return listed(("chance", *dict.fromkeys(name for score in aligned for name in score.baselines)))


def _detects(found: LanguageDifference) -> Cell:
    """The difference that a comparison detects; a larger one than the measure can have is none."""
    lowest, highest = bounds(found.measure)
    most = highest - lowest
    shown = f"more than {most:g}" if found.detects > most else f"{found.detects:.2f}"
    return Cell(shown, (found.detects,))


def _languages(found: ComparisonFile) -> Table:
    first = {each.language: each for each in reversed(found.results)}
    headings = [*columns("language", kind="name"), *columns("vectors", kind="text")]
    headings += [*columns("words", "dimensions"), *columns("test set", kind="text")]
    rows = [
        [
            *(name(code), name(first[code].model), count(first[code].vocabulary)),
            *(count(first[code].dimension), name(first[code].test_set)),
        ]
        for code in found.languages
    ]
    return Table("The languages that are compared", headings, rows)


def _remarks(found: ComparisonFile) -> Iterator[Notes]:
    failed = [f"{code}: {reason}" for code, reason in found.failed.items()]
    if failed:
        yield Notes("Languages that could not be scored", failed, detail=True)
    if found.notes:
        yield Notes("Vectors", list(found.notes), detail=True)


def _whole(found: ComparisonFile) -> Iterator[Block]:
    yield Text(
        "This says what each language knows of a topic, and not which knows more: test sets and vocabularies "
        "name different items. The baselines are models that know only how frequent words are, or only their "
        "letters. A score says something about meaning if its whole interval is above chance and a paired "
        "test of the difference shows it to be above each baseline; its interval alone does not show that.",
        detail=True,
    )
    yield from _view(found, "whole", "compare", "Each language on its own words")
    skipped = [
        f"{group.heading}: {failure.keys.get('language')}: {failure.reason}"
        for group in found.groups
        for failure in found.failures
        if failure.keys.get(group.kind) == group.name
    ]
    if skipped:
        yield Notes("What could not be scored", skipped)


def _aligned(found: ComparisonFile) -> Iterator[Block]:
    if not found.concepts:
        return
    yield Text(
        "Here a category consists of the items that all languages name and all vocabularies contain, one "
        "word each, in vocabularies of the same size unless the settings say otherwise.",
        detail=True,
    )
    yield from _view(found, "aligned", "compare-aligned", "Languages on the same items")
    headings = {each.category: found.heading(each.category, "category") for each in found.concepts}
    skipped = [f"{headings[each.category]}: {each.skipped}" for each in found.concepts if each.skipped]
    if skipped:
        yield Notes("No power, not compared", skipped)
    for each in found.concepts:
        if each.items:
            heading = headings[each.category]
            summary = f"{heading}: {len(each.items)} of {each.named} items that all name"
            yield Fold(summary, [_items(each, heading)])


def _view(found: ComparisonFile, view: View, file: str, caption: str) -> Iterator[Block]:
    rows = [
        (group.heading, scores, score)
        for group in found.groups
        for several in [in_view(found.results, view, group)]
        for measure in dict.fromkeys(score.measure for scores in several for score in scores)
        for scores in several
        if (score := scores.get(measure))
    ]
    if not rows:
        return
    marks = [
        Mark(
            *(heading, scores.language, score.value, score.low, score.high, score.chance, score.baseline),
            score.spelling,
            panel=score.measure,
        )
        for heading, scores, score in rows
        if score.measure != ABOVE_CHANCE
    ]
    if len(found.groups) <= MOST_GROUPS:
        yield Figure(
            f"{caption}, a colour for each language; the table below has the same numbers",
            "Dots are scores with their 95% intervals; a short stroke is the chance level, a diamond the "
            "frequency baseline, a triangle the spelling baseline.",
            partial(forest_figure, marks),
            file,
        )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "language", kind="text")),
        *(*columns("n", "known", SCORE), Column(INTERVAL, ("low", "high")), *columns(CHANCE, *BASELINES)),
        *columns(WITH_BUILT),
    ]
    cells = [
        [
            *(name(heading), name(score.measure), name(scores.language)),
            *(count(score.n), count(score.known), rate(score.value), interval(score.low, score.high)),
            *(rate(score.chance), rate(score.baseline), rate(score.spelling)),
            rate(None if score.with_built is None else score.with_built.value),
        ]
        for heading, scores, score in rows
    ]
    yield without_empty(Table(caption, headings, cells, f"{file}.csv"))


def _items(found: AlignedCategory, heading: str) -> Table:
    headings = [*columns("item", kind="name"), *columns(*found.words, kind="text")]
    rows = [
        [name(item), *(words([of_language[number]], code) for code, of_language in found.words.items())]
        for number, item in enumerate(found.items)
    ]
    return Table(f"The items of {heading} that all languages name and know", headings, rows)


def _differences(found: ComparisonFile) -> Iterator[Block]:
    if not found.differences:
        return
    yield Text(f"Second minus first. {CORRECTED.format('all tests of the comparison')}")
    yield Text(
        f"“Not above baseline”: the better language is not above {_levels(found)}, so that the difference "
        "says nothing about meaning. “No power”: even a difference as large as the better score is above "
        "chance would probably have been missed. “Not told apart”: a difference as large as the one it "
        "detects would probably have been found; it does not say that languages are equal. Combined is not "
        "tested: it is not a mean over items.",
        detail=True,
    )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "first", "second", kind="text")),
        *(*tested_columns(), Column("detects"), *columns(READING, kind="text")),
    ]
    rows = [
        [
            name(found.heading(each.category, each.kind)),
            *(name(each.measure), name(each.first), name(each.second)),
            *tested(each, each.tested, each.p_holm, each.tests[0][0]),
            *(_detects(each), name(each.reading)),
        ]
        for each in found.differences
    ]
    yield Table("Differences between languages on the same items", headings, rows, "compare-differences.csv")
