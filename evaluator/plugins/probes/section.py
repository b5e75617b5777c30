"""The section of probes: how fast simple models learn from embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from evaluator.plugins import (
    MOST_LINES,
    Block,
    Cell,
    Column,
    Fact,
    Figure,
    Line,
    Section,
    Table,
    Text,
    count,
    lines_figure,
    name,
    rate,
)
from evaluator.plugins.probes.comparison import EXPECTED
from evaluator.plugins.probes.ranks import MeanRanks, Ranks
from evaluator.plugins.probes.result import EmbeddingRecord, ProbeRecord, ProbesFile


def probes_section(found: ProbesFile) -> Section:
    """All that probes found."""
    subsections = [
        Section(f"{each.task}: {each.part} of {each.test_set} ({each.language})", list(_blocks(each)))
        for each in found.tasks
    ]
    if found.mean_ranks:
        subsections.append(Section("Mean ranks over all tasks", [_mean_ranks(found.mean_ranks)]))
    names = dict.fromkeys(own.name for each in found.tasks for own in each.embeddings)
    signatures = list(dict.fromkeys(each.signature for each in found.tasks))
    return Section(
        f"Probes: {', '.join(names)}", [], subsections, [Fact("Signatures", signatures, code=True)]
    )


def _blocks(found: ProbeRecord) -> Iterator[Block]:
    yield from map(Text, _about(found))
    if not found.embeddings:
        return
    for each in found.embeddings:
        yield _curves(found, each)
        if each.gap is not None:
            yield Text(
                f"{each.name}: gap at the end {each.gap.value:+.4f}, {each.gap.nonlinear} beside "
                f"{each.gap.linear}."
            )
    if len(found.embeddings) <= MOST_LINES:
        yield _figure(found)
    for model, ranks in found.ranks.items():
        if model == _headline(found):
            yield _ranks(found, model, ranks)


def _about(found: ProbeRecord) -> Iterator[str]:
    """How many items were probed, and why others were not."""
    if found.skipped is not None:
        yield f"Skipped: {found.skipped}."
        return
    lacking = "that not all know" if len(found.embeddings) > 1 else "without a vector"
    lost = [
        f"{number} {reason}" for reason, number in {lacking: found.oov, **found.left_out}.items() if number
    ]
    yield f"{found.items} of {found.size} items probed{'; left out: ' if lost else ''}{', '.join(lost)}."
    tests = sorted({number for each in found.embeddings for number in each.tests})
    if tests:
        first = found.embeddings[0]
        several = " to ".join(f"{number:,}" for number in dict.fromkeys([tests[0], tests[-1]]))
        yield f"{first.score} on {several} items, mean of {len(first.tests)} splits."


def _headline(found: ProbeRecord) -> str:
    """The model whose curves are drawn and ranked: the mean over several, or the only one that learns."""
    curves = found.embeddings[0].curves
    learners = [each.model for each in curves if each.kind != "constant"]
    return EXPECTED if EXPECTED in learners else (learners or [curves[0].model])[0]


def _curves(found: ProbeRecord, embedding: EmbeddingRecord) -> Table:
    first = embedding.curves[0]
    columns = [Column("model", kind="name")]
    columns += [
        Column(f"{share:.0%} ({size})") for share, size in zip(first.shares, first.sizes, strict=True)
    ]
    columns.append(Column("AUC"))
    width = len(first.shares)
    rows = [
        [name(each.model), *(rate(mean) for mean in _padded(each.means, width)), rate(each.auc)]
        for each in embedding.curves
    ]
    caption = (
        f"{embedding.name}: {embedding.score} on {found.part} of {found.test_set} ({found.task}) by share of "
        "the data (number of items) that is learned from"
    )
    return Table(caption, columns, rows, "probe.csv")


def _padded(values: Sequence[float], width: int) -> list[float | None]:
    return [*values, *[None] * width][:width]


def _figure(found: ProbeRecord) -> Figure:
    model = _headline(found)
    lines = [
        Line(each.name, [100 * share for share in curve.shares], curve.means)
        for each in found.embeddings
        for curve in each.curves
        if curve.model == model
    ]
    score = found.embeddings[0].score
    return Figure(
        f"Learning curves of {len(lines)} embeddings on {found.part} ({model}); the tables have the same "
        "numbers",
        f"Mean {score} over the splits, of {'all models that learn' if model == EXPECTED else model}.",
        partial(lines_figure, {score: lines}, "share of the data that is learned from, in %"),
    )


def _ranks(found: ProbeRecord, model: str, ranks: Sequence[Ranks]) -> Table:
    columns = [Column("embedding", kind="name"), *(Column(title) for title in ("start", "end", "AUC"))]
    rows = [[name(each.name), count(each.start), count(each.end), count(each.auc)] for each in ranks]
    caption = (
        f"Ranks on {found.part} of {found.test_set} ({found.task}) by {model}, 0 for the best; equal where "
        "ANOVA sees no difference"
    )
    return Table(caption, columns, rows, "ranks.csv")


def _mean_ranks(ranks: Sequence[MeanRanks]) -> Table:
    columns = [Column("embedding", kind="name")]
    columns += [Column(title, (title, f"{title} deviation")) for title in ("start", "end", "AUC")]
    columns += [Column("change"), Column("tasks")]
    rows = [
        [
            name(each.name),
            *(Cell(f"{mean:.2f} ± {spread:.2f}", (mean, spread)) for mean, spread in _points(each)),
            *(Cell(f"{each.change:.2f}", (each.change,)), count(each.tasks)),
        ]
        for each in ranks
    ]
    return Table("Mean ranks, with their standard deviation over the tasks", columns, rows, "mean-ranks.csv")


def _points(ranks: MeanRanks) -> tuple[tuple[float, float], ...]:
    return ranks.start, ranks.end, ranks.auc
