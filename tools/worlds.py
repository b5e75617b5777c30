"""Test sets and vectors that are drawn from a population, so that the true score can be known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluator.datasets.testset import (
    AnalogySection,
    Category,
    Item,
    OutlierGroup,
    RatedPairs,
    SynonymQuestion,
    SynonymQuestions,
    TestSet,
)
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


@dataclass(frozen=True)
class Design:
    """A population of test sets of categories, like those of people with little data.

    Attributes:
        name: What to call it.
        sizes: How many words each category has.
        known: The share of words that have a vector.
        strength: How strongly words point to their category, but for what differs between categories.
        rare: Whether words without a vector are the rare ones, which are less typical; if not, they are any.
        topics: Categories belong to so many topics, which share their direction and strength; 0 for none.
        copies: The share of words that come in pairs of nearly the same vector, such as spellings.
        shared: The share of words that a category has in common with the one before it.
        other_categories: Whether each world has other categories; if not, only its words are others.
    """

    name: str
    sizes: tuple[int, ...]
    known: float = 1.0
    strength: float = 2.0
    rare: bool = False
    topics: int = 0
    copies: float = 0.0
    shared: float = 0.0
    other_categories: bool = False


def drawn(
    design: Design,
    generator: np.random.Generator,
    models: int = 1,
    same_known: float = 1.0,
    luck: float = 0.0,
    gains: Sequence[float] = (),
) -> list[World]:
    """A world of a design, for one model or for several that are equally good, but for their gains.

    Args:
        design: The design.
        generator: Draws the words.
        models: How many.
        same_known: The probability that it is decided for all models at once whether a word has a vector.
        luck: How much the strength of a model differs between categories; 0 for not at all.
        gains: The strength of each model is multiplied by this; by 1 if there are none.
    """
    fixed = generator if design.other_categories else np.random.default_rng([29, *map(ord, design.name)])
    of_topics = unit(fixed.standard_normal((max(design.topics, 1), DIMENSION)))
    strengths = design.strength * np.exp(0.3 * fixed.standard_normal(max(design.topics, 1)))
    made: list[tuple[list[str], list[Doubles]]] = [([], []) for _ in range(models)]
    categories, before = [], list[str]()
    for category, size in enumerate(design.sizes):
        centre = unit(fixed.standard_normal(DIMENSION))
        strength = design.strength * float(np.exp(0.3 * fixed.standard_normal()))
        if design.topics:
            topic = category % design.topics
            centre = unit(centre + 0.7 * of_topics[topic])
            strength = float(strengths[topic]) * float(np.exp(0.1 * fixed.standard_normal()))
        names = [f"w{category}-{word}" for word in range(size)]
        rarity, pull = generator.random(size), 0.5 * generator.standard_normal(size)
        typical = strength * np.exp(pull - 0.8 * (rarity - 0.5) * design.rare)
        common = generator.standard_normal((size, DIMENSION))
        for (model_words, rows), gain in zip(made, gains or [1.0] * models, strict=True):
            noise = common if models == 1 else (common + generator.standard_normal(common.shape)) * 0.7
            strength_here = gain * float(np.exp(luck * generator.standard_normal()))
            own = strength_here * typical[:, None] * centre + noise
            twins = int(design.copies * size / 2)
            own[1 : 2 * twins : 2] = own[0 : 2 * twins : 2] + 0.1 * generator.standard_normal(
                (twins, DIMENSION)
            )
            together = generator.random(size) < same_known
            known = np.where(together, rarity, generator.random(size)) < design.known
            model_words.extend(itertools.compress(names, known))
            rows.append(own[known])
        taken = before[: round(design.shared * size)]
        listed = [*names[: size - len(taken)], *taken]
        topic_name = str(category % design.topics) if design.topics else None
        items = tuple(Item(word, (word,)) for word in listed)
        categories.append(Category(f"c{category}", f"c{category}", items, topic=topic_name))
        before = names
    test_set = TestSet("world", "und", "", categories=tuple(categories))
    return [(vectors_of(*each), test_set) for each in made]


def unit(rows: Doubles) -> Doubles:
    """Vectors of length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def designs(kinds: Iterable[Design], strengths: Mapping[str, float]) -> tuple[Design, ...]:
    """Each kind of test set with models of several strengths."""
    return tuple(
        replace(kind, name=f"{kind.name}, {name}", strength=strength)
        for kind in kinds
        for name, strength in strengths.items()
    )


CHOSEN = designs(
    [
        Design("5 categories of 3 to 6", (4, 4, 6, 3, 5)),
        Design("10 of 4", (4,) * 10),
        Design("6 of 6, half known", (6,) * 6, 0.5),
        Design("8 of 9, 30% known", (9,) * 8, 0.3),
        Design("50 words in 5, 25% known", (16, 12, 9, 7, 6), 0.25),
        Design("15 of 7, 40% known, rare unknown", (7,) * 15, 0.4, rare=True),
        Design("6 of 5 to 120, half known", (120, 50, 25, 12, 8, 5), 0.5),
        Design("7 of 10, shared words, 70% known", (10,) * 7, 0.7, shared=0.2),
    ],
    {"weak": 0.9, "middle": 2.0, "strong": 4.0},
)
"""Constants of intervals are chosen on these."""

REPORTED = designs(
    [
        Design("4 categories of 3 to 5", (3, 4, 5, 3)),
        Design("12 of 3 to 5", (3, 4, 5) * 4),
        Design("8 of 4", (4,) * 8),
        Design("8 of 4, 70% known", (4,) * 8, 0.7),
        Design("4 of 5, 60% known", (5,) * 4, 0.6),
        Design("10 of 5, 60% known", (5,) * 10, 0.6),
        Design("5 of 8, half known", (8,) * 5, 0.5),
        Design("60 words in 5, 20% known", (20, 15, 10, 8, 7), 0.2),
        Design("10 of 12, 30% known", (12,) * 10, 0.3),
        Design("6 of 10, 30% known", (10,) * 6, 0.3),
        Design("20 of 8, 30% known, rare unknown", (8,) * 20, 0.3, rare=True),
        Design("6 of 15, 20% known, rare unknown", (15,) * 6, 0.2, rare=True),
        Design("6 of 12, near copies", (12,) * 6, copies=0.5),
        Design("6 of 12, shared words, 60% known", (12,) * 6, 0.6, shared=0.3),
        Design("8 of 4 to 200, 40% known", (200, 80, 40, 20, 10, 6, 4, 4), 0.4),
        Design("40 of 3 to 40, 30% known, rare unknown", (*range(3, 41), 3, 4), 0.3, rare=True),
        Design("3 of 25", (25,) * 3),
    ],
    {"weak": 1.2, "strong": 3.0},
)
"""What is promised is reported on these, on which nothing was chosen."""

OVER_CATEGORIES = tuple(
    replace(each, other_categories=True)
    for each in designs(
        [
            Design("20 of 8 in 5 topics, 70% known", (8,) * 20, 0.7, topics=5),
            Design("12 of 6 in 6 topics", (6,) * 12, topics=6),
            Design("10 of 10, no topics, 60% known", (10,) * 10, 0.6),
            Design(
                "40 of 3 to 15 in 9 topics, 40% known",
                (*range(3, 16), *range(3, 16), *range(3, 16), 8),
                0.4,
                topics=9,
            ),
        ],
        {"weak": 1.2, "strong": 3.0},
    )
)
"""Intervals for other categories are reported on these."""

NOISE = tuple(
    Design(name, sizes, known, strength=0.0)
    for name, sizes, known in (
        ("4 of 5", (5,) * 4, 1.0),
        ("4 of 8", (8,) * 4, 1.0),
        ("6 of 10, 30% known", (10,) * 6, 0.3),
    )
)
"""Models that know nothing."""

PAIRS = designs(
    [
        Design("5 of 3", (3,) * 5),
        Design("5 of 4", (4,) * 5),
        Design("8 of 4, 70% known", (4,) * 8, 0.7),
        Design("6 of 10, 30% known", (10,) * 6, 0.3),
        Design("5 of 8, half known", (8,) * 5, 0.5),
        Design("3 of 25", (25,) * 3),
        Design("7 of 4 to 100, 40% known", (100, 40, 20, 10, 6, 4, 4), 0.4),
        Design("20 of 8, 60% known", (8,) * 20, 0.6),
    ],
    {"weak": 1.2, "strong": 3.0},
)
"""Two models that are equally good are compared on these."""


def of_categories(generator: np.random.Generator, cell: Cell) -> World:
    """Categories of words; nested, each second one is half of the one before it."""
    strength = LEVELS[cell.level]
    number = {"1": 1, "6": CATEGORIES, "nested": CATEGORIES // 2}[cell.scheme]
    words, rows, categories = [], [], []
    for category, centre in enumerate(centres(CATEGORIES)[:number]):
        names = [f"w{category}-{word}" for word in range(cell.size)]
        rows.append(members(generator, centre, cell.size, strength))
        words += names
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


def of_choices(generator: np.random.Generator, cell: Cell) -> World:
    """Lists of questions with four options; with "nested" there are three about each word."""
    noise = {"low": 4.0, "middle": 1.5, "high": 0.5}[cell.level]
    words, rows, lists = [], [], []
    for asked in range(CATEGORIES if cell.scheme == "6" else 1):
        number = cell.size if cell.scheme != "nested" else cell.size // 3
        given = generator.standard_normal((number, DIMENSION))
        how_noisy = noise * np.exp(0.5 * generator.standard_normal((number, 1)))
        names, questions = [f"w{asked}-{n}" for n in range(number)], []
        words += names
        rows.append(given)
        for question in range(cell.size):
            word = question % number
            options = [f"o{asked}-{question}-{n}" for n in range(4)]
            found = generator.standard_normal((4, DIMENSION))
            found[0] = given[word] + how_noisy[word] * found[0]
            words += options
            rows.append(found)
            questions.append(SynonymQuestion(names[word], (options[0],), tuple(options[1:])))
        lists.append(SynonymQuestions(f"q{asked}", "", tuple(questions)))
    return vectors_of(words, rows), TestSet("world", "und", "", synonym_questions=tuple(lists))


WORLDS: dict[str, Callable[[np.random.Generator, Cell], World]] = {
    "Analogy@1": of_analogies,
    "Similarity": of_similarity,
    "OutlierDetection": of_groups,
    "Categorization": of_categories,
    "SynonymDetection@3": of_synonyms,
    "SynonymChoice": of_choices,
}


def several_models(
    generator: np.random.Generator, strengths: Sequence[float], categories: int, size: int, luck: float
) -> Iterator[World]:
    """Models on the same words.

    Args:
        generator: Draws the words.
        strengths: How strongly words point to their category, in each model.
        categories: How many categories.
        size: How many words each has.
        luck: How much the strength of a model differs between categories; 0 for not at all.
    """
    directions = generator.standard_normal((categories, DIMENSION))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    yield from models_of(directions, generator, strengths, size, luck)


def models_of(
    directions: Doubles, generator: np.random.Generator, strengths: Sequence[float], size: int, luck: float
) -> Iterator[World]:
    """The same for categories in these directions, shape (categories, DIMENSION)."""
    words = [[f"w{category}-{word}" for word in range(size)] for category in range(len(directions))]
    test_set = TestSet(
        "world", "und", "", categories=tuple(map(category_of, map(str, range(len(words))), words))
    )
    rows: list[list[Doubles]] = [[] for _ in strengths]
    for direction in directions:
        typical = np.exp(0.5 * generator.standard_normal(size))[:, None] * direction
        common = generator.standard_normal((size, DIMENSION))
        for own, strength in zip(rows, strengths, strict=True):
            noise = 0.7 * common + 0.7 * generator.standard_normal((size, DIMENSION))
            own.append(strength * np.exp(luck * generator.standard_normal()) * typical + noise)
    names = list(itertools.chain.from_iterable(words))
    for own in rows:
        yield vectors_of(names, own), test_set
