"""Sentence boundary detection: where does a sentence end, told from the vectors of words without punctuation?

X. Che, N. Ring, W. Raschkowski, H. Yang, C. Meinel (2017), "Traversal-Free Word Vector Evaluation in Analogy
Space", evaluates vectors by it beside analogies: a window of words, and a classifier. It needs nothing but a
text, so that it can be asked in every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import regex

from evaluator.plugins import (
    Corpus,
    Count,
    ExtraError,
    NonEmpty,
    ResultFile,
    Score,
    ScoreError,
    Scores,
    Settings,
    Vectors,
    VectorsLike,
    VocabularyLookup,
    as_vectors,
    one_thread,
    unit_rows,
    words_of,
)

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float32]

MODELS = ("logistic", "network")
HIDDEN = 100  # units of the small network
BLOCKS = 20  # pieces of the test text that intervals are computed from
LEAST_SHARE = 0.005  # of words that end a sentence: one in 200
_T = 2.093  # the 97.5% quantile of Student's t with 19 degrees of freedom


@dataclass(frozen=True)
class Marked:
    """The words of a text without punctuation, and after which of them a sentence ends."""

    words: Sequence[str]
    ends: Flags


def marked(corpus: Corpus, *, of_lines: bool = False, ends: str = "", most: int | None = None) -> Marked:
    """Remove the punctuation of a text, and remember where sentences end.

    Args:
        corpus: The text, what its words are, and how they are normalized.
        of_lines: Whether each line is a sentence, as in texts without punctuation.
        ends: Further characters that end a sentence, besides those that Unicode has as `Sentence_Terminal`.
        most: How many words are needed; the rest of the text is not read.

    Raises:
        ScoreError: Too few words end a sentence.
    """
    end = regex.compile(rf"[\p{{Sentence_Terminal}}{regex.escape(ends)}]")
    words, places = list[str](), list[int]()
    for line in corpus.lines():
        sentences = [line] if of_lines else end.split(line)
        for sentence in sentences:
            words += chain.from_iterable(corpus.normalize(each).split() for each in words_of(sentence))
            places.append(len(words))
        if not of_lines:  # what follows the last mark of a line goes on in the next one
            places.pop()
        if most is not None and len(words) >= most:
            break
    flags = np.zeros(len(words), np.bool_)
    flags[[place - 1 for place in places if place]] = True
    if not words or flags.mean() < LEAST_SHARE:
        advice = (
            "" if of_lines else "; where each line is a sentence, use --lines; name other marks with --ends"
        )
        raise ScoreError(
            f"{corpus.name}: {int(flags.sum()):,} of {len(words):,} words end a sentence, too few{advice}"
        )
    return Marked(words, flags)


class BoundariesFile(ResultFile, frozen=True, kw_only=True, tag="boundaries"):
    """What `evaluator boundaries --json` writes.

    Attributes:
        corpus: The name of the text.
        share: The share of the test words that end a sentence.
        train: How many words were learned from.
        test: How many words were asked.
        results: The F1 score of each model by each classifier.
    """

    command: ClassVar[str] = "evaluator boundaries --json"

    version: Literal[1] = 1
    corpus: str
    share: float
    train: Count
    test: Count
    results: NonEmpty[Scores]


def boundaries(
    vectors: VectorsLike | Sequence[VectorsLike],
    text: Marked,
    corpus: Corpus,
    *,
    models: Sequence[str] = MODELS,
    window: int = 5,
    train: int = 50_000,
    test: int = 20_000,
    seed: int = 0,
) -> BoundariesFile:
    """How well classifiers find where sentences end, from the vectors of the words around.

    For each word its own vector and those of its neighbours, `window` in all and of length 1, are side by
    side; a word without a vector, or beyond the text, is zeros. A classifier learns whether a sentence ends
    after the word: logistic regression, and a network with one hidden layer of 100 units. The first words are
    learned from, later ones are asked. The score is F1, the harmonic mean of precision and recall of the
    ends; its interval is from a jackknife over 20 pieces of the asked text. The chance level is that of a
    guess: with a share p of ends, F1 is at most 2p/(1+p), where all words are called ends.

    Args:
        vectors: One model or several.
        text: What `marked` gives.
        corpus: The text's name and how its words are normalized.
        models: `logistic`, `network` or both.
        window: How many words a classifier sees, an odd number.
        train: How many words it learns from.
        test: How many words are asked after these.
        seed: Of the network.

    Raises:
        ScoreError: A number is out of range, the text is too short, or there is no such classifier.
        ExtraError: scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        raise ExtraError("boundaries", "scikit-learn", "learn")
    _check(text, corpus, models, window, train, test)
    loaded = list(map(as_vectors, vectors if isinstance(vectors, list | tuple) else [vectors]))
    asked = slice(train, train + test)
    results = [_scores_of(each, text, corpus, models, window, train, asked, seed) for each in loaded]
    share = float(text.ends[asked].mean())
    return BoundariesFile(corpus=corpus.name, share=share, train=train, test=test, results=tuple(results))


def _check(text: Marked, corpus: Corpus, models: Sequence[str], window: int, train: int, test: int) -> None:
    unknown = [each for each in models if each not in MODELS]
    if unknown or not models:
        raise ScoreError(f"there is no classifier {unknown or 'named'}; choose from {', '.join(MODELS)}")
    if window < 1 or window % 2 == 0:
        raise ScoreError(f"window is {window}; it must be an odd number, so that the word is in its middle")
    if min(train, test) < 100 * BLOCKS:
        raise ScoreError(f"train is {train} and test {test}; both must be {100 * BLOCKS:,} or more")
    if len(text.words) < train + test:
        raise ScoreError(
            f"{corpus.name}: has {len(text.words):,} words, and {train + test:,} are needed; lower --learned "
            "or --asked"
        )
    for name, part in (("learned from", text.ends[:train]), ("asked", text.ends[train : train + test])):
        if not part.any():
            raise ScoreError(f"{corpus.name}: no sentence ends in the words that are {name}")


def _scores_of(
    vectors: Vectors,
    text: Marked,
    corpus: Corpus,
    models: Sequence[str],
    window: int,
    train: int,
    asked: slice,
    seed: int,
) -> Scores:
    settings = Settings(case=corpus.case, profile=corpus.profile)
    lookup = VocabularyLookup(vectors, corpus.language, settings)
    used = text.words[: asked.stop]
    rows = lookup.query_rows(used)
    known = rows[asked] >= 0
    features = _features(lookup, rows, window)
    truth = text.ends[: asked.stop]
    share = float(truth[asked].mean())
    signature = {
        "window": window,
        "train": train,
        "test": asked.stop - asked.start,
        "case": corpus.case,
        "profile": corpus.profile or "none",
        "seed": seed,
        "version": version("testgen-evaluator"),
    }
    scores = []
    for model in models:
        with one_thread():
            classifier = _classifier(model, seed).fit(features[:train], truth[:train])
            told = classifier.predict(features[asked])
        value, low, high = f1_interval(truth[asked], np.asarray(told, np.bool_))
        scores.append(
            Score(
                measure=f"Boundaries({model})",
                value=value,
                low=low,
                high=high,
                chance=2 * share / (1 + share),
                n=int(known.size),
                known=int(known.sum()),
                unit="words",
                signature="|".join([f"Boundaries({model})", *(f"{k}:{v}" for k, v in signature.items())]),
            )
        )
    return Scores(
        model=vectors.name,
        test_set=corpus.name,
        language=corpus.language,
        test_sha256=corpus.inputs[0].sha256,
        scores=tuple(scores),
    )


def _features(lookup: VocabularyLookup, rows: Rows, window: int) -> Floats:
    """The vectors of each word and its neighbours side by side, shape (n, window·d)."""
    unit = unit_rows(np.asarray(lookup.queries, np.float64)).astype(np.float32)
    padded = np.vstack([unit, np.zeros((1, unit.shape[1]), np.float32)])  # row -1 is the last
    beside = np.pad(rows, window // 2, constant_values=-1)
    around = np.lib.stride_tricks.sliding_window_view(beside, window)
    return np.asarray(padded[around].reshape(len(rows), -1))


def _classifier(model: str, seed: int) -> Any:  # noqa: ANN401  # of scikit-learn
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    if model == "logistic":
        # Few words end a sentence: both classes count the same, or hardly any would be called an end.
        return LogisticRegression(max_iter=2000, class_weight="balanced")
    return MLPClassifier((HIDDEN,), early_stopping=True, random_state=seed, max_iter=100)


def f1(true: Flags, told: Flags) -> float:
    """The harmonic mean of precision and recall; 0 if nothing is right."""
    right = int((true & told).sum())
    return 2 * right / (int(true.sum()) + int(told.sum())) if right else 0.0


def f1_interval(true: Flags, told: Flags) -> tuple[float, float, float]:
    """F1 and its 95% interval by the delete-one jackknife over consecutive pieces of the text."""
    pieces = np.array_split(np.arange(len(true)), BLOCKS)
    value = f1(true, told)
    without = np.array([f1(np.delete(true, each), np.delete(told, each)) for each in pieces])
    error = float(np.sqrt((BLOCKS - 1) / BLOCKS * ((without - without.mean()) ** 2).sum()))
    return value, max(0.0, value - _T * error), min(1.0, value + _T * error)
