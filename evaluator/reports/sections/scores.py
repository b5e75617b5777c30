"""The section of a file of scores: every model on every category, and how models differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from evaluator.reports.cells import count, estimate, estimate_columns, interval, name, rate
from evaluator.reports.commands import settings_of, shown_settings
from evaluator.reports.page import (
    Block,
    Cell,
    Column,
    Downloads,
    Fact,
    Facts,
    Figure,
    Fold,
    Link,
    Notes,
    Section,
    Table,
    Text,
)
from evaluator.reports.sections.differences import TestedModels, differences_of
from evaluator.reports.words import BASELINE, CHANCE, INTERVAL, SCORE
from evaluator.results.figures.forest import MOST_PANELS, MOST_ROWS, Mark, forest_figure
from evaluator.results.score_lines import ScoreLines
from evaluator.results.score_table import failures_in
from evaluator.results.scores import ScoreRecord, ScoresFile, ScoresRecord, SubscoreRecord

MOST_FIGURES = 8
"""Figures are drawn of this many models of a file; more are too many to look at, and the tables have all."""

_MOST_SHOWN = 30
_NAMED = 3  # models in the heading


def scores_section(found: ScoresFile | ScoreLines) -> Section:
    """All that a file of scores says."""
    results = found.results
    figures = min(len(results), MOST_FIGURES)
    models: list[Block] = [
        Fold(_title(each), list(_blocks(each, number < figures)), open=number == 0)
        for number, each in enumerate(results)
    ]
    if len(results) > figures:
        models.insert(0, Text(f"Figures are drawn of the first {figures} models; the tables have all."))
    subsections = [Section("Scores by category", [*models, _downloads(results)])]
    if isinstance(found, ScoresFile) and found.differences:
        tested = TestedModels.of(found.differences)
        subsections.insert(0, Section("Differences between models", list(differences_of(tested))))
    failures = failures_in(found)
    subsections += [Section("What could not be scored", [_listed("Why", failures)])] if failures else []
    names = list(dict.fromkeys(each.vectors for each in results))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Section(f"Scores: {', '.join(names[:_NAMED])}{more}", [], subsections, list(_origins(results)))


def _title(found: ScoresRecord) -> str:
    sizes = [
        f"{number:,} {what}"
        for number, what in ((found.vocabulary, "words"), (found.dimension, "dimensions"))
        if number is not None
    ]
    title = f"{found.vectors} on {found.test_set} ({found.language})"
    return f"{title}: {', '.join(sizes)}" if sizes else title


def _blocks(found: ScoresRecord, figure: bool) -> Iterator[Block]:
    yield _overview(found)
    tables = _alike(found.scores)
    for scores in tables:
        yield _table(found, scores, several=len(tables) > 1)
        if figure and 1 < len(scores[0].subscores) <= MOST_ROWS:
            yield _figure(found, scores)
    yield from _remarks(found)


def _overview(found: ScoresRecord) -> Table:
    """The score by each measure, and the same on known words alone."""
    headings = [Column("measure", kind="name"), Column("words", kind="text"), Column(SCORE)]
    headings += [
        Column(f"{INTERVAL}, other {what}", (f"{what} low", f"{what} high"))
        for what in ("words", "categories")
    ]
    headings += [Column(CHANCE), Column(BASELINE)]
    oov = settings_of(found.scores[0].signature).get("oov")
    rows = [
        [name(each.measure), name(words), *_levels(each)]
        for words, scores in (("known" if oov == "skip" else "all", found.scores), ("known", found.known))
        for each in scores
    ]
    for title, both, level in (
        ("Combined", found.combined, found.combined_frequency),
        ("Above chance", found.above_chance, found.above_chance_frequency),
    ):
        if both is not None:
            cells = [rate(both.value), interval(both.low, both.high), rate(None), rate(both.chance)]
            rows.append([name(title), name("all"), *cells, rate(level)])
    known = "" if found.words is None else f", which knows {found.known_words} of {found.words} words"
    return Table(f"{found.vectors} on {found.test_set}{known}", headings, rows)


def _levels(score: ScoreRecord) -> list[Cell]:
    across = interval(score.categories_low, score.categories_high)
    own = [rate(score.value), interval(score.low, score.high), across]
    return [*own, rate(score.chance), rate(score.frequency)]


def _alike(scores: Sequence[ScoreRecord]) -> list[list[ScoreRecord]]:
    """Scores that fit into one table: those on the same categories."""
    together: dict[tuple[object, ...], list[ScoreRecord]] = {}
    for each in scores:
        key = (each.unit, *((sub.name, sub.size, sub.oov) for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return list(together.values())


def _table(found: ScoresRecord, scores: Sequence[ScoreRecord], several: bool) -> Table:
    headings = [Column("category", kind="name"), Column(scores[0].unit), Column("OOV")]
    headings += [column for each in scores for column in estimate_columns(each.measure)]
    rows = [
        [name(row[0].heading), count(row[0].size), count(row[0].oov), *_estimates(row)]
        for row in zip(*(each.subscores for each in scores), strict=True)
    ]
    first = scores[0].subscores
    total = [name("all"), _sum(sub.size for sub in first), _sum(sub.oov for sub in first)]
    rows.append([*total, *_estimates(scores)])
    measures = f" by {', '.join(each.measure for each in scores)}" if several else ""
    caption = f"{found.vectors} on {found.test_set}{measures}, category by category"
    return Table(caption, headings, rows, totals=1)


def _estimates(scores: Sequence[ScoreRecord | SubscoreRecord]) -> list[Cell]:
    return [cell for each in scores for cell in estimate(each.value, each.low, each.high, each.chance)]


def _sum(counts: Iterable[int | None]) -> Cell:
    known = list(counts)
    return count(None if None in known else sum(each for each in known if each is not None))


def _figure(found: ScoresRecord, scores: Sequence[ScoreRecord]) -> Figure:
    shown = [
        number
        for number in range(len(scores[0].subscores))
        if any(each.subscores[number].value is not None for each in scores)
    ]
    panels = [each.measure for each in scores[:MOST_PANELS]]
    marks = [
        Mark(sub.heading, "", sub.value, sub.low, sub.high, sub.chance, panel=each.measure)
        for each in scores[:MOST_PANELS]
        for sub in (each.subscores[number] for number in shown)
    ]
    return Figure(
        f"{', '.join(panels)} of {found.vectors} on {len(shown)} categories of {found.test_set}; the table "
        "above has the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes the chance level. "
        "Categories without any score are left out.",
        partial(forest_figure, marks),
    )


def _remarks(found: ScoresRecord) -> Iterator[Block]:
    """What the table does not say: other figures, what was drawn, and what was skipped."""
    several = found.multiword.get("several", 0)
    if several:
        yield Text(f"{several} of {found.multiword.get('words', 0)} test words consist of several words.")
    subscores = sorted(
        ((sub, each.measure) for each in found.scores for sub in each.subscores), key=lambda row: row[0].name
    )
    drawn = [
        f"{sub.heading}, {measure}: standard error {sub.error:.5f}" for sub, measure in subscores if sub.error
    ]
    if drawn:
        yield Notes("Subsets were drawn", drawn)
    further = [line for each in found.scores for line in _further(each)]
    if further:
        yield Notes("Further figures, means over the categories", further)
    skipped = [f"{sub.heading}, {measure}: {sub.skipped}" for sub, measure in subscores if sub.skipped]
    if skipped:
        yield _listed("Skipped, and not in the mean", skipped)
    yield Facts([Fact("Signatures", [each.signature for each in found.scores], code=True)])


def _listed(title: str, lines: Sequence[str]) -> Notes:
    more = [f"and {len(lines) - _MOST_SHOWN} more, in the data"] if len(lines) > _MOST_SHOWN else []
    return Notes(title, [*lines[:_MOST_SHOWN], *more])


def _further(score: ScoreRecord) -> Iterator[str]:
    by_key: dict[str, list[float]] = {}
    for sub in score.subscores:
        for key, value in (sub.extra or {}).items():
            by_key.setdefault(key, []).append(value)
    for key, known in sorted(by_key.items()):
        yield f"{score.measure}, {key}: {sum(known) / len(known):.4f}"


def _origins(results: Sequence[ScoresRecord]) -> Iterator[Fact]:
    yield Fact("Settings", list(dict.fromkeys(shown_settings(each.scores[0].signature) for each in results)))
    yield Fact("Test sets", list(dict.fromkeys(f"{each.test_set}, sha256 {each.sha256}" for each in results)))
    yield Fact("Vectors", list(dict.fromkeys(each.vectors for each in results)))
    yield Fact("Not known", ["the checksums of the vectors, which a file of scores does not have"])


def _downloads(results: Sequence[ScoresRecord]) -> Downloads:
    """All subscores in one long table."""
    names = ("model", "test set", "language", "measure", "category", "size", "oov")
    headings = [Column(each) for each in (*names, "value", "low", "high", "chance", "skipped")]
    rows = [
        [
            Cell("", (value,))
            for value in (
                *(each.vectors, each.test_set, each.language, score.measure, sub.name, sub.size, sub.oov),
                *(sub.value, sub.low, sub.high, sub.chance, sub.skipped),
            )
        ]
        for each in results
        for score in each.scores
        for sub in score.subscores
    ]
    text = Table("", headings, rows).as_csv()
    return Downloads([Link("subscores.csv", text.encode(errors="replace"), "text/csv")])
