"""Does the sentence that names a model to keep err? Worlds with models that know nothing, beside others.

`python -m tools.keep_worlds --worlds 200` prints, for each company of models, how often the right answer
was given, none, or a wrong one. Words are made of syllables; categories may share an ending, as words of a
kind do; a model is a mixture of meaning (the centre of a word's category or topic), spelling (random vectors
of its n-grams, as fastText has) and noise.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import unit_rows
from evaluator.execution.machine import Machine
from evaluator.studies.models import score
from evaluator.vectors import Vectors
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors
from tools.experiments import table

_DIMENSION, _BUCKETS = 32, 20_000
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"


class World:
    """Categories of words, and a text's vocabulary with some of them."""

    def __init__(self, seed: int, categories: int = 8, size: int = 12, others: int = 1200) -> None:
        """Draw words; in each category four of ten share an ending, in half of the categories."""
        self._random, self.seed = np.random.default_rng(seed), seed
        self._used = set[str]()
        endings = [self._syllables(1) for _ in range(12)]
        self.categories: dict[str, list[str]] = {}
        for number in range(categories):
            ending = self._syllables(2) if self._random.random() < 0.5 else ""
            self.categories[f"c{number}"] = [
                self._word(ending if self._random.random() < 0.4 else "") for _ in range(size)
            ]
        self.kind = {word: name for name, words in self.categories.items() for word in words}
        background = [
            self._word(endings[self._random.integers(12)] if self._random.random() < 0.5 else "")
            for _ in range(others)
        ]
        self.kind |= {word: f"topic {self._random.integers(60)}" for word in background}
        self.words = [*self.kind]
        self._random.shuffle(self.words)

    def _syllables(self, number: int) -> str:
        drawn = self._random
        return "".join(
            drawn.choice([*_CONSONANTS])
            + drawn.choice([*_VOWELS])
            + (drawn.choice([*_CONSONANTS]) if drawn.random() < 0.3 else "")
            for _ in range(number)
        )

    def _word(self, ending: str) -> str:
        while True:
            word = self._syllables(int(self._random.integers(2, 4))) + ending
            if word not in self._used:
                self._used.add(word)
                return word

    @cached_property
    def test_set(self) -> TestSet:
        """Its categories."""
        return read_testset(self.categories, language="en")

    def known(self, share: float) -> list[str]:
        """The words of a text that has a share of the test words."""
        tests = {word for words in self.categories.values() for word in words}
        return [word for word in self.words if word not in tests or self._random.random() < share]

    def model(
        self, name: str, words: Sequence[str], meaning: float, spelling: float, *, subwords: bool, seed: int
    ) -> Vectors:
        """A model of words; with subwords, it builds vectors for all other words of the world."""
        drawn, every = np.random.default_rng([self.seed, seed]), dict.fromkeys((*words, *self.kind))
        grams = drawn.standard_normal((_BUCKETS, _DIMENSION)).astype(np.float32)
        nothing = np.zeros((len(every), _DIMENSION), dtype=np.float32)
        letters = NgramVectors.of_rows([*every], nothing, grams, NgramRule(3, 6)).matrix.astype(np.float64)
        centres = {kind: drawn.standard_normal(_DIMENSION) for kind in dict.fromkeys(self.kind.values())}
        of_kind = np.array([centres[self.kind[word]] for word in every])
        noise = drawn.standard_normal((len(every), _DIMENSION))
        mixed = meaning * unit_rows(of_kind) + spelling * unit_rows(letters) + unit_rows(noise)
        rows = dict(zip(every, mixed.astype(np.float32), strict=True))
        built = _Built(rows) if subwords else None
        return Vectors(tuple(words), mixed[: len(words)].astype(np.float32), name, built)


class _Built:
    """What a model of n-grams gives for any word of the world."""

    def __init__(self, rows: Mapping[str, np.ndarray]) -> None:
        self._rows = rows

    def __call__(self, word: str) -> np.ndarray | None:
        return self._rows.get(word)


@dataclass(frozen=True)
class Company:
    """Models that are scored together, and which answers are right."""

    name: str
    models: Callable[[World, list[str]], Iterator[Vectors]]
    right: tuple[str, ...] = ()


def nothing(world: World, words: list[str]) -> Iterator[Vectors]:
    """Models that know nothing of meaning."""
    yield world.model("random", words, 0, 0, subwords=False, seed=1)
    yield world.model("random n-grams", words, 0, 5, subwords=True, seed=2)
    yield world.model("random n-grams as text", words, 0, 5, subwords=False, seed=3)
    shuffled = world.model("shuffled", words, 1.5, 0.5, subwords=False, seed=4)
    order = np.random.default_rng(5).permutation(len(words))
    yield Vectors(shuffled.words, shuffled.matrix[order], "shuffled")
    yield world.model("tiny", words[:60], 0, 1, subwords=True, seed=6)


def _with(
    *models: tuple[str, float, float, bool, float], others: bool = True
) -> Callable[[World, list[str]], Iterator[Vectors]]:
    """Name, meaning, spelling, subwords and share of words of each model, and those that know nothing."""

    def found(world: World, words: list[str]) -> Iterator[Vectors]:
        for number, (name, meaning, spelling, subwords, share) in enumerate(models):
            own = words[: round(share * len(words))] if share < 1 else words
            yield world.model(name, own, meaning, spelling, subwords=subwords, seed=10 + number)
        if others:
            yield from nothing(world, words)

    return found


_A, _B = ("A", 1.2, 0.3, False, 1.0), ("B", 0.5, 0.3, False, 1.0)
COMPANIES = (
    Company("models that know nothing", nothing, ("",)),
    Company("A, a good model, and nothing", _with(_A), ("A",)),
    Company("F, a good fastText, and nothing", _with(("F", 1.2, 1.0, True, 1.0)), ("F",)),
    Company("A better than B", _with(_A, _B, others=False), ("A",)),
    Company("A better than B, and nothing", _with(_A, _B), ("A",)),
    Company("A and its equal, and nothing", _with(_A, ("A2", 1.2, 0.3, False, 1.0)), ("",)),
    Company("A, A of 40% of the words, and nothing", _with(_A, ("A40", 1.2, 0.3, False, 0.4)), ("A",)),
)
"""Which models stand beside each other; "" is right where none may be named."""


def answers(company: Company, worlds: int, seed: int = 0, others: int = 1200) -> Counter[str]:
    """How often the answer was right, a trained model was named that is not, or one that knows nothing.

    Args:
        company: Which models are scored.
        worlds: In how many worlds.
        seed: The seed of the first one; each has the next.
        others: How many words a world has beside those of its categories.
    """
    found = Counter[str]()
    for number in range(worlds):
        world = World(seed + number, others=others)
        models = list(company.models(world, world.known(0.6)))
        result = score(models, world.test_set, machine=Machine(threads=1))
        best = result.best or ""
        if best in company.right:
            found["right"] += 1
        elif not best:
            found["none named"] += 1
        else:
            found["knows nothing" if best in _NOTHING else "wrong"] += 1
    return found


_NOTHING = ("random", "random n-grams", "random n-grams as text", "shuffled", "tiny")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    head = ["company", "right", "none named", "another trained model", "one that knows nothing"]
    rows = []
    for company in COMPANIES:
        found = answers(company, given.worlds, given.seed)
        kinds = ("right", "none named", "wrong", "knows nothing")
        rows.append([company.name, *(f"{found[kind] / given.worlds:.2f}" for kind in kinds)])
        print(rows[-1], flush=True)
    print(table(head, rows))


if __name__ == "__main__":
    main()
