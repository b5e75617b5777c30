"""`evaluator curve`: learning curves over the size of a corpus."""

from __future__ import annotations

from typing import Annotated, Literal, NoReturn

from evaluator.cli import inputs, options
from evaluator.cli.inputs import check_folder, figures
from evaluator.cli.options import SCORED, TRAINED, number, option
from evaluator.cli.output import Progress, csv_of, tell_failed, write_results
from evaluator.cli.terminal import show, tell_written


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
        str, option(TRAINED, "The smallest size of the corpus, in tokens.", "--from", metavar="SIZE")
    ] = "2^10",
    last: Annotated[
        str,
        option(TRAINED, "The largest size; each size is twice the one before.", "--to", metavar="SIZE|all"),
    ] = "all",
    seeds: Annotated[int, number(TRAINED, "How many models of each size, each with its own seed.")] = 1,
    seeds_up_to: Annotated[
        str, option(TRAINED, "Above this size, train one model only.", metavar="SIZE|all")
    ] = "all",
    model: Annotated[Literal["word2vec", "fasttext"], option(TRAINED, "What is trained.")] = "word2vec",
    architecture: Annotated[
        Literal["skip-gram", "cbow"], option(TRAINED, "The architecture of the model.")
    ] = "skip-gram",
    dimension: Annotated[int, number(TRAINED, "The dimension of the vectors.")] = 100,
    min_count: options.MinCount = 5,
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
    from evaluator.settings import Hyperparameters, Settings
    from evaluator.studies.curves import CurveOptions, parse_size
    from evaluator.studies.curves import curve as learn
    from evaluator.studies.curves.points import MEASURES
    from evaluator.studies.trainers import GensimTrainer, ProgramTrainer

    if not no_figure:
        require_matplotlib()
    plan = CurveOptions(
        first=parse_size(first) or _whole(),
        last=parse_size(last),
        seeds=seeds,
        seeds_up_to=parse_size(seeds_up_to),
        parameters=Hyperparameters(model, architecture, dimension, min_count=min_count, epochs=epochs),
        measures=tuple(measure or MEASURES),
        settings=Settings(multiword=words.multiword, seed=seed),
        trainer=GensimTrainer() if trainer is None else ProgramTrainer(trainer),
    )
    categories = merge(inputs.read_tests(test, language)) if test else None
    sections = inputs.read_tests([analogies], language)[0] if analogies else None
    named = categories or sections
    code = language if named is None else named.named_in or named.language
    texts = inputs.read_corpus(corpus, code, words.case, words.profile, tokens=tokens)
    check_folder(output, force=force, marks=_MARKS, written=_WRITTEN)
    with Progress("training", output) as progress:
        result = learn(texts, output, categories, sections, plan, machine.machine(progress))
    table = csv_of(result.frame())
    write_results(result, output / "curve.json", table, output / "curve.csv", figures=not no_figure)
    show(results, result)
    tell_written(results, f"All points{'' if no_figure else ' and figures'}: {output}")
    tell_failed(result.failed)


_MARKS = ("points.jsonl", "sentences.sha256", "curve.json")
_WRITTEN = ("curve.json", "curve.csv", *figures("curve", "categories"), "sentences.txt")


def _whole() -> NoReturn:
    from evaluator.errors import StudyError

    raise StudyError("--from all: give the smallest size in tokens, such as 1024 or 2^10")
