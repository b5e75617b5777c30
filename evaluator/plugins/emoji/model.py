"""emoji2vec: vectors of emoji, trained from their descriptions in the space of the words, and scored by them.

The format of descriptions is that of the authors of emoji2vec: `description<TAB>emoji<TAB>True|False`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.plugins import (
    DataFile,
    Reading,
    Score,
    ScoreError,
    Scores,
    Settings,
    TrainingError,
    Vectors,
    VocabularyLookup,
    open_source,
    words_of,
    write_text,
)
from evaluator.plugins.emoji.adam import RowAdam

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

_READING = Reading("descriptions", columns={"description": "1", "emoji": "2", "fits": "3"})
_LABELS = {"True": True, "False": False}
_WIDTH = 0.1  # first values are between -0.1 and 0.1, as in the authors' code


def without_selectors(emoji: str) -> str:
    """An emoji without U+FE0F, which asks for a picture instead of a letter: so ❤ and ❤️ are the same."""
    return emoji.replace("\ufe0f", "")


@dataclass(frozen=True)
class Descriptions:
    """Descriptions of a file in its order, each once, with an emoji and whether it fits."""

    name: str
    sha256: str
    pairs: tuple[tuple[str, str, bool], ...]


def read_descriptions(path: str | Path) -> Descriptions:
    """Read descriptions in UTF-8, plain or gzip, as in the format above; U+FE0F is removed from emoji."""
    source = open_source(Path(path), "und")
    document = source.file
    pairs = tuple(dict.fromkeys(_pair(document, number, line) for number, line in document.lines))
    return Descriptions(source.name, source.sha256, pairs)


def _pair(document: DataFile, number: int, line: str) -> tuple[str, str, bool]:
    fields = [field.strip() for field in line.split("\t")]
    if len(fields) != 3:
        document.fail(
            number, f"{len(fields)} columns; there must be 3: description, emoji, and True or False"
        )
    text, emoji, label = fields
    if label not in _LABELS:
        document.fail(number, f"{label!r} in the third column; it must be True or False")
    if not text or not without_selectors(emoji) or emoji.split() != [emoji]:
        document.fail(number, "the first column must hold a description, the second an emoji without spaces")
    return text, without_selectors(emoji), _LABELS[label]


@dataclass(frozen=True, eq=False)
class Described(Descriptions):
    """Descriptions with their vectors: p different ones that have a vector, in n pairs with an emoji."""

    texts: tuple[str, ...]  # p
    matrix: Floats  # of these, shape (p, d)
    emoji: tuple[str, ...]  # n
    rows: Ints  # of `matrix`, for each pair; shape (n,)
    fits: Bools  # shape (n,)

    @property
    def left_out(self) -> int:
        """The number of pairs left out because no word of the description has a vector."""
        return len(self.pairs) - len(self.emoji)

    @property
    def sums(self) -> Floats:
        """The vector of each pair's description, shape (n, d)."""
        return np.asarray(self.matrix[self.rows])


def describe(
    descriptions: Descriptions, words: Vectors, case: Literal["exact", "fold", "upper"] = "exact"
) -> Described:
    """Give each description its vector v_j: the sum of its words' vectors (Eisner et al. 2016, section 3.1).

    Words without a vector add nothing, and the lengths of the others are not changed. A description without
    any word that has a vector is left out, and counted.
    """
    lookup = VocabularyLookup(words, "und", Settings(built="known", case=case))
    texts = dict.fromkeys(text for text, _, _ in descriptions.pairs)
    looked_up = {
        text: lookup.query_rows(filter(None, map(lookup.normalized, words_of(text)))) for text in texts
    }
    found = {text: rows[rows >= 0] for text, rows in looked_up.items() if (rows >= 0).any()}
    if not found:
        raise ScoreError(
            f"{descriptions.name}: no word of any description has a vector in {words.name}; are both in the "
            "same language and case? Try to fold case"
        )
    row_of = {text: row for row, text in enumerate(found)}
    kept = [pair for pair in descriptions.pairs if pair[0] in row_of]
    queries = lookup.queries
    return Described(
        **vars(descriptions),
        texts=tuple(found),
        matrix=np.stack([queries[rows].sum(axis=0, dtype=np.float32) for rows in found.values()]),
        emoji=tuple(emoji for _, emoji, _ in kept),
        rows=np.array([row_of[text] for text, _, _ in kept], dtype=np.intp),
        fits=np.array([fits for _, _, fits in kept], dtype=np.bool_),
    )


def classify(emoji: Vectors, labelled: Described) -> Scores:
    """Description classification: predict for each pair whether the description fits the emoji.

    The probability is σ(x_i·v_j), with x_i the emoji's vector and v_j the description's (Eisner et al. 2016,
    section 3.2); it is 0.5 or more if the product is 0 or more. Pairs whose emoji has no vector are left out.
    `Accuracy` is the share of the pairs that are told right, and `AUC` how often one that fits is more
    probable than one that does not.
    """
    if emoji.dimension != labelled.matrix.shape[1]:
        raise ScoreError(
            f"{emoji.name}: has {emoji.dimension} dimensions, and the word vectors have "
            f"{labelled.matrix.shape[1]}; use the word vectors that the emoji were trained with"
        )
    known = np.array([each in emoji.index for each in labelled.emoji], dtype=np.bool_)
    rows = [emoji.index[each] for each in labelled.emoji if each in emoji.index]
    fits = labelled.fits[known]
    if not rows or fits.all() or not fits.any():
        raise ScoreError(
            f"{labelled.name}: of {len(known)} pairs, {len(rows)} have an emoji of {emoji.name}, and "
            f"{fits.sum()} of these fit; some must fit, and some not"
        )
    products = np.einsum("nd,nd->n", emoji.matrix[rows].astype(np.float64), labelled.sums[known])
    right = int(np.sum((products >= 0) == fits))
    test = f"test:{labelled.name}#{labelled.sha256[:12]}|version:{version('testgen-evaluator')}"
    return Scores(
        model=emoji.name,
        dimension=emoji.dimension,
        test_set=labelled.name,
        language="und",
        test_sha256=labelled.sha256,
        reading=_READING,
        scores=tuple(
            Score(
                measure=measure,
                words="known",
                value=value,
                n=len(known),
                known=len(rows),
                unit="pairs",
                signature=f"{measure}|{test}",
            )
            for measure, value in (("Accuracy", right / len(rows)), ("AUC", auc(products, fits)))
        ),
    )


def auc(scores: Doubles, truth: Bools) -> float:
    """The area under the ROC curve: how often a true pair has a higher score than a false one; ties are half.

    U / (n₁·n₀), with the statistic of Mann and Whitney: Hanley and McNeil (1982).
    """
    from scipy.stats import mannwhitneyu

    true, false = scores[truth], scores[~truth]
    return float(mannwhitneyu(true, false, method="asymptotic").statistic / (len(true) * len(false)))


@dataclass(frozen=True)
class EmojiHyperparameters:
    """The hyper-parameters of emoji vectors."""

    rate: float = 0.001  # of Adam
    epochs: int = 40  # passes over the pairs that fit
    batch: int = 4  # such pairs in a step
    ratio: int = 1  # descriptions that do not fit, drawn for each of these
    seed: int = 0  # of first values, order, and draws

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise TrainingError(f"the learning rate is {self.rate}; it must be a number above 0")
        for name in ("epochs", "batch", "ratio"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if self.seed < 0:
            raise TrainingError(f"seed is {self.seed}; it must be 0 or more")


def loss_and_gradient(emoji: Floats, descriptions: Floats, fits: Floats) -> tuple[float, Floats]:
    """The loss of some pairs, and its gradient with respect to the emoji's vectors, shape (b, d).

    With p = σ(x·v), the loss is −Σ [y·log p + (1−y)·log(1−p)] (Eisner et al. 2016, section 3.2, where it is
    written for one pair), and its gradient with respect to x is Σ (p − y)·v; x is of shape (b, d), v of
    (b, k, d), k descriptions for each emoji, and y of (b, k) or (k,).
    """
    from scipy.special import expit

    products = np.einsum("bd,bkd->bk", emoji, descriptions)
    loss = float(np.sum(np.logaddexp(0, products) - fits * products))
    return loss, np.einsum("bk,bkd->bd", expit(products) - fits, descriptions)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The training data.

    `names` are the e emoji. Each of the n pairs has an emoji, as an index of these, and a description, as a
    row of `matrix`, shape (p, d). `codes` are emoji·p + description of each pair, to look pairs up.
    """

    names: tuple[str, ...]
    emoji: Ints
    rows: Ints
    matrix: Floats
    codes: Ints


def train_emoji(described: Described, parameters: EmojiHyperparameters | None = None) -> Vectors:
    """Train vectors of emoji: σ(x_i·v_j) is to be the probability that description j fits emoji i.

    Eisner et al. (2016), section 3.2, in batches and with first values as in the authors' code: Adam on the
    logistic loss of pairs that fit and, for each of these, of descriptions drawn for the same emoji from
    those that are not known to fit it. Without dropout, and without a projection: emoji have as many
    dimensions as words. Pairs that are marked as not fitting are not used. Emoji with most descriptions that
    fit come first; the same arguments give the same vectors.
    """
    parameters = parameters or EmojiHyperparameters()
    pairs = _pairs(described)
    random = np.random.default_rng(parameters.seed)
    shape = (len(pairs.names), described.matrix.shape[1])
    matrix = random.uniform(-_WIDTH, _WIDTH, shape).astype(np.float32)
    adam = RowAdam(matrix, parameters.rate)
    for _ in range(parameters.epochs):
        _pass(pairs, parameters, adam, random)
    adam.current(np.arange(len(matrix)))
    return Vectors(list(pairs.names), matrix, f"emoji at {parameters.rate:.6g}")


def _pairs(described: Described) -> _Pairs:
    fit = np.flatnonzero(described.fits)
    counts = Counter(described.emoji[each] for each in fit)
    if not counts:
        raise TrainingError(
            f"{described.name}: nothing to learn, no line with a word that has a vector is marked True"
        )
    names = tuple(name for name, _ in counts.most_common())
    most = names[0]
    if counts[most] == len(described.texts):
        raise TrainingError(f"{described.name}: all descriptions fit {most}; add descriptions that do not")
    index = {name: number for number, name in enumerate(names)}
    emoji = np.array([index[described.emoji[each]] for each in fit], dtype=np.intp)
    rows = described.rows[fit]
    return _Pairs(names, emoji, rows, described.matrix, emoji * len(described.matrix) + rows)


def _pass(
    pairs: _Pairs, parameters: EmojiHyperparameters, adam: RowAdam, random: np.random.Generator
) -> None:
    order = random.permutation(len(pairs.emoji))
    emoji = pairs.emoji[order]
    drawn = _drawn(pairs, np.repeat(emoji[:, None], parameters.ratio, axis=1), random)
    rows = np.column_stack([pairs.rows[order], drawn])
    fits = np.zeros(1 + parameters.ratio, dtype=np.float32)
    fits[0] = 1
    for start in range(0, len(order), parameters.batch):
        batch = slice(start, start + parameters.batch)
        different, inverse = np.unique(emoji[batch], return_inverse=True)
        vectors = adam.current(different)
        _, each = loss_and_gradient(vectors[inverse], pairs.matrix[rows[batch]], fits)
        gradient = np.zeros_like(vectors)
        np.add.at(gradient, inverse, each)
        adam.step_rows(different, gradient)


def _drawn(pairs: _Pairs, emoji: Ints, random: np.random.Generator) -> Ints:
    rows = random.integers(len(pairs.matrix), size=emoji.shape)
    while (again := np.isin(emoji * len(pairs.matrix) + rows, pairs.codes)).any():
        rows[again] = random.integers(len(pairs.matrix), size=int(again.sum()))
    return rows


def write_emoji(vectors: Vectors, path: Path) -> None:
    """Write vectors as word2vec text, with enough digits to read the same numbers again."""
    rows = (" ".join(f"{value:.9g}" for value in row) for row in vectors.matrix.tolist())
    lines = (f"{word} {row}\n" for word, row in zip(vectors.words, rows, strict=True))
    write_text(path, f"{len(vectors)} {vectors.dimension}\n{''.join(lines)}")
