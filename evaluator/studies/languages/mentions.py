"""Counting as a baseline: how often the corpus of a language mentions the words of a category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from evaluator.results.comparison import Agreement, Group, Mentions
from evaluator.results.scores import Scores
from evaluator.statistics.correlation import spearman, spearman_interval
from evaluator.studies.languages.inputs import Language

LEAST_PAIRS = 5
"""A rank correlation of fewer values says nothing."""


def count_mentions(language: Language, groups: Sequence[Group]) -> list[Mentions]:
    """Count the tokens of a language's corpus that are words of each category or topic.

    Words of the corpus and of the test set are compared as the language's settings say. Each word counts once
    for a topic. Names of several words are not counted.

    Args:
        language: The language, with its test set and corpus; nothing is counted without a corpus.
        groups: The categories and topics.

    Raises:
        CorpusError: The corpus cannot be read.
    """
    if language.corpus is None:
        return []
    test_set, settings = language.test_set, language.settings
    code = test_set.named_in or test_set.language
    corpus = replace(language.corpus, language=code, case=settings.case, profile=settings.profile)
    tokens, normalize = corpus.counts(), corpus.normalize
    total = tokens.total()
    words = {each.name: set(map(normalize, each.words)) for each in test_set.categories}
    counted = []
    for group in groups:
        named = set().union(*(words[name] for name in group.categories if name in words))
        mentioned = sum(tokens[word] for word in named)
        rate = 1e6 * mentioned / total
        counted.append(Mentions(language.code, group.name, group.kind, mentioned, total, rate))
    return counted


def agreement_of(results: Iterable[Scores], mentions: Sequence[Mentions]) -> tuple[Agreement, ...]:
    """How far scores have the order of the mentions: Spearman's correlation.

    For each measure over the categories of each language, with a 95% confidence interval; and over all
    categories of all languages, without one, since the scores of a language vary together.

    Args:
        results: The scores of languages; those of the whole view count.
        mentions: Of some of the languages.
    """
    rate = {(each.language, each.category): each.per_million for each in mentions if each.kind == "category"}
    pairs: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for scores in results:
        key = (scores.language, str(scores.keys.get("category")))
        for score in scores if key in rate and scores.keys["view"] == "whole" else ():
            of_measure = pairs.setdefault(score.measure, {})
            of_measure.setdefault(scores.language, []).append((rate[key], score.value))
    return tuple(each for measure, by_language in pairs.items() for each in _agreements(measure, by_language))


def _agreements(measure: str, by_language: Mapping[str, list[tuple[float, float]]]) -> Iterator[Agreement]:
    of_all = [pair for pairs in by_language.values() for pair in pairs]
    for language, pairs in [*by_language.items(), (None, of_all)]:
        value = spearman(pairs) if len(pairs) >= LEAST_PAIRS else None
        if value is None or (language is None and len(by_language) == 1):
            continue
        low, high = (None, None) if language is None else spearman_interval(value, len(pairs))
        yield Agreement(measure, language, len(pairs), value, low, high)
