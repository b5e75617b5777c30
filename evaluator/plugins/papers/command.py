"""`evaluator mentions`, `evaluator boundaries`, `evaluator relations` and `evaluator papers`."""

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
    profiles_of,
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

    texts = _corpora(corpora, case, profile or [], tokens)
    test_sets = {code: merge(read_tests(test, code, "testset")) for code in texts}
    beside = None if comparison is None else read_results(comparison)
    show(results, count(texts, test_sets, category or [], beside))


def _corpora(given: list[str], case: options.Case, profiles: list[str], tokens: str) -> dict[str, Corpus]:
    """The texts of each language; several of one are one corpus."""
    from evaluator.plugins import Corpus, usual_code

    found: dict[str, list[str]] = {}
    for text in given:
        code, _, path = text.partition("=")
        if not path:
            raise ScoreError(f"{text!r}: write the language's code, =, and its text: la=latin.txt")
        found.setdefault(usual_code(code), []).append(path)
    of_code = profiles_of(profiles, list(found))
    return {
        code: Corpus(tuple(paths), code, case, of_code[code], tokens=tokens) for code, paths in found.items()
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


def relations(
    vectors: Annotated[str, argument("VECTORS", "A file of vectors, or its URL.")],
    *,
    test: Annotated[list[str], options.TEST],
    section: Annotated[
        list[str] | None,
        option(SCORED, "Only this section of the analogies. May be repeated.", metavar="NAME"),
    ] = None,
    language: options.Language = "und",
    words: options.VocabularyOptions,
    results: options.ResultOptions,
) -> None:
    """Show whether pairs of words in one relation lie together in analogy space; a report draws them.

    For example: evaluator relations model.vec --test analogies.txt --section gram8-plural
    """
    from dataclasses import replace

    from evaluator.plugins import Settings, TestSetError, load_vectors, merge
    from evaluator.plugins.papers.relations import relations as project

    found = merge(read_tests(test, language))
    if section:
        known = {each.name for each in found.sections}
        unknown = next((each for each in section if each not in known), None)
        if unknown is not None:
            listed = ", ".join(sorted(known)) or "none"
            raise TestSetError(f"{found.name}: has no section {unknown!r}; it has {listed}")
        kept = tuple(each for each in found.analogies if each.name in section)
        found = replace(found, analogies=kept, relations=())
    show(results, project(load_vectors(vectors), found, Settings(**vars(words))))
