"""`evaluator mentions`, `evaluator boundaries` and `evaluator papers`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.plugins import (
    COMPUTED,
    MATCHED,
    SCORED,
    Progress,
    ScoreError,
    argument,
    number,
    option,
    options,
    read_tests,
    show,
)

if TYPE_CHECKING:
    from evaluator.plugins import Corpus


def papers(*, results: options.ResultOptions) -> None:
    """List what the papers do, row by row, and the command that does it here.

    For example: evaluator papers
    """
    from evaluator.plugins.papers.rows import papers as table

    show(results, table())


def mentions(
    corpora: Annotated[
        list[str], argument("CODE=CORPUS…", "Texts by language: la=latin.txt.gz grc=greek.txt.")
    ],
    *,
    test: Annotated[list[str], options.TEST],
    category: options.Categories = None,
    comparison: Annotated[
        Path | None,
        option(SCORED, "What evaluator compare wrote of these languages, to put beside.", metavar="FILE"),
    ] = None,
    case: options.Case = options.WordOptions.case,
    profile: Annotated[
        list[str] | None,
        option(
            MATCHED,
            "An orthography profile, such as latin+fold, of one language or of all. May be repeated.",
            metavar="[CODE=]NAME",
        ),
    ] = None,
    tokens: options.Tokens = "letter-runs",
    results: options.ResultOptions,
) -> None:
    """Count how often texts mention the items of categories: is a score better than counting?

    For example: evaluator mentions la=latin.txt grc=greek.txt --test testsets --category biblical-figure
    """
    from evaluator.plugins import merge, read_results
    from evaluator.plugins.papers.mentions import mentions as count

    texts = _corpora(corpora, case, _profiles(profile or [], corpora), tokens)
    test_sets = {code: merge(read_tests(test, code, "testset")) for code in texts}
    beside = None if comparison is None else read_results(comparison)
    show(results, count(texts, test_sets, category or [], beside))


def _profiles(given: list[str], corpora: list[str]) -> dict[str, str]:
    """The profile of each language; that without a code is of all others."""
    pairs = [(code, name) for code, _, name in (text.rpartition("=") for text in given)]
    codes = [text.partition("=")[0] for text in corpora]
    unknown = [code for code, _ in pairs if code and code not in codes]
    if unknown or len(dict(pairs)) < len(pairs):
        what = f"for {unknown[0]!r}, of which there is no text" if unknown else "twice for one language"
        raise ScoreError(f"--profile: {what}; write one CODE=NAME for each of {', '.join(codes)}")
    names = dict(pairs)
    return {code: names.get(code, names.get("", "")) for code in codes}


def _corpora(
    given: list[str], case: options.Case, profiles: dict[str, str], tokens: str
) -> dict[str, Corpus]:
    from evaluator.plugins import Corpus

    found: dict[str, list[str]] = {}
    for text in given:
        code, _, path = text.partition("=")
        if not path:
            raise ScoreError(f"{text!r}: write the language's code, =, and its text: la=latin.txt")
        found.setdefault(code, []).append(path)
    return {
        code: Corpus(tuple(paths), code, case, profiles[code], tokens=tokens) for code, paths in found.items()
    }


def boundaries(
    corpus: Annotated[str, argument("CORPUS", "A text in UTF-8, plain or gzip, with its punctuation.")],
    vectors: options.VectorFiles,
    *,
    language: options.Language = "und",
    classifier: Annotated[
        Literal["logistic", "network"] | None,
        option(SCORED, "What learns: logistic regression or a network; by default both."),
    ] = None,
    of_lines: Annotated[
        bool, option(SCORED, "Each line is a sentence, as in a text without punctuation.", "--lines")
    ] = False,
    ends: Annotated[
        str,
        option(SCORED, "Further characters that end a sentence, besides . ? ! and those of other scripts."),
    ] = "",
    window: Annotated[int, number(SCORED, "How many words a classifier sees, an odd number.")] = 5,
    learned: Annotated[int, number(SCORED, "How many words it learns from.")] = 50_000,
    asked: Annotated[int, number(SCORED, "How many of the next words are asked.", "--asked")] = 20_000,
    case: options.Case = options.WordOptions.case,
    profile: options.Profile = "",
    seed: Annotated[int, number(COMPUTED, "The seed of all random numbers.")] = 0,
    results: options.ResultOptions,
) -> None:
    """Find where sentences end from the vectors of words without punctuation: a task in every language.

    For example: evaluator boundaries latin.txt la.vec --case fold --profile latin
    """
    from evaluator.plugins import Corpus
    from evaluator.plugins.papers.boundaries import MODELS, marked
    from evaluator.plugins.papers.boundaries import boundaries as find

    text = Corpus((corpus,), language, case, profile)
    read = marked(text, of_lines=of_lines, ends=ends, most=learned + asked)
    reading = options.FileOptions()
    loaded = [reading.load(each) for each in reading.files(vectors)]
    with Progress("sentence boundaries"):
        found = find(
            loaded,
            read,
            text,
            models=[classifier] if classifier else MODELS,
            window=window,
            train=learned,
            test=asked,
            seed=seed,
        )
    show(results, found)
