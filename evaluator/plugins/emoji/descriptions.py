"""Descriptions of emoji, their vectors, and how well emoji vectors tell whether a description fits.

The format is that of the authors of emoji2vec: `description<TAB>emoji<TAB>True|False`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.data_files import DataFile, open_source
from evaluator.plugins import Score, ScoreError, Scores, Settings, Vectors, VocabularyLookup
from evaluator.text.corpus import words_of

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

_LABELS = {"True": True, "False": False}


def without_selectors(emoji: str) -> str:
    """An emoji without U+FE0F, which asks for a picture instead of a letter: so ❤ and ❤️ are the same."""
    return emoji.replace("\ufe0f", "")


@dataclass(frozen=True)
class Descriptions:
    """Descriptions, each with an emoji and whether it fits.

    Attributes:
        name: The name of the file.
        sha256: The digest of the file, in hexadecimal.
        pairs: Description, emoji, and whether it fits; each once, in the order of the file.
    """

    name: str
    sha256: str
    pairs: tuple[tuple[str, str, bool], ...]


def read_descriptions(path: str | Path) -> Descriptions:
    """Read descriptions, plain or gzip; U+FE0F is removed from emoji.

    Args:
        path: A file in UTF-8; a line has a description, an emoji, and `True` or `False`, with tabs between.
    """
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
    """Descriptions with their vectors.

    Attributes:
        texts: The p different descriptions that have a vector.
        matrix: Their vectors, shape (p, d).
        emoji: The emoji of each of the n pairs of these.
        rows: The row of `matrix` of each pair's description, shape (n,).
        fits: Whether the description fits the emoji, shape (n,).
    """

    texts: tuple[str, ...]
    matrix: Floats
    emoji: tuple[str, ...]
    rows: Ints
    fits: Bools

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

    Words without a vector add nothing. A description without any word that has one is left out, and counted.

    Args:
        descriptions: The descriptions.
        words: Vectors of words; their lengths are not changed.
        case: `exact`; or `fold`, to look words up without regard to case.
    """
    lookup = VocabularyLookup(words, "und", Settings(case=case))
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

    Args:
        emoji: Vectors of emoji, shape (e, d).
        labelled: Pairs that fit and pairs that do not, with vectors of the same dimension.

    Returns:
        `Accuracy`, the share of the pairs that are told right, and `AUC`: how often one that fits is more
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

    U / (n₁·n₀), with the statistic of Mann and Whitney: Hanley and McNeil (1982). At
    least one is true, and one false.
    """
    from scipy.stats import mannwhitneyu

    true, false = scores[truth], scores[~truth]
    return float(mannwhitneyu(true, false, method="asymptotic").statistic / (len(true) * len(false)))
