"""The details of scores: every category, further figures, and what was skipped, and what numbers are from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.measures.base import Subscore
from evaluator.reports.cells import (
    BASELINES,
    CHANCE,
    INTERVAL,
    SCORE,
    columns,
    count,
    interval,
    name,
    rate,
    without_empty,
)
from evaluator.reports.page import Block, Cell, Column, Fact, Figure, Fold, Link, Notes, Table, Text
from evaluator.results import numbers
from evaluator.results.score import Score
from evaluator.results.scores import COLUMNS, Scores

_MOST_SHOWN = 30
_MOST_CATEGORIES, _BEST_KNOWN = 10, 8  # if there are more than the first, a terminal shows the second


def details_of(found: Scores, figure: bool) -> Iterator[Block]:
    """All that is said of a model on a test set, with a figure if asked for."""
    from evaluator.results.figures.forest import MOST_ROWS  # which the first screen need not load

    yield _by_measure(found)
    tables = alike(found.measured)
    for scores in tables:
        yield _by_category(found, scores, several=len(tables) > 1)
        if figure and 1 < len(scores[0].subscores) <= MOST_ROWS:
            yield _figure(found, scores)
    yield from _remarks(found)


def _by_measure(found: Scores) -> Table:
    known = any(score.of_known for score in found.scores)
    headings = [Column("measure", ("measure", "words"), kind="name"), *overview_columns()]
    rows = [
        [Cell(label, (own.measure, words)), *overview(own)]
        for score in found.scores
        for own, label, words in (
            (score, score.measure, score.words),
            (score.of_known, _known_alone(score), "known"),
            (score.with_built, f"with {found.built_words} built", "with built"),
        )
        if own is not None
    ]
    rows += [[Cell(failure.measure, (failure.measure, None)), *overview(None)] for failure in found.failures]
    caption = f"{found.model} on {found.test_set}{', all words and known ones' if known else ''}"
    return without_empty(Table(caption, headings, rows))


def _known_alone(score: Score) -> str:
    """That known words alone were asked, in how many categories."""
    subscores = score.of_known.subscores if score.of_known else ()
    scored = sum(each.value is not None for each in subscores)
    return f"known, of {scored}" if len(subscores) > 1 else "known"


def overview_columns() -> list[Column]:
    """The columns of all that is said of a score."""
    ends = (Column(f"{INTERVAL}, other {of}", (f"{of} low", f"{of} high")) for of in ("words", "categories"))
    return [*columns("n", "known", SCORE), *ends, *columns(CHANCE, *BASELINES)]


def overview(score: Score | None) -> list[Cell]:
    """The cells of `overview_columns`."""
    if score is None:
        ends = interval(None, None)
        return [count(None), count(None), rate(None), ends, ends, rate(None), rate(None), rate(None)]
    return [
        *(count(score.n), count(score.known), rate(score.value), interval(score.low, score.high)),
        interval(score.categories_low, score.categories_high),
        *(rate(score.chance), rate(score.baseline), rate(score.spelling)),
    ]


def alike(scores: Sequence[Score]) -> list[list[Score]]:
    """Scores that fit into one table: those on the same categories."""
    together: dict[tuple[object, ...], list[Score]] = {}
    for each in scores:
        key = (each.unit, *((sub.name, sub.n, sub.known) for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return list(together.values())


def _by_category(found: Scores, scores: Sequence[Score], several: bool) -> Table:
    """A row for each category: those that are scored, and of which most words are known, come first."""
    kind = "section" if scores[0].unit == "questions" else "category"
    alone = any(each.of_known for each in scores)
    headings = [Column(kind, kind="name"), *columns("n", "known")]
    headings += [column for each in scores for column in _category_columns(each, alone)]
    of_known = [
        {sub.name: sub.value for sub in each.of_known.subscores} if each.of_known else {} for each in scores
    ]
    rows = [
        [
            *(name(row[0].heading), count(row[0].n), count(row[0].known)),
            *(
                cell
                for sub, known in zip(row, of_known, strict=True)
                for cell in (
                    *(rate(sub.value), interval(sub.low, sub.high), rate(sub.chance)),
                    *([rate(known.get(sub.name))] if alone else []),
                )
            ),
        ]
        for row in sorted(zip(*(each.subscores for each in scores), strict=True), key=_best_known)
    ]
    first = _BEST_KNOWN if len(rows) > _MOST_CATEGORIES else None
    measures = f" by {', '.join(each.measure for each in scores)}" if several else ""
    caption = f"{found.model} on {found.test_set}{measures}, {kind} by {kind}"
    return Table(caption, headings, rows, first=first, detail=len(rows) == 1)


def _category_columns(score: Score, alone: bool) -> list[Column]:
    """A terminal leaves out most."""
    of = score.measure
    return [
        Column(SCORE, group=of),
        Column(INTERVAL, (f"{of} low", f"{of} high"), of, detail=True),
        Column(CHANCE, group=of, detail=True),
        *([Column("known alone", group=of)] if alone else []),
    ]


def _best_known(row: Sequence[Subscore]) -> tuple[bool, float, int]:
    n, known = row[0].n or 0, row[0].known or 0
    return all(sub.value is None for sub in row), -known / max(n, 1), -known


def _figure(found: Scores, scores: Sequence[Score]) -> Figure:
    from evaluator.results.figures.forest import MOST_PANELS, Mark, forest_figure

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
        f"{', '.join(panels)} of {found.model}, by category of {found.test_set}; the table "
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
    further = [line for each in found.measured for line in _further(each)]
    if further:
        yield Notes("Further figures, means over the categories", further)
    subscores = sorted(
        ((sub, each.measure) for each in found.measured for sub in each.subscores),
        key=lambda row: row[0].name,
    )
    drawn = [
        f"{sub.heading}, {measure}: standard error {sub.error:.5f}" for sub, measure in subscores if sub.error
    ]
    if drawn:
        yield Notes("Subsets were drawn", drawn, detail=True)


def _further(score: Score) -> Iterator[str]:
    """The share of all questions together; and the means of further figures of a measure."""
    if score.unit == "questions" and score.hits is not None and score.trials:
        share = numbers.rate(score.hits / score.trials)
        yield f"{score.measure}: {score.hits} of {score.trials} questions answered right ({share})"
    for key in sorted({key for sub in score.subscores for key in sub.extra}):
        values = [sub.extra[key] for sub in score.subscores if key in sub.extra]
        mean = sum(values) / len(values)
        is_count = mean.is_integer() and mean > 1
        yield f"{score.measure}, {key}: {numbers.count(mean) if is_count else numbers.rate(mean)}"


def origins(results: Sequence[Scores]) -> Iterator[Fact]:
    """Settings, test sets and vectors, each once."""
    settings = (shown_settings(each.scores[0].signature) for each in results)
    yield Fact("Settings", list(dict.fromkeys(settings)))
    tests = dict.fromkeys(f"{each.test_set}, sha256 {each.test_sha256}{_read_as(each)}" for each in results)
    yield Fact("Test sets", list(tests))
    vectors = (
        f"{each.model}, sha256 {each.model_sha256}" if each.model_sha256 else each.model for each in results
    )
    yield Fact("Vectors", list(dict.fromkeys(vectors)))


def _read_as(scores: Scores) -> str:
    """What the file was taken for, if it does not say so itself as testgen's do."""
    reading = scores.reading
    if reading is None or (reading.format == "testset" and not reading.skipped):
        return ""
    left_out = f"; left out: {'; '.join(reading.skipped)}" if reading.skipped else ""
    return f", read as {reading}{left_out}"


def origin_of(results: Sequence[Scores]) -> Iterator[Fact]:
    """Settings, test sets, vectors and signatures."""
    yield from origins(results)
    signatures = dict.fromkeys(score.signature for each in results for score in each.measured)
    yield Fact("Signatures", list(signatures), code=True)


def table_of(results: Sequence[Scores]) -> Iterator[Link]:
    """The one long table, for download."""
    rows = [[Cell("", (row.get(each),)) for each in COLUMNS] for scores in results for row in scores.rows()]
    text = Table("", columns(*COLUMNS), rows).as_csv()
    yield Link("scores.csv", text.encode(errors="replace"), "text/csv")


def settings_of(signature: str) -> dict[str, str]:
    """The settings in a signature, by key; the measure, which comes first, has no key."""
    pairs = (setting.partition(":") for setting in signature.split("|"))
    return {key: value for key, colon, value in pairs if colon}


def shown_settings(signature: str) -> str:
    """The settings in a signature, without the test set."""
    return ", ".join(f"{key} {value}" for key, value in settings_of(signature).items() if key != "test")


def skipped(found: Scores) -> Iterator[Block]:
    """The categories that are not in the mean, and why."""
    every, skipped = set[str](), dict[tuple[str, str], str]()
    for each in found.measured:
        for sub in each.subscores:
            every.add(sub.name)
            if sub.skipped:
                skipped[sub.name, each.measure] = f"{sub.heading}, {each.measure}: {sub.skipped}"
    if skipped:
        lines = [line for _, line in sorted(skipped.items())]
        names = {name for name, _ in skipped}
        yield Fold(f"Not in the mean: {len(names)} of {len(every)}", [listed("Skipped", lines)])


def listed(title: str, lines: Sequence[str]) -> Notes:
    """The first of many remarks."""
    return Notes(title, numbers.first_few(lines, _MOST_SHOWN, "and {} more, in the data"))
