"""`evaluator score`: vectors scored on test sets, and compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import COMPUTED, OUTPUT, SCORED, number, option
from evaluator.cli.output import GIVEN, Progress, announce, csv_of, echo, echo_lines, signed, tell
from evaluator.cli.terminal import show
from evaluator.errors import OutputError, ResultsError, ScoreError, VectorsError

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.results.scores import ScoresFile
    from evaluator.settings import Settings
    from evaluator.studies.models import ScoringResult, ScoringTask
    from evaluator.vectors.reading import VectorsFile

    _Group = tuple[Sequence[ScoringTask], Sequence[str | None]]


def score(
    context: typer.Context,
    vectors: options.VectorFiles,
    *,
    tests: options.FormatOptions,
    measure: options.Measures = None,
    baseline: Annotated[
        bool, option(SCORED, "Also score a model that knows only how frequent words are.", "--baseline")
    ] = False,
    margin: Annotated[
        float | None,
        number(SCORED, "Also test which scores differ by less than N.", min=0.0, max=1.0),
    ] = None,
    beside: Annotated[
        Path | None,
        option(
            SCORED,
            "Also say above how many vectors of this result file it is, such as that which `make reference` "
            "writes for published ones.",
            metavar="FILE",
        ),
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
    output: Annotated[
        Path | None,
        option(
            OUTPUT,
            "Keep the scores of each model in this file as soon as it is scored, to resume; `evaluator "
            "report` compares them.",
            *("--output", "-o"),
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[
        Path | None, option(OUTPUT, "Also write a report of the scores.", metavar="FILE.html")
    ] = None,
    figure: Annotated[
        Path | None,
        option(OUTPUT, "Also draw the scores, for a column of a paper: .pdf, .svg or .png.", metavar="FILE"),
    ] = None,
    latex: Annotated[
        Path | None, option(OUTPUT, "Also write the tables for LaTeX.", metavar="FILE.tex")
    ] = None,
    force: options.Force = False,
    results: options.TableOptions,
    machine: options.MachineOptions,
) -> None:
    """Score vectors on test sets, and say which are best.

    Training runs of one model are given as a name and a quoted pattern. docs/read-a-score.md says what the
    numbers and words on the screen mean.

    For example: evaluator score la.vec --test testsets/la.json --measure Topk@3

    For example: evaluator score old='old.*.vec' new='new.*.vec' --test testsets/la.json

    For example: evaluator score 'models/{model}.{language}.vec' --test testsets --latex t.tex --figure f.pdf
    """
    from evaluator.measures import parse_measure
    from evaluator.studies.models import score_and_compare

    settings = _settings(context, words, preset)
    by = tuple(str(parse_measure(each)) for each in measure) if measure else None
    files = [*vectors, *tests.test, *map(str, filter(None, [beside, reading.vocabulary_from]))]
    _prepare(output, {"report": report, "figure": figure, "latex": latex}, files, force=force)
    if output is not None:
        several = (baseline, margin is not None, beside, results.as_csv, results.details)
        if any(several) or tests.language != "und":
            raise ScoreError(
                "--output keeps the scores of models one by one: leave out --baseline, --margin, --beside, "
                f"--csv, --details and --language. `evaluator report {output}` shows all of them"
            )
        failed = _keep(vectors, tests, output, measure, settings, reading, machine, as_json=results.as_json)
        if report or figure or latex:
            _write(report, figure, latex, output)
        raise typer.Exit(failed)
    groups = list(groups_of(vectors, tests, by, settings, reading, machine))
    others = None if beside is None else _read_others(beside, groups)  # before the work
    if figure is not None:
        _check_figure(groups, baseline=baseline)
    scoring = partial(scored, machine=machine, told=set())
    found = score_and_compare(groups, scoring, machine.machine(), baseline=baseline, margin=margin)
    record = found.record()
    _show(results, record, others)
    if report or figure or latex:
        _write(report, figure, latex, record)
    if record.reasons:
        raise typer.Exit(1)


def _read_others(path: Path, groups: Sequence[_Group]) -> tuple[Path, ScoresFile]:
    """The scores of a file, of which some may be compared with those of the models of some language."""
    from evaluator.results.files import read_results
    from evaluator.results.scores import ScoresFile
    from evaluator.statistics.placing import refuse_others
    from evaluator.studies.models import keys_of

    (found,) = read_results(path)
    if not isinstance(found, ScoresFile):
        raise ResultsError(
            f"{path}: holds no scores of models; name a file that `{ScoresFile.command}` wrote"
        )
    refuse_others([key for tasks, _ in groups for key in keys_of(tasks[0])], found, str(path))
    return path, found


def _show(results: options.TableOptions, record: ScoresFile, others: tuple[Path, ScoresFile] | None) -> None:
    if results.as_csv:
        echo_lines(csv_of(record.frame()), nl=False)
    else:
        show(results, record)
    if results.as_json or results.as_csv:
        tell(*(each.reason for each in record.failures), *(each.reason for each in record if each.reason))
    if others is not None:
        from evaluator.statistics.placing import placed

        path, found = others
        for line in (line for each in record for line in placed(each, found, str(path))):
            echo(line, err=results.as_json or results.as_csv)


def groups_of(
    vectors: Sequence[str],
    tests: options.FormatOptions,
    measures: tuple[str, ...] | None,
    settings: Settings,
    reading: options.VectorOptions,
    machine: options.MachineOptions,
) -> Iterator[_Group]:
    """The models of each language, and the names of those of several training runs."""
    from evaluator.studies.models import ScoringTask, refuse_twice

    for asked, names, files in _by_language(vectors, tests, reading):
        refuse_twice("test set", [each.name for each in asked], "rename one of the files, or leave it out")
        if machine.scheduler is None:
            inputs.check_there([each.path for each in files])
        several = len(names) > 1 and (None in names or len(set(names)) > 1)
        yield [ScoringTask(file, asked, measures, settings, compared=several) for file in files], names


def _by_language(
    vectors: Sequence[str], tests: options.FormatOptions, reading: options.VectorOptions
) -> Iterator[tuple[tuple[TestSet, ...], list[str | None], list[VectorsFile]]]:
    """The test sets of each language, the names of its models of several runs, and their vectors."""
    from evaluator.studies.patterns import LANGUAGE, MODEL, missing, pairs
    from evaluator.text.normalization import spellings

    if not any(LANGUAGE in each or MODEL in each for each in vectors):
        names, paths = inputs.training_runs(vectors)
        files = reading.files(paths)
        inputs.refuse_same_names(names, [file.name for file in files])
        yield tuple(tests.read(tests.test_format, reading.bad_rows, tests.chosen)), names, files
        return
    paired = pairs(vectors, tests.test)
    if tests.language == "und":
        tell(*missing(vectors, paired))
    else:
        there = sorted({each.language for each in paired.values() if each.language})
        of_one = spellings(tests.language)
        paired = {path: each for path, each in paired.items() if each.language in of_one}
        if not paired:
            raise VectorsError(f"there are no vectors of {tests.language}; there are of {', '.join(there)}")
    for (asked, code), of_language in groupby(paired.items(), lambda each: (each[1].tests, each[1].language)):
        own = {path: each.model for path, each in of_language}
        test_sets = inputs.read_found(
            [(each, code) for each in asked], tests.test_format, reading.bad_rows, tests.chosen
        )
        often = Counter(own.values())
        names = [name if name and often[name] > 1 else None for name in own.values()]
        files = [
            replace(file, given_name=name) if name and often[name] == 1 else file
            for file, name in zip(reading.files(list(own)), own.values(), strict=True)
        ]
        yield tuple(test_sets), names, files


def _keep(
    vectors: Sequence[str],
    tests: options.FormatOptions,
    output: Path,
    measures: Sequence[str] | None,
    settings: Settings,
    reading: options.VectorOptions,
    machine: options.MachineOptions,
    *,
    as_json: bool,
) -> bool:
    """Add the scores that a file lacks, and say whether some could not be; there may be too many to print."""
    from evaluator.studies.batch import batch

    with Progress("scoring", output) as progress:
        done = batch(
            vectors,
            tests.test,
            output,
            measures,
            settings,
            reading.for_loading(),
            tests.test_format,
            tests.chosen,
            machine=machine.machine(progress),
            command=GIVEN.get(),
        )
    echo(json.dumps(asdict(done)) if as_json else f"{output}: {done}")
    tell(*done.notes)
    if done.failed:
        tell(f"{output} says why {done.failed:,} could not be scored")
    return bool(done.failed)


_PRESET = ("oov", "norm", "case", "vocabulary", "profile", "multiword", "levels")


def _settings(context: typer.Context, words: options.ScoreOptions, preset: str | None) -> Settings:
    from evaluator.settings import PRESETS, Settings

    if preset is None:
        return Settings(**vars(words))
    sources = ((name, context.get_parameter_source(name)) for name in _PRESET)  # even of a default value
    given = [f"--{name.replace('_', '-')}" for name, of in sources if of and of.name != "DEFAULT"]
    if given:
        raise ScoreError(f"--preset {preset} decides {', '.join(given)}; leave out one or the other")
    return replace(PRESETS[preset], seed=words.seed)


def scored(
    models: Sequence[ScoringTask], machine: options.MachineOptions, told: set[str]
) -> list[ScoringResult]:
    """Score one after another, each with a progress bar of its own, or several at a time."""
    from evaluator.studies.models import score_model, score_models

    found: list[ScoringResult] = []
    if machine.machine().in_this_process:
        for model in models:
            with Progress(f"scoring {model.file.name}") as progress:
                found.append(score_model(replace(model, machine=machine.machine(progress)), announce))
    else:
        with Progress(f"scoring {len(models)} models") as progress:
            found = score_models(models, machine.machine(progress))
    for model, each in zip(models, found, strict=True):
        dropped = [f"{model.file.name}: bad rows left out: {each.dropped}"] if each.dropped else []
        tell(*(line for line in (*dropped, *each.hints) if line not in told))
        told.update(dropped, each.hints)
    return found


def _prepare(
    output: Path | None, others: Mapping[str, Path | None], inputs: Iterable[str], *, force: bool
) -> None:
    """Find out before the work whether all files can be written, each with a name of its own."""
    if not any(others.values()):
        return
    from evaluator.execution.output_files import is_stream
    from evaluator.execution.remote_files import is_url, without_file_scheme

    local = [Path(each) for each in map(without_file_scheme, inputs) if not is_url(each)]
    named: dict[Path, str] = {}
    for kind, path in {"output": output, **others}.items():
        if path is None or is_stream(path):
            continue
        other = named.setdefault(path.resolve(), kind)
        if other != kind:
            raise OutputError(f"{path}: --{other} and --{kind} name one file; name two")
    for kind, path in others.items():
        if path is not None:
            from evaluator.cli.report import prepare_output

            prepare_output(kind, path, local, force=force)


def _check_figure(groups: Sequence[_Group], *, baseline: bool) -> None:
    """Refuse more models than a figure has colours for; on one test set, models are rows."""
    from evaluator.results.figures.forest import MOST_SERIES

    tests = sum(len(models[0].tests) for models, _ in groups)
    shown = {name or each.file.name for own in groups for each, name in zip(*own, strict=True)}
    if tests > 1 and len(shown) + baseline > MOST_SERIES:
        raise ScoreError(f"--figure: a figure shows {MOST_SERIES} models, and not {len(shown) + baseline}")


def _write(report: Path | None, figure: Path | None, latex: Path | None, scores: ScoresFile | Path) -> None:
    from evaluator.reports.build import input_of, read_inputs

    if isinstance(scores, Path):
        (found,) = read_inputs([scores])
    else:
        found = input_of(signed(scores), "scores.json")
    record = cast("ScoresFile", found.result)
    if report is not None:
        from evaluator.reports.build import write_report

        write_report([found], report)
    if latex is not None:
        from evaluator.cli.report import LATEX
        from evaluator.execution.output_files import write_text

        write_text(latex, f"{LATEX}\n{record.latex()}")
    if figure is not None:
        from evaluator.results.figures import write_figure
        from evaluator.results.figures.forest import COLUMN, forest_figure
        from evaluator.results.scores import marks_for_print

        write_figure(forest_figure(marks_for_print(record), width=COLUMN), figure)
