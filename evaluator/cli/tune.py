"""`evaluator tune`: a search for the hyper-parameters that make the best vectors of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.cli import inputs, options
from evaluator.cli.options import SCORED, TRAINED, number, option
from evaluator.cli.output import (
    Progress,
    console,
    csv_of,
    interval,
    p_value,
    plain_table,
    rate,
    show,
    tell_failed,
    write_results,
)
from evaluator.cli.overwriting import check_folder, figures
from evaluator.errors import StudyError

if TYPE_CHECKING:
    import pandas as pd

    from evaluator.results.tuning import RetrainedModel, TuningFile
    from evaluator.studies.tuning import TuningResult

_SHOWN = 10


def tune(
    corpus: options.Corpora,
    *,
    tests: options.TestOptions,
    category: options.Categories = None,
    measure: options.Measures = None,
    whole: Annotated[
        bool,
        option(SCORED, "Choose by the whole test set, with no held-out half for an honest score.", "--whole"),
    ] = False,
    words: options.WordOptions,
    tokens: options.Tokens = "letter-runs",
    bad_rows: options.BadRows = "refuse",
    oov: options.Oov = options.ScoreOptions.oov,
    seed: options.Seed = options.ScoreOptions.seed,
    trials: Annotated[int, number(TRAINED, "How many samples of hyper-parameters to try.")] = 100,
    only: Annotated[
        list[str] | None,
        option(
            TRAINED,
            "Restrict a hyper-parameter, as in dimension=50,100. May be repeated.",
            metavar="NAME=VALUES",
        ),
    ] = None,
    sampler: Annotated[
        Literal["random", "tpe"],
        option(TRAINED, "How samples are drawn: at random, or by Optuna's TPE, which learns from trials."),
    ] = "random",
    epochs: Annotated[int, number(TRAINED, "How many times each model reads the corpus.")] = 5,
    seeds: Annotated[
        int, number(TRAINED, "With how many seeds the best model and the default are trained to be judged.")
    ] = 1,
    output: options.Output,
    no_figure: options.NoFigure = False,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
    mixed_versions: options.MixedVersions = False,
    trainer: options.TrainerCommand = None,
) -> None:
    """Search for the hyper-parameters that make the best vectors of a corpus.

    Run the same command again to resume.

    For example: evaluator tune latin.txt.gz --test testsets/la.json --output study
    """
    from evaluator.datasets.testset import merge
    from evaluator.results.figures.style import require_matplotlib
    from evaluator.settings import Settings
    from evaluator.studies.trainers import GensimTrainer, ProgramTrainer
    from evaluator.studies.tuning import PAPER, Tuning
    from evaluator.studies.tuning import tune as search

    if not no_figure:
        require_matplotlib()
    tuning = Tuning(
        trials,
        PAPER.narrowed(_restrictions(only or [])),
        sampler,
        seed,
        epochs,
        machine.workers,
        machine.scheduler,
        tuple(measure or Tuning.measures),
        Settings(oov=oov, multiword=words.multiword, seed=seed),
        halves=not whole,
        seeds=seeds,
        mixed_versions=mixed_versions,
        trainer=GensimTrainer() if trainer is None else ProgramTrainer(trainer),
    )
    test_set = inputs.with_categories(merge(tests.read(bad_rows)), category)
    code = test_set.named_in or test_set.language
    texts = inputs.read_corpus(corpus, code, words.case, words.profile, tokens=tokens)
    check_folder(output, force=force, marks=_MARKS, written=_WRITTEN)
    with Progress("training", output) as progress:
        result = search(texts, test_set, output, tuning, progress, progress.log)
    record, all_trials = result.record(), result.frame()
    _write(record, all_trials, output, figure=not no_figure)
    show(
        results,
        lambda: record,
        text=lambda: _print(result, output),
        csv=lambda: csv_of(all_trials),
    )
    tell_failed(result.failed)


_MARKS = ("trials.jsonl", "sentences.sha256", "tuning.json")
_WRITTEN = (
    *("tuning.json", "trials.csv", *figures("tuning")),
    *("model.bin", "model", "model.vec", "model.txt", "model.npz", "model.safetensors"),
    *("sentences.txt", "sentences-lemmas.txt"),
)


def _restrictions(only: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in only]
    wrong = next((each for each, (_, found, _) in zip(only, pairs, strict=True) if not found), None)
    if wrong is not None:
        raise StudyError(f"--only {wrong}: give a name and values, as in --only dimension=50,100")
    return {name.strip().replace("-", "_"): values for name, _, values in pairs}


def _write(record: TuningFile, trials: pd.DataFrame, folder: Path, *, figure: bool) -> None:
    write_results(record, folder / "tuning.json", csv_of(trials), folder / "trials.csv")
    if figure:
        from evaluator.results.figures.style import save_figure
        from evaluator.results.figures.tuning import tuning_figure

        save_figure(tuning_figure(record), folder, "tuning")


def _print(result: TuningResult, folder: Path) -> None:
    out = console()
    counts = result.statistics
    out.print(
        f"{result.corpus}: {counts.tokens:,} tokens, {counts.types:,} types; {result.test_set}: "
        f"{result.categories[result.view]} categories that this corpus can be scored on"
    )
    _print_trials(result)
    _print_honest(result)
    for note in result.notes:
        out.print(note)
    out.print(f"All trials, figure and model: {folder}", soft_wrap=True)


def _print_trials(result: TuningResult) -> None:
    """The best trials, by what models were chosen by; and the categories that were left out."""
    out, frame = console(), result.frame().head(_SHOWN)
    names = [name for name in frame.columns if name.startswith("choice ")]
    by_number = {outcome.number: outcome for outcome in result.outcomes}
    rows = []
    for _, row in frame.iterrows():
        outcome = by_number[int(row["trial"])]
        cells = [rate(None if value != value else value) for value in row[names]]
        rows.append((str(outcome.number), str(outcome.parameters), f"{outcome.vocabulary:,}", *cells))
    measures = (name.removeprefix("choice ") for name in names)
    out.print(plain_table("trial", ("hyper-parameters", "words", *measures), rows))
    left = list(result.left_out)
    if left:
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        out.print(f"Left out, too few words in the corpus: {', '.join(left[:_SHOWN])}{more}")


def _print_honest(result: TuningResult) -> None:
    """The best and the default on what neither was chosen by."""
    out = console()
    honest = result.view == "report"
    out.print(
        "On the held-out half of each category, by which no model was chosen:"
        if honest
        else "On the same test set that the model was chosen by, so the scores are too high:"
    )
    record = result.record()
    models = {f"best ({record.best.number})": record.best}
    models |= {"default (0)": record.default} if record.default else {}
    measures = list(dict.fromkeys(name for each in models.values() for name in each.estimates[result.view]))
    names = [each for name in measures for each in (name, "95% interval", "chance · frequency")]
    rows = [[name, *_estimates(model, result.view, measures)] for name, model in models.items()]
    out.print(plain_table("model", names, rows))
    out.print(record.conclusion)
    for name, each in record.told.items():
        for over, test in each.tests:
            span = f"{test.low:+.4f} to {test.high:+.4f}"
            out.print(f"{name}: best - default {each.value:+.4f} ({span}), {p_value(test.p)}, over {over}")


def _estimates(model: RetrainedModel, view: str, measures: Iterable[str]) -> Iterator[str]:
    for name in measures:
        each = model.estimates[view].get(name)
        if each is None:
            yield from (rate(None),) * 3
        else:
            levels = f"{rate(each.chance)} · {rate(model.baseline[view].get(name))}"
            yield from (rate(each.value), interval(each.low, each.high), levels)
