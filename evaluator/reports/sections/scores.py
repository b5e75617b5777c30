"""The section of a file of scores: every model on every category, and how models differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.measures.base import Subscore
from evaluator.reports.cells import columns, count, estimate, estimate_columns, interval, name, rate
from evaluator.reports.commands import shown_settings
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
from evaluator.results.scores import COLUMNS, Score, Scores, ScoresFile

MOST_FIGURES = 8
"""Figures are drawn of this many models of a file; more are too many to look at, and the tables have all."""

_MOST_SHOWN = 30
_NAMED = 3  # models in the heading


def scores_section(found: ScoresFile) -> Section:
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
    if found.differences:
        tested = TestedModels.of(found.differences)
        subsections.insert(0, Section("Differences between models", list(differences_of(tested))))
    failed = found.reasons
    subsections += [Section("What could not be scored", [_listed("Why", failed)])] if failed else []
    names = list(dict.fromkeys(each.model for each in results))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return Section(f"Scores: {', '.join(names[:_NAMED])}{more}", [], subsections, list(origins(results)))


def _title(found: Scores) -> str:
    sizes = [
        f"{number:,} {what}"
        for number, what in ((found.vocabulary, "words"), (found.dimension, "dimensions"))
        if number is not None
    ]
    title = f"{found.model} on {found.test_set} ({found.language})"
    return f"{title}: {', '.join(sizes)}" if sizes else title


def _blocks(found: Scores, figure: bool) -> Iterator[Block]:
    yield _overview(found)
    tables = _alike(found.measured)
    for scores in tables:
        yield _table(found, scores, several=len(tables) > 1)
        if figure and 1 < len(scores[0].subscores) <= MOST_ROWS:
            yield _figure(found, scores)
    yield from _remarks(found)


def _overview(found: Scores) -> Table:
    """The score by each measure, and the same on known words alone."""
    headings = [Column("measure", kind="name"), Column("words", kind="text"), *columns("n", "known", SCORE)]
    headings += [
        Column(f"{INTERVAL}, other {what}", (f"{what} low", f"{what} high"))
        for what in ("words", "categories")
    ]
    headings += [Column(CHANCE), Column(BASELINE)]
    rows = [
        [
            *(name(own.measure), name(own.words), count(own.n), count(own.known), rate(own.value)),
            *(interval(own.low, own.high), interval(own.categories_low, own.categories_high)),
            *(rate(own.chance), rate(own.baseline)),
        ]
        for score in found.scores
        for own in (score, score.of_known)
        if own is not None
    ]
    return Table(f"{found.model} on {found.test_set}", headings, rows)


def _alike(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores that fit into one table: those on the same categories."""
    together: dict[tuple[object, ...], list[Score]] = {}
    for each in scores:
        key = (each.unit, *((sub.name, sub.n, sub.known) for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return list(together.values())


def _table(found: Scores, scores: Sequence[Score], several: bool) -> Table:
    headings = [Column("category", kind="name"), *columns("n", "known")]
    headings += [column for each in scores for column in estimate_columns(each.measure)]
    first = scores[0]
    rows = [
        [name(title), count(row[0].n), count(row[0].known), *_estimates(row)]
        for title, row in (
            *((row[0].heading, row) for row in zip(*(each.subscores for each in scores), strict=True)),
            ("all", (first, *scores[1:])),
        )
    ]
    measures = f" by {', '.join(each.measure for each in scores)}" if several else ""
    caption = f"{found.model} on {found.test_set}{measures}, category by category"
    return Table(caption, headings, rows, totals=1)


def _estimates(scores: Sequence[Score | Subscore]) -> list[Cell]:
    return [cell for each in scores for cell in estimate(each.value, each.low, each.high, each.chance)]


def _figure(found: Scores, scores: Sequence[Score]) -> Figure:
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
        f"{', '.join(panels)} of {found.model} on {len(shown)} categories of {found.test_set}; the table "
        "above has the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes the chance level. "
        "Categories without any score are left out.",
        partial(forest_figure, marks),
    )


def _remarks(found: Scores) -> Iterator[Block]:
    """What the table does not say: other figures, what was drawn, and what was skipped."""
    several = found.multiword.get("several", 0)
    if several:
        yield Text(f"{several} of {found.multiword.get('words', 0)} test words consist of several words.")
    subscores = sorted(
        ((sub, each.measure) for each in found.measured for sub in each.subscores),
        key=lambda row: row[0].name,
    )
    drawn = [
        f"{sub.heading}, {measure}: standard error {sub.error:.5f}" for sub, measure in subscores if sub.error
    ]
    if drawn:
        yield Notes("Subsets were drawn", drawn)
    further = [line for each in found.measured for line in _further(each)]
    if further:
        yield Notes("Further figures, means over the categories", further)
    skipped = [f"{sub.heading}, {measure}: {sub.skipped}" for sub, measure in subscores if sub.skipped]
    if skipped:
        yield _listed("Skipped, and not in the mean", skipped)
    yield Facts([Fact("Signatures", [each.signature for each in found.measured], code=True)])


def _listed(title: str, lines: Sequence[str]) -> Notes:
    more = [f"and {len(lines) - _MOST_SHOWN} more, in the data"] if len(lines) > _MOST_SHOWN else []
    return Notes(title, [*lines[:_MOST_SHOWN], *more])


def _further(score: Score) -> Iterator[str]:
    by_key: dict[str, list[float]] = {}
    for sub in score.subscores:
        for key, value in sub.extra.items():
            by_key.setdefault(key, []).append(value)
    for key, known in sorted(by_key.items()):
        yield f"{score.measure}, {key}: {sum(known) / len(known):.4f}"


def origins(results: Sequence[Scores]) -> Iterator[Fact]:
    """Settings, test sets and vectors, each once."""
    yield Fact("Settings", list(dict.fromkeys(shown_settings(each.scores[0].signature) for each in results)))
    tests = dict.fromkeys(f"{each.test_set}, sha256 {each.test_sha256}" for each in results)
    yield Fact("Test sets", list(tests))
    vectors = (
        f"{each.model}, sha256 {each.model_sha256}" if each.model_sha256 else each.model for each in results
    )
    yield Fact("Vectors", list(dict.fromkeys(vectors)))


def _downloads(results: Sequence[Scores]) -> Downloads:
    """The long table."""
    rows = [[Cell("", (row.get(each),)) for each in COLUMNS] for scores in results for row in scores.rows()]
    text = Table("", columns(*COLUMNS), rows).as_csv()
    return Downloads([Link("scores.csv", text.encode(errors="replace"), "text/csv")])
