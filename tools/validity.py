"""Make the tables and figure of docs/evidence/validity.md: which measure chooses as people would?

`python -m tools.validity` makes them from `models.csv` in docs/evidence/validity, and writes the tables into
the page, between `<!-- name -->` and `<!-- end -->`; a test compares. `python -m tools.validity collect WORK`
makes the file from what `tools/validity_models.py` wrote to WORK, and `python -m tools.validity simulate`
says how often the intervals contain the truth.

The rule by which one measure becomes the number to report and to choose by, written before any score of
these models was seen:

1. What counts is the *loss*: of five random models of a text, how much lower is the agreement with people
   of the one with the highest score than that of the best of the five? It is the mean over the three test
   sets and both treatments of unknown words.
2. A measure is out if it is shown to lose more than another of `CANDIDATES`: the interval of the difference,
   corrected for all pairs (Bonferroni), excludes 0. So is one that is not shown to lose less than a model
   drawn at random (95% interval).
3. Of those left, the first of `CANDIDATES` is chosen, where measures with tests of their own stand before
   those made of two, which have none. If no measure is left, the evidence chooses none, and the first is
   reported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm, rankdata

from evaluator.results.figures import svg_text
from evaluator.results.figures.forest import Mark, forest_figure
from evaluator.statistics.scores import combined
from tools import tables
from tools.tables import table

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "evidence" / "validity.md"
FOLDER = REPOSITORY / "docs" / "evidence" / "validity"

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Values = Callable[[pd.DataFrame], Floats]
"""From models to their values, shape (models,)."""

TOPK, ANY, MATCHED = "Topk@3", "OddOneOut(samples=1000)@3", "OddOneOut(out=matched)@3"
CANDIDATES = (
    "Topk@3",
    "OddOneOut(out=matched)@3",
    "OddOneOut@3",
    "Above chance, matched",
    "Above chance",
    "Combined",
)
"""In the order in which one of several that are not shown to differ is chosen."""
SETS = {"shipped": "shipped snapshot", "slice": "Wikidata slice", "Google": "Google, columns"}
WORDS = {"misses": "misses", "shared": "shared words"}
"""Unknown words are misses, or only words that all models of a text know are asked."""
COVARIATES = ("learning_rate", "epochs", "window", "dimension", "min_count", "skip-gram")
CHOSEN = 5
"""How many models somebody chooses from."""


# The data


def collect(work: Path) -> None:
    """Make `models.csv`.

    Columns of scores are `test set|unknown words|measure`, empty if a model has not converged.
    """
    rows = []
    for path in sorted(work.glob("en-??.json")):
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        row |= {f"people {epochs}": value for epochs, value in row.pop("people").items()}
        del row["model"], row["lemmas"]
        if row["epochs"] is not None:
            row["people"] = row[f"people {row['epochs']}"]
            scores = json.loads(path.with_suffix(".scores.json").read_text(encoding="utf-8"))
            row["vocabulary"] = scores.pop("vocabulary")
            row["coverage"] = scores["shipped|misses|Topk@3"]["known"] / scores["shipped|misses|Topk@3"]["n"]
            row |= {name: score["value"] or 0.0 for name, score in scores.items()}
            row |= {f"{name}|chance": score["chance"] for name, score in scores.items() if "chance" in score}
        rows.append(row)
    pd.DataFrame(rows).to_csv(FOLDER / "models.csv", index=False, float_format="%.5g", lineterminator="\n")


@cache
def everything() -> pd.DataFrame:
    """A row for each model."""
    return pd.read_csv(FOLDER / "models.csv")


@cache
def models() -> pd.DataFrame:
    """A row for each model that has converged, sorted by its text."""
    frame = everything().dropna(subset="epochs").sort_values("part", kind="stable")
    return frame.assign(**{"skip-gram": frame["architecture"] == "skip-gram"})


def column(name: str) -> Values:
    """A column as it is."""
    return lambda frame: frame[name].to_numpy(dtype=np.float64)


PEOPLE = column("people")


def measures(test_set: str, words: str) -> dict[str, Values]:
    """Topk, OddOneOut and what is made of the two, on a test set."""
    value = {each: column(f"{test_set}|{words}|{each}") for each in (TOPK, ANY, MATCHED)}
    chance = {each: column(f"{test_set}|{words}|{each}|chance") for each in value}

    def mean(odd: str) -> Values:
        return lambda frame: np.mean(
            [(value[each](frame) - chance[each](frame)) / (1 - chance[each](frame)) for each in (TOPK, odd)],
            axis=0,
        )

    def harmonic(frame: pd.DataFrame) -> Floats:
        return np.array([combined(*both) for both in zip(value[TOPK](frame), value[ANY](frame), strict=True)])

    found = (value[TOPK], value[MATCHED], value[ANY], mean(MATCHED), mean(ANY), harmonic)
    return dict(zip(CANDIDATES, found, strict=True))


ANALOGY = "Analogy@1, Google"
RIVALS: dict[str, Values] = {
    "share of known test words": column("coverage"),
    "words in the model": column("vocabulary"),
    "learning rate × epochs × window": lambda frame: (
        frame[["learning_rate", "epochs", "window"]].prod(axis=1).to_numpy()
    ),
    "epochs × tokens": column("epochs"),
}
"""What evaluates nothing."""
RANDOM = "a model at random"
LISTS = {
    "MEN": "MEN-TR-3k",
    "WS-353": "WS-353-ALL",
    "SimLex-999": "SIMLEX-999",
    "SimVerb-3500": "SimVerb-3500",
}


def of(
    name: str, words: Iterable[str] = tuple(WORDS), test_sets: Iterable[str] = tuple(SETS)
) -> list[Values]:
    """A measure on each test set and with each treatment of unknown words."""
    if name in RIVALS:
        return [RIVALS[name]]
    if name == ANALOGY:
        return [column(f"Google|{each}|Analogy@1") for each in words]
    return [measures(test_set, each)[name] for test_set in test_sets for each in words]


# Statistics over models


@dataclass(frozen=True)
class Estimate:
    """A number, and how it changes without each of the models.

    Attributes:
        value: The number; of a correlation, Fisher's z.
        changes: Without each model, less the mean of that over the models of its text, shape (models,); the
            sum of their squares is the jackknife's variance.
        fisher: Whether it is shown as a correlation.
    """

    value: float
    changes: Floats
    fisher: bool = False

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The confidence interval, from the jackknife's standard error."""
        error = norm.ppf((1 + level) / 2) * np.sqrt(np.square(self.changes).sum())
        low, high = self.value - error, self.value + error
        return (float(np.tanh(low)), float(np.tanh(high))) if self.fisher else (float(low), float(high))

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference, paired by models."""
        return Estimate(self.value - other.value, self.changes - other.changes)

    def __str__(self) -> str:
        """With its interval: correlations with two digits, all else with three."""
        shown = [np.tanh(self.value) if self.fisher else self.value, *self.interval()]
        value, low, high = (f"{each:.{2 if self.fisher else 3}f}".replace("0.", ".", 1) for each in shown)
        return f"{value} ({low} to {high})"


def estimate(statistic: Callable[[Ints], float], parts: Ints, *, fisher: bool = False) -> Estimate:
    """A statistic with its delete-one jackknife within each text (Efron & Stein 1981).

    Args:
        statistic: From the positions of models to a number.
        parts: The text of each model, shape (models,).
        fisher: Whether the number is Fisher's z.
    """
    every = np.arange(len(parts))
    without_one = np.array([statistic(np.delete(every, each)) for each in every])
    changes = np.empty(len(parts))
    for part in np.unique(parts):
        own = parts == part
        changes[own] = (without_one[own] - without_one[own].mean()) * np.sqrt(1 - 1 / own.sum())
    return Estimate(statistic(every), changes, fisher)


def ranked(values: Floats, parts: Ints) -> Floats:
    """Ranks among the models of a text, relative to their mean and number; shape (models,)."""
    found = np.empty(len(values))
    for part in np.unique(parts):
        ranks = rankdata(values[parts == part])
        found[parts == part] = (ranks - ranks.mean()) / len(ranks)
    return found


def correlation(x: Floats, y: Floats, parts: Ints, known: Sequence[Floats] = ()) -> float:
    """Fisher's z of Spearman's correlation within texts, all of shape (models,).

    With known values it is the partial correlation: of ranks, without what the ranks of these explain.
    """
    own, other, *explained = (ranked(values, parts) for values in (x, y, *known))
    if explained:
        basis, _ = np.linalg.qr(np.stack(explained, axis=1))
        own, other = own - basis @ (basis.T @ own), other - basis @ (basis.T @ other)
    below = np.sqrt((own @ own) * (other @ other))
    return float(np.arctanh(np.clip(own @ other / below, -0.9999, 0.9999))) if below > 1e-12 else 0.0


def losses(x: Floats | None, y: Floats, parts: Ints) -> tuple[float, float]:
    """How much lower y is of the model with the highest x than the highest y, and its rank by y.

    Of `CHOSEN` random models of a text, exactly over all such choices; the mean over texts.

    Args:
        x: Scores, shape (models,); None for a choice at random.
        y: Agreement with people, shape (models,).
        parts: The text of each model.

    Returns:
        The loss and the rank, 1 for the best.
    """
    found = []
    for part in np.unique(parts):
        own = y[parts == part]
        number = len(own)
        first = np.array([comb(number - 1 - place, CHOSEN - 1) for place in range(number)])
        first = first / comb(number, CHOSEN)  # how likely each place is the first of those drawn
        best = -np.sort(-own) @ first
        if x is None:
            found.append((best - own.mean(), (CHOSEN + 1) / 2))
            continue
        own = own[np.argsort(-x[parts == part], kind="stable")]
        better = np.triu(own[None, :] > own[:, None], 1).sum(axis=1)
        rank = 1 + (CHOSEN - 1) * better / np.maximum(number - 1 - np.arange(number), 1)
        found.append((best - own @ first, rank @ first))
    loss, rank = np.mean(found, axis=0)
    return float(loss), float(rank)


def agreeing(values: Sequence[Values], other: Values = PEOPLE, *, given: bool = False) -> Estimate:
    """The correlation of scores with agreement with people within a text; the mean of several.

    Args:
        values: The scores.
        other: What they are compared with.
        given: Whether it is the partial correlation, without what ranks of hyper-parameters explain.
    """
    frame, parts = models(), column("part")(models()).astype(int)
    known = [column(each)(frame) for each in COVARIATES] if given else []
    y, scores = other(frame), [each(frame) for each in values]

    def statistic(of: Ints) -> float:
        left = [each[of] for each in known]
        return float(np.mean([correlation(each[of], y[of], parts[of], left) for each in scores]))

    return estimate(statistic, parts, fisher=True)


@cache
def loss(name: str, words: tuple[str, ...] = tuple(WORDS), place: int = 0) -> Estimate:
    """The loss of choosing by a measure, the mean over test sets; or, in place 1, the rank."""
    frame, parts = models(), column("part")(models()).astype(int)
    y = PEOPLE(frame)
    scores = [None] if name == RANDOM else [each(frame) for each in of(name, words)]

    def statistic(of: Ints) -> float:
        found = [losses(each if each is None else each[of], y[of], parts[of])[place] for each in scores]
        return float(np.mean(found))

    return estimate(statistic, parts)


def decided() -> str:
    """The measure to report and to choose by, according to the rule."""
    level = 1 - 0.05 / comb(len(CANDIDATES), 2)
    left = []
    for name in CANDIDATES:
        others = [loss(name) - loss(other) for other in CANDIDATES if other != name]
        worse = any(each.interval(level)[0] > 0 for each in others)
        if not worse and (loss(name) - loss(RANDOM)).interval()[1] < 0:
            left.append(name)
    return (*left, CANDIDATES[0])[0]


# Tables


def agreement() -> str:
    """How well each measure agrees with people within a text, also given the hyper-parameters."""
    rows = []
    for name in (*CANDIDATES, ANALOGY):
        found = [agreeing(of(name, [words]), given=given) for given in (False, True) for words in WORDS]
        rows.append([name, *map(str, found)])
    rows += [[name, str(agreeing(of(name))), "", "", ""] for name in RIVALS]
    head = [f"{words}{given}" for given in ("", ", given hyper-parameters") for words in WORDS.values()]
    return table(["", *head], rows)


def choosing() -> str:
    """The loss of choosing by each measure, and the rank of what is chosen."""
    rows = []
    for name in (*CANDIDATES, ANALOGY, *RIVALS, RANDOM):
        found = [loss(name, (words,)) for words in WORDS]
        both, rank = loss(name), loss(name, place=1)
        known = name in RIVALS or name == RANDOM
        rows.append([name, *(["", ""] if known else map(str, found)), str(both), f"{rank.value:.1f}"])
    return table(
        [
            "chosen by",
            *(f"loss, {each}" for each in WORDS.values()),
            "mean loss",
            f"mean rank, 1 to {CHOSEN}",
        ],
        rows,
    )


def differences() -> str:
    """How much more agreement is lost by choosing by each than by the measure decided on, and at random."""
    compared = (decided(), RANDOM)
    rows = []
    for name in (*CANDIDATES, ANALOGY, *RIVALS, RANDOM):
        cells = ["–" if name == other else _bold(loss(name) - loss(other)) for other in compared]
        rows.append([name, *cells])
    return table(["more loss", *(f"than {other}" for other in compared)], rows)


def _bold(found: Estimate) -> str:
    low, high = found.interval()
    return f"**{found}**" if low > 0 or high < 0 else str(found)


def by_test_set() -> str:
    """Correlations with agreement with people for each test set."""
    rows = [
        [title, text, *(str(agreeing(of(name, [words], [test_set]))) for name in CANDIDATES)]
        for test_set, title in SETS.items()
        for words, text in WORDS.items()
    ]
    return table(["test set", "", *CANDIDATES], rows)


def windows() -> str:
    """Correlations of scores, and of agreement with people, with the window; of scores with each list."""
    lists = {name: column(f"people|shared|{key}") for name, key in LISTS.items()}
    window = column("window")
    rows = [["agreement with people", str(agreeing([PEOPLE], window)), *("" for _ in lists)]]
    for name in (*CANDIDATES, ANALOGY):
        scores = of(name, ["shared"])
        rows.append([name, *(str(agreeing(scores, each)) for each in (window, *lists.values()))])
    return table(["shared words", "window", *lists], rows)


def trained() -> str:
    """How many models have converged, after how many epochs, and how well they agree with people."""
    rows = []
    for architecture, frame in everything().groupby("architecture", sort=False):
        own = frame.dropna(subset="epochs")
        counts = own["epochs"].value_counts().sort_index()
        epochs = ", ".join(f"{number} at {each:g}" for each, number in counts.items())
        spread = f"{own['people'].min():.2f} to {own['people'].max():.2f}"
        rows.append([str(architecture), str(len(frame)), str(len(own)), epochs, spread])
    return table(["", "trained", "converged", "after epochs", "agreement with people"], rows)


# Simulation of the intervals


STRENGTHS = (0.0, 0.4, 0.8)


def simulate(worlds: int = 400) -> None:
    """How often the intervals contain the truth, for as many models; writes `simulation.json`.

    Scores and agreement with people are normal and correlate as each strength says; for the partial
    correlation, hyper-parameters are added to both.
    """
    frame, generator = models(), np.random.default_rng(0)
    parts = column("part")(frame).astype(int)
    known = [column(each)(frame) for each in COVARIATES]
    added = np.sum([ranked(each, parts) for each in known], axis=0)
    found = {}
    for strength in STRENGTHS:
        hits = np.zeros(4)
        for _ in range(worlds):
            y, *both = generator.standard_normal((3, len(frame)))
            one, other = (strength * y + np.sqrt(1 - strength**2) * each for each in both)
            truth = float(np.arctanh(6 / np.pi * np.arcsin(strength / 2)))
            plain = estimate(lambda i: correlation(one[i], y[i], parts[i]), parts)  # noqa: B023
            apart = estimate(
                lambda i: correlation(one[i] + added[i], y[i] + added[i], parts[i], [x[i] for x in known]),  # noqa: B023
                parts,
            )
            first, second = (estimate(lambda i: losses(x[i], y[i], parts[i])[0], parts) for x in (one, other))  # noqa: B023
            truths = (truth, truth, HIGHEST * (1 - strength), 0.0)
            for place, each in enumerate((plain, apart, first, first - second)):
                low, high = each.interval()
                hits[place] += low <= truths[place] <= high
        found[f"{strength:g}"] = [round(each / worlds, 3) for each in hits]
    text = json.dumps({"worlds": worlds, "models": len(frame), "coverage": found}, indent=1)
    (FOLDER / "simulation.json").write_text(text + "\n", encoding="utf-8")


HIGHEST = 1.16296
"""The mean of the highest of five standard normal numbers."""


def coverage() -> str:
    """What the simulation found."""
    found = json.loads((FOLDER / "simulation.json").read_text(encoding="utf-8"))["coverage"]
    names = ("correlation", "correlation, given the hyper-parameters", "loss", "difference of two losses")
    rows = [
        [name, *(f"{each:.3f}" for each in shares)]
        for name, shares in zip(names, zip(*found.values(), strict=True), strict=True)
    ]
    return table(["true correlation", *found], rows)


# The page


def draw() -> None:
    """Draw the loss of choosing by each measure into the folder of the data."""
    marks = []
    for name in (*CANDIDATES, ANALOGY, *RIVALS, RANDOM):
        found = loss(name)
        marks.append(Mark(name, "", found.value, *found.interval()))
    with forest_figure(marks, 0.0, "loss of agreement with people, with its 95% interval") as drawn:
        (FOLDER / "loss.svg").write_text(svg_text(drawn), encoding="utf-8")


TABLES: dict[str, Callable[[], str]] = {
    "trained": trained,
    "choosing": choosing,
    "differences": differences,
    "agreement": agreement,
    "test_sets": by_test_set,
    "windows": windows,
    "coverage": coverage,
}


def main(arguments: Sequence[str]) -> None:
    """Collect, simulate, or write tables and figure."""
    if arguments[:1] == ["collect"]:
        collect(Path(arguments[1]))
    elif arguments == ["simulate"]:
        simulate()
    else:
        draw()
        tables.write(PAGE, TABLES)


if __name__ == "__main__":
    main(sys.argv[1:])
