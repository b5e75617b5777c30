"""`evaluator probe`: how fast simple models learn from vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.cli import options
from evaluator.cli.options import COMPUTED, SCORED, number, option
from evaluator.cli.output import Progress, console, csv_of, plain_table, show
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from rich.table import Table

    from evaluator.probes import MeanRanks, ProbeComparison

POINTS = ("start", "end", "AUC")


def probe(
    vectors: options.VectorFiles,
    *,
    tests: options.TestOptions,
    task: Annotated[
        Literal["membership", "similarity", "relation", "sentences"] | None,
        option(SCORED, "What is learned; by default the first of these that a test set has data for."),
    ] = None,
    model: Annotated[
        list[str] | None,
        option(SCORED, "A model that learns, such as svm. May be repeated; by default all.", metavar="NAME"),
    ] = None,
    words: options.VocabularyOptions,
    splits: Annotated[
        int,
        number(COMPUTED, "How many times the data is split into training and test data."),
    ] = 6,
    seed: options.Seed = options.ScoreOptions.seed,
    reading: options.VectorOptions,
    results: options.ResultOptions,
) -> None:
    """Show how fast simple models learn a test set from vectors; rank several vectors on common items.

    For example: evaluator probe glove.vec fasttext.vec --test testsets/en.json --model logistic
    """
    from evaluator.probes import TASKS, SplitPlan, mean_ranks
    from evaluator.probes import probe as compare
    from evaluator.results.probes import probes_file
    from evaluator.settings import Settings

    settings = Settings(**vars(words), seed=seed)
    plan = SplitPlan(splits=splits, seed=seed)
    if len(vectors) > 1 and splits < 2:
        raise ScoreError("--splits must be 2 or more where several vectors are ranked")
    test_sets = tests.read(reading.bad_rows)
    loaded = [reading.load(each) for each in reading.files(vectors)]
    compared: list[ProbeComparison] = []
    for test_set in test_sets:
        with Progress(f"probing {test_set.name}") as progress:
            compared += compare(
                loaded, test_set, TASKS[task] if task else None, model or (), plan, settings, progress
            )
    show(
        results,
        lambda: probes_file(compared),
        text=lambda: _print_text(compared, mean_ranks(compared)),
        csv=lambda: _csv(compared),
    )


def _csv(compared: Sequence[ProbeComparison]) -> str:
    """A row for each test set, vectors, model and share of the data."""
    import pandas as pd

    rows = [
        (each.test_set, each.task.name, each.items.name, vectors, model, share, size, mean)
        for each in compared
        for vectors in each.probes
        for model, curve in each.curves(vectors).items()
        for share, size, mean in zip(curve.shares, curve.sizes, curve.means, strict=True)
    ]
    names = ["test_set", "task", "part", "vectors", "model", "share", "size", "score"]
    return csv_of(pd.DataFrame(rows, columns=names))


def _print_text(compared: Sequence[ProbeComparison], ranks: Sequence[MeanRanks]) -> None:
    """The curves of each part, the ranks on it, and the mean ranks over all parts."""
    out = console()
    for each, after in zip(compared, [*compared[1:], None], strict=True):
        for line in _heading(each):
            out.print(line)
        for name in each.probes:
            out.print(_curves(each, name))
            for line in _gap(each, name):
                out.print(line)
        if each.ranks:
            out.print(f"Ranks by {each.headline}, 0 for the best; equal where ANOVA sees no difference:")
            out.print(_ranks(each))
        if after is None or after.signature != each.signature:
            out.print(each.signature, style="dim", soft_wrap=True)
    if sum(bool(each.probes) for each in compared) > 1 and ranks:
        out.print("Mean ranks over all these, with their standard deviation:")
        out.print(_mean_ranks(ranks))


def _heading(each: ProbeComparison) -> Iterator[str]:
    """What is probed, and what has left."""
    items, unit = each.items, each.task.counted
    yield f"{each.task.name}: {each.test_set} ({each.language}), {items.name}"
    if items.skipped is not None:
        yield f"  skipped: {items.skipped}"
        return
    why = "that not all know" if len(each.probes) > 1 else "without a vector"
    lost = [f"{count} {reason}" for reason, count in {why: items.oov, **items.left_out}.items() if count]
    probe = next(iter(each.probes.values()))
    low, high = min(probe.tests), max(probe.tests)
    tests = str(low) if low == high else f"{low} to {high}"
    yield f"  {probe.items} of {items.size} {unit}{'; left out: ' if lost else ''}{', '.join(lost)}"
    yield f"  {probe.score} on {tests} {unit}, mean of {len(probe.tests)} splits"


def _curves(each: ProbeComparison, name: str) -> Table:
    """A row for each model with its mean score at each share; the first row says how many items that is."""
    curves = each.curves(name)
    first = next(iter(curves.values()))
    table = plain_table(name, (*(f"{share:.0%}" for share in first.shares), "AUC"))
    table.add_row(f"{each.task.counted} to learn from", *map(str, first.sizes), "", style="dim")
    for model, curve in curves.items():
        table.add_row(model, *(f"{mean:.4f}" for mean in curve.means), f"{curve.auc:.4f}")
    return table


def _gap(each: ProbeComparison, name: str) -> Iterator[str]:
    found = each.gap(name)
    if found is not None:
        yield f"Gap at the end {found.value:+.4f}: {found.nonlinear} beside {found.linear}"


def _ranks(each: ProbeComparison) -> Table:
    rows = ((own.name, *map(str, (own.start, own.end, own.auc))) for own in each.ranks[each.headline])
    return plain_table("", POINTS, rows)


def _mean_ranks(ranks: Sequence[MeanRanks]) -> Table:
    rows = []
    for each in ranks:
        means = (f"{mean:.2f} ± {spread:.2f}" for mean, spread in (each.start, each.end, each.auc))
        rows.append((each.name, *means, f"{each.change:.2f}", str(each.tasks)))
    return plain_table("", (*POINTS, "change", "tasks"), rows)
