"""Simulate test sets of which the true score is known: do intervals and tests hold what they promise?

Each world draws the words of a test set from a population, and vectors for them; the truth of a cell is the
mean score of all its worlds. `python -m tools.simulate` simulates what statistics.json in
docs/evidence/experiments does not have yet (about an hour for all), and writes the tables of
docs/evidence/statistics.md; a test compares.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from evaluator.errors import EvaluatorError
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.plugins.design.power import pilot_of
from evaluator.results.base import SIGNIFICANT
from evaluator.results.comparison import Group
from evaluator.results.score import Score
from evaluator.results.scores import Scores
from evaluator.settings import Settings
from evaluator.statistics.comparison import all_differences, over_languages
from evaluator.statistics.inference import wilson
from evaluator.statistics.ranking import rankings
from evaluator.statistics.scores import differences, mean_over_runs
from evaluator.studies.languages.compare import differences_of, group_scores
from evaluator.studies.languages.inputs import Language
from evaluator.studies.scoring import score
from tools import keyword_worlds, pair_worlds, tables
from tools.answer_worlds import of_answers
from tools.tables import table
from tools.worlds import (
    CATEGORIES,
    DIMENSION,
    LEVELS,
    NOISE,
    OVER_CATEGORIES,
    PAIRS,
    REPORTED,
    WORLDS,
    Cell,
    Design,
    centres,
    drawn,
    models_of,
    several_models,
)

ALONE: dict[str, Any] = {"machine": Machine(threads=1), "context": False}  # without baselines
REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "evidence" / "statistics.md"
RESULTS = REPOSITORY / "docs" / "evidence" / "experiments" / "statistics.json"

SIZES = (10, 25, 50)
SCHEMES = ("1", "6", "nested")
PAIR = ("Topk@3", "OddOneOut@3")
OF_CATEGORIES = (*PAIR, "OddOneOut(out=matched)@3")
MODELS = 8
TIERS = (6.0, 4.0, 2.5, 1.5, 0.8)
"""The strengths of ranked models."""
COVERAGE, WIDTH, SMALL = 0.92, 1.4, 0.05
"""The least coverage and the greatest width that are aimed at, the width where scores are not this small."""

SAME_KNOWN = 0.8
"""Two models mostly know the same words."""

NORMAL = 1.959964
Record = dict[str, Any]
Simulation = Callable[..., list[Record]]


def cells() -> Iterator[Cell]:
    """What is simulated of measures of other things than categories of words."""
    for measure, size, scheme, level in itertools.product(WORLDS, SIZES, SCHEMES, LEVELS):
        impossible = {
            "Categorization": ("1",),
            "OutlierDetection": ("6", "nested"),
            "Analogy@1": ("nested",),
            "SynonymDetection@3": ("nested",),
        }
        if scheme not in impossible.get(measure, ()):
            yield Cell(measure, scheme, size, level)


def of_cell(cell: Cell, worlds: int) -> list[Record]:
    """The truth of a cell, how often intervals contain it, and how wide they are."""
    scored = []
    for number in range(worlds):
        world = WORLDS[cell.measure](np.random.default_rng([1, number]), cell)
        with contextlib.suppress(EvaluatorError):  # nothing can be scored in this world
            scored.append(score(*world, cell.measure, **ALONE)[cell.measure])
    lowest = parse_measure(cell.measure).lowest
    return [{**asdict(cell), "worlds": len(scored), **_held(scored, lowest=lowest)}]


def of_design(design: Design, worlds: int) -> list[Record]:
    """The same of a design, by each measure of categories, on all words and on the known ones.

    Rows of known words are of the worlds that have an interval.
    """
    scored: dict[tuple[str, str], list[Score]] = {}
    for number in range(worlds):
        generator = np.random.default_rng([29, number, *map(ord, design.name)])
        (world,) = drawn(design, generator)
        for oov in ("wrong", "skip") if design.known < 1 else ("wrong",):
            with contextlib.suppress(EvaluatorError):
                for each in score(*world, OF_CATEGORIES, Settings(oov=oov), **ALONE):
                    scored.setdefault((each.words, each.measure), []).append(each)
    made = []
    for (words, measure), scores in scored.items():
        with_interval = [each for each in scores if each.interval is not None]
        if len(with_interval) < worlds / 4:
            continue
        figures = _held(scores if words == "all" else with_interval)
        cell = {"design": design.name, "words": words, "measure": measure, "worlds": len(with_interval)}
        made.append({**cell, **figures})
    return made


def over_categories(design: Design, worlds: int) -> list[Record]:
    """The same of the intervals for other categories."""
    scored: dict[str, list[Score]] = {}
    for number in range(worlds):
        (world,) = drawn(design, np.random.default_rng([31, number, *map(ord, design.name)]))
        for each in score(*world, OF_CATEGORIES, **ALONE).measured:
            ends = each.category_interval
            if ends is not None:
                scored.setdefault(each.measure, []).append(structs.replace(each, low=ends[0], high=ends[1]))
    return [
        {"design": design.name, "measure": measure, "worlds": len(scores), **_held(scores)}
        for measure, scores in scored.items()
    ]


def of_noise(design: Design, worlds: int) -> list[Record]:
    """How often the interval of a model that knows nothing is above chance."""
    above: dict[str, list[bool]] = {}
    for number in range(worlds):
        (world,) = drawn(design, np.random.default_rng([37, number, *map(ord, design.name)]))
        for each in score(*world, OF_CATEGORIES, **ALONE):
            above.setdefault(each.measure, []).append((each.low or 0.0) > (each.chance or 0.0))
    return [
        {"design": design.name, "measure": measure, "worlds": worlds, "above": float(np.mean(held))}
        for measure, held in above.items()
    ]


def _held(scores: Sequence[Score], lowest: float = 0.0) -> dict[str, float]:
    """The truth, how often intervals contain it, and how wide they are.

    The width is relative to that of an interval of the same form that knows the true variance.
    """
    values = np.array([each.value for each in scores])
    ends = np.array([each.interval for each in scores if each.interval is not None])
    truth, variance = float(values.mean()), float(values.var())
    ideal = np.array([_ideal(float(value), truth, variance, lowest) for value in values])
    figures = {
        "truth": truth,
        "deviation": variance**0.5,
        "coverage": float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()),
        "above": float((ends[:, 0] > truth).mean()),
        "width": float(np.ptp(ends, axis=1).mean() / max(np.ptp(ideal, axis=1).mean(), 1e-9)),
    }
    return _rounded(figures)


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in figures.items()}


def _ideal(value: float, truth: float, variance: float, lowest: float) -> tuple[float, float]:
    """The interval of a value if its variance were known."""
    if lowest < 0:
        half = NORMAL * variance**0.5 / (1 - truth**2)
        middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
        return float(np.tanh(middle - half)), float(np.tanh(middle + half))
    if not 0 < truth < 1:
        return value, value
    return wilson(min(max(value, 0.0), 1.0), variance / (truth * (1 - truth)), NORMAL)


def errors_of_tests(design: Design, luck: float, worlds: int) -> list[Record]:
    """How often tests find a difference between two models that are equally good, by each measure.

    Args:
        design: The test sets.
        luck: How much the strength of a model differs between categories; 0 for not at all.
        worlds: How many pairs of models.
    """
    wrong: dict[str, dict[str, list[bool]]] = {measure: {} for measure in OF_CATEGORIES}
    for number in range(worlds):
        generator = np.random.default_rng([41, number, *map(ord, design.name)])
        with contextlib.suppress(EvaluatorError):
            made = drawn(design, generator, models=2, same_known=SAME_KNOWN, luck=luck)
            first, second = (score(*each, OF_CATEGORIES, **ALONE) for each in made)
            for each in differences(first, second):
                for over, tested in (("words", each.of_words), ("categories", each.of_categories)):
                    if tested is not None:
                        wrong[each.measure].setdefault(over, []).append(tested.p < SIGNIFICANT)
    return [
        {
            "design": design.name,
            "luck": luck,
            "measure": measure,
            "worlds": max(map(len, own.values())),
            "errors": _rounded({over: float(np.mean(found)) for over, found in own.items()}),
        }
        for measure, own in wrong.items()
        if own
    ]


GAINS = (1.3, 1.7, 2.3, 3.2, 5.0)
"""How much stronger the better of two models is; pilots are as the first."""


def power_of_plans(design: Design, over: str, times: int, worlds: int) -> list[Record]:
    """How often a test finds the difference that a plan says it finds in four of five cases.

    Plans are made from two pilot models; the difference is the median of what they say. The power at this
    difference is interpolated between models that are better by several gains.

    Args:
        design: The test set of the pilots.
        over: What is tested: words of the same categories, or categories.
        times: How many times as many categories the planned test set has.
        worlds: How many pairs of models of each gain, and of pilots.
    """
    pilot = replace(design, other_categories=over == "categories")
    planned = {measure: _planned(pilot, over, times, worlds, measure) for measure in PAIR}
    tested: dict[str, list[tuple[float, float]]] = {measure: [(0.0, 0.0)] for measure in PAIR}
    for gain in GAINS:
        for measure, own in _tested(replace(pilot, sizes=design.sizes * times), over, gain, worlds).items():
            tested[measure].append(own)
    made = []
    for measure, aim in planned.items():
        reached, powers = zip(*tested[measure], strict=True)
        if aim <= max(reached):
            figures = _rounded({"planned": aim, "power": float(np.interp(aim, reached, powers))})
            made.append({"design": design.name, "over": over, "times": times, "measure": measure, **figures})
    return made


def _planned(pilot: Design, over: str, times: int, worlds: int, measure: str) -> float:
    """The median of the differences that plans of two pilot models say are found; infinite if none is."""
    found = []
    for scores in _compared(pilot, GAINS[0], worlds, seed=43):
        both = [each[measure] for each in scores]
        if all(0 < each.value < 1 for each in both):
            made = pilot_of(parse_measure(measure), both)
            found.append(made.over_words(times) if over == "words" else made.over_categories(times))
    return float(np.median([math.inf if each is None else each for each in found])) if found else math.inf


def _tested(design: Design, over: str, gain: float, worlds: int) -> dict[str, tuple[float, float]]:
    """The mean difference by each measure, and how often the test finds one."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for first, second in _compared(design, gain, worlds, seed=47):
        for each in differences(first, second):
            test = each.of_words if over == "words" else each.of_categories
            if test is not None:
                found.setdefault(each.measure, []).append((each.value, test.p < SIGNIFICANT))
    return {measure: tuple(np.mean(own, axis=0).tolist()) for measure, own in found.items()}


def _compared(design: Design, gain: float, worlds: int, seed: int) -> Iterator[tuple[Scores, Scores]]:
    """The scores of two models, the second of which is stronger."""
    for number in range(worlds):
        generator = np.random.default_rng([seed, number, *map(ord, design.name)])
        with contextlib.suppress(EvaluatorError):
            made = drawn(design, generator, models=2, same_known=SAME_KNOWN, gains=(1.0, gain))
            first, second = (score(*each, PAIR, **ALONE) for each in made)
            yield first, second


def compared_plans() -> Iterator[tuple[Design, str, int]]:
    """The cells of `power_of_plans`."""
    designs = {each.name: each for each in REPORTED}
    yield from itertools.product([designs["12 of 3 to 5, weak"]], ("words", "categories"), (1, 2))
    yield from itertools.product([designs["10 of 5, 60% known, weak"]], ("words",), (1, 2))


def false_differences(families: int, size: int, level: str, luck: float) -> list[Record]:
    """How many comparisons of eight models of equal strength find a difference, as `evaluator compare` does.

    Each has 28 pairs of models, six categories and a topic of them all, and so 392 tests.
    """
    names = tuple(str(category) for category in range(CATEGORIES))
    groups = [*(Group(name, "category", (name,)) for name in names), Group("all", "topic", names)]
    measures = [parse_measure(each) for each in PAIR]
    differ = []
    for number in range(families):
        generator = np.random.default_rng([6, size, number])
        models = several_models(generator, [LEVELS[level]] * MODELS, CATEGORIES, size, luck)
        results = [
            group_scores(Language(f"m{code}", *model), "aligned", group, [scores], measures, {})
            for code, model in enumerate(models)
            for scores in [score(*model, PAIR, **ALONE)]
            for group in groups
        ]
        scored = [each for each in results if isinstance(each, Scores)]
        differ.append(sum(each.reading == "differ" for each in differences_of(groups, scored, measures)))
    cell = {"size": size, "level": level, "luck": luck, "families": families}
    return [{**cell, "with a difference": sum(map(bool, differ)), "differences": sum(differ)}]


def compared_families() -> Iterator[tuple[int, str, float]]:
    """The cells of `false_differences`: size, level and luck."""
    return itertools.product((10,), ("middle",), (0.0, 0.2))


def ranked(categories: int, luck: float, tables: int) -> list[Record]:
    """How often rankings of 20 models, four of each of five strengths, are right.

    Args:
        categories: How many categories of 15 words there are.
        luck: How much the strength of a model differs between categories; 0 for not at all.
        tables: How many rankings to make.

    Returns:
        A record for each measure: the share of tables in which all of the best models are in the first group,
        that in which no model stands above one that is better, and, of the pairs whose order is printed, how
        many there are in a table, and how many have the other order with other words and categories.
    """
    strengths = [level for level in TIERS for _ in range(4)]
    best = {f"m{number}" for number in range(4)}
    found: dict[str, list[tuple[bool, int, int]]] = {measure: [] for measure in PAIR}
    for number in range(tables):
        first, again = list[Scores](), list[Scores]()
        for rerun, scored in enumerate((first, again)):
            generator = np.random.default_rng([43, number, rerun])
            for model, world in enumerate(several_models(generator, strengths, categories, 15, luck)):
                scores = score(*world, PAIR, **ALONE)
                scored.append(structs.replace(scores, model=f"m{model}"))
        place = first[0].test_set, ""
        asked = {(*place, measure): {each.model: each[measure] for each in first} for measure in PAIR}
        every = {place: [each.model for each in first]}
        later = {measure: {each.model: each[measure].value for each in again} for measure in PAIR}
        for ranking in rankings(list(all_differences(first)), asked, every):
            of_rerun = later[ranking.measure]
            letters = {each.model: set(each.letters) for each in ranking.models}
            printed = [
                (one.model, other.model)
                for one, other in itertools.combinations(ranking.models, 2)
                if not letters[one.model] & letters[other.model]
            ]
            reversed_ = sum(of_rerun[one] < of_rerun[other] for one, other in printed)
            group = {each.model for each in ranking.models if each.best == 1}
            found[ranking.measure].append((best <= group, len(printed), reversed_))
    made = []
    for measure, own in found.items():
        held, printed, reversed_ = (np.array(each) for each in zip(*own, strict=True))
        figures = {
            "best in first group": float(held.mean()),
            "pairs in order": float(printed.mean()),
            "reversed": float(reversed_.sum() / max(printed.sum(), 1)),
        }
        cell = {"measure": measure, "categories": categories, "luck": luck, "tables": len(own)}
        made.append({**cell, **_rounded(figures)})
    return made


def in_languages(
    strengths: Sequence[float], seed: int, languages: int = 3, categories: int = 8, luck: float = 0.3
) -> Iterator[list[Scores]]:
    """Scores of models in each language; by luck each is stronger on some categories, in all of them."""
    draw = np.random.default_rng([71, seed])
    own = [strength * np.exp(luck * draw.normal(size=(categories, 1))) for strength in strengths]
    for language in range(languages):
        directions = draw.normal(size=(categories, DIMENSION))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        scored = (
            score(*next(models_of(directions * each, draw, [1.0], 8, 0.0)), PAIR, **ALONE) for each in own
        )
        yield [
            structs.replace(each, model=f"m{number}", language=f"l{language}")
            for number, each in enumerate(scored)
        ]


def errors_over_languages(categories: int, luck: float, tables: int) -> list[Record]:
    """How often two models of the same strength are told apart over three languages, by each measure."""
    wrong = dict.fromkeys(PAIR, 0)
    for number in range(tables):
        cells = list(in_languages([2.0, 2.0], number, categories=categories, luck=luck))
        for each in differences(*over_languages(cells)):
            wrong[each.measure] += each.tests[0][1].p < SIGNIFICANT
    cell = {"categories": categories, "luck": luck, "tables": tables}
    return [{"measure": measure, **cell, "errors": number} for measure, number in wrong.items()]


def category_intervals(worlds: int, seeds: int, size: int, level: str, luck: float) -> list[Record]:
    """How often the intervals of single categories in learning curves hold the truth, and how wide they are.

    A world is a test set of six categories, on which models of several seeds are scored, as at the largest
    size of a curve. The truth of a category is its mean score over all worlds.

    Args:
        worlds: How many to draw.
        seeds: How many models are trained.
        size: How many words each category has.
        level: How good the models are.
        luck: How much the strength of a model on a category differs between seeds; 0 for not at all.

    Returns:
        A record for each measure.
    """
    found = []
    for number in range(worlds):
        generator = np.random.default_rng([7, seeds, size, number])
        made = models_of(centres(CATEGORIES), generator, [LEVELS[level]] * seeds, size, luck)
        runs = [score(*world, PAIR, **ALONE) for world in made]
        found.append(mean_over_runs("world", runs, "zero"))
    cell = {"seeds": seeds, "size": size, "level": level, "luck": luck, "worlds": worlds}
    return [{"measure": measure, **cell, **_of_categories(measure, found)} for measure in PAIR]


def _of_categories(measure: str, worlds: Sequence[Scores]) -> dict[str, float]:
    """Coverage and relative width of the intervals of a measure, over all worlds and categories."""
    values = np.array([[each.value for each in world[measure].subscores] for world in worlds])
    ends = np.array([[(each.low, each.high) for each in world[measure].subscores] for world in worlds])
    truth, variances = values.mean(axis=0), values.var(axis=0)
    known = list(zip(truth.tolist(), variances.tolist(), strict=True))
    ideal = [
        [_ideal(value, *own, 0.0) for value, own in zip(world, known, strict=True)]
        for world in values.tolist()
    ]
    held = (ends[..., 0] <= truth) & (truth <= ends[..., 1])
    width = np.ptp(ends, axis=2).mean() / np.ptp(np.array(ideal), axis=2).mean()
    return _rounded({"truth": float(truth.mean()), "coverage": float(held.mean()), "width": float(width)})


def intervals_of_runs(runs: int, size: int, luck: float, worlds: int) -> list[Record]:
    """How often the interval of a mean over training runs holds the truth, for other words and seeds.

    Worlds are those of `category_intervals`, where each run is by luck stronger or weaker on all categories.

    Args:
        runs: How many models are trained.
        size: How many words each category has.
        luck: How much the logarithm of the strength of a run differs between seeds.
        worlds: How many to draw.

    Returns:
        A record for each measure; `ratio` is the variance over seeds of one run, divided by that over words.
    """
    found, alone = [], []
    for number in range(worlds):
        generator = np.random.default_rng([11, runs, size, round(100 * luck), number])
        strengths = LEVELS["middle"] * np.exp(luck * generator.standard_normal(runs))
        made = models_of(centres(CATEGORIES), generator, strengths.tolist(), size, 0.0)
        scored = [score(*world, PAIR, **ALONE) for world in made]
        found.append(mean_over_runs("world", scored))
        alone.append([[each[measure].value for measure in PAIR] for each in scored])
    over_seeds = np.var(alone, axis=1, ddof=1).mean(axis=0)
    cell = {"runs": runs, "size": size, "luck": luck, "worlds": worlds}
    records = []
    for measure, of_seeds in zip(PAIR, over_seeds, strict=True):
        values = np.array([each[measure].value for each in found])
        low, high = np.array([[each[measure].low, each[measure].high] for each in found]).T
        truth, variance = values.mean(), values.var(ddof=1)
        numbers = {
            "coverage": float(((low <= truth) & (truth <= high)).mean()),
            "width": float((high - low).mean() / (2 * 1.96 * math.sqrt(variance))),
            "ratio": float(of_seeds / max(variance - of_seeds / runs, of_seeds / 100)),
        }
        records.append({"measure": measure, **cell, **_rounded(numbers)})
    return records


def compared_runs() -> Iterator[tuple[int, int, float]]:
    """The cells of `intervals_of_runs`."""
    several = itertools.product((2, 3, 5), (10, 30), (0.0, 0.1, 0.2))
    return (cell for cell in several if cell[0] < 5 or cell[1] == 10)  # of five runs, a few are enough


def compared_curves() -> Iterator[tuple[int, int, str, float]]:
    """The cells of `category_intervals`: seeds, size, level and luck."""
    return itertools.product((1, 3), SIZES, LEVELS, (0.0, 0.2))


def answered() -> Iterator[tuple[int, int, float, float]]:
    """Categories, words of each, the model's quality, and how much words differ."""
    for (number, size), base, words in itertools.product(((6, 12), (20, 8), (20, 30)), (-2, 0, 2), (0, 1, 2)):
        yield number, size, base, words


KINDS: Mapping[str, tuple[Callable[[], Iterable[Any]], Callable[[Any], list[Record]]]] = {
    "designs": (lambda: REPORTED, partial(of_design, worlds=400)),
    "over categories": (lambda: OVER_CATEGORIES, partial(over_categories, worlds=400)),
    "noise": (lambda: NOISE, partial(of_noise, worlds=1000)),
    "tests": (lambda: itertools.product(PAIRS, (0.0, 0.5)), lambda cell: errors_of_tests(*cell, worlds=200)),
    "cells": (cells, lambda cell: of_cell(cell, 40 if cell.measure == "Categorization" else 200)),
    "plans": (compared_plans, lambda cell: power_of_plans(*cell, worlds=80)),
    "families": (compared_families, lambda cell: false_differences(50, *cell)),
    "rankings": (lambda: [(4, 0.0), (12, 0.2)], lambda cell: ranked(*cell, tables=150)),
    "languages": (
        lambda: [(8, 0.3), (8, 0.0)],
        lambda cell: errors_over_languages(*cell, tables=4000),
    ),
    "curves": (compared_curves, lambda cell: category_intervals(50, *cell)),
    "runs": (compared_runs, lambda cell: intervals_of_runs(*cell, worlds=200)),
    "answers": (answered, partial(of_answers, worlds=400)),
    "keywords": (
        lambda: itertools.product(keyword_worlds.SIZES, keyword_worlds.DRAWN),
        lambda cell: keyword_worlds.of_keywords(*cell, worlds=min(400, 200_000 // cell[0])),
    ),
    "keyword populations": (
        lambda: itertools.product(keyword_worlds.POPULATIONS, (400,)),
        lambda cell: keyword_worlds.of_population(*cell, worlds=200),
    ),
    "keyword power": (
        lambda: itertools.product(keyword_worlds.SIZES[1:], keyword_worlds.WEAKER),
        lambda cell: keyword_worlds.power(*cell, worlds=min(200, 120_000 // cell[0])),
    ),
    "pairs": (
        lambda: [(size,) for size in pair_worlds.SIZES],
        lambda cell: pair_worlds.of_pairs(*cell, worlds=min(100, 30_000 // cell[0])),
    ),
}
"""What is simulated: all cells of a kind, and what gives the records of one."""


def key(kind: str, cell: Any) -> str:  # noqa: ANN401  # each kind has its own cells
    """What a cell is called in the results."""
    if isinstance(cell, Design):
        return cell.name
    if kind == "tests":
        return f"{cell[0].name}, luck {cell[1]}"
    if kind == "plans":
        return f"{cell[0].name}, {cell[1]}, {cell[2]} times"
    return ", ".join(map(str, asdict(cell).values() if isinstance(cell, Cell) else cell))


# The page


def spans(rows: Sequence[Record], by: str, head: Sequence[str]) -> str:
    """A table of the least and mean coverage, and of the mean and largest width, by a column."""
    made = []
    for name in dict.fromkeys(row[by] for row in rows):
        own = [row for row in rows if row[by] == name]
        wide = [row["width"] for row in own if abs(row["truth"]) > SMALL] or [math.nan]
        covers = [row["coverage"] for row in own]
        counts = [str(len(own)), str(min(row["worlds"] for row in own))]
        numbers = [f"{min(covers):.3f}", f"{np.mean(covers):.3f}", f"{np.mean(wide):.2f}", f"{max(wide):.2f}"]
        made.append([name if " " in name else f"`{name}`", *counts, *numbers])
    return table(
        [*head, "worlds in a cell", "lowest coverage", "mean coverage", "mean width", "largest width"], made
    )


def coverage(results: Record) -> str:
    """The intervals of measures of categories: of all words, of known words, and for other categories."""
    rows = [
        {**row, "what": f"{row['measure']}{'' if row['words'] == 'all' else ', known words'}"}
        for row in results["designs"]
    ]
    rows.sort(key=lambda row: row["words"])
    rows += [{**row, "what": f"{row['measure']}, other categories"} for row in results["over categories"]]
    return spans(rows, "what", ["score", "designs"])


def others(results: Record) -> str:
    """The intervals of measures of other things."""
    return spans(results["cells"], "measure", ["measure", "cells"])


def missed(results: Record) -> str:
    """The cells of too low a coverage, or of too great a width."""
    head = ["design", "score", "true score", "coverage", "width"]
    rows = [
        [
            each.get("design") or f"{each['scheme']}, {each['size']}, {each['level']}",
            f"`{each['measure']}`{', known words' if each.get('words') == 'known' else ''}",
            *(f"{each['truth']:.3f}", f"{each['coverage']:.3f}", f"{each['width']:.2f}"),
        ]
        for kind in ("designs", "over categories", "cells")
        for each in results[kind]
        if each["coverage"] < COVERAGE or (each["width"] > WIDTH and abs(each["truth"]) > SMALL)
    ]
    return table(head, rows)


def noise(results: Record) -> str:
    """How often a model that knows nothing seems to be above chance."""
    rows = [
        [
            each["design"],
            f"`{each['measure']}`" if "@" in each["measure"] else each["measure"],
            f"{each['above']:.1%}",
        ]
        for each in results["noise"]
    ]
    return table(["design", "score", "low end above chance"], rows)


def errors(results: Record) -> str:
    """How often tests err, over all designs with as much luck."""
    head = [
        "luck differs between categories",
        "test over",
        "cells",
        "false differences (p < 0.05), lowest, mean and highest",
    ]
    rows = []
    for luck, over in itertools.product((0.0, 0.5), ("words", "categories")):
        shares = [
            each["errors"][over]
            for each in results["tests"]
            if each["luck"] == luck and over in each["errors"]
        ]
        if shares:
            span = f"{min(shares):.3f}, {np.mean(shares):.3f}, {max(shares):.3f}"
            rows.append(["yes" if luck else "no", over, str(len(shares)), span])
    return table(head, rows)


def plans(results: Record) -> str:
    """How often a difference is found that plans say is found in four of five cases."""
    head = ["design", "test over", "size", "measure", "planned difference", "found"]
    rows = [
        [
            *(each["design"], each["over"], f"{each['times']} ×", f"`{each['measure']}`"),
            *(f"{each['planned']:.3f}", f"{each['power']:.0%}"),
        ]
        for each in results["plans"]
        if "power" in each
    ]
    return table(head, rows)


def families(results: Record) -> str:
    """How often a comparison of eight equal models finds a difference."""
    head = [
        "words in a category",
        "luck differs between categories",
        "comparisons",
        "with a false difference",
    ]
    rows = [
        [
            str(each["size"]),
            f"σ = {each['luck']}" if each["luck"] else "no",
            str(each["families"]),
            f"{each['with a difference']} ({each['with a difference'] / each['families']:.1%})",
        ]
        for each in results["families"]
    ]
    return table(head, rows)


def ranks(results: Record) -> str:
    """How often rankings of many models are right."""
    head = ["measure", "categories", "luck differs between categories", "tables"]
    head += ["all of the best in the first group", "pairs in order, of 190", "reversed in a rerun"]
    rows = [
        [
            *(f"`{each['measure']}`", str(each["categories"])),
            f"σ = {each['luck']}" if each["luck"] else "no",
            *(str(each["tables"]), f"{each['best in first group']:.1%}"),
            *(f"{each['pairs in order']:.0f}", f"{each['reversed']:.1%}"),
        ]
        for each in results["rankings"]
    ]
    return table(head, rows)


def languages(results: Record) -> str:
    """How often two equal models are told apart over several languages."""
    head = ["measure", "categories", "luck differs between categories", "tables", "p < 0.05"]
    rows = [
        [
            *(f"`{each['measure']}`", str(each["categories"])),
            f"σ = {each['luck']}" if each["luck"] else "no",
            *(f"{each['tables']:,}", f"{each['errors'] / each['tables']:.1%}"),
        ]
        for each in results["languages"]
    ]
    return table(head, rows)


def curves(results: Record) -> str:
    """How often the intervals of single categories in learning curves contain the truth."""
    head = [
        "measure",
        "luck differs between seeds",
        "seeds",
        "cells",
        "intervals in a cell",
        "lowest coverage",
        "mean coverage",
        "mean width",
        "largest width",
    ]
    rows = []
    for measure, luck, seeds in itertools.product(PAIR, (0.0, 0.2), (1, 3)):
        asked = measure, luck, seeds
        own = [e for e in results["curves"] if (e["measure"], e["luck"], e["seeds"]) == asked]
        covers, widths = [each["coverage"] for each in own], [each["width"] for each in own]
        shown = [f"{min(covers):.3f}", f"{np.mean(covers):.3f}", f"{np.mean(widths):.2f}"]
        told = [f"σ = {luck}" if luck else "no", str(seeds), str(len(own))]
        number = str(own[0]["worlds"] * CATEGORIES)
        rows.append([f"`{measure}`", *told, number, *shown, f"{max(widths):.2f}"])
    return table(head, rows)


def runs(results: Record) -> str:
    """How often the intervals of means over training runs contain the truth."""
    head = ["measure", "training runs", "words in a category", "strength of runs", "variance over seeds"]
    rows = [
        [
            *(f"`{each['measure']}`", str(each["runs"]), str(each["size"])),
            f"σ = {each['luck']}" if each["luck"] else "the same",
            f"{each['ratio']:.1f} × that over words",
            *(f"{each['coverage']:.3f}", f"{each['width']:.2f}"),
        ]
        for each in results["runs"]
    ]
    return table([*head, "coverage", "width"], rows)


def disjoint(results: Record) -> str:  # noqa: ARG001  # they are in a file of their own
    """What the comparison of models of disjoint samples found."""
    found = json.loads((RESULTS.parent / "disjoint-samples.json").read_text(encoding="utf-8"))
    head = ["models", "words of text for each", "vocabularies", "tests", "p < 0.05", "differ (Holm)"]
    sizes = [f"{size:,}" for size in (min(found["vocabularies"]), max(found["vocabularies"]))]
    below = f"{found['p < 0.05']} ({found['p < 0.05'] / found['tests']:.1%})"
    models = f"{len(found['vocabularies'])} ({found['parameters']})"
    row = [
        models,
        f"{found['tokens']:,}",
        " to ".join(sizes),
        str(found["tests"]),
        below,
        str(len(found["differ"])),
    ]
    return table(head, [row])


def answers(results: Record) -> str:
    """How often intervals of what language models answered contain the truth."""
    head = ["categories", "words of each", "words differ", "accuracy", "worlds", "interval, other words"]
    head += ["lm-eval's", "interval, other categories", "lm-eval's"]
    rows = [
        [
            *(str(each["categories"]), str(each["size"]), f"σ = {each['words']:g}", f"{each['truth']:.2f}"),
            str(each["worlds"]),
            *(f"{each[name]:.3f}" if name in each else "–" for name in _ANSWERED),
        ]
        for each in results["answers"]
    ]
    return table(head, rows)


def keywords(results: Record) -> str:
    """Intervals and tests of KeywordRank, for other words of the same groups, and for other symbols."""
    rows = [[f"{each['keywords']:,}", each["drawn"], *_held_cells(each)] for each in results["keywords"]]
    return table(["keywords", "others are", *_HELD], rows)


def keyword_populations(results: Record) -> str:
    """The same of other populations."""
    every = results["keyword populations"]
    rows = [[each["population"], f"{each['keywords']:,}", *_held_cells(each)] for each in every]
    return table(["population", "keywords", *_HELD], rows)


def keyword_power(results: Record) -> str:
    """How often KeywordRank's test finds which of two models is better."""
    rows = [
        [
            f"{each['keywords']:,}",
            f"{each['weaker']:.0%}",
            str(each["worlds"]),
            f"{each['difference']:.3f}",
            f"{each['found']:.1%}",
            f"{each['reversed']:.1%}",
        ]
        for each in results["keyword power"]
    ]
    return table(["keywords", "strength", "worlds", "difference of scores", "found", "reversed"], rows)


def pairs(results: Record) -> str:
    """Intervals and tests of PairRank, for other words of the same relations."""
    return table(["pairs", *_HELD], [[f"{each['pairs']:,}", *_held_cells(each)] for each in results["pairs"]])


_HELD = ("worlds", "score", "coverage", "width", "false differences (p < 0.05)", "variance of differences")


def _held_cells(found: Record) -> list[str]:
    """The cells of a row: how often intervals held, and how tests erred."""
    shares = (f"{found[name]:.3f}" for name in ("truth", "coverage"))
    return [
        str(found["worlds"]),
        *shares,
        f"{found['width']:.2f}",
        f"{found['errors']:.3f}",
        f"{found['variance']:.2f}" if "variance" in found else "–",
    ]


_ANSWERED = ("of words", "naive", "of categories", "naive categories")


TABLES: Mapping[str, Callable[[Record], str]] = {
    "coverage": coverage,
    "missed": missed,
    "others": others,
    "noise": noise,
    "errors": errors,
    "plans": plans,
    "families": families,
    "ranks": ranks,
    "languages": languages,
    "curves": curves,
    "runs": runs,
    "disjoint": disjoint,
    "answers": answers,
    "keywords": keywords,
    "keyword-populations": keyword_populations,
    "keyword-power": keyword_power,
    "pairs": pairs,
}


def read(path: Path = RESULTS) -> Record:
    """The results so far: by kind, the records of all cells that are there."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {kind: found.get(kind, []) for kind in KINDS}


def missing(results: Record, only: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """The kinds and cells that the results do not have yet."""
    for kind, (cells_of, _) in KINDS.items():
        finished = {each["cell"] for each in results[kind]}
        for cell in cells_of() if not only or kind in only else ():
            if key(kind, cell) not in finished:
                yield kind, cell


def main() -> None:
    """Simulate what is missing, write the results as they are found, and then the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=list(KINDS), help="may be repeated")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    results = read()
    todo = list(missing(results, given.only))
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        for (kind, cell), made in zip(todo, pool.map(run, todo), strict=True):
            results[kind] += [{"cell": key(kind, cell), **each} for each in made] or [
                {"cell": key(kind, cell)}
            ]
            lines = [
                f"  {json.dumps(kind)}: [\n" + ",\n".join(f"    {json.dumps(e)}" for e in own) + "\n  ]"
                for kind, own in results.items()
            ]
            RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
            print(*(json.dumps(each) for each in made), sep="\n", flush=True)
    tables.write(PAGE, {name: partial(make, results) for name, make in TABLES.items()})


def run(task: tuple[str, Any]) -> list[Record]:
    """The records of a cell."""
    kind, cell = task
    return KINDS[kind][1](cell)


if __name__ == "__main__":
    main()
