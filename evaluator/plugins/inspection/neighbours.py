"""The nearest words of a word, of one model or of several training runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from statistics import fmean
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np
import pandas as pd

from evaluator.plugins import (
    Count,
    Floats,
    NonEmpty,
    Number,
    ResultFile,
    ScoreError,
    Settings,
    Similarities,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    loaded,
    vectors_or_file,
)

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


class NeighbourList(msgspec.Struct, frozen=True, kw_only=True):
    """The nearest words of a word in a model.

    Attributes:
        model: Its name; of several training runs the name that they have together.
        runs: The names of its training runs that know the word; one of a model that has a single run.
        unknown: The names of those that do not.
        built: In how many runs the vector of the word is built from subwords.
        place: The place of the word in the order of frequency, from 1; null if it is built, or of several
            runs.
        agreement: The mean over all pairs of runs of the Jaccard index of their k nearest words, the number
            of words that both have divided by the number that either has; null of one run.
        neighbours: Of one run its k nearest words, the nearest one first; of several, the words of all, those
            of most runs first.
    """

    model: str
    runs: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    built: Count = 0
    place: Count | None = None
    agreement: Number | None = None
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
) -> NeighboursFile:
    """The k words of the vocabulary that are nearest to a word by cosine.

    Cosines are compared in double precision; of equally near words the more frequent one stands first. The
    word itself, in any case that the settings make equal, is not its own neighbour.

    Args:
        word: One word; for `multiword` see `Settings`.
        models: Vectors, or the training runs of each model by its name: anything that `as_vectors` takes.
        k: How many.
        language: Whose rules of case hold.
        settings: How words are compared; `Settings()` if None.

    Raises:
        VectorsError: There are no usable vectors.
        ScoreError: `k` is less than 1, or no run of a model knows the word.
    """
    if isinstance(models, Mapping):
        runs: list[tuple[str | None, VectorsLike]] = [
            (name, each) for name, several in models.items() for each in several
        ]
    else:
        runs = [(None, each) for each in models]
    return neighbours_of_runs(word, runs, k=k, language=language, settings=settings)


def neighbours_of_runs(
    word: str,
    runs: Sequence[tuple[str | None, VectorsLike]],
    *,
    k: int = 10,
    language: str = "und",
    settings: Settings | None = None,
) -> NeighboursFile:
    """The same of runs, each with the name of its model; those with None are models of their own."""
    if k < 1:
        raise ScoreError(f"k is {k}; it must be 1 or more")
    grouped = dict[str | int, list[VectorsLike]]()
    for number, (name, each) in enumerate(runs):
        grouped.setdefault(number if name is None else name, []).append(each)
    lists = [
        _of_runs(word, name if isinstance(name, str) else None, several, k, language, settings or Settings())
        for name, several in grouped.items()
    ]
    return NeighboursFile(word=word, k=k, lists=tuple(lists))


class _Run(msgspec.Struct):
    """The nearest words in one run."""

    name: str
    words: list[str]
    cosines: list[float]
    places: list[int]
    place: int | None


def _of_runs(
    word: str, name: str | None, models: Iterable[VectorsLike], k: int, language: str, settings: Settings
) -> NeighbourList:
    found, unknown, like = list[_Run](), list[str](), list[str]()
    for each in models:
        vectors, _ = loaded(vectors_or_file(each))
        run = _nearest(word, vectors, k, language, settings)
        if run is None:
            unknown.append(vectors.name)
            like = like or _like(word, vectors)
        else:
            found.append(run)
    if not found:
        meant = f"; it has {', '.join(like)}" if like else ""
        raise ScoreError(f"{name or unknown[0]}: does not know the word {word!r}{meant}")
    called = name or found[0].name
    runs, missing = tuple(each.name for each in found), tuple(unknown)
    if len(found) == 1:
        (only,) = found
        near = zip(only.words, only.cosines, only.places, strict=True)
        return NeighbourList(
            model=called,
            runs=runs,
            unknown=missing,
            built=only.place is None,
            place=only.place,
            neighbours=tuple(Neighbour(word=w, cosine=c, place=p) for w, c, p in near),
        )
    return NeighbourList(
        model=called,
        runs=runs,
        unknown=missing,
        built=sum(each.place is None for each in found),
        agreement=fmean(_jaccard(one.words, other.words) for one, other in combinations(found, 2)),
        neighbours=tuple(_together(found)),
    )


def _jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    first, second = {*one}, {*other}
    return len(first & second) / len(first | second)


def _together(runs: Sequence[_Run]) -> Iterator[Neighbour]:
    """The words that are near in any run: those of most runs first, then by their mean cosine."""
    cosines = defaultdict[str, list[float]](list)
    for run in runs:
        for word, cosine in zip(run.words, run.cosines, strict=True):
            cosines[word].append(cosine)
    for word in sorted(cosines, key=lambda each: (-len(cosines[each]), -fmean(cosines[each]), each)):
        yield Neighbour(word=word, cosine=fmean(cosines[word]), runs=len(cosines[word]))


def _nearest(word: str, vectors: Vectors, k: int, language: str, settings: Settings) -> _Run | None:
    """The nearest words in a run; None if it does not know the word."""
    lookup = VocabularyLookup(vectors, language, settings).knowing_built()
    (asked,) = lookup.normalized_words([word]) or (None,)
    if asked is None or lookup.find(asked) is None:
        return None
    similarities = Similarities(lookup.queries, lookup.vocabulary_rows, lookup.vectors.matrix, "cosine")
    (own,) = lookup.vocabulary_rows.tolist()
    rows = _candidates(similarities, own, k)
    exact = similarities.exactly(np.zeros(1, dtype=np.intp), rows[None])[0]
    order = np.lexsort((rows, -exact))[:k]
    return _Run(
        vectors.name,
        [lookup.vectors.words[row] for row in rows[order].tolist()],
        (exact[order] * 2.0**-40).tolist(),
        (rows[order] + 1).tolist(),
        own + 1 if own >= 0 else None,
    )


def _candidates(similarities: Similarities, own: int, k: int) -> Any:  # noqa: ANN401  # rows
    """The rows of the k nearest words, and of all that may be as near."""
    blocks = (similarities.block(number) for number in range(similarities.blocks))
    cosines: Floats = np.concatenate([block[0] for _, block in blocks])
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
