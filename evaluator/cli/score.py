"""Scoring vectors on test sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli.options import Json
from evaluator.cli.output import print_scores
from evaluator.cli.progress import Progress, announce


def score(
    vectors: Annotated[Path, typer.Argument(metavar="VECTORS", help="word2vec, GloVe or fastText vectors.")],
    test_sets: Annotated[
        list[Path], typer.Argument(metavar="TESTSET…", help="Test sets (.json) or category files (.txt).")
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", metavar="TEXT", help="Such as Topk@3; may be repeated."),
    ] = None,
    oov: Annotated[
        str, typer.Option(metavar="wrong|skip", help="A word without a vector is a miss, or left out.")
    ] = "wrong",
    norm: Annotated[
        str, typer.Option(metavar="unit|none", help="Compare directions, or raw vectors in OddOneOut.")
    ] = "unit",
    case: Annotated[
        str, typer.Option(metavar="exact|fold", help="Whether words must agree in case.")
    ] = "exact",
    vocabulary: Annotated[
        int | None, typer.Option(metavar="N", help="Use only the N most frequent words of the vectors.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="For measures that draw samples.")] = 0,
    vector_format: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format of the vectors, if it is not guessed.")
    ] = "auto",
    bad_rows: Annotated[
        str,
        typer.Option(metavar="refuse|drop", help="What to do with rows of a vectors file that are wrong."),
    ] = "refuse",
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="The encoding of the words, if it is not UTF-8.")
    ] = "utf-8",
    unsafe_pickle: Annotated[
        bool, typer.Option("--unsafe-pickle", help="Load gensim's own format, which can run any code.")
    ] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Read the vectors anew, and keep no copy for the next time.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Score vectors on test sets."""
    from evaluator.datasets import read_testset
    from evaluator.score import case_hint
    from evaluator.score import score as score_vectors
    from evaluator.settings import Settings
    from evaluator.vectors import load_vectors

    settings = Settings(oov=oov, norm=norm, case=case, vocabulary=vocabulary, seed=seed)  # type: ignore[arg-type]  # Settings checks
    read = [read_testset(path) for path in test_sets]
    loaded = load_vectors(
        vectors,
        format=vector_format,
        bad_rows=bad_rows,  # type: ignore[arg-type]  # load_vectors checks
        unsafe_pickle=unsafe_pickle,
        encoding=encoding,
        cache=not no_cache,
    )
    if loaded.dropped:
        typer.echo(f"evaluator: {vectors}: bad rows left out: {loaded.dropped:,}", err=True)
    results = []
    for test_set in read:
        with Progress(f"scoring {test_set.name}") as progress:
            results.append(score_vectors(loaded, test_set, measure or None, settings, progress, announce))
    for test_set in read:
        hint = case_hint(loaded, test_set, settings)
        if hint:
            typer.echo(f"evaluator: {test_set.name}: {hint}", err=True)
    if as_json:
        typer.echo(json.dumps([scores.as_dict() for scores in results], ensure_ascii=False, indent=1))
        return
    for test_set, scores in zip(read, results, strict=True):
        print_scores(loaded, test_set, scores)
