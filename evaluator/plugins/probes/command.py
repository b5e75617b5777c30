"""`evaluator probe`: how fast simple models learn from vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.plugins import (
    COMPUTED,
    SCORED,
    Progress,
    ScoreError,
    csv_of,
    frame_of,
    number,
    option,
    options,
    show,
)

if TYPE_CHECKING:
    from evaluator.plugins.probes import ProbeComparison


def probe(
    vectors: options.VectorFiles,
    *,
    tests: options.TestOptions,
    task: Annotated[
        Literal["membership", "similarity", "relation", "sentences"] | None,
        option(SCORED, "What is learned; by default the first of these that a test set has data for."),
    ] = None,
    model: Annotated[
        list[str] | None,
        option(SCORED, "A model that learns, such as svm. May be repeated; by default all.", metavar="NAME"),
    ] = None,
    words: options.VocabularyOptions,
    splits: Annotated[
        int, number(COMPUTED, "How many times the data is split into training and test data.")
    ] = 6,
    seed: options.Seed = options.ScoreOptions.seed,
    reading: options.VectorOptions,
    results: options.ResultOptions,
) -> None:
    """Show how fast simple models learn a test set from vectors; rank several vectors on common items.

    For example: evaluator probe glove.vec fasttext.vec --test testsets/en.json --model logistic
    """
    from evaluator.plugins import Settings
    from evaluator.plugins.probes import TASKS, SplitPlan
    from evaluator.plugins.probes import probe as compare
    from evaluator.plugins.probes.result import probes_file

    settings = Settings(**vars(words), seed=seed)
    plan = SplitPlan(splits=splits, seed=seed)
    if len(vectors) > 1 and splits < 2:
        raise ScoreError("--splits must be 2 or more where several vectors are ranked")
    test_sets = tests.read(reading.bad_rows)
    loaded = [reading.load(each) for each in reading.files(vectors)]
    compared: list[ProbeComparison] = []
    for test_set in test_sets:
        with Progress(f"probing {test_set.name}") as progress:
            compared += compare(
                loaded, test_set, TASKS[task] if task else None, model or (), plan, settings, progress
            )
    record = probes_file(compared)
    show(results, record, lambda: csv_of(frame_of(record.results)))
