"""What commands print: results as tables, JSON or CSV on stdout, and progress on stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from evaluator.cli.options import ResultOptions
    from evaluator.results.base import Difference, ResultFile
    from evaluator.studies.scoring import Score, Scores

_MOST_SKIPPED = 30


def show(
    results: ResultOptions,
    record: Callable[[], ResultFile],
    *,
    text: Callable[[], None],
    csv: Callable[[], str],
) -> None:
    """Print results in the way that is asked for.

    Args:
        results: In which way.
        record: Gives the content of the result file, which JSON is made of.
        text: Prints tables for people.
        csv: Gives CSV with a line end after each row.
    """
    from evaluator.results.base import to_json

    if results.as_json:
        typer.echo(to_json(record()))
    elif results.as_csv:
        typer.echo(csv(), nl=False)
    else:
        text()


def csv_of(frame: pd.DataFrame) -> str:
    """A table as CSV."""
    return frame.to_csv(index=False, lineterminator="\n")


def write_results(record: ResultFile, path: Path, table: str, table_path: Path) -> None:
    """Write results as JSON, and a table of them as CSV.

    Raises:
        OutputError: A file cannot be written.
    """
    from evaluator.execution.output_files import write_text
    from evaluator.results.base import to_json

    write_text(path, f"{to_json(record)}\n")
    write_text(table_path, table)


def console() -> Console:
    """The console for results: prints text as it is, at full width where stdout is not a terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 10_000
    return Console(width=width, highlight=False, markup=False, emoji=False)


def plain_table(left: str, right: Iterable[str], rows: Iterable[Iterable[str]] = ()) -> Table:
    """A table without lines: a column of names, then columns of numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(left, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def print_scores(scores: Scores) -> None:
    """A table with a row for each subscore, then what was skipped, and how to get the scores again."""
    out = console()
    first, (words, dimensions) = scores.scores[0], scores.shape
    out.print(
        f"{first.vectors} ({words:,} words, {dimensions} dimensions) on {first.test_set} ({first.language})"
    )
    for together in _with_the_same_subscores(list(scores.values())):
        out.print(_score_table(together))
    if scores.combined is not None and scores.combined_interval is not None:
        out.print(f"Combined {rate(scores.combined)} ({interval(*scores.combined_interval)})")
    for line in _remarks(scores):
        out.print(line)
    for each in scores.values():
        out.print(each.signature, style="dim")


def _with_the_same_subscores(scores: Sequence[Score]) -> Iterable[list[Score]]:
    """Scores that fit into one table, in their order."""
    together: dict[tuple[str, ...], list[Score]] = {}
    for each in scores:
        key = (each.measure.counted, *(f"{sub.name} {sub.size} {sub.oov}" for sub in each.subscores))
        together.setdefault(key, []).append(each)
    return together.values()


def _score_table(scores: Sequence[Score]) -> Table:
    first = scores[0]
    kind = {"categories": "category", "sections": "section"}.get(first.measure.scores, "subscore")
    table = plain_table(kind, (first.measure.counted, "OOV", *(str(each.measure) for each in scores)))
    rows = list(zip(*(each.subscores for each in scores), strict=True))
    empty = sum(all(sub.skipped for sub in subscores) for subscores in rows)
    for subscores in rows:
        if empty > _MOST_SKIPPED and all(sub.skipped for sub in subscores):
            continue
        table.add_row(
            subscores[0].name,
            str(subscores[0].size),
            str(subscores[0].oov),
            *(rate(sub.value) for sub in subscores),
        )
    sums = [str(sum(getattr(sub, count) for sub in first.subscores)) for count in ("size", "oov")]
    table.add_row("all", *sums, *(rate(each.value) for each in scores), style="bold")
    table.add_row("95% interval", "", "", *(interval(*each.interval) for each in scores))
    table.add_row("chance", "", "", *(rate(each.chance) for each in scores), end_section=True)
    return table


def _remarks(scores: Scores) -> Iterable[str]:
    """What the table does not say: other figures, what was drawn, and what was skipped."""
    several, words = scores.multiword
    if several:
        yield f"{several} of {words} test words consist of several words"
    for each in scores.values():
        yield from _further_figures(each)
    subscores = sorted(
        ((sub, each.measure) for each in scores.values() for sub in each.subscores),
        key=lambda row: row[0].name,
    )
    yield from (
        f"  {sub.name}, {measure}: subsets drawn, standard error {sub.error:.5f}"
        for sub, measure in subscores
        if sub.error
    )
    skipped = [f"  {sub.name}, {measure}: {sub.skipped}" for sub, measure in subscores if sub.skipped]
    if skipped:
        yield from ("Skipped, and not in the mean:", *skipped[:_MOST_SKIPPED])
    if len(skipped) > _MOST_SKIPPED:
        yield f"  and {len(skipped) - _MOST_SKIPPED} more; --json lists all"


def _further_figures(score: Score) -> Iterable[str]:
    """The share of all questions together; and the means of further figures of a measure."""
    if score.measure.counted == "questions" and score.hits is not None and score.trials:
        share = rate(score.hits / score.trials)
        yield f"{score.measure}: {score.hits} of {score.trials} questions answered right ({share})"
    for name in sorted({name for sub in score.subscores for name in sub.extra}):
        known = [sub.extra[name] for sub in score.subscores if name in sub.extra]
        yield f"{score.measure}, {name}: {_figure(sum(known) / len(known))}"


def _figure(value: float) -> str:
    """A rate with four decimals, a count without."""
    return f"{value:.0f}" if value.is_integer() and value > 1 else rate(value)


def print_differences(rows: Sequence[tuple[str, str, str, str, Difference]]) -> None:
    """How much the other models are better than the first, by test set and measure."""
    names = ("measure", "first", "second", "difference", "95% interval", "p", "test over")
    cells = (
        (*texts, f"{each.value:+.4f}", interval(test.low, test.high), f"{test.p:.4f}", over)
        for *texts, each in rows
        for over, test in each.tests
    )
    out = console()
    out.print(
        "Second minus first. Tests over categories are for other categories like these, tests over words for "
        "other words of exactly these; paired t-tests."
    )
    out.print(plain_table("test set", names, cells))


def interval(low: float | None, high: float | None) -> str:
    """An interval with four decimals; a dash where there is none."""
    return "-" if low is None or high is None else f"{low:.4f} to {high:.4f}"


def rate(value: float | None) -> str:
    """A score with four decimals; a dash where there is none."""
    return "-" if value is None else f"{value:.4f}"


def p_value(p: float) -> str:
    """A p-value with its sign, and four decimals; there is no p of 0."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def announce(comparisons: int) -> None:
    """Say before the work how long it will take, if that is long."""
    from evaluator.engine.similarities import COMPARISONS_PER_SECOND
    from evaluator.execution.processes import cores

    seconds = comparisons / COMPARISONS_PER_SECOND / cores()
    if seconds > 10:
        typer.echo(f"evaluator: {comparisons:.1e} comparisons, about {seconds:.0f} seconds", err=True)


def tell_failed(failed: Sequence[str]) -> None:
    """Say on stderr what could not be done, after the rest was printed.

    Raises:
        typer.Exit: With the exit code 1, if there is anything.
    """
    for each in failed:
        typer.echo(f"evaluator: {each}", err=True)
    if failed:
        raise typer.Exit(1)


class Progress:
    """Progress on stderr: a bar on a terminal; elsewhere, as in a file, a line for each finished step."""

    def __init__(self, description: str) -> None:
        """Prepare a bar with a description."""
        self._description = description
        self._done = 0.0

    def __enter__(self) -> Self:
        """Show the bar."""
        from rich.console import Console
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        self._task = self._bar.add_task(self._description, total=1.0)
        return self

    def __call__(self, done: float) -> None:
        """Move the bar.

        Args:
            done: The finished share of the work, from 0 to 1.
        """
        self._done = done
        self._bar.update(self._task, completed=done)

    def log(self, line: str) -> None:
        """Say that a step is finished, where there is no bar.

        Args:
            line: Which step, and what came of it.
        """
        if self._bar.disable:
            typer.echo(f"evaluator: {self._done:4.0%} {line}", err=True)

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        self._bar.stop()
