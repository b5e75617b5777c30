"""`evaluator score`: vectors scored on test sets, and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import COMPUTED, OUTPUT, SCORED, number, option
from evaluator.cli.output import Progress, announce, csv_of, echo, with_arguments
from evaluator.cli.terminal import show
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from evaluator.results.scores import ScoresFile
    from evaluator.settings import Settings
    from evaluator.studies.models import ModelToScore, ScoredModel


def score(
    context: typer.Context,
    vectors: options.VectorFiles,
    *,
    tests: options.TestOptions,
    measure: options.Measures = None,
    baseline: Annotated[
        bool, option(SCORED, "Also score a model that knows only how frequent words are.", "--baseline")
    ] = False,
    margin: Annotated[
        float | None,
        number(SCORED, "Scores that differ by less than N are equal: test that, too.", min=0.0, max=1.0),
    ] = None,
    words: options.ScoreOptions,
    preset: Annotated[
        Literal["gensim", "gensim-evaluations"] | None,
        option(
            COMPUTED,
            "The conventions of gensim, or of gensim-evaluations, in place of --case, --oov and the like.",
        ),
    ] = None,
    reading: options.VectorOptions,
    report: Annotated[
        Path | None, option(OUTPUT, "Also write a report of the scores.", metavar="FILE.html")
    ] = None,
    figure: Annotated[
        Path | None,
        option(OUTPUT, "Also draw the scores by category: .pdf, .svg or .png.", metavar="FILE"),
    ] = None,
    force: options.Force = False,
    results: options.TableOptions,
    machine: options.MachineOptions,
) -> None:
    """Score vectors on test sets, and compare further vectors with the first.

    Vectors of one model that were trained with several seeds are given as a name and a quoted pattern.

    For example: evaluator score la.vec --test testsets/la.json --measure Topk@3

    For example: evaluator score old='old.*.vec' new='new.*.vec' --test testsets/la.json
    """
    from evaluator.measures import parse_measure
    from evaluator.studies.models import ModelToScore, among_the_same, brought_together, on_common_words

    settings = _settings(context, words, preset)
    names, paths = inputs.training_runs(vectors)
    _prepare(report, figure, [*paths, *tests.test], force=force)
    test_sets = tuple(tests.read(reading.bad_rows))
    files = reading.files(paths)
    inputs.refuse_same_names(names, [file.name for file in files])
    if machine.scheduler is None:
        inputs.check_there(paths)
    by = tuple(str(parse_measure(each)) for each in measure) if measure else None
    several = len({name or number for number, name in enumerate(names)}) > 1
    models = [ModelToScore(file, test_sets, by, settings, compared=several) for file in files]
    if settings.oov == "skip" and len(models) > 1:
        models = on_common_words(models, machine.machine())
    scored = list(_scored(models, machine))
    _tell(models, scored)
    again = among_the_same(models, scored)
    among = list(_scored(again, machine)) if again else ()
    found = brought_together(scored, names, among, baseline=baseline, margin=margin)
    record = found.record()
    _write(report, figure, record)
    if results.as_csv or results.as_latex:
        echo(csv_of(record.frame()) if results.as_csv else record.latex(), nl=False)
    else:
        show(results, record)
    for line in [each.reason for each in found.failures] if results.as_json or results.as_csv else ():
        echo(f"evaluator: {line}", err=True)
    if found.reasons:
        raise typer.Exit(1)


_PRESET = ("oov", "norm", "case", "vocabulary", "profile", "multiword", "levels", "small_categories")


def _settings(context: typer.Context, words: options.ScoreOptions, preset: str | None) -> Settings:
    """What holds for the scores."""
    from evaluator.settings import PRESETS, Settings

    if preset is None:
        return Settings(**vars(words))
    given = [f"--{name.replace('_', '-')}" for name in _PRESET if _was_given(context, name)]
    if given:
        raise ScoreError(f"--preset {preset} decides {', '.join(given)}; leave out one or the other")
    return replace(PRESETS[preset], seed=words.seed)


def _was_given(context: typer.Context, name: str) -> bool:
    """Whether an option is on the command line, even with its default value."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _scored(models: Sequence[ModelToScore], machine: options.MachineOptions) -> Iterator[ScoredModel]:
    """Score one after another, each with a progress bar of its own, or several at a time."""
    from evaluator.studies.models import score_model, score_models

    if machine.machine().in_this_process:
        for model in models:
            with Progress(f"scoring {model.file.name}") as progress:
                yield score_model(replace(model, machine=machine.machine(progress)), announce)
        return
    with Progress(f"scoring {len(models)} models") as progress:
        found = score_models(models, machine.machine(progress))
    yield from found


def _tell(models: Sequence[ModelToScore], scored: Sequence[ScoredModel]) -> None:
    for model, each in zip(models, scored, strict=True):
        inputs.tell_dropped(model.file.name, each.dropped)
    if all(scores is None for each in scored for scores in each.scores):
        raise ScoreError("; ".join(failure.reason for each in scored for failure in each.failures))
    for line in dict.fromkeys(hint for each in scored for hint in each.hints):
        echo(f"evaluator: {line}", err=True)


def _prepare(report: Path | None, figure: Path | None, inputs: Iterable[str], *, force: bool) -> None:
    """Find out before the work whether a report and a figure can be made and written."""
    from evaluator.execution.remote_files import is_url, without_file_scheme

    local = [Path(each) for each in map(without_file_scheme, inputs) if not is_url(each)]
    if report is not None:
        from evaluator.cli.report import prepare_report

        prepare_report(report, local, force=force)
    if figure is not None:
        from evaluator.cli.report import prepare_figure

        prepare_figure(figure, local, force=force)


def _write(report: Path | None, figure: Path | None, record: ScoresFile) -> None:
    if report is not None:
        from evaluator.reports.build import write_report
        from evaluator.reports.inputs import input_of

        write_report([input_of(with_arguments(record), "scores.json")], report)
    if figure is not None:
        from evaluator.results.figures.forest import forest_figure
        from evaluator.results.figures.style import write_figure
        from evaluator.results.scores import marks_of

        write_figure(forest_figure(marks_of(record.results)), figure)
