"""`evaluator train`, `tune` and `curve`: a model of a corpus, and studies of many, which can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.cli import inputs, options
from evaluator.cli.inputs import check_folder, figure_files
from evaluator.cli.options import SCORED, TRAINED, number, option
from evaluator.cli.output import GIVEN, Progress, csv_of, tell_failed, write_results
from evaluator.cli.terminal import show, tell_written
from evaluator.errors import StudyError

if TYPE_CHECKING:
    from evaluator.results.curve import CurveFile
    from evaluator.results.tuning import TuningFile
    from evaluator.studies.tuning.space import AnySpace

_FIGURE = "the figure, which --no-figure leaves out,"


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
    from evaluator.studies.trainers import MODEL_FILES, trainer_named
    from evaluator.studies.tuning import COUNTED, PAPER, Tuning
    from evaluator.studies.tuning import tune as search

    if not no_figure:
        require_matplotlib(_FIGURE)
    _refuse_epochs(trainer, epochs, 5)
    space: AnySpace = COUNTED if trainer == "svd" else PAPER
    tuning = Tuning(
        trials=trials,
        space=space.narrowed(_restrictions(only or [])),
        sampler=sampler,
        seed=seed,
        epochs=epochs,
        measures=tuple(measure) if measure else None,
        settings=Settings(oov=oov, multiword=words.multiword, seed=seed),
        halves=not whole,
        seeds=seeds,
        trainer=trainer_named(trainer),
    )
    test_set = inputs.with_categories(merge(tests.read(tests.test_format, columns=tests.chosen)), category)
    texts = inputs.read_corpus(corpus, test_set.language, words.case, words.profile, tokens=tokens)
    marks = "trials.jsonl", "sentences.sha256", "tuning.json"
    written = "tuning.json", "trials.csv", *figure_files("tuning"), "sentences.txt", "sentences-lemmas.txt"
    check_folder(output, force=force, marks=marks, written=(*written, *MODEL_FILES))
    with Progress("training", output) as progress:
        result = search(texts, test_set, output, tuning, machine.machine(progress))
    said = f"All trials, figure and model: {output}"
    _conclude(results, result, output / "tuning.json", output / "trials.csv", said, draw=not no_figure)


def _restrictions(only: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in only]
    wrong = next((each for each, (_, found, _) in zip(only, pairs, strict=True) if not found), None)
    if wrong is not None:
        raise StudyError(f"--only {wrong}: give a name and values, as in --only dimension=50,100")
    found = dict[str, str]()
    for name, _, values in pairs:
        parameter, chosen = name.strip().replace("-", "_"), values.strip()
        if found.setdefault(parameter, chosen) != chosen:
            raise StudyError(
                f"--only {parameter}={found[parameter]} and --only {parameter}={chosen}: give one of them; "
                "`evaluator tune` takes several values with commas, as in dimension=50,100"
            )
    return found


def _refuse_epochs(trainer: str | None, epochs: int | None, default: int | None) -> None:
    if trainer == "svd" and epochs != default:
        raise StudyError("--epochs: svd counts the corpus once, and has no epochs; leave it out")


def curve(
    corpus: options.Corpora,
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    analogies: Annotated[
        str | None,
        option(
            SCORED,
            "A file of analogies. By default those of the test set; without a test set, categories are made "
            "of them.",
            metavar="FILE",
        ),
    ] = None,
    language: options.Language = options.TestOptions.language,
    measure: options.Measures = None,
    words: options.WordOptions,
    tokens: options.Tokens = "letter-runs",
    seed: options.Seed = options.ScoreOptions.seed,
    first: Annotated[
        str, option(TRAINED, "The smallest size of the corpus.", "--from", metavar="SIZE")
    ] = "2^10",
    last: Annotated[
        str,
        option(TRAINED, "The largest size; each size is twice the one before.", "--to", metavar="SIZE|all"),
    ] = "all",
    seeds: Annotated[int, number(TRAINED, "How many models of each size, each with its own seed.")] = 1,
    seeds_up_to: Annotated[
        str, option(TRAINED, "Above this size, train one model only.", metavar="SIZE|all")
    ] = "all",
    unit: Annotated[
        Literal["tokens", "types"],
        option(TRAINED, "What sizes are in: all tokens, or different words (unique tokens)."),
    ] = "tokens",
    only: Annotated[
        list[str] | None,
        option(
            TRAINED,
            "A hyper-parameter in place of the paper's, as in dimension=50 or architecture=cbow. May be "
            "repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    epochs: Annotated[int, number(TRAINED, "How many times each model reads its subset of the corpus.")] = 1,
    output: options.Output,
    no_figure: options.NoFigure = False,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
    trainer: options.TrainerCommand = None,
) -> None:
    """Train on growing subsets of a corpus, and show from which size each measure is above chance level.

    Run the same command again to resume.

    For example: evaluator curve latin.txt.gz --test testsets/la.json --output curve
    """
    from evaluator.datasets.testset import merge
    from evaluator.results.figures import require_matplotlib
    from evaluator.settings import Settings
    from evaluator.studies.curves import CurveOptions, parse_size
    from evaluator.studies.curves import curve as learn
    from evaluator.studies.curves.points import COUNTED, MEASURES, PAPER
    from evaluator.studies.trainers import trainer_named
    from evaluator.studies.tuning.space import chosen

    if not no_figure:
        require_matplotlib(_FIGURE)
    smallest = parse_size(first)
    if smallest is None:
        raise StudyError("--from all: give the smallest size in tokens, such as 1024 or 2^10")
    _refuse_epochs(trainer, epochs, 1)
    default = COUNTED if trainer == "svd" else replace(PAPER, epochs=epochs)
    plan = CurveOptions(
        first=smallest,
        last=parse_size(last),
        seeds=seeds,
        seeds_up_to=parse_size(seeds_up_to),
        parameters=chosen(_restrictions(only or []), default),
        measures=tuple(measure or MEASURES),
        settings=Settings(multiword=words.multiword, seed=seed),
        trainer=trainer_named(trainer),
        unit=unit,
    )
    categories = merge(inputs.read_tests(test, language)) if test else None
    sections = inputs.read_tests([analogies], language)[0] if analogies else None
    named = categories or sections
    code = language if named is None else named.language
    texts = inputs.read_corpus(corpus, code, words.case, words.profile, tokens=tokens)
    marks = "points.jsonl", "sentences.sha256", "curve.json"
    written = "curve.json", "curve.csv", *figure_files("curve", "categories"), "sentences.txt"
    check_folder(output, force=force, marks=marks, written=written)
    with Progress("training", output) as progress:
        result = learn(texts, output, categories, sections, plan, machine.machine(progress))
    said = f"All points{'' if no_figure else ' and figures'}: {output}"
    _conclude(results, result, output / "curve.json", output / "curve.csv", said, draw=not no_figure)


def train(
    corpus: options.Corpora,
    *,
    language: options.Language = options.TestOptions.language,
    words: options.SpellingOptions,
    tokens: options.Tokens = "letter-runs",
    only: Annotated[
        list[str] | None,
        option(
            TRAINED,
            "A hyper-parameter in place of the trainer's default, as in dimension=300 or lemmas=yes. May be "
            "repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    epochs: Annotated[
        int | None, number(TRAINED, "How many times the corpus is read; by svd, always once.")
    ] = None,
    seed: options.Seed = options.ScoreOptions.seed,
    resample: Annotated[
        Literal["lines", "documents"] | None,
        option(
            TRAINED,
            "Train on as many lines, or documents (text between empty lines), as the corpus has, drawn with "
            "replacement by --seed: models of several seeds then differ by what is in the text.",
        ),
    ] = None,
    output: options.OutputVectors,
    force: options.Force = False,
    results: options.ResultOptions,
    trainer: options.TrainerCommand = None,
) -> None:
    """Train a model of a corpus: counted by default, with --trainer gensim word2vec or fastText.

    For example: evaluator train latin.txt.gz --language la --output la.vec

    For example: evaluator train latin.txt.gz --only dimension=300 --only window=2 --output la.safetensors
    """
    from msgspec import UNSET

    from evaluator.settings import Hyperparameters
    from evaluator.studies.trainers import trainer_named
    from evaluator.studies.training import train as trained
    from evaluator.studies.tuning.space import chosen

    trainer = trainer or "svd"
    _refuse_epochs(trainer, epochs, None)
    default = Hyperparameters("svd" if trainer == "svd" else "word2vec", epochs=epochs or UNSET)
    parameters = chosen(_restrictions(only or []), default)
    inputs.prepare_vectors(output, corpus, force=force, described=True)
    texts = inputs.read_corpus(corpus, language, words.case, words.profile, tokens=tokens)
    how = trainer_named(trainer)
    found = trained(texts, output, parameters, how, seed, resample=resample, command=GIVEN.get())
    show(results, found.record)


def _conclude(
    results: options.ResultOptions,
    found: CurveFile | TuningFile,
    path: Path,
    table: Path,
    said: str,
    *,
    draw: bool,
) -> None:
    write_results(found, path, csv_of(found.frame()), table, figures=draw)
    show(results, found)
    tell_written(results, said)
    tell_failed(found.failed)
