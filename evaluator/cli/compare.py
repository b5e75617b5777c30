"""`evaluator compare`: languages compared on categories and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.inputs import check_folder, figure_files
from evaluator.cli.options import MATCHED, SCORED, option
from evaluator.cli.output import Progress, csv_of, tell, tell_failed, write_results
from evaluator.cli.terminal import show
from evaluator.errors import ScoreError, TestSetError

if TYPE_CHECKING:
    from evaluator.datasets.testset import TestSet
    from evaluator.results.comparison import Group
    from evaluator.settings import Settings


def compare(
    languages: Annotated[
        list[str],
        typer.Argument(
            metavar="CODE=VECTORS…", help="Vectors, or their URLs, by language: la=la.vec grc=grc.vec."
        ),
    ],
    *,
    test: options.Tests,
    category: options.Categories = None,
    topic: Annotated[
        list[str] | None,
        option(
            SCORED,
            "All categories of a topic, and their mean. May be repeated.",
            metavar="NAME",
        ),
    ] = None,
    k: options.K = 3,
    same_vocabulary: Annotated[
        bool,
        option(
            SCORED,
            "To compare languages, cut all vocabularies to the size of the smallest, or to none.",
            "--same-vocabulary/--own-vocabulary",
        ),
    ] = True,
    case: options.Case = options.WordOptions.case,
    profile: Annotated[
        list[str] | None,
        option(
            MATCHED,
            "An orthography profile, such as latin+fold, of one language or of all. May be repeated.",
            metavar="[CODE=]NAME",
        ),
    ] = None,
    multiword: options.Multiword = options.WordOptions.multiword,
    vocabulary: options.Vocabulary = options.VocabularyOptions.vocabulary,
    oov: options.Oov = options.ScoreOptions.oov,
    seed: options.Seed = options.ScoreOptions.seed,
    output: Annotated[Path | None, options.OUTPUT_FOLDER] = None,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
) -> None:
    """Compare languages: how well does each model know the same categories?

    For example: evaluator compare la=la.vec grc=grc.vec --test testsets --topic geography
    """
    from evaluator.settings import Settings
    from evaluator.studies.languages import Language
    from evaluator.studies.languages import compare as compare_languages
    from evaluator.studies.languages.inputs import choose_groups

    # All mistakes are found before vectors are loaded.
    paths = _by_language(languages)
    if machine.scheduler is None:
        inputs.check_there(paths.values())
    common = Settings(oov, case=case, vocabulary=vocabulary, multiword=multiword, seed=seed)
    settings = _settings(common, profile or [], list(paths))
    tests = _read_tests(test, list(paths))
    groups = choose_groups(tests, category or [], topic or [])
    if output is not None:
        _check_output(output, groups, force=force)
    given = [
        Language(code, options.FileOptions().file(path), tests[code], settings[code])
        for code, path in paths.items()
    ]
    with Progress("comparing languages") as progress:
        found = compare_languages(
            given,
            category or [],
            topic or [],
            k,
            same_vocabulary,
            machine.machine(progress),
        )
    tell(*found.notes)
    if output is not None:
        write_results(found, output / "compare.json", csv_of(found.frame()), output / "compare.csv")
    show(results, found)
    tell_failed([f"{code}: {reason}" for code, reason in found.failed.items()])


def _by_language(texts: Sequence[str]) -> dict[str, str]:
    from evaluator.studies.languages.inputs import check_codes
    from evaluator.text.normalization import usual_code

    pairs = [text.partition("=") for text in texts]
    for text, (_, _, path) in zip(texts, pairs, strict=True):
        if not path:
            raise ScoreError(
                f"{text!r}: write the language's code, =, and its vectors: la=la.vec. Which of several "
                "models of a language is better, `evaluator score a.vec b.vec --test FILE` says"
            )
    codes = [usual_code(code) for code, _, _ in pairs]
    check_codes(codes)
    return dict(zip(codes, (path for _, _, path in pairs), strict=True))


def _settings(common: Settings, profiles: Sequence[str], codes: Sequence[str]) -> Mapping[str, Settings]:
    from dataclasses import replace

    found = inputs.profiles_of(profiles, codes)
    return {code: replace(common, profile=profile) for code, profile in found.items()}


def _read_tests(patterns: Sequence[str], codes: Sequence[str]) -> dict[str, TestSet]:
    from evaluator.datasets.testset import merge

    for each in patterns:
        if "{language}" not in each and not Path(each).is_dir():
            raise TestSetError(
                f"--test {each}: one file for several languages; name the folder of their test sets, or a "
                "pattern such as 'testsets/{language}.json'"
            )
    return {code: merge(inputs.read_tests(patterns, code, "testset")) for code in codes}


def _check_output(folder: Path, groups: Sequence[Group], *, force: bool) -> None:
    from evaluator.execution.output_files import prepare_folder
    from evaluator.results.figures import require_matplotlib
    from evaluator.results.figures.forest import MOST_GROUPS

    require_matplotlib()
    if len(groups) > MOST_GROUPS:
        raise ScoreError(
            f"{len(groups)} categories and topics do not fit into a figure, {MOST_GROUPS} do; "
            "name the categories to compare"
        )
    prepare_folder(folder)
    written = ["compare.json", "compare.csv", *figure_files("compare", "compare-aligned")]
    check_folder(folder, force=force, marks=["compare.json"], written=written)
