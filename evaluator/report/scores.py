"""The section of a file of scores: every model on every part, and how models differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.report.cells import count, estimate, estimate_columns, name
from evaluator.report.commands import again, score_command, shown_settings
from evaluator.report.differences import differences_of
from evaluator.report.figures.dots import MOST_PANELS, MOST_ROWS, Dot, dots_figure
from evaluator.report.page import (
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
from evaluator.report.scores_file import MeasureScore, PartScore, Run, ScoresFile
from evaluator.report.source import Source, origin

MOST_FIGURES = 8
"""Of the models of a report; beyond that, figures would be too many to look at, and tables have all."""

_MOST_SHOWN = 30


def scores_section(source: Source, file: ScoresFile) -> Section:
    """All that a file of scores says."""
    figures = min(len(file.results), MOST_FIGURES)
    runs: list[Block] = [
        Fold(_title(run), list(_run_blocks(run, number < figures)), open=number == 0)
        for number, run in enumerate(file.results)
    ]
    if len(file.results) > figures:
        runs.insert(0, Text(f"Figures are drawn of the first {figures} models; the tables have all."))
    parts = [Section("Scores by category", [*runs, _downloads(source, file)])]
    if file.differences:
        parts.insert(0, Section("Differences between models", list(differences_of(file))))
    parts.append(
        Section("How to get these scores again", [Facts([*_provenance(source, file), origin(source)])])
    )
    return Section(f"Scores: {source.name}", [], parts)


def _title(run: Run) -> str:
    return (
        f"{run.vectors} on {run.test_set} ({run.language}): {run.vocabulary:,} words, "
        f"{run.dimension} dimensions"
    )


def _run_blocks(run: Run, figure: bool) -> Iterator[Block]:
    tables = _alike(run.scores)
    for scores in tables:
        yield _table(run, scores, several=len(tables) > 1)
        if figure and 1 < len(scores[0].parts) <= MOST_ROWS:
            yield _figure(run, scores)
    if run.combined is not None:
        both = run.combined
        yield Text(f"Combined: {both.value:.4f} (95% interval {both.low:.4f} to {both.high:.4f}).")
    yield from _remarks(run)


def _alike(scores: Sequence[MeasureScore]) -> list[list[MeasureScore]]:
    """Scores that fit into one table: those of the same parts."""
    together: dict[tuple[object, ...], list[MeasureScore]] = {}
    for each in scores:
        key = (each.unit, *((part.name, part.size, part.oov) for part in each.parts))
        together.setdefault(key, []).append(each)
    return list(together.values())


def _table(run: Run, scores: Sequence[MeasureScore], several: bool) -> Table:
    columns = [Column("part", kind="name"), Column(scores[0].unit), Column("OOV")]
    columns += [column for each in scores for column in estimate_columns(each.measure)]
    rows = [
        [name(parts[0].name), count(parts[0].size), count(parts[0].oov), *_part_cells(parts)]
        for parts in zip(*(each.parts for each in scores), strict=True)
    ]
    first = scores[0].parts
    total = [name("all"), count(sum(part.size for part in first)), count(sum(part.oov for part in first))]
    rows.append(
        [
            *total,
            *(cell for each in scores for cell in estimate(each.value, each.low, each.high, each.chance)),
        ]
    )
    measures = f" by {', '.join(each.measure for each in scores)}" if several else ""
    return Table(f"{run.vectors} on {run.test_set}{measures}, part by part", columns, rows, totals=1)


def _part_cells(parts: Sequence[PartScore]) -> list[Cell]:
    return [cell for part in parts for cell in estimate(part.value, part.low, part.high, part.chance)]


def _figure(run: Run, scores: Sequence[MeasureScore]) -> Figure:
    shown = [
        number
        for number in range(len(scores[0].parts))
        if any(each.parts[number].value is not None for each in scores)
    ]
    names = [scores[0].parts[number].name for number in shown]
    panels = {
        each.measure: [
            Dot(part.value, part.low, part.high, part.chance)
            for part in (each.parts[number] for number in shown)
        ]
        for each in scores[:MOST_PANELS]
    }
    return Figure(
        f"{', '.join(panels)} of {run.vectors} on {len(names)} parts of {run.test_set}; the table above has "
        "the same numbers",
        "Dots are scores, lines their 95% intervals, short grey strokes chance. "
        "Parts without any score are left out.",
        partial(dots_figure, names, panels),
    )


def _remarks(run: Run) -> Iterator[Block]:
    """What the table does not say: other figures, what was drawn, and what was skipped."""
    several = run.multiword.get("several", 0)
    if several:
        yield Text(f"{several} of {run.multiword.get('words', 0)} test words consist of several words.")
    parts = sorted(
        ((part, each.measure) for each in run.scores for part in each.parts), key=lambda row: row[0].name
    )
    drawn = [
        f"{part.name}, {measure}: standard error {part.error:.5f}" for part, measure in parts if part.error
    ]
    if drawn:
        yield Notes("Subsets were drawn", drawn)
    further = [line for each in run.scores for line in _further(each)]
    if further:
        yield Notes("Further figures, means over the parts", further)
    skipped = [f"{part.name}, {measure}: {part.skipped}" for part, measure in parts if part.skipped]
    if skipped:
        more = [f"and {len(skipped) - _MOST_SHOWN} more, in the data below"]
        listed = skipped if len(skipped) <= _MOST_SHOWN else [*skipped[:_MOST_SHOWN], *more]
        yield Notes("Skipped, and no part of the mean", listed)
    yield Facts([Fact("Signatures", [each.signature for each in run.scores], code=True)])


def _further(score: MeasureScore) -> Iterator[str]:
    for key in sorted({key for part in score.parts for key in part.extra}):
        known = [part.extra[key] for part in score.parts if key in part.extra]
        yield f"{score.measure}, {key}: {sum(known) / len(known):.4f}"


def _provenance(source: Source, file: ScoresFile) -> Iterator[Fact]:
    tasks: dict[tuple[str, ...], list[Run]] = {}
    for run in file.results:
        tasks.setdefault(run.task, []).append(run)
    lines = [
        score_command(
            [run.vectors for run in runs],
            runs[0].test_set,
            [score.signature for score in runs[0].scores],
            source.name,
        )
        for runs in tasks.values()
    ]
    yield from again(lines)
    yield Fact(
        "Settings", list(dict.fromkeys(shown_settings(run.scores[0].signature) for run in file.results))
    )
    yield Fact(
        "Test sets", list(dict.fromkeys(f"{run.test_set}, sha256 {run.sha256}" for run in file.results))
    )
    yield Fact("Vectors", list(dict.fromkeys(run.vectors for run in file.results)))
    yield Fact("Not known", ["the checksums of the vectors, which a file of scores does not have"])


def _downloads(source: Source, file: ScoresFile) -> Downloads:
    """Every part of every score in one long table."""
    names = ("model", "test set", "language", "measure", "part", "size", "oov")
    columns = [Column(each) for each in names] + [
        Column(each) for each in ("value", "low", "high", "chance", "skipped")
    ]
    rows = [
        [
            Cell("", (value,))
            for value in (
                *(run.vectors, run.test_set, run.language, score.measure, part.name, part.size, part.oov),
                *(part.value, part.low, part.high, part.chance, part.skipped),
            )
        ]
        for run in file.results
        for score in run.scores
        for part in score.parts
    ]
    text = Table("", columns, rows).as_csv()
    return Downloads([Link(f"{_stem(source.name)}-parts.csv", text.encode(), "text/csv")])


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".json")
