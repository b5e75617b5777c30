"""A world of words, and models of which it is known what they know.

Words are made of syllables; categories may share an ending, as words of a kind do, or be about as frequent; a
model is a mixture of meaning (the centre of a word's category or topic), spelling (random vectors of its
n-grams, as fastText has), frequency and noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Doubles, unit_rows
from evaluator.vectors import Vectors
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors

_DIMENSION, _BUCKETS, _TOPICS, _ENDINGS = 32, 20_000, 60, 12
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"
_IN_TEXT = 0.6
"""The share of the test words that are in the text."""


@dataclass(frozen=True)
class Model:
    """What a model knows: the weights of what its vectors are made of, beside noise of weight 1."""

    name: str
    meaning: float = 0.0
    spelling: float = 0.0
    frequency: float = 0.0
    subwords: bool = False  # whether it builds vectors for all other words of the world
    share: float = 1.0  # of the vocabulary, the most frequent words
    shuffled: bool = False  # whether each vector belongs to another word
    foreign: bool = False  # whether it knows words of another language, some of which look alike
    luck: int = 0  # which noise and which centres it has


NOTHING = (
    Model("random", luck=1),
    Model("random n-grams", spelling=5, subwords=True, luck=2),
    Model("random n-grams as text", spelling=5, luck=3),
    Model("rows shuffled", meaning=1.5, spelling=0.5, shuffled=True, luck=4),
    Model("text shuffled", spelling=1, frequency=2, luck=5),
    Model("text shuffled, subwords", spelling=2, frequency=2, subwords=True, luck=6),
    Model("another language's", meaning=1.5, spelling=0.5, foreign=True, luck=7),
    Model("tiny", spelling=1, subwords=True, share=0.05, luck=8),
)
"""Models that know nothing of what the words of this language mean."""


class World:
    """Categories of words, and a text's vocabulary with some of them."""

    def __init__(self, seed: int, categories: int = 8, size: int = 12, others: int = 1200) -> None:
        """Draw words.

        In half of the categories four of ten words share an ending; in half, all are about as frequent.
        """
        drawn = self._random = np.random.default_rng(seed)
        self.seed, self._used = seed, set[str]()
        self.categories: dict[str, list[str]] = {}
        rank: dict[str, float] = {}
        for number in range(categories):
            ending = self._syllables(2) if drawn.random() < 0.5 else ""
            words = [self._word(ending if drawn.random() < 0.4 else "") for _ in range(size)]
            middle, width = drawn.random(), 0.05 if drawn.random() < 0.5 else 1.0
            self.categories[f"c{number}"] = words
            rank |= zip(words, (middle + width * drawn.standard_normal(size)) % 1, strict=True)
        self.kind = {word: name for name, words in self.categories.items() for word in words}
        endings = [self._syllables(1) for _ in range(_ENDINGS)]
        background = [
            self._word(endings[drawn.integers(_ENDINGS)] if drawn.random() < 0.5 else "")
            for _ in range(others)
        ]
        self.words = self._in_text(rank, background)
        self.kind |= {word: f"topic {drawn.integers(_TOPICS)}" for word in background}
        self._foreign_words = [self._word("") for _ in range(others // 2)]

    def _syllables(self, number: int) -> str:
        drawn = self._random
        return "".join(
            _CONSONANTS[drawn.integers(len(_CONSONANTS))]
            + _VOWELS[drawn.integers(len(_VOWELS))]
            + (_CONSONANTS[drawn.integers(len(_CONSONANTS))] if drawn.random() < 0.3 else "")
            for _ in range(number)
        )

    def _word(self, ending: str) -> str:
        while True:
            word = self._syllables(int(self._random.integers(2, 4))) + ending
            if word not in self._used:
                self._used.add(word)
                return word

    def _in_text(self, rank: Mapping[str, float], background: Iterable[str]) -> tuple[str, ...]:
        """The vocabulary of the text: all other words and some of the test words, the most frequent first."""
        drawn = self._random
        found = {word: at for word, at in rank.items() if drawn.random() < _IN_TEXT}
        found |= {word: drawn.random() for word in background}
        return tuple(sorted(found, key=found.__getitem__))

    @cached_property
    def test_set(self) -> TestSet:
        """Its categories."""
        return self.in_language("en")

    def in_language(self, code: str) -> TestSet:
        """Its categories, as if they were of another language."""
        return read_testset(self.categories, language=code)

    def vectors(self, model: Model) -> Vectors:
        """The vectors of a model."""
        drawn = np.random.default_rng([self.seed, model.luck])
        own = self._vocabulary(model, drawn)
        every = [*dict.fromkeys((*own, *self.kind))]
        mixed = self._mixed(model, every, drawn)
        if model.shuffled:
            mixed[: len(own)] = mixed[drawn.permutation(len(own))]
        rows = mixed.astype(np.float32)
        built = _Built(dict(zip(every, rows, strict=True))) if model.subwords else None
        return Vectors(own, rows[: len(own)], model.name, built)

    def _vocabulary(self, model: Model, drawn: np.random.Generator) -> tuple[str, ...]:
        if not model.foreign:
            return self.words[: round(model.share * len(self.words))]
        alike = [word for word in self.words if drawn.random() < 0.3]
        words = np.array([*alike, *self._foreign_words])
        return tuple(words[drawn.permutation(len(words))].tolist())

    def _mixed(self, model: Model, words: Sequence[str], drawn: np.random.Generator) -> Doubles:
        """The vectors of words; shape (n, d)."""
        found = unit_rows(drawn.standard_normal((len(words), _DIMENSION)))
        if model.meaning:
            found += model.meaning * unit_rows(self._of_kind(model, words, drawn))
        if model.spelling:
            grams = drawn.standard_normal((_BUCKETS, _DIMENSION)).astype(np.float32)
            nothing = np.zeros((len(words), _DIMENSION), dtype=np.float32)
            letters = NgramVectors.of_rows(list(words), nothing, grams, NgramRule(3, 6)).matrix
            found += model.spelling * unit_rows(letters.astype(np.float64))
        if model.frequency:
            angle = 3 * np.arange(len(words)) / len(words)
            ways = unit_rows(drawn.standard_normal((2, _DIMENSION)))
            found += model.frequency * np.column_stack([np.cos(angle), np.sin(angle)]) @ ways
        return found

    def _of_kind(self, model: Model, words: Sequence[str], drawn: np.random.Generator) -> Doubles:
        """The centre of each word's category or topic; in another language a word means something else."""
        kinds = [*dict.fromkeys(self.kind.values())]
        centres = dict(zip(kinds, drawn.standard_normal((len(kinds), _DIMENSION)), strict=True))
        means = drawn.integers(len(kinds), size=len(words)).tolist()
        of_word = (
            kinds[other] if model.foreign or word not in self.kind else self.kind[word]
            for word, other in zip(words, means, strict=True)
        )
        return np.array([centres[kind] for kind in of_word])


class _Built:
    """What a model of n-grams gives for any word of the world."""

    def __init__(self, rows: Mapping[str, np.ndarray]) -> None:
        self._rows = rows

    def __call__(self, word: str) -> np.ndarray | None:
        return self._rows.get(word)


def write_vectors(vectors: Vectors) -> Iterator[bytes]:
    """The lines of a binary word2vec file of a model; what it builds for other words is lost."""
    yield f"{len(vectors)} {vectors.dimension}\n".encode()
    for word, row in zip(vectors.words, vectors.matrix.astype("<f4"), strict=True):
        yield f"{word} ".encode() + row.tobytes() + b"\n"
