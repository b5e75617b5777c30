"""The section of a comparison of languages: what each knows, and which differ on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from evaluator.reports.cells import (
    columns,
    count,
    interval,
    name,
    p_value,
    rate,
    signed,
    without_empty,
    words,
)
from evaluator.reports.page import Block, Cell, Column, Fact, Figure, Fold, Notes, Section, Table, Text
from evaluator.reports.words import BASELINE, CHANCE, CORRECTED, INTERVAL, OVER, P_HOLM, READING, SCORE, P
from evaluator.results.comparison import AlignedItems, ComparisonFile, Kind, Row
from evaluator.results.figures.forest import MOST_GROUPS, Mark, forest_figure

_MOST_FOUND = 10


def comparison_section(found: ComparisonFile) -> Section:
    """All that a comparison found."""
    subsections = [
        Section("Languages", [_languages(found), *_failed(found)]),
        Section("Each language on all words of its own test set", list(_whole(found))),
        Section("How often the corpora mention them", list(_mentions(found))),
        Section("The same items in all languages", list(_aligned(found))),
        Section("Which languages differ", list(_differences(found))),
    ]
    codes = ", ".join(each.code for each in found.languages)
    return Section(
        f"Languages compared: {codes}",
        [Notes("Found", _findings(found))],
        [each for each in subsections if each.blocks],
        [
            Fact("Signatures", [f"{each.code}|{each.signature}" for each in found.languages], code=True),
            Fact("Test sets", [f"{each.test_set}, sha256 {each.sha256}" for each in found.languages]),
        ],
    )


def _findings(found: ComparisonFile) -> list[str]:
    """Which languages differ on the same items."""
    if not found.differences:
        return ["No two languages could be compared on the same items."]
    differ = [each for each in found.differences if each.reading == "differ"]
    several = f"{len(differ)} of {len(found.differences)} differences"
    clear = "are significant, with the better language above chance and frequency baseline"
    lines = [f"{several} between two languages on the same items {clear}."]
    for each in differ[:_MOST_FOUND]:
        better, other = (each.second, each.first) if each.value > 0 else (each.first, each.second)
        title = _heading(found, each.category, each.kind)
        lines.append(f"{title}: {better} is better than {other} in {each.measure} by {abs(each.value):.4f}.")
    more = len(differ) - _MOST_FOUND
    return [*lines, *([f"and {more} more, in the table of differences"] if more > 0 else [])]


def _languages(found: ComparisonFile) -> Table:
    headings = [*columns("language", kind="name"), *columns("vectors", kind="text")]
    headings += [*columns("words", "dimensions"), *columns("test set", "profile", kind="text")]
    rows = [
        [
            *(name(each.code), name(each.vectors), count(each.vocabulary), count(each.dimension)),
            *(name(each.test_set), name(each.profile)),
        ]
        for each in found.languages
    ]
    return without_empty(Table("The languages that are compared", headings, rows))


def _failed(found: ComparisonFile) -> list[Block]:
    lines = [f"{code}: {reason}" for code, reason in found.failed.items()]
    return [Notes("Languages that could not be scored", lines, detail=True)] if lines else []


def _whole(found: ComparisonFile) -> Iterator[Block]:
    yield Text(
        "This says what each language knows of a topic, and not which knows more: test sets and vocabularies "
        "name different items. The frequency baseline is a model that knows only how frequent words are; a "
        "score whose interval holds the baseline's score says nothing about meaning.",
        detail=True,
    )
    yield from _view(found, found.rows, "compare", "Each language on its own words")


def _mentions(found: ComparisonFile) -> Iterator[Block]:
    """Counts, and how far scores have their order."""
    if not found.mentions:
        return
    yield Text(
        "Counting is the simpler method that scores have to beat: tokens of a language's corpus that are "
        "words of the category, for each million. Near a rank correlation of 1, counting says the same.",
        detail=True,
    )
    headings = [*columns("category", kind="name"), *columns("language", kind="text")]
    headings += columns("mentions", "per million words")
    rows = [
        [
            *(name(_heading(found, each.category, each.kind)), name(each.language)),
            *(count(each.mentions), Cell(f"{each.per_million:,.1f}", (each.per_million,))),
        ]
        for each in found.mentions
    ]
    yield Table("Mentions in the corpora", headings, rows, "compare-mentions.csv")
    headings = [*columns("measure", "language", kind="text"), *columns("categories", "rank correlation")]
    headings += [Column(INTERVAL, ("low", "high"))]
    rows = [
        [
            *(name(each.measure), name(each.language or "all"), count(each.n)),
            *(signed(each.spearman), interval(each.low, each.high)),
        ]
        for each in found.agreement
    ]
    if rows:
        yield Table("Rank correlation of scores and mentions", headings, rows, "compare-agreement.csv")


def _aligned(found: ComparisonFile) -> Iterator[Block]:
    if not found.concepts:
        return
    yield Text(
        "Here a category consists of the items that all languages name and all vocabularies contain, one "
        "word each, in vocabularies of the same size unless the settings say otherwise.",
        detail=True,
    )
    yield from _view(found, found.aligned, "compare-aligned", "Languages on the same items")
    titles = {each.category: _heading(found, each.category, "category") for each in found.concepts}
    skipped = [f"{titles[each.category]}: {each.skipped}" for each in found.concepts if each.skipped]
    if skipped:
        yield Notes("No power, not compared", skipped)
    for each in found.concepts:
        if each.items:
            summary = f"{titles[each.category]}: {len(each.items)} of {each.named} items that all name"
            yield Fold(summary, [_items(each, titles)])


def _view(found: ComparisonFile, rows: Sequence[Row], file: str, caption: str) -> Iterator[Block]:
    if not rows:
        return
    marks = [
        Mark(
            *(_heading(found, row.category, row.kind), row.language),
            *(row.value, row.low, row.high, row.chance, row.baseline),
            panel=row.measure,
        )
        for row in rows
    ]
    if len(found.groups) <= MOST_GROUPS:
        yield Figure(
            f"{caption}, a colour for each language; the table below has the same numbers",
            "Dots are scores with their 95% intervals; a short stroke is the chance level, a diamond the "
            "frequency baseline, a cross no score.",
            partial(forest_figure, marks),
            file,
        )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "language", kind="text")),
        *(*columns("words", "OOV", SCORE), Column(INTERVAL, ("low", "high"))),
        *(*columns(CHANCE, BASELINE), Column("no score because", kind="prose")),
    ]
    cells = [_row(each, _heading(found, each.category, each.kind)) for each in _by_measure(rows)]
    yield without_empty(Table(caption, headings, cells, f"{file}.csv"))


def _heading(found: ComparisonFile, category: str, kind: Kind) -> str:
    """What people are shown of a category or topic."""
    return found.headings.get((category, kind), category)


def _by_measure(rows: Iterable[Row]) -> list[Row]:
    """Languages below each other, category by category and measure by measure."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.category, row.kind, row.measure), []).append(row)
    return [row for own in groups.values() for row in own]


def _row(row: Row, heading: str) -> list[Cell]:
    return [
        *(name(heading), name(row.measure), name(row.language), count(row.n), count(row.oov)),
        *(rate(row.value), interval(row.low, row.high), rate(row.chance), rate(row.baseline)),
        name(row.skipped or ""),
    ]


def _items(found: AlignedItems, titles: Mapping[str, str]) -> Table:
    codes = list(dict.fromkeys(code for each in found.items for code in each.words))
    headings = [*columns("item", kind="name"), *columns(*codes, kind="text")]
    rows = [
        [name(each.id), *(words([each.words[code]] if code in each.words else [], code) for code in codes)]
        for each in found.items
    ]
    return Table(f"The items of {titles[found.category]} that all languages name and know", headings, rows)


def _differences(found: ComparisonFile) -> Iterator[Block]:
    if not found.differences:
        return
    yield Text(f"Second minus first. {CORRECTED.format('all tests of the comparison')}")
    yield Text(
        "“Not above baseline”: the better language is not above chance and the frequency baseline, so that "
        "the difference says nothing about meaning. “No power”: this comparison could not have found "
        "anything. “Not told apart”: a difference as large as the one it detects would probably have been "
        "found; it does not say that languages are equal. Combined is not tested: it is not a mean over "
        "items.",
        detail=True,
    )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "first", "second", kind="text")),
        *(Column("difference"), Column(INTERVAL, ("low", "high"))),
        *(*columns(P, P_HOLM), *columns(OVER, kind="text"), *columns("items", "detects")),
        *columns(READING, kind="text"),
    ]
    rows = [
        [
            name(_heading(found, each.category, each.kind)),
            *(name(each.measure), name(each.first), name(each.second)),
            *(signed(each.value), interval(each.low, each.high, "+"), p_value(each.p)),
            *(p_value(each.p_holm), name(each.over), count(each.items)),
            *(Cell(f"{each.detects:.2f}", (each.detects,)), name(each.reading)),
        ]
        for each in found.differences
    ]
    yield Table("Differences between languages on the same items", headings, rows, "compare-differences.csv")
