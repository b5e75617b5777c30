"""Make the tables and figures of docs/validity.md: which measures of word vectors agree with people?

`python tools/validity.py` makes them from `models.csv` and `cut.csv.gz` in docs/validity, and writes the
tables into the page, between `<!-- name -->` and `<!-- end -->`; a test compares. `python tools/validity.py
collect WORK` makes the two files from what `tools/validity_models.py` wrote to WORK, and `python
tools/validity.py simulate` says how often the intervals contain the truth.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import rankdata

from evaluator.results.figures.forest import Mark, forest_figure
from evaluator.results.figures.style import COLOURS, MARKERS, figure, svg_text
from evaluator.statistics.combined import combined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "validity.md"
FOLDER = REPOSITORY / "docs" / "validity"

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOPK, ANY, MATCHED = "Topk@3", "OddOneOut(samples=1000)@3", "OddOneOut(out=matched)@3"
PEOPLE = ("MEN", "WS-353", "SimLex-999", "SimVerb")
"""The ratings whose mean correlation is what measures are compared with."""
TRAINED_AS = [
    "sample",
    "size",
    "model",
    "architecture",
    "dimension",
    "window",
    "learning_rate",
    "min_count",
    "epochs",
]
"""Models that have these in common differ by their seed only."""
LABELS = {TOPK: "Topk@3", ANY: "OddOneOut@3", MATCHED: "OddOneOut(out=matched)@3"}
DRAWS = 2000
MAIN = "shipped"
SETS = {
    "shipped": "shipped snapshot",
    "slice": "Wikidata slice",
    "Google": "Google, columns",
    "BATS": "BATS, columns",
    "ap": "AP",
    "bless": "BLESS",
    "essli-2008": "ESSLLI 2008",
}


# The data


def collect(work: Path) -> None:
    """Make `models.csv` and `cut.csv.gz` from the files of the models."""
    paths = sorted((work / "models").glob("*.json"))
    found = [_read(path, work / "common" / path.name) for path in paths]
    FOLDER.mkdir(exist_ok=True)
    frame = pd.DataFrame(_of_all([_row(model) for model in found])).sort_values("name")
    frame.insert(
        1, "group", frame.groupby(["language", *TRAINED_AS], dropna=False)["name"].transform("first")
    )
    frame.to_csv(FOLDER / "models.csv", index=False, float_format="%.5g", lineterminator="\n")
    cut = pd.DataFrame({model["name"]: _cut(model) for model in found if model["language"] == "en"})
    cut.index.names = ["measure", "category", "words", "draw"]
    options = {"method": "gzip", "mtime": 0}
    cut.to_csv(FOLDER / "cut.csv.gz", float_format="%.3g", compression=options, lineterminator="\n")


def _of_all(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows without scores that other trained models of the language do not have."""
    kept = []
    for row in rows:
        others = [each for each in rows if each["language"] == row["language"] and each["size"] is not None]
        kept.append({key: value for key, value in row.items() if all(key in each for each in others)})
    return kept


def _read(path: Path, common: Path) -> dict[str, Any]:
    """What is known of a model, with its scores on the words that all models of its size know."""
    model: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if common.exists():
        for name, scores in json.loads(common.read_text(encoding="utf-8")).items():
            model["scores"][name]["common"] = scores
    return model


def _row(model: Mapping[str, Any]) -> dict[str, Any]:
    """Everything about a model but its subscores; the columns of scores are `test set|OOV|measure`."""
    row = {key: model.get(key) for key in ("name", "language", "sample", "size", "seed")}
    row |= model.get("parameters", {}) | {"vocabulary": model["vocabulary"]}
    row.pop("lemmas", None)
    row |= {f"{name}|coverage": share for name, share in model["coverage"].items()}
    for name, by_oov in model["scores"].items():
        for oov in ("wrong", "skip", "common") if name != "cut" else ():
            for measure, score in by_oov.get(oov, {}).items():
                row[f"{name}|{oov}|{measure}"] = score["value"]
                if measure in (TOPK, ANY, MATCHED):
                    row[f"{name}|{oov}|{measure}|chance"] = score.get("chance")
    return row


def _cut(model: Mapping[str, Any]) -> dict[tuple[str, str, int, int], float]:
    """The subscores on categories cut to a few words, and on those with the words that all models know."""
    found = {}
    for measure, score in model["scores"]["cut"]["wrong"].items():
        for name, (value, *_) in score.get("subscores", {}).items():
            category, words, draw = name.rsplit("|", 2)
            found[measure, category, int(words), int(draw)] = value or 0.0
    for measure, score in model["scores"]["slice"].get("common", {}).items():
        found |= {(measure, name, SHARED, 0): part[0] or 0.0 for name, part in score["subscores"].items()}
    return found


@cache
def everything() -> pd.DataFrame:
    """A row for each model, also those that others published, which have no size."""
    return pd.read_csv(FOLDER / "models.csv")


@cache
def models(language: str = "en") -> pd.DataFrame:
    """A row for each model that was trained, by name: the mean over its seeds; sorted by size."""
    frame = everything()
    frame = frame[(frame["language"] == language) & frame["size"].notna()]
    texts = frame.groupby("group")[["model", "architecture"]].first()
    means = frame.groupby("group").mean(numeric_only=True).join(texts)
    return means.sort_values("size", kind="stable")


# Measures


@dataclass(frozen=True)
class Measure:
    """A column of the data, or several of them put together.

    Attributes:
        label: For tables.
        of: From the models to their values, shape (models,).
    """

    label: str
    of: Callable[[pd.DataFrame], Floats]


def column(name: str, label: str = "") -> Measure:
    """A column as it is; a model that could not be scored has 0."""
    return Measure(label or name, lambda frame: frame[name].to_numpy(dtype=np.float64, na_value=0.0))


def of_categories(name: str, oov: str = "wrong") -> dict[str, Measure]:
    """Topk, OddOneOut and what is made of the two, on a test set with categories."""

    def value(measure: str) -> Callable[[pd.DataFrame], Floats]:
        return column(f"{name}|{oov}|{measure}").of

    def corrected(measure: str) -> Callable[[pd.DataFrame], Floats]:
        chance = column(f"{name}|{oov}|{measure}|chance").of
        return lambda frame: (value(measure)(frame) - chance(frame)) / (1 - chance(frame))

    def both(frame: pd.DataFrame) -> Floats:
        return np.array([combined(*pair) for pair in zip(value(TOPK)(frame), value(ANY)(frame), strict=True)])

    def mean(odd: str) -> Callable[[pd.DataFrame], Floats]:
        return lambda frame: (corrected(TOPK)(frame) + corrected(odd)(frame)) / 2

    found = {measure: Measure(label, value(measure)) for measure, label in LABELS.items()}
    found["combined"] = Measure("Combined", both)
    found["corrected"] = Measure("corrected mean", mean(ANY))
    found["corrected matched"] = Measure("corrected mean, matched", mean(MATCHED))
    return found


def people(oov: str = "common", names: Iterable[str] = PEOPLE) -> Measure:
    """The mean correlation with people's ratings, of the pairs that all models of a size know."""
    columns = [f"{name}|{oov}|Similarity" for name in names]
    return Measure(
        "agreement with people",
        lambda frame: frame[columns].to_numpy(dtype=np.float64, na_value=0.0).mean(axis=1),
    )


OTHERS = (
    column("Google|wrong|Analogy@1", "Analogy@1, Google"),
    column("BATS|wrong|Analogy@1", "Analogy@1, BATS"),
    column("MSR|wrong|Analogy@1", "Analogy@1, MSR"),
    column("8-8-8|wrong|OutlierDetection", "OutlierDetection, 8-8-8"),
    column("wiki-sem-500-en|wrong|OutlierDetection", "OutlierDetection, WikiSem500"),
    column("ap|wrong|Categorization", "Categorization, AP"),
    column("Google|wrong|Categorization", "Categorization, Google"),
    column("shipped|coverage", "coverage of the shipped snapshot"),
    column("vocabulary", "words in the model"),
)


# Correlations


def draws(sizes: Floats, number: int = DRAWS, seed: int = 0) -> Ints:
    """The models as they are, then bootstrap samples of them, of each size as many.

    Returns:
        Positions of models, shape (number + 1, models).
    """
    generator = np.random.default_rng(seed)
    where = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
    drawn = [generator.choice(each, (number, len(each))) for each in where]
    return np.vstack([np.arange(len(sizes)), np.hstack(drawn)])


def correlations(x: Floats, y: Floats, blocks: Sequence[slice]) -> Floats:
    """Spearman's correlation of two measures of shape (samples, models), in each sample of models.

    With several blocks, models are ranked in their block only, and ranks are relative to its mean and
    size: the correlation within corpora of one size.
    """
    own, other = (_ranked(values, blocks) for values in (x, y))
    above = np.einsum("ij,ij->i", own, other)
    below = np.sqrt(np.einsum("ij,ij->i", own, own) * np.einsum("ij,ij->i", other, other))
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 1e-12))


def _ranked(values: Floats, blocks: Sequence[slice]) -> Floats:
    ranked = np.empty_like(values)
    for block in blocks:
        ranks = rankdata(values[:, block], axis=1)
        ranked[:, block] = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.shape[1]
    return ranked


def sizes_of(frame: pd.DataFrame) -> list[slice]:
    """The block of each size in models that are sorted by size."""
    _, starts, counts = np.unique(frame["size"].to_numpy(), return_index=True, return_counts=True)
    return [slice(int(start), int(start + count)) for start, count in zip(starts, counts, strict=True)]


@dataclass(frozen=True)
class Correlation:
    """A correlation, or a difference of two, and that in each bootstrap sample."""

    value: float
    samples: Floats
    fisher: bool = True

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval: of Fisher's z, or of the difference, with the bootstrap's standard error."""
        there, back = (np.arctanh, np.tanh) if self.fisher else (np.asarray, np.asarray)
        near = 0.9999 if self.fisher else 2.0
        middle = there(np.clip(self.value, -near, near))
        error = 1.96 * there(np.clip(self.samples, -near, near)).std(ddof=1)
        return float(back(middle - error)), float(back(middle + error))

    def __sub__(self, other: Correlation) -> Correlation:
        """The difference, paired by samples."""
        return Correlation(self.value - other.value, self.samples - other.samples, fisher=False)

    def __str__(self) -> str:
        """With its interval."""
        low, high = self.interval
        return f"{_short(self.value)} ({_short(low)} to {_short(high)})"


def correlation(x: Measure, y: Measure, frame: pd.DataFrame, *, within: bool = True) -> Correlation:
    """Within corpora of one size, or over all models."""
    blocks = sizes_of(frame) if within else [slice(0, len(frame))]
    drawn = _drawn(tuple(frame["size"]))
    found = correlations(x.of(frame)[drawn], y.of(frame)[drawn], blocks)
    return Correlation(float(found[0]), found[1:])


@cache
def _drawn(sizes: tuple[float, ...]) -> Ints:
    """The same samples for all measures, so that their differences are paired."""
    return draws(np.array(sizes))


# Tables


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _short(value: float) -> str:
    """Two digits, as .74."""
    text = f"{value:.2f}".replace("-0.00", "0.00")
    return re.sub(r"\b0\.", ".", text)


def by_measure() -> str:
    """How well each measure agrees with people, over all models and within one size."""
    frame, known = models(), column(f"{MAIN}|coverage")
    rows = []
    for measure in (*of_categories(MAIN).values(), *OTHERS):
        found = [
            correlation(measure, people("wrong"), frame, within=False),
            correlation(measure, people(), frame),
        ]
        with_coverage = _short(correlation(measure, known, frame).value)
        rows.append([measure.label, *map(str, found), with_coverage])
    return table(["measure", "all models, all pairs", "one size, shared pairs", "with coverage"], rows)


FAST = 0.05  # learning rates from here on train even small corpora well
CHOSEN = (*LABELS, "corrected matched")


def by_test_set() -> str:
    """The same within one size, for each test set with categories."""
    frame = models()
    rows = [_on(name, "wrong", frame, title) for name, title in SETS.items()]
    return _by_test_set([*rows, _fast("wrong")])


def common() -> str:
    """The same if test sets, too, have only words that all models of a size know."""
    frame = models()
    rows = [_on(name, "common", frame, SETS[name]) for name in ("shipped", "slice", "Google")]
    return _by_test_set([*rows, _fast("common")])


def _by_test_set(rows: Iterable[Sequence[str]]) -> str:
    return table(["test set", *(of_categories(MAIN)[each].label for each in CHOSEN)], rows)


def _fast(oov: str) -> list[str]:
    """The row of the models that are trained well."""
    frame = models()[models()["learning_rate"] >= FAST]
    return _on(MAIN, oov, frame, f"{SETS[MAIN]}, {len(frame)} models with a rate ≥ {FAST}")


def _on(name: str, oov: str, frame: pd.DataFrame, title: str) -> list[str]:
    """The row of a test set."""
    own, matched = of_categories(name, oov), frame.get(f"{name}|{oov}|{MATCHED}")
    there = matched is not None and matched.notna().all()
    scored = [each for each in CHOSEN if there or "matched" not in own[each].label]
    return [
        title,
        *(str(correlation(own[each], people(), frame)) if each in scored else "–" for each in CHOSEN),
    ]


AMOUNT = Measure(
    "learning rate × epochs × window, which scores nothing",
    lambda frame: (frame["learning_rate"] * frame["epochs"] * frame["window"]).to_numpy(dtype=np.float64),
)
HYPERPARAMETERS = ("learning_rate", "epochs", "window", "dimension", "min_count")


def trained() -> str:
    """The same with the amount of training beside it, and among models of equal hyper-parameters."""
    frame = models()
    rows = [[AMOUNT.label, str(correlation(AMOUNT, people(), frame)), "–"]]
    for oov, words in (("wrong", "misses"), ("common", "shared words")):
        for measure in map(of_categories(MAIN, oov).__getitem__, CHOSEN):
            both = correlation(measure, people(), frame), given_hyperparameters(measure, people(), frame)
            rows.append([f"{measure.label}, {words}", *map(str, both)])
    return table(["measure", "one size, shared pairs", "given the hyper-parameters"], rows)


def given_hyperparameters(x: Measure, y: Measure, frame: pd.DataFrame) -> Correlation:
    """The partial correlation within one size: of ranks, without what those of hyper-parameters explain."""
    blocks, drawn = sizes_of(frame), _drawn(tuple(frame["size"]))
    kinds = [(frame["model"] == "fasttext"), (frame["architecture"] == "skip-gram")]
    known = [*(frame[name] for name in HYPERPARAMETERS), *kinds]
    ranks = [_ranked(each.to_numpy(dtype=np.float64)[drawn], blocks) for each in known]
    explained = np.stack(ranks, axis=2)  # shape (samples, models, hyper-parameters)
    own, other = (_ranked(each.of(frame)[drawn], blocks) for each in (x, y))
    left = []
    for values in (own, other):
        weights = np.linalg.pinv(explained) @ values[:, :, None]
        left.append(values - (explained @ weights)[:, :, 0])
    above = np.einsum("ij,ij->i", *left)
    below = np.sqrt(np.einsum("ij,ij->i", left[0], left[0]) * np.einsum("ij,ij->i", left[1], left[1]))
    found = np.divide(above, below, out=np.zeros_like(above), where=below > 1e-12)
    return Correlation(float(found[0]), found[1:])


LEAST_MODELS = 10


def by_size() -> str:
    """The same for each size, with intervals if there are enough models."""
    own, shared = of_categories(MAIN), of_categories(MAIN, "common")
    chosen = [own[TOPK], own[MATCHED], shared[TOPK], shared[MATCHED]]
    rows = []
    for block in sizes_of(models()):
        frame = models().iloc[block]
        low, high = (_short(float(found)) for found in np.percentile(people().of(frame), (0, 100)))
        about = [f"2^{int(frame['size'].iloc[0])}", str(len(frame)), f"{low} to {high}"]
        found = [correlation(each, people(), frame) for each in chosen]
        cells = [str(each) if len(frame) >= LEAST_MODELS else _short(each.value) for each in found]
        rows.append([*about, *cells])
    labels = [f"{each.label}{words}" for words in ("", ", shared words") for each in chosen[:2]]
    return table(["tokens", "models", "agreement with people", *labels], rows)


PAIRS = (
    (ANY, TOPK),
    (MATCHED, TOPK),
    (MATCHED, ANY),
    ("combined", TOPK),
    ("corrected matched", TOPK),
    ("corrected matched", "combined"),
    ("corrected matched", MATCHED),
    ("corrected matched", "corrected"),
    (TOPK, "analogies"),
)


def differences() -> str:
    """How much better one measure agrees with people than another, within one size, by test set."""
    sets = {SETS[name]: of_categories(name) for name in ("shipped", "Google")}
    sets |= {f"{SETS[name]}, shared words": of_categories(name, "common") for name in ("shipped", "slice")}
    sets = {title: own | {"analogies": OTHERS[0]} for title, own in sets.items()}
    rows = []
    for one, other in PAIRS:
        label = [sets[SETS[MAIN]][each].label for each in (one, other)]
        found = [
            correlation(own[one], people(), models()) - correlation(own[other], people(), models())
            for own in sets.values()
        ]
        rows.append([f"{label[0]} − {label[1]}", *(_difference(each) for each in found)])
    return table(["difference", *sets], rows)


def _difference(found: Correlation) -> str:
    low, high = found.interval
    text = f"{found.value:+.2f} ({low:+.2f} to {high:+.2f})".replace("-0.00", "+0.00")
    return f"**{text}**" if low > 0 or high < 0 else text


# How many categories and words


REPEATS = 200
NUMBERS = (2, 4, 8, 16, 32)
IN_TABLE = (4, 16, 32)
"""The others are in the figure alone."""
CUTS = (5, 10, 20)
SHARED = 0
"""In place of a number of words: those that all models of a size know."""


@cache
def cut(measure: str, words: int) -> Floats:
    """Scores on categories cut to a few words, shape (categories, draws, models), ordered as `models()`.

    Only of categories that have enough words for all cuts, so that those of few words are no others; of
    shared words, those that have enough at all sizes.
    """
    found = pd.read_csv(FOLDER / "cut.csv.gz", index_col=[0, 1, 2, 3])
    found = found.T.groupby(everything().set_index("name")["group"]).mean().T[list(models().index)]
    whole = found.xs((measure, SHARED if words == SHARED else max(CUTS)), level=("measure", "words")).dropna()
    enough = set(whole.index.get_level_values("category"))
    own = found.xs((measure, words), level=("measure", "words")).sort_index()
    own = own[own.index.get_level_values("category").isin(enough)]
    return own.to_numpy().reshape(len(enough), -1, own.shape[1])


@cache
def with_few(measure: str, words: int, categories: int) -> Floats:
    """Correlations with people within one size, of random categories and words, shape (repeats,)."""
    generator = np.random.default_rng((words, categories))
    scores = cut(measure, words)
    means = []
    for _ in range(REPEATS):
        chosen = generator.choice(len(scores), categories, replace=False)
        means.append(scores[chosen, generator.integers(scores.shape[1], size=categories)].mean(axis=0))
    ratings = np.tile(people().of(models()), (REPEATS, 1))
    return correlations(np.stack(means), ratings, sizes_of(models()))


def numbers_of(measure: str, words: int) -> list[int]:
    """Those of `NUMBERS` for which there are enough categories."""
    return [number for number in NUMBERS if number <= len(cut(measure, words))]


def needed() -> str:
    """The mean correlation with people, and where 90% of them lie, by the number of categories and words."""
    rows = []
    for measure in (TOPK, MATCHED):
        for words in (min(CUTS), max(CUTS), SHARED):
            there = numbers_of(measure, words)
            cells = [_spread(with_few(measure, words, n)) if n in there else "–" for n in IN_TABLE]
            rows.append([LABELS[measure], str(words or "all shared"), *cells])
    return table(["measure", "words in a category", *(f"{each} categories" for each in IN_TABLE)], rows)


def _spread(values: Floats) -> str:
    low, high = np.percentile(values, (5, 95))
    return f"{_short(float(values.mean()))} ({_short(low)} to {_short(high)})"


# Other languages, and models that others published


def hindi() -> str:
    """How many Hindi models score anything at all, and whether they agree with people."""
    frame, ratings = models("hi"), people("wrong", ["Hindi-WS"])
    low, high = (_short(float(found)) for found in np.percentile(ratings.of(frame), (0, 100)))
    above = {LABELS[each]: int((of_categories(MAIN)[each].of(frame) > 0).sum()) for each in LABELS}
    counts = ", ".join(f"{number} in `{label}`" for label, number in above.items())
    found = correlation(of_categories(MAIN)[TOPK], ratings, frame)
    return (
        f"Of {len(frame)} models, {counts} score above 0. Agreement with Hindi-WS is {low} to {high}; "
        f"its correlation with Topk within one size is {found}."
    )


def published() -> str:
    """Models of others: their scores, and the share of the trained models that have a lower score."""
    frame = everything()
    own = of_categories(MAIN)
    chosen = [own[each] for each in (*LABELS, "corrected")]
    chosen += [people("wrong"), people("skip")]
    rows = []
    for _, model in frame[frame["size"].isna()].iterrows():
        single = model.to_frame().T
        cells = [
            f"{each.of(single)[0]:.3f} ({(each.of(models()) < each.of(single)).mean():.0%})"
            for each in chosen
        ]
        rows.append([str(model["sample"]), f"{model['vocabulary']:,}", *cells])
    labels = [each.label for each in chosen[:-2]]
    return table(["vectors", "words", *labels, "people, all pairs", "people, known pairs"], rows)


def noise() -> str:
    """How much of the variance between models of one size is due to the seed of training alone."""
    frame = everything()
    frame = frame[(frame["language"] == "en") & frame["size"].notna()]
    repeated = frame[frame.groupby("group")["name"].transform("size") > 1]
    others = models()[models()["size"] == repeated["size"].iloc[0]]
    shares = {}
    for measure in (*(of_categories(MAIN)[each] for each in LABELS), people()):
        values = pd.Series(measure.of(repeated), index=repeated["group"])
        seeds = float(values.groupby(level=0).var(ddof=1).mean())
        shares[measure.label] = seeds / float(measure.of(others).var(ddof=1))
    text = ", ".join(f"{share:.1%} for {label}" for label, share in shares.items())
    number = repeated["group"].nunique()
    return f"{number} models were trained with three seeds. The seed's share of the variance: {text}."


# Simulation of the intervals


def simulate(worlds: int = 400) -> None:
    """How often the intervals contain the truth, for as many models; writes `simulation.json`."""
    generator = np.random.default_rng(0)
    sizes, drawn = models()["size"].to_numpy(), _drawn(tuple(models()["size"]))[:501]
    found = {}
    for strength in (0.0, 0.5, 0.8, 0.9):
        truth, hits = 6 / np.pi * np.arcsin(strength / 2), np.zeros(3)
        for _ in range(worlds):
            y, *both = generator.standard_normal((3, len(sizes)))
            one, other = (strength * y + np.sqrt(1 - strength**2) * each for each in both)
            for place, blocks in enumerate(([slice(0, len(sizes))], sizes_of(models()))):
                first, second = (correlations(each[drawn], y[drawn], blocks) for each in (one, other))
                estimate = Correlation(float(first[0]), first[1:])
                low, high = estimate.interval
                hits[place] += low <= truth <= high
                below, above = (estimate - Correlation(float(second[0]), second[1:])).interval
            hits[2] += below <= 0 <= above
        found[f"{truth:.2f}"] = [round(each / worlds, 3) for each in hits]
    text = json.dumps({"worlds": worlds, "models": len(sizes), "coverage": found}, indent=1)
    (FOLDER / "simulation.json").write_text(text + "\n", encoding="utf-8")


def coverage() -> str:
    """What the simulation found."""
    found = json.loads((FOLDER / "simulation.json").read_text(encoding="utf-8"))["coverage"]
    names = ("over all models", "within one size", "of the difference of two measures within one size")
    rows = [
        [name, *(f"{each:.3f}" for each in shares)]
        for name, shares in zip(names, zip(*found.values(), strict=True), strict=True)
    ]
    return table(["true correlation", *found], rows)


# Figures


def figures() -> None:
    """Draw all figures into the folder of the data."""
    for name, drawing in {"measures": _dots, "models": _scatter, "needed": _curves}.items():
        with drawing() as drawn:
            (FOLDER / f"{name}.svg").write_text(svg_text(drawn), encoding="utf-8")


def _dots() -> AbstractContextManager[Figure]:
    """Each measure's correlation with people, over all models and within one size."""
    shared = of_categories(MAIN, "common")
    marks = [
        mark
        for key, each in [*of_categories(MAIN).items(), *((each.label, each) for each in OTHERS)]
        for mark in (
            _mark("all models, all pairs", each.label, each, "wrong", within=False),
            _mark("one size, shared pairs", each.label, each, "common"),
            _mark("one size, shared pairs and words", each.label, shared.get(key), "common"),
        )
    ]
    return forest_figure(marks, 0.0, "correlation, with its 95% interval")


def _mark(panel: str, row: str, measure: Measure | None, pairs: str, *, within: bool = True) -> Mark:
    if measure is None:
        return Mark(row, "", None, panel=panel)
    found = correlation(measure, people(pairs), models(), within=within)
    return Mark(row, "", found.value, *found.interval, panel=panel)


@contextmanager
def _scatter() -> Iterator[Figure]:
    """Each model's scores against its correlation with people, a colour for each size."""
    own = of_categories(MAIN)
    with figure(9.0, 3.2, columns=3) as (drawn, axes):
        for place, name in enumerate(LABELS):
            for number, block in enumerate(sizes_of(models())):
                frame = models().iloc[block]
                label = f"$2^{{{int(frame['size'].iloc[0])}}}$ tokens"
                style: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number], "label": label}
                axes[place].plot(own[name].of(frame), people().of(frame), linestyle="", **style)
            axes[place].set_xlabel(own[name].label)
        axes[0].set_ylabel("mean correlation with people")
        axes[0].legend(fontsize=7, handletextpad=0.1)
        yield drawn


@contextmanager
def _curves() -> Iterator[Figure]:
    """Correlation with people by the number of categories, a line for each number of words."""
    with figure(9.0, 3.0, columns=3) as (drawn, axes):
        for place, (measure, label) in enumerate(LABELS.items()):
            for number, words in enumerate((*CUTS, SHARED)):
                categories = numbers_of(measure, words)
                found = np.stack([with_few(measure, words, each) for each in categories])
                low, high = np.percentile(found, (5, 95), axis=1)
                text = f"{words} words" if words else "all shared words"
                own: dict[str, Any] = {"color": COLOURS[number], "marker": MARKERS[number], "label": text}
                axes[place].plot(categories, found.mean(axis=1), **own)
                axes[place].fill_between(
                    categories, low, high, color=COLOURS[number], alpha=0.12, linewidth=0
                )
            axes[place].set_xscale("log", base=2)
            axes[place].set_xticks(NUMBERS, [str(each) for each in NUMBERS])
            axes[place].set_ylim(-0.2, 1.0)
            axes[place].set_xlabel("categories")
            axes[place].set_title(label, loc="left", fontsize=9)
        axes[0].set_ylabel("correlation within one size")
        axes[0].legend(fontsize=7)
        yield drawn


TABLES: dict[str, Callable[[], str]] = {
    "measures": by_measure,
    "test_sets": by_test_set,
    "common": common,
    "trained": trained,
    "sizes": by_size,
    "differences": differences,
    "needed": needed,
    "hindi": hindi,
    "published": published,
    "noise": noise,
    "coverage": coverage,
}


def filled(page: str) -> str:
    """The page with its tables made anew."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- {found[1]} -->\n{TABLES[found[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", block, page, flags=re.DOTALL)


def main(arguments: Sequence[str]) -> None:
    """Collect, simulate, or write tables and figures."""
    if arguments[:1] == ["collect"]:
        collect(Path(arguments[1]))
    elif arguments == ["simulate"]:
        simulate()
    else:
        figures()
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
