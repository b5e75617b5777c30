"""Simulate test sets of which the true score is known: do intervals and tests hold what they promise?

Each world draws the words of a test set from a population, and vectors for them; the truth of a cell is the
mean score of all its worlds. `python -m tools.simulate` simulates what docs/experiments/statistics.json does
not have yet (about an hour for all), and writes the tables of docs/statistics.md; a test compares.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.errors import EvaluatorError
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.results.comparison import Group
from evaluator.results.scores import Scores
from evaluator.statistics.combined import combined_of
from evaluator.statistics.inference import Influences, difference, influences, interval, wilson
from evaluator.statistics.scores import mean_over_runs, without_pairs
from evaluator.studies.languages.differences import differences_of
from evaluator.studies.languages.group_scores import group_scores
from evaluator.studies.languages.inputs import Language
from evaluator.studies.scoring import score
from tools.experiments import table
from tools.worlds import CATEGORIES, LEVELS, WORLDS, Cell, centres, models_of, several_models

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "statistics.md"
RESULTS = REPOSITORY / "docs" / "experiments" / "statistics.json"

SIZES = (10, 25, 50)
SCHEMES = ("1", "6", "nested")
TOGETHER = ("Topk@3", "OddOneOut@3", "Combined")
"""These are scored in the same worlds."""

PAIR = ("Topk@3", "OddOneOut@3")
ONE_THREAD = Machine(threads=1)
WORLDS_OF = {"cells": 400, "Categorization": 200, "tests": 200, "families": 200, "curves": 100}
MODELS = 8
COVERAGE = 0.93
"""The least coverage that is aimed at."""

NORMAL = 1.959964
Record = dict[str, Any]
Simulation = Callable[..., list[Record]]


def cells() -> Iterator[tuple[Cell, ...]]:
    """All that is simulated; several cells have the same worlds."""
    kinds = [TOGETHER, *((measure,) for measure in WORLDS if measure not in TOGETHER)]
    for measures, size, scheme, level in itertools.product(kinds, SIZES, SCHEMES, LEVELS):
        impossible = {
            "Categorization": ("1",),
            "OutlierDetection": ("6", "nested"),
            "Analogy@1": ("nested",),
            "SynonymDetection@3": ("nested",),
        }
        if scheme not in impossible.get(measures[0], ()):
            yield tuple(Cell(measure, scheme, size, level) for measure in measures)


def found(measures: Sequence[str], subscores: Mapping[str, Sequence[Subscore]]) -> list[Influences]:
    """The value of each measure and what it owes to the words."""
    return [
        combined_of(*(subscores[name] for name in PAIR))
        if each == "Combined"
        else influences(subscores[each])
        for each in measures
    ]


def simulate(together: Sequence[Cell], worlds: int) -> list[Record]:
    """The truth of cells, how often intervals contain it, and how wide they are.

    The width is relative to that of an interval of the same form that knows the true variance.

    Args:
        together: Cells that differ in their measure alone, and have the same kind of worlds.
        worlds: How many to draw.
    """
    measures = [cell.measure for cell in together]
    needed = PAIR if "Combined" in measures else measures
    scored = []
    for number in range(worlds):
        world = WORLDS[measures[0]](np.random.default_rng([1, number]), together[0])
        with contextlib.suppress(EvaluatorError):  # nothing can be scored in this world
            scores = {
                each.measure: each.subscores for each in score(*world, needed, machine=ONE_THREAD).measured
            }
            scored.append(found(measures, scores))
    return [_summary(cell, own) for cell, own in zip(together, zip(*scored, strict=True), strict=True)]


def _summary(cell: Cell, scored: Sequence[Influences]) -> Record:
    lowest = parse_measure(cell.measure).lowest if cell.measure != "Combined" else 0.0
    values = np.array([each.value for each in scored])
    truth, variance = float(values.mean()), float(values.var())
    ends = np.array([interval(each.value, each.spread, lowest) for each in scored])
    ideal = np.array([_ideal(float(value), truth, variance, lowest) for value in values])
    figures = {
        "truth": truth,
        "deviation": variance**0.5,
        "error": float(np.sqrt(np.mean([each.spread.variance for each in scored]))),
        "coverage": float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()),
        "width": float(np.ptp(ends, axis=1).mean() / np.ptp(ideal, axis=1).mean()),
    }
    return {**asdict(cell), "worlds": len(scored), **_rounded(figures)}


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 5) for name, value in figures.items()}


def _ideal(value: float, truth: float, variance: float, lowest: float) -> tuple[float, float]:
    """The interval of a value if its variance were known."""
    if lowest < 0:
        half = NORMAL * variance**0.5 / (1 - truth**2)
        middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
        return float(np.tanh(middle - half)), float(np.tanh(middle + half))
    return wilson(min(max(value, 0.0), 1.0), variance / (truth * (1 - truth)), NORMAL)


def errors_of_tests(worlds: int, categories: int, size: int, level: str, luck: float) -> list[Record]:
    """How often tests find a difference between two models of equal strength, by each measure.

    Args:
        worlds: How many pairs of models.
        categories: How many categories.
        size: How many words each has.
        level: How good the models are.
        luck: How much the strength of a model differs between categories; 0 for not at all.
    """
    wrong = {measure: {"words": 0, "categories": 0} for measure in PAIR}
    for number in range(worlds):
        generator = np.random.default_rng([5, categories, size, number])
        made = several_models(generator, 2, categories, size, LEVELS[level], luck)
        first, second = (score(*each, PAIR, machine=ONE_THREAD) for each in made)
        for measure, counts in wrong.items():
            change = difference(first[measure].subscores, second[measure].subscores)
            for name in counts if change is not None else ():
                tested = getattr(change, f"of_{name}")
                counts[name] += tested is not None and tested.p < 0.05
    cell = {"categories": categories, "size": size, "level": level, "luck": luck, "worlds": worlds}
    return [
        {**cell, "measure": measure, "errors": _rounded({name: n / worlds for name, n in counts.items()})}
        for measure, counts in wrong.items()
    ]


def compared_tests() -> Iterator[tuple[int, int, str, float]]:
    """The cells of `errors_of_tests`: categories, size, level and luck."""
    for (categories, luck), size, level in itertools.product(((1, 0.0), (6, 0.0), (6, 0.5)), SIZES, LEVELS):
        yield categories, size, level, luck


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
        models = several_models(generator, MODELS, CATEGORIES, size, LEVELS[level], luck)
        results = [
            group_scores(Language(f"m{code}", *model), "aligned", group, [scores], measures, {})
            for code, model in enumerate(models)
            for scores in [score(*model, PAIR, machine=ONE_THREAD)]
            for group in groups
        ]
        scored = [each for each in results if isinstance(each, Scores)]
        differ.append(sum(each.reading == "differ" for each in differences_of(groups, scored, measures)))
    cell = {"size": size, "level": level, "luck": luck, "families": families}
    return [{**cell, "with a difference": sum(map(bool, differ)), "differences": sum(differ)}]


def compared_families() -> Iterator[tuple[int, str, float]]:
    """The cells of `false_differences`: size, level and luck."""
    return itertools.product((10,), ("middle",), (0.0, 0.2))


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
        made = models_of(centres(CATEGORIES), generator, seeds, size, LEVELS[level], luck)
        runs = [without_pairs(score(*world, PAIR, machine=ONE_THREAD)) for world in made]
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


def compared_curves() -> Iterator[tuple[int, int, str, float]]:
    """The cells of `category_intervals`: seeds, size, level and luck."""
    return itertools.product((1, 3), SIZES, LEVELS, (0.0, 0.2))


OTHERS: Mapping[str, tuple[tuple[str, ...], Callable[[], Iterable[tuple[Any, ...]]], Simulation]] = {
    "tests": (("categories", "size", "level", "luck"), compared_tests, errors_of_tests),
    "families": (("size", "level", "luck"), compared_families, false_differences),
    "curves": (("seeds", "size", "level", "luck"), compared_curves, category_intervals),
}
"""What is simulated beside `cells`: what tells its cells apart, all of these, and the function for one."""


# The page


def coverage(results: Record) -> str:
    """The least and mean coverage and the mean and largest width of each measure."""
    head = [
        "measure",
        "cells",
        "worlds in a cell",
        "lowest coverage",
        "mean coverage",
        "mean width",
        "largest width",
    ]
    rows = []
    for measure in dict.fromkeys(each["measure"] for each in results["cells"]):
        own = [each for each in results["cells"] if each["measure"] == measure]
        covers, widths = [each["coverage"] for each in own], [each["width"] for each in own]
        counts = [str(len(own)), str(min(each["worlds"] for each in own))]
        shown = [
            f"{min(covers):.3f}",
            f"{np.mean(covers):.3f}",
            f"{np.mean(widths):.2f}",
            f"{max(widths):.2f}",
        ]
        rows.append([f"`{measure}`", *counts, *shown])
    return table(head, rows)


def missed(results: Record) -> str:
    """The cells of too low a coverage."""
    head = ["measure", "categories", "words or pairs", "true score", "coverage"]
    rows = [
        [
            f"`{each['measure']}`",
            *(str(each[name]) for name in ("scheme", "size")),
            *(f"{each['truth']:.2f}", f"{each['coverage']:.3f}"),
        ]
        for each in results["cells"]
        if each["coverage"] < COVERAGE
    ]
    return table(head, rows)


def errors(results: Record) -> str:
    """How often tests err, over all cells with as much luck and as many categories."""
    head = [
        "luck differs between categories",
        "categories",
        "test over",
        "cells",
        "models in each",
        "false differences (p < 0.05), lowest, mean and highest",
    ]
    rows = []
    for luck, categories, over in itertools.product((0.0, 0.5), (1, 6), ("words", "categories")):
        own = [each for each in results["tests"] if (each["luck"], each["categories"]) == (luck, categories)]
        shares = [each["errors"][over] for each in own]
        if own and not (over == "categories" and categories < CATEGORIES):
            span = f"{min(shares):.3f}, {np.mean(shares):.3f}, {max(shares):.3f}"
            worlds = str(own[0]["worlds"])
            rows.append(["yes" if luck else "no", str(categories), over, str(len(own)), worlds, span])
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


TABLES: Mapping[str, Callable[[Record], str]] = {
    "coverage": coverage,
    "missed": missed,
    "errors": errors,
    "families": families,
    "curves": curves,
    "disjoint": disjoint,
}


def filled(page: str, results: Record) -> str:
    """The page with its tables made anew."""

    def block(match: re.Match[str]) -> str:
        return f"<!-- {match[1]} -->\n{TABLES[match[1]](results)}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", block, page, flags=re.DOTALL)


def read(path: Path = RESULTS) -> Record:
    """The results so far."""
    empty: Record = {"cells": [], "tests": [], "families": [], "curves": []}
    return empty | (json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})


def steps(results: Record, only: Sequence[str]) -> Iterator[tuple[str, Callable[[], list[Record]]]]:
    """What the results do not have yet, and where it belongs."""
    fields = ("measure", "scheme", "size", "level")
    finished = {tuple(each[name] for name in fields) for each in results["cells"]}
    for together in cells():
        worlds = WORLDS_OF.get(together[0].measure, WORLDS_OF["cells"])
        wanted = not only or together[0].measure in only
        if wanted and tuple(asdict(together[0]).values()) not in finished:
            yield "cells", lambda own=together, worlds=worlds: simulate(own, worlds)
    for kind, (names, every, run) in OTHERS.items():
        known = {tuple(each[name] for name in names) for each in results[kind]}
        for cell in every() if not only or kind in only else ():
            if cell not in known:
                yield kind, partial(run, WORLDS_OF[kind], *cell)


def main() -> None:
    """Simulate what is missing, write the results as they are found, and then the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], help="a measure, tests, families or curves; may be repeated"
    )
    only = parser.parse_args().only
    results = read()
    for kind, run in steps(results, only):
        made = run()
        results[kind] += made
        lines = [
            f"  {json.dumps(kind)}: [\n" + ",\n".join(f"    {json.dumps(e)}" for e in own) + "\n  ]"
            for kind, own in results.items()
        ]
        RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(*(json.dumps(each) for each in made), sep="\n", flush=True)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
