"""The section of a search for hyper-parameters: the score to publish, and all trials."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.reports.cells import (
    columns,
    count,
    estimate_columns,
    estimated,
    name,
    rate,
    signed,
    tested,
    without_empty,
)
from evaluator.reports.commands import as_given
from evaluator.reports.inputs import InputFile
from evaluator.reports.page import Block, Column, Fact, Facts, Figure, Fold, Notes, Section, Table, Text
from evaluator.reports.sections.coverage import corpus_facts
from evaluator.results.figures.tuning import tuning_figure
from evaluator.results.tuning import CHOICE, REPORT, TuningFile

_SHOWN = 10


def tuning_section(file: InputFile, found: TuningFile) -> Section:
    """All that a search found."""
    honest = list(_honest(found))
    subsections = [
        Section("The best model beside the default", honest),
        Section("Trials", list(_trials(found))),
        Section("The corpus", list(_corpus(found))),
        Section(
            "How to get these numbers again", [Facts([*as_given(file), *_provenance(found), file.origin])]
        ),
    ]
    return Section(
        f"Tuning: {found.corpus} on {found.test_set} ({found.language})",
        [Text(found.conclusion)],
        subsections,
    )


def _honest(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "On the held-out half of each category, by which no model was chosen: the number to publish."
        if found.reported_on == REPORT
        else "On the same test set that the model was chosen by, so the scores are too high."
    )
    models = {"best": found.best, **({"default": found.default} if found.default else {})}
    view = found.reported_on
    measures = list(dict.fromkeys(name for each in models.values() for name in each.estimates[view]))
    rows = []
    for label, model in models.items():
        own, levels = model.estimates[view], model.baseline.get(view, {})
        cells = [
            cell for measure in measures for cell in (*estimated(own.get(measure)), rate(levels.get(measure)))
        ]
        rows.append([name(f"{label} (trial {model.number})"), *cells])
    headings = [Column("model", kind="name")]
    for measure in measures:
        headings += [*estimate_columns(measure), Column("frequency", group=measure)]
    yield Table("The best model and the default hyper-parameters", headings, rows, "tuning-models.csv")
    yield from _differences(found)
    if found.failed:
        yield Notes("What could not be scored", list(found.failed))
    if found.notes:
        yield Notes("Notes", list(found.notes))


def _differences(found: TuningFile) -> Iterator[Table]:
    """By measures in which one of the two is above chance and baseline."""
    rows = [
        [name(measure), signed(each.value), *tested(test), name(over)]
        for measure, each in found.told.items()
        for over, test in each.tests
    ]
    if rows:
        headings = [
            *(*columns("measure", kind="name"), Column("best minus default", ("difference",))),
            *(Column("95% interval", ("low", "high")), Column("p"), Column("test over", kind="text")),
        ]
        yield Table("How much better the best is than the default", headings, rows, "tuning-differences.csv")


def _trials(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "Models were chosen by these scores, so the score of the best one is too high: the best of many is "
        "partly the best by chance."
    )
    ordered = sorted(found.trials, key=lambda each: each.rank, reverse=True)
    measures = list(dict.fromkeys(text for each in ordered for text in each.values.get(CHOICE, {})))
    headings = [Column("trial", kind="name"), Column("hyper-parameters", kind="prose"), Column("words")]
    headings += [*(Column(measure) for measure in measures), Column("why it failed", kind="prose")]
    rows = [
        [
            name(str(each.number), "best" if each.number == found.best.number else ""),
            name(str(each.parameters)),
            count(each.vocabulary),
            *(rate(each.values.get(CHOICE, {}).get(measure)) for measure in measures),
            name(each.reason or ""),
        ]
        for each in ordered
    ]
    table = without_empty(Table(f"All {len(rows)} trials, the best first", headings, rows, "trials.csv"))
    yield table if len(rows) <= _SHOWN else Fold(f"All {len(rows)} trials", [table], open=True)
    if sum(each.value is not None for each in found.trials) > 1:
        yield Figure(
            f"{found.ranked_by} of the trials over each hyper-parameter; the table of all {len(rows)} trials "
            "has the same numbers",
            "A dot for each trial; the square is the default, the star the best.",
            partial(tuning_figure, found),
        )


def _corpus(found: TuningFile) -> Iterator[Block]:
    categories = [f"{view}: {number}" for view, number in found.categories.items()]
    yield Facts([*corpus_facts(found.statistics), Fact("Categories", categories)])
    if found.left_out:
        lines = [f"{category}: {reason}" for category, reason in found.left_out.items()]
        yield Fold(f"{len(lines)} categories that were left out", [Notes("Left out", lines)])


def _provenance(found: TuningFile) -> Iterator[Fact]:
    yield Fact("Trained with", [found.settings.get("trained with", "gensim")])
    yield Fact("Signatures", [each.signature for each in found.best.whole.values()], code=True)
