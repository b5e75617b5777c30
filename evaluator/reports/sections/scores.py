"""The section of a file of scores: every model on every category, and how models differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.measures.base import Subscore
from evaluator.reports.cells import columns, count, estimate, estimate_columns, interval, name, rate
from evaluator.reports.commands import (
    again,
    as_given,
    command,
    options,
    reading_options,
    repeated,
    score_command,
    shown_settings,
)
from evaluator.reports.inputs import InputFile
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
from evaluator.reports.sections.summary import task_of
from evaluator.results.batch import BatchFile
from evaluator.results.figures.dots import MOST_PANELS, MOST_ROWS, Dot, dots_figure
from evaluator.results.scores import COLUMNS, Score, Scores, ScoresFile

MOST_FIGURES = 8
"""Figures are drawn of this many models of a file; more are too many to look at, and the tables have all."""

_MOST_SHOWN = 30


def scores_section(file: InputFile, found: ScoresFile) -> Section:
    """All that a file of scores says."""
    results = found.results
    figures = min(len(results), MOST_FIGURES)
    models: list[Block] = [
        Fold(_title(each), list(_blocks(each, number < figures)), open=number == 0)
        for number, each in enumerate(results)
    ]
    if len(results) > figures:
        models.insert(0, Text(f"Figures are drawn of the first {figures} models; the tables have all."))
    subsections = [Section("Scores by category", [*models, _downloads(file, results)])]
    if found.differences:
        tested = TestedModels.of(found.differences)
        subsections.insert(0, Section("Differences between models", list(differences_of(tested))))
    failed = found.reasons
    subsections += [Section("What could not be scored", [_listed("Why", failed)])] if failed else []
    facts = [*_commands(file, found), *_origins(results), file.origin]
    subsections.append(Section("How to get these scores again", [Facts(facts)]))
    return Section(f"Scores: {file.name}", [], subsections)


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
    headings = [Column("measure", kind="name"), Column("words", kind="text"), *columns("n", "known", "score")]
    headings += [
        Column(f"95% interval, other {what}", (f"{what} low", f"{what} high"))
        for what in ("words", "categories")
    ]
    headings += columns("chance", "frequency baseline")
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
    names = [scores[0].subscores[number].heading for number in shown]
    panels = {
        each.measure: [
            Dot(sub.value, sub.low, sub.high, sub.chance)
            for sub in (each.subscores[number] for number in shown)
        ]
        for each in scores[:MOST_PANELS]
    }
    return Figure(
        f"{', '.join(panels)} of {found.model} on {len(names)} categories of {found.test_set}; the table "
        "above has the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes the chance level. "
        "Categories without any score are left out.",
        partial(dots_figure, names, panels),
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


def _commands(file: InputFile, found: ScoresFile) -> list[Fact]:
    if isinstance(found, BatchFile):
        return _batch_command(file, found)
    if found.arguments:
        return as_given(file)
    tasks: dict[tuple[str, ...], list[Scores]] = {}
    for each in found.results:
        tasks.setdefault(task_of(each), []).append(each)
    return again(
        score_command(
            [each.model for each in together],
            together[0].test_set,
            [score.signature for score in together[0].measured],
            file.name,
        )
        for together in tasks.values()
    )


def _batch_command(file: InputFile, found: BatchFile) -> list[Fact]:
    """A command for each group of models that were scored on the same test sets."""
    tests: dict[str, dict[str, None]] = {}
    for line in found.lines:
        tests.setdefault(line.vectors, {}).update({line.test: None} if line.test else {})
    together: dict[tuple[str, ...], list[str]] = {}
    for model, own in tests.items():
        together.setdefault(tuple(own), []).append(model)
    held = [
        *repeated("--measure", found.measures or ()),
        *options(found.settings.signature | {"seed": str(found.settings.seed)}),
        *reading_options(found.reading),
        *("--output", file.name),
    ]
    lines = [command("batch", models, repeated("--test", own), held) for own, models in together.items()]
    reading = ", ".join(f"{key} {value}" for key, value in found.reading.items())
    return [*again(lines), Fact("Reading", [reading])]


def _origins(results: Sequence[Scores]) -> Iterator[Fact]:
    yield Fact("Settings", list(dict.fromkeys(shown_settings(each.scores[0].signature) for each in results)))
    tests = dict.fromkeys(f"{each.test_set}, sha256 {each.test_sha256}" for each in results)
    yield Fact("Test sets", list(tests))
    vectors = (f"{each.model}, sha256 {each.model_sha256 or 'not known'}" for each in results)
    yield Fact("Vectors", list(dict.fromkeys(vectors)))


def _downloads(file: InputFile, results: Sequence[Scores]) -> Downloads:
    """The long table."""
    rows = [[Cell("", (row.get(each),)) for each in COLUMNS] for scores in results for row in scores.rows()]
    text = Table("", columns(*COLUMNS), rows).as_csv()
    stem = file.name.rpartition("/")[2].removesuffix(".json").removesuffix(".jsonl")
    return Downloads([Link(f"{stem}-scores.csv", text.encode(errors="replace"), "text/csv")])
