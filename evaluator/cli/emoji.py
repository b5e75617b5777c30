"""Tuning emoji models."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.output import console, plain_table, print_json, rate
from evaluator.cli.progress import Progress
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from evaluator.results.emoji import EmojiFile
    from evaluator.studies.emoji import EmojiScores, Sweep
    from evaluator.vectors import Vectors

RATES = "1e-5:1e-1:13"

_WRITTEN = tuple(f"emoji.{ending}" for ending in ("json", "csv", "vec", "svg", "pdf", "png"))


def emoji(
    descriptions: Annotated[
        Path, typer.Option("--descriptions", metavar="FILE", help="Descriptions of emoji to learn from.")
    ],
    dev: Annotated[Path, typer.Option(metavar="FILE", help="Descriptions to tell right from wrong.")],
    words: Annotated[Path, typer.Option(metavar="VECTORS", help="Vectors of the descriptions' words.")],
    test: Annotated[
        Path, typer.Option("--test", "-t", metavar="FILE", help="A test set of `testgen emoji`.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where results go.")],
    held_out: Annotated[
        Path | None, typer.Option("--held-out", metavar="FILE", help="Like --dev, and for no choice.")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(metavar="VECTORS", help="Vectors of emoji to score beside the models.")
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH:COUNT", help=f"Learning rates, in equal ratios; {RATES} by default."),
    ] = None,
    rate_: Annotated[
        list[float] | None, typer.Option("--rate", metavar="X", help="A learning rate; may be repeated.")
    ] = None,
    epochs: Annotated[int, typer.Option(metavar="N", help="How often each description is passed.")] = 40,
    batch: Annotated[int, typer.Option(metavar="N", help="Descriptions that fit in a step.")] = 4,
    ratio: Annotated[
        int, typer.Option(metavar="N", help="Descriptions drawn for each of them that do not.")
    ] = 1,
    seeds: Annotated[int, typer.Option(metavar="N", help="Models at each learning rate.")] = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of the first.")] = 0,
    choose: Annotated[
        str,
        typer.Option(
            metavar="auc|accuracy|topk|oddoneout|combined", help="What the model that is kept is chosen by."
        ),
    ] = "combined",
    variation_selectors: Annotated[
        str, typer.Option(metavar="drop|keep", help="U+FE0F in descriptions; as in the test set.")
    ] = "drop",
    case: Annotated[str, typer.Option(metavar="exact|fold", help="How words are looked up.")] = "exact",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    as_json: options.Json = False,
) -> None:
    """Train emoji vectors at many learning rates, and show which rate each measure would choose."""
    from evaluator.execution.output_files import prepare_folder, protect_inputs
    from evaluator.report.figures.style import require_matplotlib
    from evaluator.studies.emoji import (
        EmojiHyperparameters,
        EmojiTests,
        describe,
        rates_between,
        read_descriptions,
        sweep,
    )

    _check_choice(choose)
    if rates and rate_:
        raise typer.BadParameter("give --rates or --rate, not both")
    require_matplotlib()
    chosen = rate_ or rates_between(rates or RATES)
    given = (descriptions, dev, words, test, held_out, reference)
    protect_inputs((path for path in given if path is not None), output, _WRITTEN)
    parameters = EmojiHyperparameters(epochs=epochs, batch=batch, ratio=ratio, seed=seed)
    read = partial(read_descriptions, variation_selectors=variation_selectors)  # type: ignore[arg-type]  # it checks
    (test_set,) = options.read_tests([test], "auto", "und")
    to_learn, to_choose = read(descriptions), read(dev)
    to_report = read(held_out) if held_out else None
    prepare_folder(output)
    loader = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle=False)
    known = partial(describe, words=loader.load(words), case=case)  # type: ignore[arg-type]  # it checks
    tests = EmojiTests(test_set, known(to_choose), known(to_report) if to_report else None)
    beside = tests.score(_emoji_of(loader.load(reference), variation_selectors)) if reference else None
    with Progress("training") as progress:
        found = sweep(known(to_learn), tests, chosen, seeds, parameters, progress)
    record = found.record(beside)
    _write(found, record, choose, output)
    if as_json:
        print_json(record)
        return
    _print(found, beside, choose, output)


def _check_choice(choose: str) -> None:
    from evaluator.studies.emoji import MEASURES

    if choose not in MEASURES:
        raise ScoreError(f"--choose is {choose!r}; choose from {', '.join(MEASURES)}")


def _emoji_of(vectors: Vectors, variation_selectors: str) -> Vectors:
    """Vectors of emoji, in the form in which the descriptions have them."""
    from evaluator.studies.emoji import without_selectors

    return vectors.fold(without_selectors) if variation_selectors == "drop" else vectors


def _write(found: Sweep, record: EmojiFile, choose: str, folder: Path) -> None:
    """All result files: every model's figures, the drawing, and the model that is kept."""
    from evaluator.execution.output_files import write_text
    from evaluator.report.figures.emoji import sweep_figure
    from evaluator.report.figures.style import save_figure
    from evaluator.results.base import to_json
    from evaluator.studies.emoji import write_emoji

    write_text(folder / "emoji.json", f"{to_json(record)}\n")
    write_text(folder / "emoji.csv", found.frame().to_csv(index=False, lineterminator="\n"))
    write_emoji(found.best_run(choose).vectors, folder / "emoji.vec")
    save_figure(sweep_figure(record), folder, "emoji")


def _print(found: Sweep, beside: EmojiScores | None, choose: str, folder: Path) -> None:
    out = console()
    for line in _heading(found):
        out.print(line)
    out.print(_rates(found, beside))
    out.print("The rate that each measure would choose:")
    out.print(_choices(found))
    out.print("Spearman's correlation over the rates:")
    out.print(_correlations(found))
    best = found.best_run(choose)
    out.print(f"{folder / 'emoji.vec'}: {best.vectors.name}, the best by {choose}, {len(best.vectors)} emoji")


def _heading(found: Sweep) -> Iterator[str]:
    """What was learnt from, and what was left out."""
    name, pairs, left_out = found.learnt
    yield f"{name}: {pairs} descriptions learnt from; left out: {left_out} without a word that has a vector"
    first = found.runs[0][0]
    topk, odd = first.scored
    yield (
        f"{found.tests.test_set.name}: {first.asked - first.oov} of {first.asked} emoji were learnt; "
        f"Topk scores {topk} categories, OddOneOut {odd}"
    )
    for described, told in ((found.tests.dev, first.dev), (found.tests.held_out, first.held_out)):
        if described is not None and told is not None:
            yield (
                f"{described.name}: {told.pairs} told right or wrong; left out: {told.without_words} without "
                f"a word that has a vector, {told.without_emoji} with an emoji that was not learnt"
            )
    seeds = len(found.seeds)
    yield f"{seeds} models at each rate: mean (lowest to highest)" if seeds > 1 else "1 model at each rate"


def _rates(found: Sweep, beside: EmojiScores | None) -> Table:
    """A row for each rate; an asterisk before the highest mean of each measure."""
    from evaluator.studies.emoji import MEASURES

    table = plain_table("rate", MEASURES.values())
    for i, each in enumerate(found.rates):
        table.add_row(f"{each:.2e}", *(_cell(found, measure, i) for measure in MEASURES))
    if beside is not None:
        table.add_row(beside.vectors.name, *(rate(beside.value(measure)) for measure in MEASURES))
    return table


def _cell(found: Sweep, measure: str, place: int) -> str:
    values, mark = found.values(measure)[place], "*" if found.best(measure) == place else ""
    spread = f" ({rate(min(values))} to {rate(max(values))})" if len(values) > 1 else ""
    return f"{mark}{rate(found.means(measure)[place])}{spread}"


def _choices(found: Sweep) -> Table:
    from evaluator.studies.emoji import MEASURES

    table = plain_table("measure", ("rate", "mean", "held-out accuracy", "held-out AUC"))
    for measure, name in MEASURES.items():
        place, held_out = found.best(measure), found.held_out(measure) or (None, None)
        table.add_row(
            name, f"{found.rates[place]:.2e}", rate(found.means(measure)[place]), *map(rate, held_out)
        )
    return table


def _correlations(found: Sweep) -> Table:
    from evaluator.studies.emoji import MEASURES

    table = plain_table("", ("Accuracy", "AUC"))
    for measure, row in found.correlations.items():
        table.add_row(MEASURES[measure], *(_signed(row[other]) for other in ("accuracy", "auc")))
    return table


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"
