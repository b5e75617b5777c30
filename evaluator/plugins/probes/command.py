"""`evaluator probe`: how fast simple models learn from vectors."""

from __future__ import annotations

from typing import Annotated, Literal

from evaluator.plugins import COMPUTED, SCORED, Progress, ScoreError, number, option, options, show


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
    results: options.ResultOptions,
) -> None:
    """Show how fast simple models learn a test set from vectors; rank several vectors on common items.

    For example: evaluator probe glove.vec fasttext.vec --test testsets/en.json --model logistic
    """
    from evaluator.plugins import Settings
    from evaluator.plugins.probes import TASKS, SplitPlan
    from evaluator.plugins.probes import probe as compare

    settings = Settings(**vars(words), seed=seed)
    plan = SplitPlan(splits=splits, seed=seed)
    if len(vectors) > 1 and splits < 2:
        raise ScoreError("--splits must be 2 or more where several vectors are ranked")
    test_sets = tests.read()
    reading = options.FileOptions()
    loaded = [reading.load(each) for each in reading.files(vectors)]
    with Progress("probing") as progress:
        record = compare(
            loaded, test_sets, TASKS[task] if task else None, model or (), plan, settings, progress
        )
    show(results, record)
