"""The section of a search for hyper-parameters: the score to publish, and all trials."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from evaluator.reports.cells import (
    BASELINES,
    CORRECTED,
    columns,
    count,
    estimate_columns,
    name,
    rate,
    tested,
    tested_columns,
    with_baselines,
    without_empty,
)
from evaluator.reports.page import Block, Column, Fact, Figure, Fold, Notes, Section, Table, Text
from evaluator.reports.sections.coverage import corpus_blocks
from evaluator.results.figures.tuning import tuning_figure
from evaluator.results.kept import listed
from evaluator.results.score import ABOVE_CHANCE
from evaluator.results.tuning import REPORT, WHOLE, TuningFile
from evaluator.statistics.inference import holm

_SHOWN = 10


def tuning_section(found: TuningFile) -> Section:
    """All that a search found."""
    subsections = [
        Section("The best model beside the default", list(_honest(found))),
        Section("Trials", list(_trials(found))),
        Section("The corpus", corpus_blocks(found.corpus, found.statistics), detail=True),
    ]
    whole = (each for each in found.results if each.keys == {"trial": found.best, "view": WHOLE})
    signatures = [score.signature for scores in whole for score in scores.measured]
    return Section(
        f"Tuning: {found.corpus} on {found.test_set} ({found.language})",
        [Text(found.conclusion), *_categories(found)],
        subsections,
        [
            Fact("Trained with", [found.settings.get("trained with", "gensim")]),
            Fact("Signatures", signatures, code=True),
        ],
    )


def _categories(found: TuningFile) -> Iterator[Block]:
    several = ", ".join(f"{number} in {_VIEWS[view]}" for view, number in found.categories.items())
    yield Text(f"Categories that this corpus can be scored on: {several}.")
    if found.keywords:
        several = ", ".join(f"{number:,} in {_VIEWS[view]}" for view, number in found.keywords.items())
        yield Text(f"Related words that all models of the search know: {several}.")
    if found.left_out:
        lines = [f"{category}: {reason}" for category, reason in found.left_out.items()]
        yield Fold(f"{len(lines)} categories that were left out", [Notes("Left out", lines)])


_VIEWS = {
    "choice": "the half that models are chosen by",
    "report": "the held-out half",
    "whole": "the whole test set",
}


def _honest(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "On the held-out half of each category, by which no model was chosen: the number to publish."
        if found.reported_on == REPORT
        else "On the same test set that the model was chosen by, so the scores are too high."
    )
    trials = {"best": found.best, **({} if found.default is None else {"default": found.default})}
    several = (found.scores(trial) or () for trial in trials.values())
    measures = list(dict.fromkeys(score.measure for scores in several for score in scores))
    measures = [each for each in measures if each != ABOVE_CHANCE]
    rows = []
    for label, trial in trials.items():
        cells = [cell for each in measures for cell in with_baselines(found.score(trial, each))]
        rows.append([name(f"{label} (trial {trial})"), *cells])
    headings = [column for measure in measures for column in estimate_columns(measure, *BASELINES)]
    caption = "The best model and the default hyper-parameters"
    yield Table(caption, [Column("model", kind="name"), *headings], rows, "tuning-models.csv")
    verdicts = [
        "; ".join((f"{label}, {score.measure}: {score.verdict}", *score.paired_tests))
        for label, trial in trials.items()
        for score in found.scores(trial) or ()
        if score.verdict and score.measure in measures
    ]
    if verdicts:
        yield Notes(
            "Verdicts, for other words of these categories: above chance by the interval, above a baseline "
            "by a paired test of the difference, which follows with its 95% interval",
            verdicts,
        )
    yield from _differences(found)
    if found.failed:
        yield Notes("What could not be scored", list(found.failed), detail=True)
    if found.notes:
        yield Notes("Notes", list(found.notes))


def _differences(found: TuningFile) -> Iterator[Block]:
    """By measures in which one of the two is above chance and baseline; each kind of test has its own p."""
    rows = []
    for kind in ("of_categories", "of_words"):
        of_kind = {measure: test for measure, each in found.told.items() if (test := getattr(each, kind))}
        corrected = holm([test.p for test in of_kind.values()])
        for (measure, test), p_holm in zip(of_kind.items(), corrected, strict=True):
            each = found.told[measure]
            over = next(over for over, other in each.tests if other is test)
            rows.append([name(measure), *tested(each, test, p_holm, over)])
    untold = [each.measure for each in found.differences if each.measure not in found.told]
    if untold and found.reported_on == REPORT:
        yield Text(
            f"Not compared by {listed(untold, 'or')}: neither model is shown to be above chance and the "
            "baselines that there are."
        )
    if rows:
        headings = [*columns("measure", kind="name"), *tested_columns()]
        yield Text(f"Best minus default. {CORRECTED.format('the number of measures')}")
        yield Table("How much better the best is than the default", headings, rows, "tuning-differences.csv")


def _trials(found: TuningFile) -> Iterator[Block]:
    yield Text(
        "Models were chosen by these scores, so the score of the best one is too high: the best of many is "
        "partly the best by chance."
    )
    ordered = sorted(found.trials, key=lambda each: each.rank, reverse=True)
    measures = list(dict.fromkeys(text for each in ordered for text in each.values))
    headings = [Column("trial", kind="name"), Column("hyper-parameters", kind="prose"), Column("words")]
    headings += [*(Column(measure) for measure in measures), Column("why it failed", kind="prose")]
    rows = [
        [
            name(str(each.number), "best" if each.number == found.best else ""),
            name(str(each.parameters)),
            count(each.vocabulary),
            *(rate(each.values.get(measure)) for measure in measures),
            name(each.reason or ""),
        ]
        for each in ordered
    ]
    caption = f"All {len(rows)} trials, the best first"
    yield without_empty(Table(caption, headings, rows, "trials.csv", first=_SHOWN))
    yield Figure(
        f"{found.ranked_by} of the trials over each hyper-parameter; the table of all {len(rows)} trials "
        "has the same numbers",
        "A dot for each trial; the square is the default, the star the best.",
        partial(tuning_figure, found),
        "tuning",
    )
