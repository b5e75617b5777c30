"""The command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.errors import EvaluatorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.score import Scores
    from evaluator.testset import TestSet
    from evaluator.vectors import Vectors

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Honest scores for word embeddings in any language.",
)


@app.command()
def score(
    vectors: Annotated[Path, typer.Argument(metavar="VECTORS", help="word2vec, GloVe or fastText vectors.")],
    test_sets: Annotated[
        list[Path], typer.Argument(metavar="TESTSET…", help="Test sets (.json) or category files (.txt).")
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", metavar="TEXT", help="Such as Topk@3; may be repeated."),
    ] = None,
    oov: Annotated[
        str, typer.Option(metavar="wrong|skip", help="A word without a vector is a miss, or left out.")
    ] = "wrong",
    norm: Annotated[
        str, typer.Option(metavar="unit|none", help="Compare directions, or raw vectors in OddOneOut.")
    ] = "unit",
    case: Annotated[
        str, typer.Option(metavar="exact|fold", help="Whether words must agree in case.")
    ] = "exact",
    vocabulary: Annotated[
        int | None, typer.Option(metavar="N", help="Use only the N most frequent words of the vectors.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="For measures that draw samples.")] = 0,
    vector_format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of the vectors, if it is not guessed.")
    ] = "auto",
    bad_rows: Annotated[
        str,
        typer.Option(metavar="refuse|drop", help="What to do with rows of a vectors file that are wrong."),
    ] = "refuse",
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="The encoding of the words, if it is not UTF-8.")
    ] = "utf-8",
    unsafe_pickle: Annotated[
        bool, typer.Option("--unsafe-pickle", help="Load gensim's own format, which can run any code.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Score vectors on test sets."""
    from evaluator.score import DEFAULT_MEASURES, Settings, case_hint
    from evaluator.score import score as score_vectors
    from evaluator.vectors import load_vectors

    settings = Settings(oov, norm, case, vocabulary, seed)  # type: ignore[arg-type]  # Settings checks
    read = [_read(path) for path in test_sets]
    loaded = load_vectors(
        vectors,
        format=vector_format,
        bad_rows=bad_rows,  # type: ignore[arg-type]  # load_vectors checks
        unsafe_pickle=unsafe_pickle,
        encoding=encoding,
    )
    results = []
    for test_set in read:
        with _Progress(f"scoring {test_set.name}") as progress:
            chosen = measure or DEFAULT_MEASURES
            results.append(score_vectors(loaded, test_set, chosen, settings, progress, _announce))
    for test_set in read:
        hint = case_hint(loaded, test_set, settings)
        if hint:
            typer.echo(f"evaluator: {test_set.name}: {hint}", err=True)
    if as_json:
        typer.echo(json.dumps([scores.as_dict() for scores in results], ensure_ascii=False, indent=1))
        return
    for test_set, scores in zip(read, results, strict=True):
        _print_scores(loaded, test_set, scores)


@app.command()
def measures() -> None:
    """List the measures with what they count."""
    import inspect
    import textwrap

    from evaluator.measures import measure_classes

    described = [
        f"{measure()}\n{textwrap.indent(inspect.getdoc(measure) or '', '    ')}\n"
        for measure in measure_classes().values()
    ]
    typer.echo("\n".join(described), nl=False)


@app.command()
def export(
    test_set: Annotated[Path, typer.Argument(metavar="TESTSET", help="A test set (.json).")],
    output: Annotated[Path, typer.Argument(metavar="FILE.txt", help="Where the categories go.")],
) -> None:
    """Write the categories of a test set as a text file of gensim-evaluations."""
    from evaluator.category_files import write_category_file

    write_category_file(_read(test_set), output)


def _read(path: Path) -> TestSet:
    from evaluator.category_files import read_category_file
    from evaluator.testset import read_testset

    return read_category_file(path) if path.suffix.lower() == ".txt" else read_testset(path)


def _announce(comparisons: int) -> None:
    """Say beforehand what will take long."""
    from evaluator.scan import COMPARISONS_PER_SECOND, cores

    seconds = comparisons / COMPARISONS_PER_SECOND / cores()
    if seconds > 10:
        typer.echo(f"evaluator: {comparisons:.1e} comparisons, about {seconds:.0f} seconds", err=True)


class _Progress:
    """A bar on stderr, shown only on a terminal."""

    def __init__(self, description: str) -> None:
        self._description = description

    def __enter__(self) -> Callable[[float], None]:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        task = self._bar.add_task(self._description, total=1.0)
        return lambda done: self._bar.update(task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _print_scores(vectors: Vectors, test_set: TestSet, scores: Scores) -> None:
    """A table with a row for each category, then what was skipped, and how to get the scores again."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("category")
    for name in ("words", "OOV", *scores):
        table.add_column(name, justify="right")
    frame = scores.frame()
    for row in frame.itertuples(index=False):
        table.add_row(row[0], str(row[1]), str(row[2]), *(_rate(value) for value in row[3:]))
    means = [_rate(each.value) for each in scores.values()]
    table.add_row(
        "all", str(frame["words"].sum()), str(frame["oov"].sum()), *means, style="bold", end_section=True
    )
    width = None if sys.stdout.isatty() else 10_000
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    console.print(
        f"{vectors.name} ({len(vectors):,} words, {vectors.dimension} dimensions) on {test_set.name} "
        f"({test_set.language})"
    )
    console.print(table)
    if scores.combined is not None:
        console.print(f"Combined {_rate(scores.combined)}")
    skipped = [
        (c.name, each.measure, c.skipped) for each in scores.values() for c in each.categories if c.skipped
    ]
    drawn = [(c.name, each.measure, c.error) for each in scores.values() for c in each.categories if c.error]
    for name, measure, error in drawn:
        console.print(f"  {name}, {measure}: subsets drawn, standard error {error:.5f}")
    if skipped:
        console.print("Skipped, and no part of the mean:")
    for name, measure, reason in sorted(skipped, key=lambda row: row[0]):
        console.print(f"  {name}, {measure}: {reason}")
    for each in scores.values():
        console.print(each.signature, style="dim")


def _rate(value: float) -> str:
    return "-" if value != value else f"{value:.4f}"


def main() -> None:
    """Run the command line; an error of the user's is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except EvaluatorError as error:
        typer.echo(f"evaluator: {error}", err=True)
        sys.exit(2)
