"""A downstream task: the labels of texts with emoji, such as the sentiment of tweets, learned from vectors.

Eisner et al. (2016), section 4.3; the curve of the downstream task in figure 3 of "Evaluating Word Embeddings
on Low-Resource Languages". A text is the mean of the vectors of its words and emoji.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import regex

from evaluator.plugins import (
    ExtraError,
    Reading,
    Score,
    ScoreError,
    Scores,
    Settings,
    Vectors,
    VocabularyLookup,
    one_thread,
    open_source,
    words_of,
)
from evaluator.plugins.emoji.model import without_selectors

FOLDS = 5
SENTIMENT = "Sentiment"
_READING = Reading("texts with emoji", columns={"label": "1", "text": "2"})

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts with emoji, with the sums of the vectors of their words.

    Attributes:
        name: The name of the file.
        sha256: Its digest.
        texts: n texts.
        labels: Of each text a number, shape (n,).
        sums: The sum of the vectors of its words, shape (n, d).
        counts: How many of its words have a vector, shape (n,).
    """

    name: str
    sha256: str
    texts: tuple[str, ...]
    labels: npt.NDArray[np.intp]
    sums: Floats
    counts: Floats


def read_labelled(path: str | Path, words: Vectors) -> LabelledTexts:
    """Read texts in UTF-8, plain or gzip: in each line a label, a tab, and a text with words and emoji.

    Raises:
        TestSetError: A line has no tab, or something is empty.
        ScoreError: There are fewer than two labels, or one has fewer than five texts.
        ExtraError: scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        raise ExtraError("texts with emoji", "scikit-learn", "learn")
    source = open_source(Path(path), "und")
    pairs = list[tuple[str, str]]()
    for number, line in source.file.lines:
        label, _, text = (each.strip() for each in line.partition("\t"))
        if not label or not text:
            source.file.fail(number, "there must be a label, a tab, and a text")
        pairs.append((label, without_selectors(text)))
    names, labels, counts = np.unique([label for label, _ in pairs], return_inverse=True, return_counts=True)
    if len(names) < 2 or counts.min() < FOLDS:
        raise ScoreError(
            f"{source.name}: two labels or more are needed, with {FOLDS} texts each; it has "
            f"{', '.join(f'{name} ({count})' for name, count in zip(names, counts, strict=True))}"
        )
    lookup = VocabularyLookup(words, "und", Settings(built="known", case="fold"))
    rows = [lookup.query_rows(filter(None, map(lookup.normalized, words_of(text)))) for _, text in pairs]
    queries = lookup.queries.astype(np.float64)
    known = [each[each >= 0] for each in rows]
    sums = np.array([queries[each].sum(axis=0) for each in known])
    texts = tuple(text for _, text in pairs)
    return LabelledTexts(
        source.name, source.sha256, texts, labels, sums, np.array(list(map(len, known)), np.float64)
    )


def sentiment(emoji: Vectors, texts: LabelledTexts) -> Scores:
    """How well logistic regression learns the labels of texts from the vectors of their words and emoji.

    `Sentiment` is the accuracy over five folds, each of which is learned from the others; folds are the same
    for all models, and have their part of each label. The chance level is the share of the most frequent
    label; the baseline has the vectors of words alone.
    """
    known = _occurrences(emoji, texts)
    beside = np.array([emoji.matrix[rows].sum(axis=0, dtype=np.float64) for rows in known])
    with_emoji = (texts.sums + beside) / np.maximum(texts.counts + [len(rows) for rows in known], 1)[:, None]
    without = texts.sums / np.maximum(texts.counts, 1)[:, None]
    value, baseline = (_accuracy(each, texts.labels) for each in (with_emoji, without))
    test = f"folds:{FOLDS}|test:{texts.name}#{texts.sha256[:12]}|version:{version('testgen-evaluator')}"
    return Scores(
        model=emoji.name,
        dimension=emoji.dimension,
        test_set=texts.name,
        language="und",
        test_sha256=texts.sha256,
        reading=_READING,
        scores=(
            Score(
                measure=SENTIMENT,
                words="known",
                value=value,
                chance=float(np.bincount(texts.labels).max() / len(texts.labels)),
                baseline=baseline,
                n=len(texts.texts),
                known=sum(map(bool, map(len, known))),
                unit="texts",
                signature=f"{SENTIMENT}|{test}",
            ),
        ),
    )


def _occurrences(emoji: Vectors, texts: LabelledTexts) -> list[list[int]]:
    """The rows of the emoji in each text, as often as they occur; of several that begin alike the longest."""
    longest_first = sorted(emoji.words, key=len, reverse=True)
    pattern = regex.compile("|".join(map(regex.escape, longest_first)))
    return [[emoji.index[each] for each in pattern.findall(text)] for text in texts.texts]


def _accuracy(features: Floats, labels: npt.NDArray[np.intp]) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    with one_thread():
        return float(np.mean(cross_val_predict(model, features, labels, cv=folds) == labels))
