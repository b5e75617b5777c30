"""The section of a comparison of languages: what each knows, and which differ on the same items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from evaluator.reports.cells import columns, count, interval, name, rate, signed, without_empty, words
from evaluator.reports.commands import as_given
from evaluator.reports.inputs import InputFile
from evaluator.reports.page import Block, Cell, Column, Fact, Facts, Figure, Fold, Notes, Section, Table, Text
from evaluator.results.comparison import AlignedItems, ComparisonFile, Row
from evaluator.results.figures.languages import MOST_GROUPS, languages_figure

_MOST_FOUND = 10


def comparison_section(file: InputFile, found: ComparisonFile) -> Section:
    """All that a comparison found."""
    subsections = [
        Section("Languages", [_languages(found), *_failed(found)]),
        Section("Each language on all words of its own test set", list(_whole(found))),
        Section("How often the corpora mention them", list(_mentions(found))),
        Section("The same items in all languages", list(_aligned(found))),
        Section("Which languages differ", list(_differences(found))),
        Section(
            "How to get these numbers again", [Facts([*as_given(file), *_provenance(found), file.origin])]
        ),
    ]
    codes = ", ".join(each.code for each in found.languages)
    return Section(
        f"Languages compared: {codes}",
        [Notes("Found", _findings(found))],
        [each for each in subsections if each.blocks],
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
        title = found.headings.get((each.category, each.kind), each.category)
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
    return [Notes("Languages that could not be scored", lines)] if lines else []


def _whole(found: ComparisonFile) -> Iterator[Block]:
    yield Text(
        "This says what each language knows of a topic, and not which knows more: test sets and vocabularies "
        "name different items. The baseline is a model that knows only how frequent words are; a score whose "
        "interval holds the baseline's score says nothing about meaning."
    )
    yield from _view(found, found.rows, "whole", "Each language on its own words")


def _mentions(found: ComparisonFile) -> Iterator[Block]:
    """Counts, and how far scores have their order."""
    if not found.mentions:
        return
    yield Text(
        "Counting is the simpler method that scores have to beat: tokens of a language's corpus that are "
        "words of the category, for each million. Near a rank correlation of 1, counting says the same."
    )
    headings = [*columns("category", kind="name"), *columns("language", kind="text")]
    headings += columns("mentions", "per million words")
    rows = [
        [
            *(name(found.headings.get((each.category, each.kind), each.category)), name(each.language)),
            *(count(each.mentions), Cell(f"{each.per_million:,.1f}", (each.per_million,))),
        ]
        for each in found.mentions
    ]
    yield Table("Mentions in the corpora", headings, rows, "compare-mentions.csv")
    headings = [*columns("measure", "language", kind="text"), *columns("categories", "rank correlation")]
    headings += [Column("95% interval", ("low", "high"))]
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
    yield Text(
        "Here a category consists of the items that all languages name and all vocabularies contain, one "
        "word each, in vocabularies of the same size unless the settings say otherwise."
    )
    yield from _view(found, found.aligned, "aligned", "Languages on the same items")
    skipped = [f"{each.category}: {each.skipped}" for each in found.concepts if each.skipped]
    if skipped:
        yield Notes("No power, not compared", skipped)
    for each in found.concepts:
        if each.items:
            yield Fold(f"{each.category}: {len(each.items)} of {each.named} items", [_items(each)])


def _view(found: ComparisonFile, rows: Sequence[Row], view: str, caption: str) -> Iterator[Block]:
    if not rows:
        return
    if len({(row.category, row.kind) for row in rows}) <= MOST_GROUPS:
        yield Figure(
            f"{caption}, a colour for each language; the table below has the same numbers",
            "Dots are scores with their 95% intervals; a short stroke is the chance level, a diamond the "
            "frequency baseline, a cross no score.",
            partial(languages_figure, rows, found.groups),
        )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "language", kind="text")),
        *(*columns("words", "OOV", "score"), Column("95% interval", ("low", "high"))),
        *(*columns("chance", "baseline"), Column("no score because", kind="prose")),
    ]
    titles = found.headings
    cells = [_row(each, titles.get((each.category, each.kind), each.category)) for each in _by_measure(rows)]
    yield without_empty(Table(caption, headings, cells, f"compare-{view}.csv"))


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


def _items(found: AlignedItems) -> Table:
    codes = list(dict.fromkeys(code for each in found.items for code in each.words))
    headings = [*columns("item", kind="name"), *columns(*codes, kind="text")]
    rows = [
        [name(each.id), *(words([each.words[code]] if code in each.words else [], code) for code in codes)]
        for each in found.items
    ]
    return Table(f"The items of {found.category} that all languages name and know", headings, rows)


def _differences(found: ComparisonFile) -> Iterator[Block]:
    if not found.differences:
        return
    yield Text(
        "Second minus first; p by a paired t-test, corrected for all tests of the comparison (Holm). “Not "
        "above baseline”: the better language is not above chance and the frequency baseline, so that the "
        "difference says nothing about meaning. “No power”: this comparison could not have found anything. "
        "“Not told apart”: a difference as large as the one it detects would probably have been found; it "
        "does not say that languages are equal. Combined is not tested: it is not a mean over items."
    )
    headings = [
        *(*columns("category", kind="name"), *columns("measure", "first", "second", kind="text")),
        *(Column("difference"), Column("95% interval", ("low", "high"))),
        *(*columns("p", "p (Holm)"), *columns("test over", kind="text"), *columns("items", "detects")),
        *columns("reading", kind="text"),
    ]
    titles = found.headings
    rows = [
        [
            *(
                name(titles.get((each.category, each.kind), each.category)),
                name(each.measure),
                name(each.first),
                name(each.second),
            ),
            *(signed(each.value), interval(each.low, each.high, "+"), rate(each.p), rate(each.p_holm)),
            name(each.over),
            *(count(each.items), Cell(f"{each.detects:.2f}", (each.detects,)), name(each.reading)),
        ]
        for each in found.differences
    ]
    yield Table("Differences between languages on the same items", headings, rows, "compare-differences.csv")


def _provenance(found: ComparisonFile) -> Iterator[Fact]:
    yield Fact("Signatures", [each.signature for each in found.languages], code=True)
    yield Fact("Test sets", [f"{each.test_set}, sha256 {each.sha256}" for each in found.languages])
