"""How often a corpus mentions the items of categories: what the language comparison is measured against."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import ClassVar, Literal

import msgspec
import pandas as pd

from evaluator.plugins import (
    Category,
    Corpus,
    Count,
    NonEmpty,
    Number,
    ResultFile,
    Results,
    ResultsError,
    ScoreError,
    Scores,
    TestSet,
    words_of,
)

MEASURES = ("Topk", "OddOneOut")
"""The measures of the language comparison; with any k."""
LEAST_LANGUAGES = 4  # with three, a correlation of ranks is 1, 0.5, -0.5 or -1 whatever is true


class Mentions(msgspec.Struct, frozen=True, kw_only=True):
    """How often a corpus mentions a category.

    Attributes:
        category: The name of the category.
        title: The same for people.
        language: The language code of the corpus.
        corpus: Its name.
        tokens: How many words it has, each occurrence counted.
        items: How many items the category has.
        mentioned: How many of them occur at least once.
        mentions: How often words of its items occur.
        per_million: Mentions in a million tokens.
        most: The item that is mentioned most often; null if none is.
        share_of_most: The share of all mentions that are of that item.
        scores: What vectors of the corpus score on the category, by measure, if a comparison was given.
    """

    category: str
    title: str
    language: str
    corpus: str
    tokens: Count
    items: Count
    mentioned: Count
    mentions: Count
    per_million: Number
    most: str | None
    share_of_most: Number | None
    scores: Mapping[str, Number] = {}


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How counts and scores agree over languages.

    Attributes:
        category: The name of the category.
        measure: The measure.
        languages: How many languages have both.
        correlation: Spearman's, of mentions per million and scores; null if all of one side are equal.
    """

    category: str
    measure: str
    languages: Count
    correlation: Number | None


class MentionsFile(ResultFile, frozen=True, kw_only=True, tag="mentions"):
    """What `evaluator mentions --json` writes.

    Attributes:
        mentions: Of each category, each corpus.
        agreements: Of each category and measure of the comparison, if at least four languages have both.
    """

    command: ClassVar[str] = "evaluator mentions --json"

    version: Literal[1] = 1
    mentions: NonEmpty[Mentions]
    agreements: tuple[Agreement, ...] = ()

    def frame(self) -> pd.DataFrame:
        """A table: a row for each category and corpus, with a column for each measure."""
        rows = (msgspec.structs.asdict(each) for each in self.mentions)
        return pd.DataFrame([{**row, **row.pop("scores")} for row in rows])


def mentions(
    corpora: Mapping[str, Corpus],
    test_sets: Mapping[str, TestSet],
    categories: Sequence[str] = (),
    comparison: Results | None = None,
) -> MentionsFile:
    """Count the mentions of categories in the corpus of each language.

    A mention is one occurrence of a word of an item; of a word that several items share, one for each. Words
    of the test set are normalized as the corpus is. Several words in a row are found as such.

    Args:
        corpora: By language code.
        test_sets: By the same codes.
        categories: Their names; by default all that a language has.
        comparison: Results of `evaluator compare`, whose scores of the whole view are put beside the counts.

    Raises:
        ScoreError: No test set has a category of a name, or there is none at all.
        ResultsError: The results hold no comparison.
    """
    known = dict.fromkeys(each.name for test_set in test_sets.values() for each in test_set.categories)
    missing = [name for name in categories if name not in known]
    if missing or not known:
        what = f"no category {missing[0]!r}" if missing else "no category"
        raise ScoreError(f"the test sets have {what}; they have {', '.join(known) or 'none'}")
    scores = {} if comparison is None else _scores_of(comparison)
    found = [
        each
        for code, corpus in corpora.items()
        for each in _counted(code, corpus, test_sets[code], categories, scores)
    ]
    order = {name: number for number, name in enumerate(known)}
    found.sort(key=lambda each: order[each.category])
    return MentionsFile(mentions=tuple(found), agreements=tuple(_agreements(found)))


def _counted(
    code: str,
    corpus: Corpus,
    test_set: TestSet,
    categories: Sequence[str],
    scores: Mapping[tuple[str, str], Mapping[str, float]],
) -> Iterator[Mentions]:
    chosen = [each for each in test_set.categories if not categories or each.name in categories]
    sequences = {
        item.id: {_sequence(word, corpus) for word in item.words} - {()}
        for category in chosen
        for item in category.items
    }
    counts, tokens = _occurrences(corpus, set(chain.from_iterable(sequences.values())))
    for category in chosen:
        yield _of_category(category, code, corpus.name, sequences, counts, tokens, scores)


def _sequence(word: str, corpus: Corpus) -> tuple[str, ...]:
    """The words of a text that a word of a test set is: two, of New York."""
    words = words_of(word, corpus.tokens, corpus.language)
    return tuple(part for each in words for part in corpus.normalize(each).split())


def _occurrences(corpus: Corpus, wanted: set[tuple[str, ...]]) -> tuple[Counter[tuple[str, ...]], int]:
    """How often sequences of words occur, and how many words the corpus has."""
    longer = defaultdict[str, list[tuple[str, ...]]](list)
    for sequence in wanted:
        if len(sequence) > 1:
            longer[sequence[0]].append(sequence)
    single, several = Counter[str](), Counter[tuple[str, ...]]()
    for words in corpus.sentences():
        single.update(words)
        if longer.keys() & set(words):
            for place, word in enumerate(words):
                several.update(s for s in longer.get(word, ()) if tuple(words[place : place + len(s)]) == s)
    several.update({(word,): count for word, count in single.items() if (word,) in wanted})
    return several, single.total()


def _of_category(
    category: Category,
    code: str,
    corpus: str,
    sequences: Mapping[str, set[tuple[str, ...]]],
    counts: Mapping[tuple[str, ...], int],
    tokens: int,
    scores: Mapping[tuple[str, str], Mapping[str, float]],
) -> Mentions:
    of_items = {each: sum(counts.get(s, 0) for s in sequences[each.id]) for each in category.items}
    total = sum(of_items.values())
    most = max(of_items, key=lambda each: of_items[each])
    return Mentions(
        category=category.name,
        title=category.title,
        language=code,
        corpus=corpus,
        tokens=tokens,
        items=len(of_items),
        mentioned=sum(count > 0 for count in of_items.values()),
        mentions=total,
        per_million=1e6 * total / tokens,
        most=most.words[0] if total else None,
        share_of_most=of_items[most] / total if total else None,
        scores=scores.get((category.name, code), {}),
    )


def _scores_of(comparison: Results) -> dict[tuple[str, str], dict[str, float]]:
    """The scores of languages on their own test sets, by category and language."""
    whole: list[Scores] = [each for each in comparison.scores if each.keys.get("view") == "whole"]
    if not whole:
        raise ResultsError("there is no language comparison in these results; evaluator compare writes one")
    return {
        (str(each.keys["category"]), each.language): {
            score.measure: score.value for score in each if score.measure.startswith(MEASURES)
        }
        for each in whole
        if "category" in each.keys
    }


def _agreements(found: Sequence[Mentions]) -> Iterator[Agreement]:
    from scipy.stats import rankdata

    groups = defaultdict[tuple[str, str], list[tuple[float, float]]](list)
    for each in found:
        for measure, score in each.scores.items():
            groups[each.category, measure].append((each.per_million, score))
    for (category, measure), pairs in groups.items():
        if len(pairs) < LEAST_LANGUAGES:
            continue
        counts, scores = zip(*pairs, strict=True)
        equal = len(set(counts)) == 1 or len(set(scores)) == 1
        ranks = pd.DataFrame({"counts": rankdata(counts), "scores": rankdata(scores)})
        value = None if equal else float(ranks["counts"].corr(ranks["scores"]))
        yield Agreement(category=category, measure=measure, languages=len(pairs), correlation=value)
