"""Counting as a baseline: how often the corpus of a language mentions the words of a category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evaluator.results.comparison import Agreement, Group, Mentions, Row
from evaluator.studies.languages.inputs import Language

LEAST_CELLS = 5
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
    found = []
    for group in groups:
        named = set().union(*(words[name] for name in group.categories if name in words))
        mentioned = sum(tokens[word] for word in named)
        rate = 1e6 * mentioned / total
        found.append(Mentions(language.code, group.name, group.kind, mentioned, total, rate))
    return found


def agreement_of(rows: Sequence[Row], mentions: Sequence[Mentions]) -> tuple[Agreement, ...]:
    """How far scores have the order of the mentions: Spearman's correlation.

    For each measure over the categories of each language, with a 95% confidence interval; and over all
    categories of all languages, without one, since the scores of a language vary together.

    Args:
        rows: The whole view.
        mentions: Of some of the languages.
    """
    rate = {(each.language, each.category): each.per_million for each in mentions if each.kind == "category"}
    cells: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in rows:
        key = (row.language, row.category)
        if row.kind == "category" and row.value is not None and key in rate:
            of_language = cells.setdefault(row.measure, {}).setdefault(row.language, [])
            of_language.append((rate[key], row.value))
    return tuple(each for measure, own in cells.items() for each in _agreements(measure, own))


def _agreements(measure: str, cells: Mapping[str, list[tuple[float, float]]]) -> Iterator[Agreement]:
    every = [pair for own in cells.values() for pair in own]
    for language, pairs in [*cells.items(), (None, every)]:
        found = spearman(pairs) if len(pairs) >= LEAST_CELLS else None
        if found is None or (language is None and len(cells) == 1):
            continue
        low, high = (None, None) if language is None else spearman_interval(found, len(pairs))
        yield Agreement(measure, language, len(pairs), found, low, high)


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, tied values sharing the mean of their ranks; None if all values are equal.

    Args:
        pairs: Two values each.
    """
    import pandas as pd

    ranks = pd.DataFrame(pairs).rank().to_numpy()
    if not np.ptp(ranks, axis=0).all():
        return None
    return float(np.corrcoef(ranks.T)[0, 1])


def spearman_interval(value: float, n: int) -> tuple[float, float]:
    """The 95% confidence interval of a rank correlation: Fisher's z with the variance (1+r²/2)/(n-3).

    The source is Bonett & Wright 2000, "Sample Size Requirements for Estimating Pearson, Kendall and Spearman
    Correlations".

    Args:
        value: r.
        n: Of how many pairs, 4 or more.
    """
    middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    half = 1.959964 * np.sqrt((1 + value**2 / 2) / (n - 3))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))
