"""Test sets and vectors that are drawn from a population, so that the true score can be known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.datasets.testset import AnalogySection, Category, Item, OutlierGroup, RatedPairs, TestSet
from evaluator.engine.similarities import Doubles
from evaluator.vectors import Vectors

DIMENSION = 20
BACKGROUND = 400
CATEGORIES = 6
LEVELS = {"low": 0.5, "middle": 2.0, "high": 6.0}

World = tuple[Vectors, TestSet]
"""Vectors, and a test set to score them on."""


@dataclass(frozen=True)
class Cell:
    """What is varied: the measure, the number of categories, their size and how good the model is."""

    measure: str
    scheme: str
    size: int
    level: str


def background(seed: int) -> Doubles:
    """Words that belong to no category, the same in all worlds, shape (BACKGROUND, DIMENSION)."""
    return np.random.default_rng(seed).standard_normal((BACKGROUND, DIMENSION))


def centres(number: int) -> Doubles:
    """The directions of categories, shape (number, DIMENSION)."""
    found = np.random.default_rng(1).standard_normal((number, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def members(generator: np.random.Generator, centre: Doubles, n: int, strength: float) -> Doubles:
    """Words of a category, more or less typical of it, shape (n, DIMENSION)."""
    typical = strength * np.exp(0.5 * generator.standard_normal(n))
    return np.asarray(typical[:, None] * centre + generator.standard_normal((n, DIMENSION)))


def vectors_of(words: Sequence[str], rows: Sequence[Doubles]) -> Vectors:
    """Vectors of test words before those of the background."""
    others = background(7)
    names = [f"b{number}" for number in range(len(others))]
    return Vectors([*names, *words], np.vstack([others, *rows]).astype(np.float32), "world")


def of_categories(generator: np.random.Generator, cell: Cell, known: float = 1.0) -> World:
    """Categories of words; nested, each second one is half of the one before it."""
    strength = LEVELS[cell.level]
    number = {"1": 1, "6": CATEGORIES, "nested": CATEGORIES // 2}[cell.scheme]
    words, rows, categories = [], [], []
    for category, centre in enumerate(centres(CATEGORIES)[:number]):
        names = [f"w{category}-{word}" for word in range(cell.size)]
        found = generator.random(cell.size) < known
        rows.append(members(generator, centre, cell.size, strength)[found])
        words += itertools.compress(names, found)
        categories.append((f"c{category}", names))
        if cell.scheme == "nested":
            categories.append((f"c{category}half", names[: max(5, cell.size // 2)]))
    made = tuple(category_of(name, items) for name, items in categories)
    return vectors_of(words, rows), TestSet("world", "und", "", categories=made)


def category_of(name: str, words: Sequence[str]) -> Category:
    """A category of items that have one word each."""
    return Category(name, name, tuple(Item(word, (word,)) for word in words))


def of_analogies(generator: np.random.Generator, cell: Cell) -> World:
    """Sections of pairs whose words differ by the section's own offset."""
    number = 1 if cell.scheme == "1" else CATEGORIES
    noise = {"low": 1.6, "middle": 0.9, "high": 0.35}[cell.level]
    words, rows, sections = [], [], []
    for section, offset in enumerate(2 * centres(CATEGORIES)[:number] * np.sqrt(DIMENSION) / 2):
        left = generator.standard_normal((cell.size, DIMENSION))
        how_noisy = noise * np.exp(0.5 * generator.standard_normal((cell.size, 1)))
        right = left + offset + how_noisy * generator.standard_normal((cell.size, DIMENSION))
        pairs = [(f"a{section}-{n}", f"b{section}-{n}") for n in range(cell.size)]
        words += [a for a, _ in pairs] + [b for _, b in pairs]
        rows += [left, right]
        sections.append(AnalogySection(f"s{section}", "", tuple((a, (b,)) for a, b in pairs)))
    return vectors_of(words, rows), TestSet("world", "und", "", analogies=tuple(sections))


def of_similarity(generator: np.random.Generator, cell: Cell) -> World:
    """Rated pairs; with "nested" they are few words in many pairs."""
    noise = {"low": 6.0, "middle": 1.5, "high": 0.3}[cell.level]
    number = 1 if cell.scheme != "6" else CATEGORIES
    words, rows, lists = [], [], []
    for rated in range(number):
        n = 2 * cell.size if cell.scheme != "nested" else max(8, int(1.5 * np.sqrt(2 * cell.size)))
        truth = generator.standard_normal((n, DIMENSION)) + generator.standard_normal((n, 1))
        names = [f"w{rated}-{word}" for word in range(n)]
        every = list(itertools.combinations(range(n), 2))
        if cell.scheme == "nested":
            chosen = [every[each] for each in generator.permutation(len(every))[: cell.size]]
        else:
            chosen = [(2 * each, 2 * each + 1) for each in range(cell.size)]
        unit = truth / np.linalg.norm(truth, axis=1, keepdims=True)
        ratings = [float(unit[i] @ unit[j] + 0.05 * generator.standard_normal()) for i, j in chosen]
        lists.append(
            RatedPairs(
                f"r{rated}",
                "",
                tuple((names[i], names[j], r) for (i, j), r in zip(chosen, ratings, strict=True)),
            )
        )
        words += names
        rows.append(truth + noise * generator.standard_normal(truth.shape))
    return vectors_of(words, rows), TestSet("world", "und", "", rated_pairs=tuple(lists))


def of_groups(generator: np.random.Generator, cell: Cell) -> World:
    """Groups of eight members and eight outliers."""
    words, rows, groups = [], [], []
    for group in range(cell.size):
        centre = generator.standard_normal(DIMENSION)
        centre /= np.linalg.norm(centre)
        words += [f"m{group}-{n}" for n in range(8)] + [f"o{group}-{n}" for n in range(8)]
        near = members(generator, centre, 8, LEVELS[cell.level])
        rows += [near, members(generator, centre, 8, LEVELS[cell.level] * 0.3)]
        named = words[-16:]
        groups.append(OutlierGroup(f"g{group}", "", tuple(named[:8]), tuple(named[8:])))
    return vectors_of(words, rows), TestSet("world", "und", "", outlier_groups=tuple(groups))


def of_synonyms(generator: np.random.Generator, cell: Cell) -> World:
    """Categories of items with two words each, which are more or less alike."""
    noise = {"low": 2.5, "middle": 1.2, "high": 0.5}[cell.level]
    words, rows, categories = [], [], []
    for category, centre in enumerate(centres(CATEGORIES)[: 1 if cell.scheme == "1" else CATEGORIES]):
        things = np.repeat(members(generator, centre, cell.size, 2.0), 2, axis=0)
        own = noise * np.exp(0.5 * generator.standard_normal((2 * cell.size, 1)))
        rows.append(things + own * generator.standard_normal(things.shape))
        names = [f"w{category}-{word}" for word in range(2 * cell.size)]
        items = tuple(Item(names[n], (names[n], names[n + 1])) for n in range(0, 2 * cell.size, 2))
        categories.append(Category(f"c{category}", "", items))
        words += names
    return vectors_of(words, rows), TestSet("world", "und", "", categories=tuple(categories))


WORLDS: dict[str, Callable[[np.random.Generator, Cell], World]] = {
    "Topk@3": of_categories,
    "OddOneOut@3": of_categories,
    "Combined": of_categories,
    "Analogy@1": of_analogies,
    "Similarity": of_similarity,
    "OutlierDetection": of_groups,
    "Categorization": of_categories,
    "SynonymDetection@3": of_synonyms,
}


def several_models(
    generator: np.random.Generator, models: int, categories: int, size: int, strength: float, luck: float
) -> Iterator[World]:
    """Models of equal strength on the same words.

    Args:
        generator: Draws the words.
        models: How many models.
        categories: How many categories.
        size: How many words each has.
        strength: How strongly words point to their category.
        luck: How much the strength of a model differs between categories; 0 for not at all.
    """
    directions = generator.standard_normal((categories, DIMENSION))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    yield from models_of(directions, generator, models, size, strength, luck)


def models_of(
    directions: Doubles, generator: np.random.Generator, models: int, size: int, strength: float, luck: float
) -> Iterator[World]:
    """The same for categories in these directions, shape (categories, DIMENSION)."""
    words = [[f"w{category}-{word}" for word in range(size)] for category in range(len(directions))]
    test_set = TestSet(
        "world", "und", "", categories=tuple(map(category_of, map(str, range(len(words))), words))
    )
    rows: list[list[Doubles]] = [[] for _ in range(models)]
    for direction in directions:
        typical = np.exp(0.5 * generator.standard_normal(size))[:, None] * direction
        common = generator.standard_normal((size, DIMENSION))
        for own in rows:
            noise = 0.7 * common + 0.7 * generator.standard_normal((size, DIMENSION))
            own.append(strength * np.exp(luck * generator.standard_normal()) * typical + noise)
    names = list(itertools.chain.from_iterable(words))
    for own in rows:
        yield vectors_of(names, own), test_set
