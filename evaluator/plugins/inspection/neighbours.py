"""The nearest words of a word, of one model or of several training runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from statistics import fmean
from typing import ClassVar, Literal, NamedTuple

import msgspec
import numpy as np
import pandas as pd

from evaluator.plugins import (
    Count,
    Floats,
    NonEmpty,
    Number,
    ResultFile,
    Rows,
    ScoreError,
    Settings,
    Similarities,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    as_vectors,
    refuse_copies,
)

SAMPLE = 100
"""Words that are drawn to say how stable neighbours usually are."""

_AT_A_TIME = 32  # words whose cosines with the whole vocabulary are in memory
_SPARE = 2.0**-19  # words whose cosines differ by less may be in the wrong order in single precision
_LEAST_LETTERS = 3  # that a word must share with one that it may have been meant to be


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """A word near another.

    Attributes:
        word: As it is compared: in the case, and with the spelling, of the settings.
        cosine: With the word that was asked; of several runs the mean of those that have both words.
        place: The place of the word in the order of frequency of the model, from 1; null of several runs.
        runs: In how many runs it is one of the k nearest.
    """

    word: str
    cosine: Number
    place: Count | None = None
    runs: Count = 1


class UsualAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """How much the runs of a model agree on the neighbours of other words.

    How stable neighbours are depends on the frequency of the word, so words of a similar one are drawn.

    Attributes:
        words: How many words: up to 100 of the vocabulary of the first run, drawn at random from half the
            place of the word by frequency to double the place, and to 200 at least; without those that
            another run does not have.
        seed: Of the draw.
        mean: Of their agreements.
        lower: How many of them have a lower agreement than the word that was asked.
        higher: How many have a higher one.
    """

    words: Count
    seed: int
    mean: Number
    lower: Count
    higher: Count


class NeighbourList(msgspec.Struct, frozen=True, kw_only=True):
    """The nearest words of a word in a model.

    Attributes:
        model: Its name; of several training runs the name that they have together.
        runs: The names of its training runs that know the word; one of a model that has a single run.
        unknown: The names of those that do not.
        built: In how many runs the vector of the word, or of one of several words, is built from subwords.
        averaged: In how many runs it is the mean of the vectors of several words.
        place: The place of the word in the order of frequency, from 1; null if its vector is built or such a
            mean, or of several runs.
        agreement: The mean over all pairs of runs of the Jaccard index of their k nearest words, the number
            of words that both have divided by the number that either has; null of one run.
        usual: The agreement on other words; null of one run, if the word has no place in some run, or if no
            such word was drawn.
        neighbours: Of one run its k nearest words, the nearest one first; of several, the words of all, those
            of most runs first.
    """

    model: str
    runs: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    built: Count = 0
    averaged: Count = 0
    place: Count | None = None
    agreement: Number | None = None
    usual: UsualAgreement | None = None
    neighbours: NonEmpty[Neighbour]


class NeighboursFile(ResultFile, frozen=True, kw_only=True, tag="neighbours"):
    """What `evaluator neighbours --json` writes.

    Attributes:
        word: The word that was asked.
        k: How many of the nearest words are looked at.
        lists: Of each model.
    """

    command: ClassVar[str] = "evaluator neighbours --json"

    version: Literal[1] = 1
    word: str
    k: Count
    lists: NonEmpty[NeighbourList]

    def frame(self) -> pd.DataFrame:
        """A table: a row for each neighbour in each model."""
        rows = (
            {"model": each.model, **msgspec.structs.asdict(neighbour)}
            for each in self.lists
            for neighbour in each.neighbours
        )
        return pd.DataFrame(rows)


def neighbours(
    word: str,
    models: Sequence[VectorsLike] | Mapping[str, Sequence[VectorsLike]],
    *,
    k: int = 10,
    language: str = "und",
    settings: Settings | None = None,
    seed: int = 0,
) -> NeighboursFile:
    """The k words of the vocabulary that are nearest to a word by cosine.

    Cosines are compared in double precision; of equally near words the more frequent one stands first. The
    word itself, in any case that the settings make equal, is not its own neighbour.

    Of several training runs, their agreement is the mean Jaccard index of all pairs of runs, as in Antoniak
    and Mimno (2018), "Evaluating the Stability of Embedding-based Word Similarities",
    https://aclanthology.org/Q18-1008/. Words of a similar frequency, drawn at random, show what is usual for
    these models.

    Args:
        word: One word; for `multiword` see `Settings`.
        models: Vectors, or the training runs of each model by its name: anything that `as_vectors` takes.
        k: How many.
        language: Whose rules of case hold.
        settings: How words are compared; `Settings()` if None.
        seed: For the words that are drawn.

    Raises:
        VectorsError: There are no usable vectors, or two training runs of a model are copies.
        ScoreError: `k` is less than 1, no run of a model knows the word, or a run has no other word.
    """
    if isinstance(models, Mapping):
        runs: list[tuple[str | None, VectorsLike]] = [
            (name, each) for name, several in models.items() for each in several
        ]
    else:
        runs = [(None, each) for each in models]
    return neighbours_of_runs(word, runs, k=k, language=language, settings=settings, seed=seed)


def neighbours_of_runs(
    word: str,
    runs: Sequence[tuple[str | None, VectorsLike]],
    *,
    k: int = 10,
    language: str = "und",
    settings: Settings | None = None,
    seed: int = 0,
) -> NeighboursFile:
    """The same of runs, each with the name of its model; those with None are models of their own."""
    if k < 1:
        raise ScoreError(f"k is {k}; it must be 1 or more")
    refuse_copies(runs)
    grouped = dict[str | int, list[VectorsLike]]()
    for number, (name, each) in enumerate(runs):
        grouped.setdefault(number if name is None else name, []).append(each)
    asked = _Asked(word, k, language, settings or Settings(), seed)
    lists = [
        _of_runs(asked, name if isinstance(name, str) else None, several) for name, several in grouped.items()
    ]
    return NeighboursFile(word=word, k=k, lists=tuple(lists))


class _Asked(NamedTuple):
    """What is asked of all models."""

    word: str
    k: int
    language: str
    settings: Settings
    seed: int

    @property
    def is_averaged(self) -> bool:
        """Whether its vector is a mean where a model does not have it as a whole."""
        return self.settings.multiword == "mean" and len(self.word.split()) > 1


class _Run(NamedTuple):
    """The nearest words in one run, with their cosines and places; and those of words that were drawn."""

    name: str
    near: Mapping[str, tuple[float, int]]
    place: int | None
    built: bool
    others: Mapping[str, Collection[str]]


def _of_runs(asked: _Asked, name: str | None, models: Sequence[VectorsLike]) -> NeighbourList:
    found, unknown, like, others = list[_Run](), list[str](), list[str](), tuple[str, ...]()
    for each in models:
        vectors = as_vectors(each)
        lookup = VocabularyLookup(vectors, asked.language, asked.settings).knowing_built()
        if not any(lookup.find(word) is not None for word in lookup.normalized_words([asked.word])):
            unknown.append(vectors.name)
            like = like or _like(asked.word, vectors)
            continue
        if not found and len(models) > 1 and lookup.vocabulary_rows[0] >= 0:
            others = _drawn(lookup, asked.seed)
        found.append(_run(lookup, others, asked.k))
    if not found:
        meant = f"; it has {', '.join(like)}" if like else ""
        raise ScoreError(f"{name or unknown[0]}: does not know the word {asked.word!r}{meant}")
    several = len(found) > 1
    agreement = _agreement([each.near for each in found]) if several else None
    return NeighbourList(
        model=name or found[0].name,
        runs=tuple(each.name for each in found),
        unknown=tuple(unknown),
        built=sum(each.built for each in found),
        averaged=sum(each.place is None for each in found) if asked.is_averaged else 0,
        place=None if several else found[0].place,
        agreement=agreement,
        usual=None if agreement is None else _usual(found, agreement, asked.seed),
        neighbours=tuple(_together(found) if several else _alone(found[0])),
    )


def _drawn(lookup: VocabularyLookup, seed: int) -> tuple[str, ...]:
    """Words as frequent as the one that was asked, drawn at random."""
    words, own = lookup.vectors.words, int(lookup.vocabulary_rows[0])
    first, last = own // 2, min(max(2 * own, 2 * SAMPLE), len(words))
    rows = first + np.random.default_rng(seed).permutation(last - first)[:SAMPLE]
    found = lookup.normalized_words(words[row] for row in rows.tolist())
    return tuple(each for each in found if each not in lookup.query_words)


def _agreement(runs: Iterable[Collection[str]]) -> float:
    """The mean Jaccard index of all pairs."""
    return fmean(_jaccard(one, other) for one, other in combinations(runs, 2))


def _usual(runs: Sequence[_Run], own: float, seed: int) -> UsualAgreement | None:
    """The agreements on the words that were drawn and that all runs have, if all have the word itself."""
    if any(each.place is None for each in runs):
        return None
    common = [word for word in runs[0].others if all(each.others.get(word) for each in runs)]
    found = [_agreement([each.others[word] for each in runs]) for word in common]
    if not found:
        return None
    lower, higher = sum(each < own for each in found), sum(each > own for each in found)
    return UsualAgreement(words=len(found), seed=seed, mean=fmean(found), lower=lower, higher=higher)


def _jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    first, second = {*one}, {*other}
    return len(first & second) / len(first | second)


def _alone(run: _Run) -> Iterator[Neighbour]:
    for word, (cosine, place) in run.near.items():
        yield Neighbour(word=word, cosine=cosine, place=place)


def _together(runs: Sequence[_Run]) -> Iterator[Neighbour]:
    """The words that are near in any run: those of most runs first, then by their mean cosine."""
    cosines = defaultdict[str, list[float]](list)
    for run in runs:
        for word, (cosine, _) in run.near.items():
            cosines[word].append(cosine)
    for word in sorted(cosines, key=lambda each: (-len(cosines[each]), -fmean(cosines[each]), each)):
        yield Neighbour(word=word, cosine=fmean(cosines[word]), runs=len(cosines[word]))


def _run(lookup: VocabularyLookup, others: Iterable[str], k: int) -> _Run:
    """The nearest words in a run: of the one word that was looked up, and of others that it has."""
    lookup.query_rows(others)
    (word, *known), words, own = lookup.query_words, lookup.vectors.words, lookup.vocabulary_rows.tolist()
    near, *nearest = _nearest(lookup, k)
    if not near:
        raise ScoreError(f"{lookup.vectors.name}: has no other word than the one that was asked")
    return _Run(
        lookup.vectors.name,
        {words[row]: (cosine, row + 1) for row, cosine in near.items()},
        own[0] + 1 if own[0] >= 0 else None,
        word in lookup.built,
        {
            other: [words[row] for row in rows]
            for other, rows, place in zip(known, nearest, own[1:], strict=True)
            if place >= 0
        },
    )


def _nearest(lookup: VocabularyLookup, k: int) -> Iterator[Mapping[int, float]]:
    """The rows of the k words nearest to each word that was looked up, nearest first, and their cosines."""
    queries, own = lookup.queries, lookup.vocabulary_rows
    for start in range(0, len(own), _AT_A_TIME):
        some = slice(start, start + _AT_A_TIME)
        similarities = Similarities(queries[some], own[some], lookup.vectors.matrix, "cosine")
        blocks = [similarities.block(number)[1] for number in range(similarities.blocks)]
        for number, cosines in enumerate(np.concatenate(blocks, axis=1)):
            rows = _candidates(cosines, own[start + number], k)
            exact = similarities.exactly(np.array([number]), rows[None])[0] if len(rows) else np.empty(0)
            order = np.lexsort((rows, -exact))[:k]
            yield dict(zip(rows[order].tolist(), (exact[order] * 2.0**-40).tolist(), strict=True))


def _candidates(cosines: Floats, own: int, k: int) -> Rows:
    """The rows of the k nearest words, and of all that may be as near."""
    if own >= 0:
        cosines[own] = -np.inf
    if len(cosines) > k:
        least = np.partition(cosines, -k)[-k]
        return np.flatnonzero(cosines >= least - _SPARE)
    return np.flatnonzero(cosines > -np.inf)


def _like(word: str, vectors: Vectors) -> list[str]:
    """Words of the vocabulary that may be meant: those that begin alike and are spelled nearly so."""
    start = word[:_LEAST_LETTERS].casefold()
    near = [each for each in vectors.words if each[:_LEAST_LETTERS].casefold() == start]
    return get_close_matches(word, near, n=3)
