"""The section of probes: how fast simple models learn from embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, pstdev

from evaluator.plugins import (
    MOST_LINES,
    Block,
    Cell,
    Column,
    Fact,
    Figure,
    Line,
    Scores,
    Section,
    Table,
    Text,
    count,
    first_few,
    lines_figure,
    name,
    rate,
)
from evaluator.plugins.probes.comparison import EXPECTED
from evaluator.plugins.probes.curves import SIGNIFICANCE, MeanRanks, Ranks, anova
from evaluator.plugins.probes.learners import MAJORITY
from evaluator.plugins.probes.result import AUC, ProbedItems, ProbesFile

Curves = Mapping[str, Sequence[Scores]]
"""The scores of each embedding, by share; the last are the areas under its curves."""


_NO_CHOICE = (
    "These ranks name no model to keep: vectors that know only the letters of words can have rank 0. "
    "`evaluator score` says which one to keep."
)


_NAMED = 3  # embeddings in a sentence


def probes_section(found: ProbesFile) -> Section:
    """All that probes found."""
    subsections = [
        Section(
            f"{each.task}: {each.part} of {each.test_set} ({each.language})",
            list(_blocks(each, _curves_of(found, each))),
        )
        for each in found.tasks
    ]
    if found.mean_ranks:
        means = _mean_ranks(found.mean_ranks)
        said = Text(
            f"Ranks change by {_change(found.mean_ranks)} from the smallest share of the data to all of it."
        )
        subsections.append(Section("Mean ranks over all tasks", [means, said, Text(_NO_CHOICE)]))
    names = dict.fromkeys(each.model for each in found.results)
    signatures = list(dict.fromkeys(each.signature for each in found.tasks))
    return Section(
        f"Probes: {', '.join(names)}", [], subsections, [Fact("Signatures", signatures, code=True)]
    )


def _curves_of(found: ProbesFile, items: ProbedItems) -> Curves:
    curves: dict[str, list[Scores]] = {}
    for each in found.results:
        which = (each.test_set, each.language, each.keys.get("task"), each.keys.get("items"))
        if which == (items.test_set, items.language, items.task, items.part):
            curves.setdefault(each.model, []).append(each)
    return curves


def _blocks(items: ProbedItems, curves: Curves) -> Iterator[Block]:
    yield from map(Text, _about(items, len(curves)))
    guessing = [name_ for name_, of_shares in curves.items() if _may_guess(items, of_shares)]
    if guessing:
        yield Text(
            f"Not shown to be above {MAJORITY.name}, which learns from no vector: "
            f"{', '.join(first_few(guessing, _NAMED))}. They say nothing here, whatever their ranks."
        )
    for name_, of_shares in curves.items():
        yield _curves(items, of_shares)
        if name_ in items.gaps:
            gap = items.gaps[name_]
            yield Text(f"{name_}: gap at the end {gap.value:+.4f}, {gap.nonlinear} beside {gap.linear}.")
    if curves and len(curves) <= MOST_LINES:
        yield _figure(items, curves)
    for model, ranks in items.ranks.items():
        if model == items.headline:
            yield _ranks(items, model, ranks)
            yield Text(_NO_CHOICE)


def _may_guess(items: ProbedItems, of_shares: Sequence[Scores]) -> bool:
    """Whether models that learn are not shown to be above one that always answers the largest class.

    The test is that of the ranks: an analysis of variance of the scores of all splits, after learning from
    all of the data.
    """
    last = [each for each in of_shares if isinstance(each.keys.get("share"), float)][-1]
    own, level = (last.get(model or "") for model in (items.headline, MAJORITY.name))
    if own is None or level is None or own is level:
        return False
    return own.value <= level.value or anova(own.seeds, level.seeds) >= SIGNIFICANCE


def _about(items: ProbedItems, embeddings: int) -> Iterator[str]:
    """How many items were probed, and why others were not."""
    if items.skipped is not None:
        yield f"Skipped: {items.skipped}."
        return
    lacking = "that not all know" if embeddings > 1 else "without a vector"
    reasons = {lacking: items.oov, **items.left_out}
    lost = [f"{number} {reason}" for reason, number in reasons.items() if number]
    yield f"{items.items} of {items.size} items probed{'; left out: ' if lost else ''}{', '.join(lost)}."
    if items.tests:
        least, most = min(items.tests), max(items.tests)
        several = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield f"{items.score} on {several} items, mean of {len(items.tests)} splits."


def _curves(items: ProbedItems, of_shares: Sequence[Scores]) -> Table:
    columns = [Column("model", kind="name"), *(Column(_share(each)) for each in of_shares)]
    first = of_shares[0]
    rows = [
        [name(score.measure), *(rate(_value(each, score.measure)) for each in of_shares)] for score in first
    ]
    caption = (
        f"{first.model}: {items.score} on {items.part} of {items.test_set} ({items.task}) by share of the "
        "data (number of items) that is learned from"
    )
    return Table(caption, columns, rows, "probe.csv")


def _share(scores: Scores) -> str:
    share = scores.keys.get("share")
    return f"{share:.0%} ({scores.keys.get('size')})" if isinstance(share, float) else "AUC"


def _value(scores: Scores, model: str) -> float | None:
    found = (each.value for each in scores if each.measure in (model, AUC.format(model)))
    return next(found, None)


def _figure(items: ProbedItems, curves: Curves) -> Figure:
    model = items.headline or EXPECTED
    lines = [
        Line(
            name_,
            [100 * float(each.keys["share"]) for each in shares],
            [_value(each, model) for each in shares],
        )
        for name_, of_shares in curves.items()
        if (shares := [each for each in of_shares if isinstance(each.keys.get("share"), float)])
    ]
    score = items.score or "score"
    return Figure(
        f"Learning curves on {items.part} ({model}); the tables have the same numbers",
        f"Mean {score} over the splits, of {'all models that learn' if model == EXPECTED else model}.",
        partial(lines_figure, {score: lines}, "share of the data that is learned from, in %"),
    )


def _ranks(items: ProbedItems, model: str, ranks: Sequence[Ranks]) -> Table:
    columns = [Column("embedding", kind="name"), *(Column(title) for title in ("start", "end", "AUC"))]
    rows = [[name(each.name), count(each.start), count(each.end), count(each.auc)] for each in ranks]
    caption = (
        f"Ranks on {items.part} of {items.test_set} ({items.task}) by {model}, 0 for the best; equal where "
        "ANOVA sees no difference"
    )
    return Table(caption, columns, rows, "ranks.csv")


def _change(ranks: Sequence[MeanRanks]) -> str:
    """The mean absolute change of ranks and its deviation over the embeddings (section 3.5 of the paper)."""
    changes = [each.change for each in ranks]
    return f"{fmean(changes):.2f} ± {pstdev(changes):.2f}"


def _mean_ranks(ranks: Sequence[MeanRanks]) -> Table:
    columns = [Column("embedding", kind="name")]
    columns += [Column(title, (title, f"{title} deviation")) for title in ("start", "end", "AUC")]
    columns += [Column("change"), Column("tasks")]
    rows = [
        [
            name(each.name),
            *(
                Cell(f"{mean:.2f} ± {spread:.2f}", (mean, spread))
                for mean, spread in (each.start, each.end, each.auc)
            ),
            *(Cell(f"{each.change:.2f}", (each.change,)), count(each.tasks)),
        ]
        for each in ranks
    ]
    return Table("Mean ranks, with their standard deviation over the tasks", columns, rows, "mean-ranks.csv")
