"""Descriptions of emoji: `description<TAB>emoji<TAB>True|False`, as the authors of emoji2vec have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evaluator.datasets.data_files import DataFile, open_source
from evaluator.errors import ScoreError
from evaluator.text.corpus import words_of
from evaluator.vectors import Vectors

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Choice = Literal["drop", "keep"]
Case = Literal["exact", "fold"]

_LABELS = {"True": True, "False": False}


def without_selectors(emoji: str) -> str:
    """An emoji without U+FE0F, which asks for a picture in place of a letter: ❤ and ❤️ are one."""
    return emoji.replace("\ufe0f", "")


@dataclass(frozen=True)
class Descriptions:
    """Descriptions, each with an emoji and whether it fits.

    Attributes:
        name: What to call them: their file.
        sha256: Of the file's bytes, in hexadecimal.
        pairs: Description, emoji, whether it fits; each once, in the order of the file.
    """

    name: str
    sha256: str
    pairs: tuple[tuple[str, str, bool], ...]


def read_descriptions(path: str | Path, variation_selectors: Choice = "drop") -> Descriptions:
    """Read descriptions, plain or gzip.

    Args:
        path: The file, in UTF-8; each line a description, an emoji, and `True` or `False`, tabs between.
        variation_selectors: Whether to `drop` U+FE0F from the emoji, or `keep` it.

    Raises:
        TestSetError: It cannot be read, or a line is malformed; the message names it.
        ScoreError: `variation_selectors` has a value that does not exist.
    """
    if variation_selectors not in get_args(Choice):
        raise ScoreError(f"variation selectors are {variation_selectors!r}; choose drop or keep")
    key = without_selectors if variation_selectors == "drop" else str
    source = open_source(Path(path), "und")
    document = source.file
    pairs = tuple(dict.fromkeys(_pair(document, number, line, key) for number, line in document.lines))
    return Descriptions(source.name, source.sha256, pairs)


def _pair(document: DataFile, number: int, line: str, key: Callable[[str], str]) -> tuple[str, str, bool]:
    fields = [field.strip() for field in line.split("\t")]
    if len(fields) != 3:
        document.fail(
            number, f"{len(fields)} columns; there must be 3: description, emoji, and True or False"
        )
    text, emoji, label = fields
    if label not in _LABELS:
        document.fail(number, f"{label!r} in the third column; it must be True or False")
    if not text or not key(emoji) or emoji.split() != [emoji]:
        document.fail(number, "the first column must hold a description, the second an emoji without spaces")
    return text, key(emoji), _LABELS[label]


@dataclass(frozen=True, eq=False)
class Described:
    """Descriptions whose vectors are known.

    Attributes:
        name: What to call them.
        texts: Different descriptions, p of them.
        matrix: Their vectors, shape (p, d).
        emoji: The emoji of each pair, n of them.
        rows: Which description each pair is of, shape (n,).
        fits: Whether it fits the emoji, shape (n,).
        left_out: How many pairs are left out because no word of the description has a vector.
    """

    name: str
    texts: tuple[str, ...]
    matrix: Floats
    emoji: tuple[str, ...]
    rows: Ints
    fits: Bools
    left_out: int

    @property
    def sums(self) -> Floats:
        """The vector of each pair's description, shape (n, d)."""
        return np.asarray(self.matrix[self.rows])


def describe(descriptions: Descriptions, words: Vectors, case: Case = "exact") -> Described:
    """Give each description its vector v_j: the sum of its words' vectors (Eisner et al. 2016, section 3.1).

    Words without a vector add nothing. A description none of whose words has one is left out, and counted.

    Args:
        descriptions: What to find vectors for.
        words: Vectors of words, as they are: no length is changed.
        case: `exact`; or `fold`, to look words up without regard to case.

    Raises:
        ScoreError: No word of any description has a vector; or `case` has a value that does not exist.
    """
    if case not in get_args(Case):
        raise ScoreError(f"case is {case!r}; choose from {', '.join(get_args(Case))}")
    key = str.casefold if case == "fold" else str
    known = words.fold(key) if case == "fold" else words
    sums: dict[str, Floats | None] = {}
    for text, _, _ in descriptions.pairs:
        if text not in sums:
            each_word = (_looked_up(known, key(word)) for word in words_of(text))
            sums[text] = _sum([vector for vector in each_word if vector is not None])
    found = {text: vector for text, vector in sums.items() if vector is not None}
    if not found:
        raise ScoreError(
            f"{descriptions.name}: no word of any description has a vector in {words.name}; are they in one "
            "language, and in one case? Case may be folded"
        )
    place = {text: row for row, text in enumerate(found)}
    kept = [pair for pair in descriptions.pairs if pair[0] in place]
    return Described(
        descriptions.name,
        tuple(found),
        np.stack(list(found.values())),
        tuple(emoji for _, emoji, _ in kept),
        np.array([place[text] for text, _, _ in kept], dtype=np.intp),
        np.array([fits for _, _, fits in kept], dtype=np.bool_),
        len(descriptions.pairs) - len(kept),
    )


def _looked_up(words: Vectors, word: str) -> Floats | None:
    """The vector of a word, if it has one, from subwords where the vectors know these."""
    if word in words.index:
        return np.asarray(words.matrix[words.index[word]])
    return None if words.subword is None else words.subword(word)


def _sum(vectors: list[Floats]) -> Floats | None:
    return np.sum(vectors, axis=0, dtype=np.float32) if vectors else None
