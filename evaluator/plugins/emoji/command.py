"""`evaluator emoji`: emoji vectors trained at many learning rates."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from evaluator.plugins import (
    SCORED,
    TRAINED,
    Progress,
    check_folder,
    csv_of,
    figure_files,
    number,
    option,
    options,
    show,
    tell_written,
    write_results,
)

RATES = "1e-5:1e-1:13"

CHOICES = {
    "auc": "AUC",
    "accuracy": "Accuracy",
    "topk": "Topk@3",
    "oddoneout": "OddOneOut@3",
    "combined": "Combined",
}
"""The measures by which a model can be chosen."""

_WRITTEN = ("emoji.json", "emoji.csv", "emoji.vec", *figure_files("emoji"))


def emoji(
    *,
    descriptions: Annotated[Path, option(SCORED, "Descriptions of emoji to learn from.", metavar="FILE")],
    dev: Annotated[Path, option(SCORED, "Descriptions to classify as right or wrong.", metavar="FILE")],
    held_out: Annotated[
        Path | None,
        option(SCORED, "Further descriptions, by which no model is chosen.", "--held-out", metavar="FILE"),
    ] = None,
    texts: Annotated[
        Path | None,
        option(
            SCORED,
            "Texts with emoji and their labels, such as the sentiment of tweets: a downstream task.",
            metavar="FILE",
        ),
    ] = None,
    words: Annotated[Path, option(SCORED, "Vectors of the words of the descriptions.", metavar="VECTORS")],
    test: options.Tests,
    rate: Annotated[
        list[str] | None,
        option(
            TRAINED,
            f"A learning rate, or LOW:HIGH:COUNT in equal ratios; {RATES} by default. May be repeated.",
            metavar="X",
        ),
    ] = None,
    epochs: Annotated[int, number(TRAINED, "How many times each model reads the descriptions.")] = 40,
    seeds: Annotated[int, number(TRAINED, "How many models at each learning rate.")] = 3,
    seed: options.Seed = options.ScoreOptions.seed,
    choose: Annotated[
        Literal["auc", "accuracy", "topk", "oddoneout", "combined"],
        option(TRAINED, "The measure whose highest score chooses the model."),
    ] = "topk",
    output: options.Output,
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Train emoji vectors at many learning rates, and show which rate each measure would choose.

    For example: evaluator emoji --descriptions train.txt --dev dev.txt --words words.vec --test emoji.json
    --output tuned
    """
    from evaluator.plugins import (
        frame_of,
        merge,
        prepare_folder,
        protect_inputs,
        read_tests,
        require_matplotlib,
    )
    from evaluator.plugins.emoji import (
        EmojiHyperparameters,
        EmojiTests,
        describe,
        rates_between,
        read_descriptions,
        read_labelled,
        sweep,
        write_emoji,
    )

    require_matplotlib()
    chosen = [each for text in rate or [RATES] for each in rates_between(text)]
    given = (descriptions, dev, words, *map(Path, test), held_out, texts)
    protect_inputs((path for path in given if path is not None), output, _WRITTEN)
    parameters = EmojiHyperparameters(epochs=epochs, seed=seed)
    test_set = merge(read_tests(test))
    to_learn, to_choose = read_descriptions(descriptions), read_descriptions(dev)
    to_report = read_descriptions(held_out) if held_out else None
    prepare_folder(output)
    check_folder(output, force=force, marks=["emoji.json"], written=_WRITTEN)
    loaded = options.FileOptions().load(words)
    known = partial(describe, words=loaded, case="fold")
    labelled = read_labelled(texts, loaded) if texts else None
    tests = EmojiTests(test_set, known(to_choose), known(to_report) if to_report else None, labelled)
    with Progress("training") as progress:
        found = sweep(known(to_learn), tests, chosen, seeds, parameters, progress)
    record, table, best = found.result, csv_of(frame_of(found.result.results)), found.best(CHOICES[choose])
    write_results(record, output / "emoji.json", table, output / "emoji.csv")
    write_emoji(best, output / "emoji.vec")
    show(results, record)
    written = f"{output / 'emoji.vec'}: {best.name}, with the highest {CHOICES[choose]}, {len(best)} emoji"
    tell_written(results, written)
