"""Probing vectors: how fast models learn from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.output import console, plain_table, print_json
from evaluator.cli.progress import Progress
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from evaluator.datasets.testset import TestSet
    from evaluator.probes import MeanRanks, ProbeComparison, ProbeTask, SplitPlan
    from evaluator.settings import Settings
    from evaluator.vectors import Vectors

POINTS = ("start", "end", "AUC")


def probe(
    vectors: Annotated[
        list[Path], typer.Argument(metavar="VECTORS…", help="word2vec, GloVe or fastText vectors.")
    ],
    test: options.Tests,
    task: Annotated[
        str,
        typer.Option(
            metavar="membership|similarity|relation|sentences",
            help="What is learnt; by default the first of these that a test set has parts for.",
        ),
    ] = "",
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="NAME", help="Such as svm; may be repeated. By default all."),
    ] = None,
    splits: Annotated[
        int, typer.Option(metavar="N", help="How many times the data is divided for learning and testing.")
    ] = 6,
    seed: options.Seed = 0,
    case: options.Case = "exact",
    vocabulary: options.Vocabulary = None,
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    unsafe_pickle: options.UnsafePickle = False,
    as_json: options.Json = False,
) -> None:
    """Show how fast simple models learn a test set from vectors; several are ranked on what all know."""
    from evaluator.probes import TASKS, SplitPlan, mean_ranks
    from evaluator.results.probes import probes_file
    from evaluator.settings import Settings

    if task and task not in TASKS:
        raise ScoreError(f"there is no task {task!r}; choose from {', '.join(TASKS)}")
    settings = Settings(case=case, vocabulary=vocabulary, profile=profile, multiword=multiword, seed=seed)  # type: ignore[arg-type]  # Settings checks
    plan = SplitPlan(splits=splits, seed=seed)
    if len(vectors) > 1 and splits < 2:
        raise ScoreError("--splits must be 2 or more where several vectors are ranked")
    tests = options.read_tests(test, test_format, language)
    loader = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle)
    loaded = list(loader.load_each(vectors))
    chosen = TASKS[task] if task else None  # type: ignore[index]  # checked above
    compared = [
        each for test_set in tests for each in _compare(loaded, test_set, chosen, model, plan, settings)
    ]
    if as_json:
        print_json(probes_file(compared))
        return
    _print_text(compared, mean_ranks(compared))


def _compare(
    vectors: Sequence[Vectors],
    test_set: TestSet,
    task: ProbeTask | None,
    models: list[str] | None,
    plan: SplitPlan,
    settings: Settings,
) -> list[ProbeComparison]:
    from evaluator.probes import compare

    with Progress(f"probing {test_set.name}") as progress:
        return compare(vectors, test_set, task, models or (), plan, settings, progress)


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
            out.print(each.signature, style="dim")
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
    table = plain_table("", POINTS)
    for ranks in each.ranks[each.headline]:
        table.add_row(ranks.name, str(ranks.start), str(ranks.end), str(ranks.auc))
    return table


def _mean_ranks(ranks: Sequence[MeanRanks]) -> Table:
    table = plain_table("", (*POINTS, "change", "tasks"))
    for each in ranks:
        means = (f"{mean:.2f} ± {spread:.2f}" for mean, spread in (each.start, each.end, each.auc))
        table.add_row(each.name, *means, f"{each.change:.2f}", str(each.tasks))
    return table
