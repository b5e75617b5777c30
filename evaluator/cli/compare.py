"""`evaluator compare`: languages compared on categories and topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import completion, inputs, options
from evaluator.cli.options import MATCHED, SCORED, option
from evaluator.cli.output import (
    Progress,
    console,
    echo,
    interval,
    plain_table,
    rate,
    show,
    tell_failed,
    write_results,
)
from evaluator.cli.overwriting import check_folder, figures
from evaluator.errors import CorpusError, ScoreError, TestSetError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from evaluator.datasets.testset import TestSet
    from evaluator.results.comparison import Agreement, Group, LanguageDifference, Row
    from evaluator.settings import Settings
    from evaluator.studies.languages import Comparison
    from evaluator.studies.languages.alignment import AlignedCategory
    from evaluator.text.corpus import Corpus


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
            autocompletion=completion.topics,
        ),
    ] = None,
    mentions: Annotated[
        list[str] | None,
        option(
            SCORED,
            "A text that vectors were trained on, to count how often it mentions each category. May be "
            "repeated.",
            metavar="CODE=FILE",
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
    reading: options.VectorOptions,
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
    from evaluator.studies.languages.language_scores import measures_of

    # All mistakes are found before vectors are loaded.
    paths = _by_language(languages)
    if machine.scheduler is None:
        inputs.check_there(paths.values())
    measures_of(k)
    common = Settings(oov, case=case, vocabulary=vocabulary, multiword=multiword, seed=seed)
    settings = _settings(common, profile or [], list(paths))
    tests = _read_tests(test, list(paths))
    groups = choose_groups(tests, category or [], topic or [])
    if output is not None:
        _check_output(output, groups, force=force)
    corpora = _corpora(mentions or [], list(paths))
    given = [
        Language(code, reading.file(path), tests[code], settings[code], corpora.get(code))
        for code, path in paths.items()
    ]
    with Progress("comparing languages") as progress:
        found = compare_languages(
            given,
            category or [],
            topic or [],
            k,
            same_vocabulary,
            progress,
            workers=machine.workers,
            scheduler=machine.scheduler,
            log=progress.log,
        )
    _give_advice(found)
    if output is not None:
        _write(found, output)
    show(results, found.record, text=lambda: print_comparison(found), csv=found.as_csv)
    tell_failed([f"{code}: {reason}" for code, reason in found.failed.items()])


def print_comparison(found: Comparison) -> None:
    """For each category and topic the scores, the aligned scores, and how languages differ."""
    out = console()
    for each in found.languages:
        own = found.vectors[each.code]
        out.print(
            f"{each.code}: {own.name} ({own.words:,} words, {own.dimension} dimensions) on "
            f"{each.test_set.name}"
        )
    concepts = {each.category: each for each in found.concepts}
    for group in found.groups:
        out.print()
        out.print(group.name if group.kind == "category" else f"{group.name} ({group.kind})", style="bold")
        _print_rows(out, _of_group(found.rows, group))
        _print_mentions(out, found, group)
        if concepts:
            _print_aligned(out, found, group, [concepts[name] for name in group.categories])
    out.print()
    out.print(
        "Differences are second minus first; p by a paired t-test over items, over categories from six on, "
        "corrected for all these tests (Holm)."
    )
    if found.agreement:
        out.print()
        out.print(_agreement_table(found.agreement))
    for each in found.languages:
        out.print(f"{each.code}|{each.signature}", style="dim", soft_wrap=True)


def _print_rows(out: Console, rows: Sequence[Row]) -> None:
    cells = (
        (row.measure, row.language, str(row.n), str(row.oov), *_figures(row)) for row in _by_measure(rows)
    )
    out.print(plain_table("measure", ("language", "words", "OOV", *_FIGURES), cells))
    for reason, whose in _skipped(rows).items():
        out.print(f"  {', '.join(whose)}: {reason}")


def _print_mentions(out: Console, found: Comparison, group: Group) -> None:
    """How often the corpora mention the category."""
    own = [each for each in found.mentions if (each.category, each.kind) == (group.name, group.kind)]
    if own:
        rates = ", ".join(f"{each.language} {each.per_million:,.1f}" for each in own)
        out.print(f"Mentions in a million words of the corpus: {rates}")


def _agreement_table(agreement: Iterable[Agreement]) -> Table:
    """Rank correlations of scores and mentions."""
    rows = (
        (
            *(each.measure, each.language or "all", str(each.n), f"{each.spearman:+.2f}"),
            "–" if each.low is None or each.high is None else f"{each.low:+.2f} to {each.high:+.2f}",
        )
        for each in agreement
    )
    names = ("language", "categories", "rank correlation with mentions", "95% interval")
    return plain_table("measure", names, rows)


def _print_aligned(out: Console, found: Comparison, group: Group, aligned: Sequence[AlignedCategory]) -> None:
    """The same items in all languages; or why there is nothing to compare."""
    compared = [each for each in aligned if not each.skipped]
    if not compared:
        reasons = "; ".join(dict.fromkeys(each.skipped or "" for each in aligned))
        out.print(f"The same items in all languages: no power, not compared: {reasons}")
        return
    items = sum(len(each.items) for each in compared)
    named = sum(each.named for each in aligned)
    of = f" in {len(compared)} of {len(aligned)} categories" if group.kind == "topic" else ""
    out.print(f"The same items in all languages: {items} of {named} items that all name{of}")
    cells = (
        (
            *(row.measure, row.language, str(items)),
            *("differs" if row.vocabulary is None else f"{row.vocabulary:,}", *_figures(row)),
        )
        for row in _by_measure(_of_group(found.aligned, group))
    )
    out.print(plain_table("measure", ("language", "items", "vocabulary", *_FIGURES), cells))
    own = [each for each in found.differences if (each.category, each.kind) == (group.name, group.kind)]
    if own:
        out.print(_difference_table(own))


def _difference_table(differences: Iterable[LanguageDifference]) -> Table:
    rows = (
        (
            *(each.measure, each.first, each.second, f"{each.value:+.4f}"),
            *(interval(each.low, each.high), f"{each.p_holm:.4f}", each.over, _reading(each)),
        )
        for each in differences
    )
    names = ("first", "second", "difference", "95% interval", "p (Holm)", "test over", "reading")
    return plain_table("measure", names, rows)


def _reading(found: LanguageDifference) -> str:
    """What a difference means, and how large one would have to be."""
    if found.reading == "differ":
        return "differ"
    if found.reading == "not above baseline":
        return "differ, and neither is above chance and baseline"
    return f"{found.reading} ({found.items} items, detects {found.detects:.2f})"


_FIGURES = ("score", "95% interval", "chance", "baseline")


def _figures(row: Row) -> tuple[str, str, str, str]:
    return rate(row.value), interval(row.low, row.high), rate(row.chance), rate(row.baseline)


def _of_group(rows: Iterable[Row], group: Group) -> list[Row]:
    return [row for row in rows if (row.category, row.kind) == (group.name, group.kind)]


def _by_measure(rows: Sequence[Row]) -> list[Row]:
    """Languages below each other, measure by measure."""
    order = list(dict.fromkeys(row.measure for row in rows))
    return sorted(rows, key=lambda row: order.index(row.measure))


def _skipped(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Languages by the reason for which they have no score."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        whose = reasons.setdefault(row.skipped or "", [])
        if row.language not in whose:
            whose.append(row.language)
    reasons.pop("", None)
    return reasons


def _by_language(texts: Sequence[str]) -> dict[str, str]:
    """The vectors of each language, by its usual code.

    Raises:
        ScoreError: A text is not CODE=VECTORS, or the codes are wrong.
    """
    from evaluator.studies.languages.inputs import check_codes
    from evaluator.text.languages import usual_code

    pairs = [text.partition("=") for text in texts]
    for text, (_, _, path) in zip(texts, pairs, strict=True):
        if not path:
            raise ScoreError(f"{text!r}: write the language's code, =, and its vectors: la=la.vec")
    codes = [usual_code(code) for code, _, _ in pairs]
    check_codes(codes)
    return dict(zip(codes, (path for _, _, path in pairs), strict=True))


def _corpora(texts: Sequence[str], codes: Sequence[str]) -> dict[str, Corpus]:
    """The corpus of each language that has one; several files of a language are one corpus.

    Raises:
        CorpusError: A text is not CODE=FILE, is of a language that is not compared, or a file is not there.
    """
    from evaluator.text.languages import usual_code

    paths: dict[str, list[str]] = {}
    for text in texts:
        code, _, path = text.partition("=")
        if not path or usual_code(code) not in codes:
            raise CorpusError(
                f"--mentions {text}: write a compared language, =, and its text: {codes[0]}=text.txt"
            )
        paths.setdefault(usual_code(code), []).append(path)
    return {code: inputs.read_corpus(own, code, "exact", "") for code, own in paths.items()}


def _settings(common: Settings, profiles: Sequence[str], codes: Sequence[str]) -> Mapping[str, Settings]:
    """The settings of each language.

    Raises:
        ScoreError: A profile is wrong, is for another language, or there are two for the same.
    """
    from dataclasses import replace

    from evaluator.studies.languages.inputs import check_settings
    from evaluator.text.languages import usual_code

    pairs = [(usual_code(code), name) for code, _, name in (text.rpartition("=") for text in profiles)]
    for code, number in Counter(code for code, _ in pairs).items():
        if code and code not in codes:
            raise ScoreError(f"--profile for {code!r}, which is not compared; there are {', '.join(codes)}")
        if number > 1:
            raise ScoreError(
                f"--profile: {number} for {code or 'all languages'}; join them with +: latin+fold"
            )
    names = dict(pairs)
    found = {code: replace(common, profile=names.get(code, names.get("", ""))) for code in codes}
    check_settings(found)
    return found


def _read_tests(patterns: Sequence[str], codes: Sequence[str]) -> dict[str, TestSet]:
    """The test set of each language.

    Raises:
        TestSetError: One is not there, cannot be read, or is named for all languages.
    """
    from evaluator.datasets.testset import merge

    for each in patterns:
        if "{language}" not in each and not Path(each).is_dir():
            raise TestSetError(
                f"--test {each}: one file for several languages; name the folder of their test sets, or a "
                "pattern such as 'testsets/{language}.json'"
            )
    return {code: merge(inputs.read_tests(patterns, code, "testset")) for code in codes}


def _check_output(folder: Path, groups: Sequence[Group], *, force: bool) -> None:
    """Find out before the work whether its results can be written."""
    from evaluator.execution.output_files import prepare_folder
    from evaluator.results.figures.languages import check_groups
    from evaluator.results.figures.style import require_matplotlib

    require_matplotlib()
    check_groups(groups)
    prepare_folder(folder)
    written = ["compare.json", "compare.csv", *figures("compare", "compare-aligned")]
    check_folder(folder, force=force, marks=["compare.json"], written=written)


def _give_advice(found: Comparison) -> None:
    """Say which vectors know many words in another case, and how many bad rows were left out."""
    for code, own in found.vectors.items():
        inputs.tell_dropped(own.name, own.dropped)
        if own.hint:
            echo(f"evaluator: {code}: {own.hint}", err=True)


def _write(found: Comparison, folder: Path) -> None:
    """Write tables and figures."""
    from evaluator.results.figures.languages import languages_figure
    from evaluator.results.figures.style import save_figure

    write_results(found.record(), folder / "compare.json", found.as_csv(), folder / "compare.csv")
    save_figure(languages_figure(found.rows, found.groups), folder, "compare")
    if found.aligned:
        save_figure(languages_figure(found.aligned, found.groups), folder, "compare-aligned")
