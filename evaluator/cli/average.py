"""`evaluator average`: several models as one."""

from __future__ import annotations

from typing import Annotated

from evaluator.cli import inputs, options
from evaluator.cli.options import SCORED, number
from evaluator.cli.output import GIVEN, Progress
from evaluator.cli.terminal import show
from evaluator.errors import ScoreError


def average(
    vectors: options.VectorFiles,
    *,
    best: Annotated[
        int | None,
        number(
            SCORED, "Average only the N models that are best on --test, by the measure that score goes by."
        ),
    ] = None,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = options.TestOptions.language,
    reading: options.FileOptions,
    output: options.OutputVectors,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
) -> None:
    """Average several models: training runs of one, or different models of one language.

    The cosines of the new vectors are the means of theirs, for the words that all have.

    For example: evaluator average one.vec two.vec three.vec --output mean.vec

    For example: evaluator average *.vec --best 3 --test la --output mean.safetensors
    """
    from evaluator.datasets.testset import merge
    from evaluator.studies.averaging import average as mean

    if (best is None) != (test is None):
        raise ScoreError("--best and --test belong together: the test set decides which models are the best")
    inputs.prepare_vectors(output, vectors, force=force, described=True)
    inputs.check_there(vectors)
    test_set = merge(inputs.read_tests(test, language)) if test else None
    files = reading.files(inputs.training_runs(vectors)[1])
    with Progress("averaging") as progress:
        found = mean(
            files,
            output,
            best=best,
            test_set=test_set,
            machine=machine.machine(progress),
            command=GIVEN.get(),
        )
    if found.record is not None:
        show(results, found.record)
