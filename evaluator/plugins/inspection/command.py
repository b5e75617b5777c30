"""`evaluator neighbours` and `evaluator plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from evaluator.plugins import (
    OUTPUT,
    SCORED,
    Settings,
    VectorsError,
    argument,
    check_there,
    echo,
    kind_of,
    merge,
    named_tests,
    number,
    option,
    options,
    prepare_output,
    read_tests,
    show,
    training_runs,
)


def neighbours(
    word: Annotated[str, argument("WORD", "A word, such as rex.")],
    vectors: options.VectorFiles,
    *,
    nearest: Annotated[int, number(SCORED, "How many of the nearest words to list.", min=1)] = 10,
    language: options.Language = "und",
    words: options.VocabularyOptions,
    seed: options.Seed = options.ScoreOptions.seed,
    reading: options.FileOptions,
    results: options.ResultOptions,
) -> None:
    """List the nearest neighbours of a word; of several training runs, how many agree on each.

    Training runs of one model are given as a name and a quoted pattern. How much they agree is shown beside
    what they do for words drawn at random. `evaluator train --resample` trains on resampled texts.

    For example: evaluator neighbours rex la.vec

    For example: evaluator neighbours rex latin='runs/la.*.vec'
    """
    from evaluator.plugins.inspection.neighbours import neighbours_of_runs

    if kind_of(Path(word)) == "vectors":
        raise VectorsError(
            f"{word}: holds vectors, and is no word. Are arguments swapped? The word comes first"
        )
    names, paths = training_runs(vectors)
    check_there(paths)
    runs = list(zip(names, reading.files(paths), strict=True))
    settings = Settings(**vars(words))
    found = neighbours_of_runs(word, runs, k=nearest, language=language, settings=settings, seed=seed)
    show(results, found)


def plot(
    vectors: Annotated[str, argument("VECTORS", "A file of vectors.")],
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = "und",
    category: options.Categories = None,
    words: options.VocabularyOptions,
    reading: options.FileOptions,
    output: Annotated[
        Path | None,
        option(
            OUTPUT,
            "The page, or a figure of the seven best known categories if it ends in .png, .pdf or .svg; by "
            "default a page named after the vectors.",
            *("--output", "-o"),
            metavar="FILE",
        ),
    ] = None,
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Draw the words of a test set in two dimensions, by category; on the page, point at them.

    Without --test, the words are those of the language that the file is named after, as la.vec is.

    For example: evaluator plot la.vec --category animal --category plant --output la.png
    """
    from evaluator.plugins.inspection.maps import map_of
    from evaluator.plugins.inspection.page import write_map

    check_there([vectors])
    (file,) = reading.files([vectors])
    path = output or Path(f"{Path(file.name).stem}.html")
    prepare_output("report" if path.suffix == ".html" else "figure", path, [Path(vectors)], force=force)
    test_set = merge(read_tests(test or named_tests([vectors], language), language))
    found = map_of(reading.load(file), test_set, category or [], Settings(**vars(words)))
    if not results.as_json:
        echo(f"{path}: {len(found.places):,} words in {len(found.categories)} categories")
    write_map(found, path)
    if results.as_json or results.details:
        show(results, found)
