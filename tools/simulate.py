"""Simulate test sets of which the true score is known: do intervals and tests hold what they promise?

Each world draws the words of a test set from a population, and vectors for them; the truth of a cell is the
mean score of all its worlds.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from evaluator.datasets.testset import AnalogySection, Category, Item, OutlierGroup, RatedPairs, TestSet
from evaluator.engine.similarities import Doubles
from evaluator.errors import EvaluatorError
from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.statistics.combined import combined_of
from evaluator.statistics.inference import Influences, difference, influences, interval, wilson
from evaluator.studies.scores import Scores
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors

DIMENSION = 20
BACKGROUND = 400
CATEGORIES = 6
SIZES = (10, 25, 50)
SCHEMES = ("1", "6", "nested")
LEVELS = {"low": 0.5, "middle": 2.0, "high": 6.0}

NORMAL = 1.959964

World = tuple[Vectors, TestSet]


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
    made = tuple(_category(name, items) for name, items in categories)
    return vectors_of(words, rows), TestSet("world", "und", "", categories=made)


def _category(name: str, words: Sequence[str]) -> Category:
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


WORLDS: dict[str, Callable[[np.random.Generator, Cell], World]] = {
    "Topk@3": of_categories,
    "OddOneOut@3": of_categories,
    "Combined": of_categories,
    "Categorization": of_categories,
    "Analogy@1": of_analogies,
    "Similarity": of_similarity,
    "OutlierDetection": of_groups,
}


def cells() -> Iterator[Cell]:
    """All that is simulated."""
    for measure, scheme, size, level in itertools.product(WORLDS, SCHEMES, SIZES, LEVELS):
        impossible = (measure == "Categorization" and scheme == "1") or (
            measure == "OutlierDetection" and scheme != "1"
        )
        if not impossible and not (measure == "Analogy@1" and scheme == "nested"):
            yield Cell(measure, scheme, size, level)


def subscores(cell: Cell, world: World) -> list[tuple[Subscore, ...]]:
    """The subscores of the measure, of both measures for Combined."""
    measures = ["Topk@3", "OddOneOut@3"] if cell.measure == "Combined" else [cell.measure]
    return [each.subscores for each in score(*world, measures, threads=1).scores]


def found(of_each: Sequence[Sequence[Subscore]]) -> Influences:
    """The value and what it owes to the words."""
    return influences(of_each[0]) if len(of_each) == 1 else combined_of(*of_each)


def simulate(cell: Cell, worlds: int) -> dict[str, float | int | str]:
    """The truth of a cell, how often intervals contain it, and how wide they are.

    The width is relative to that of an interval of the same form that knows the true variance.
    """
    scored = []
    for number in range(worlds):
        with contextlib.suppress(EvaluatorError):  # nothing can be scored in this world
            scored.append(
                found(subscores(cell, WORLDS[cell.measure](np.random.default_rng([1, number]), cell)))
            )
    lowest = parse_measure(cell.measure).lowest if cell.measure != "Combined" else 0.0
    values = np.array([each.value for each in scored])
    truth, variance = float(values.mean()), float(values.var())
    ends = np.array([interval(each.value, each.spread, lowest) for each in scored])
    ideal = np.array([_ideal(float(value), truth, variance, lowest) for value in values])
    return {
        **asdict(cell),
        "worlds": len(scored),
        "truth": truth,
        "deviation": variance**0.5,
        "error": float(np.sqrt(np.mean([each.spread.variance for each in scored]))),
        "coverage": float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()),
        "width": float(np.ptp(ends, axis=1).mean() / np.ptp(ideal, axis=1).mean()),
    }


def _ideal(value: float, truth: float, variance: float, lowest: float) -> tuple[float, float]:
    """The interval of a value if its variance were known."""
    if lowest < 0:
        half = NORMAL * variance**0.5 / (1 - truth**2)
        middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
        return float(np.tanh(middle - half)), float(np.tanh(middle + half))
    return wilson(min(max(value, 0.0), 1.0), variance / (truth * (1 - truth)), NORMAL)


def errors_of_tests(
    worlds: int, categories: int, size: int, strength: float, luck: float
) -> dict[str, float]:
    """How often tests find a difference between two models of equal strength.

    Args:
        worlds: How many pairs of models.
        categories: How many categories.
        size: How many words each has.
        strength: How strongly words point to their category.
        luck: How much the strength of a model differs between categories; 0 for not at all.
    """
    wrong = {"categories": 0, "words": 0}
    for number in range(worlds):
        generator = np.random.default_rng([5, categories, size, number])
        scores = [
            each["Topk@3"].subscores for each in _two_models(generator, categories, size, strength, luck)
        ]
        change = difference(*scores)
        if change is not None:
            wrong["words"] += change.of_words.p < 0.05
            wrong["categories"] += change.of_categories is not None and change.of_categories.p < 0.05
    return {name: count / worlds for name, count in wrong.items()}


def _two_models(
    generator: np.random.Generator, number: int, size: int, strength: float, luck: float
) -> list[Scores]:
    """The scores of two models on the same words."""
    directions = generator.standard_normal((number, DIMENSION))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rows: tuple[list[Doubles], list[Doubles]] = ([], [])
    words = [[f"w{category}-{word}" for word in range(size)] for category in range(number)]
    for direction in directions:
        typical = np.exp(0.5 * generator.standard_normal(size))[:, None] * direction
        common = generator.standard_normal((size, DIMENSION))
        for own in rows:
            noise = 0.7 * common + 0.7 * generator.standard_normal((size, DIMENSION))
            own.append(strength * np.exp(luck * generator.standard_normal()) * typical + noise)
    test_set = TestSet("world", "und", "", categories=tuple(map(_category, map(str, range(number)), words)))
    names = list(itertools.chain.from_iterable(words))
    return [score(vectors_of(names, own), test_set, "Topk@3", threads=1) for own in rows]


def main() -> None:
    """Simulate all cells, and write them to a JSON file as they are finished."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="a JSON file; cells that it has are not simulated again")
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--measure", action="append", help="only this measure; may be repeated")
    arguments = parser.parse_args()
    path = arguments.output
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    finished = [Cell(*(each[field] for field in ("measure", "scheme", "size", "level"))) for each in results]
    for cell in cells():
        if cell not in finished and (not arguments.measure or cell.measure in arguments.measure):
            results.append(simulate(cell, arguments.worlds))
            path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            print(markdown(results[-1:]), flush=True)


def markdown(results: Sequence[Mapping[str, float | int | str]]) -> str:
    """A line for each cell."""
    return "\n".join(
        f"| {each['measure']} | {each['scheme']} | {each['size']} | {each['truth']:.3f} | "
        f"{each['deviation']:.4f} | {each['error']:.4f} | {each['coverage']:.3f} | {each['width']:.2f} |"
        for each in results
    )


if __name__ == "__main__":
    main()
