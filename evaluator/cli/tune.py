"""`evaluator tune`: a search for the hyper-parameters that make the best vectors of a corpus."""

from __future__ import annotations

from typing import Annotated, Literal

from evaluator.cli import inputs, options
from evaluator.cli.inputs import check_folder, figures
from evaluator.cli.options import SCORED, TRAINED, number, option
from evaluator.cli.output import Progress, csv_of, tell_failed, write_results
from evaluator.cli.terminal import show, tell_written
from evaluator.errors import StudyError


def tune(
    corpus: options.Corpora,
    *,
    tests: options.FormatOptions,
    category: options.Categories = None,
    measure: options.Measures = None,
    whole: Annotated[
        bool,
        option(SCORED, "Choose by the whole test set, with no held-out half for an honest score.", "--whole"),
    ] = False,
    words: options.WordOptions,
    tokens: options.Tokens = "letter-runs",
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
    trainer: options.TrainerCommand = None,
) -> None:
    """Search for the hyper-parameters that make the best vectors of a corpus.

    Run the same command again to resume.

    For example: evaluator tune latin.txt.gz --test testsets/la.json --output study
    """
    from evaluator.datasets.testset import merge
    from evaluator.results.figures import require_matplotlib
    from evaluator.settings import Settings
    from evaluator.studies.trainers import GensimTrainer, ProgramTrainer
    from evaluator.studies.tuning import PAPER, Tuning
    from evaluator.studies.tuning import tune as search

    if not no_figure:
        require_matplotlib()
    tuning = Tuning(
        trials=trials,
        space=PAPER.narrowed(_restrictions(only or [])),
        sampler=sampler,
        seed=seed,
        epochs=epochs,
        measures=tuple(measure or Tuning.measures),
        settings=Settings(oov=oov, multiword=words.multiword, seed=seed),
        halves=not whole,
        seeds=seeds,
        trainer=GensimTrainer() if trainer is None else ProgramTrainer(trainer),
    )
    test_set = inputs.with_categories(merge(tests.read(tests.test_format)), category)
    code = test_set.named_in or test_set.language
    texts = inputs.read_corpus(corpus, code, words.case, words.profile, tokens=tokens)
    check_folder(output, force=force, marks=_MARKS, written=_WRITTEN)
    with Progress("training", output) as progress:
        result = search(texts, test_set, output, tuning, machine.machine(progress))
    table = csv_of(result.frame())
    write_results(result, output / "tuning.json", table, output / "trials.csv", figures=not no_figure)
    show(results, result)
    tell_written(results, f"All trials, figure and model: {output}")
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
