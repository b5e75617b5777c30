"""The tables of docs/evidence/validity.md, from what was computed of each model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from evaluator.results.figures import svg_text
from evaluator.results.figures.forest import Mark, forest_figure
from tools import tables
from tools.choosing import statistics
from tools.choosing.scoring import GOOGLE, MEASURES
from tools.choosing.statistics import OverTexts, over_texts
from tools.choosing.texts import Text
from tools.choosing.training import path_of, plan
from tools.tables import table

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "evidence" / "validity.md"
FOLDER = REPOSITORY / "docs" / "evidence" / "validity"
FILES = ("models.csv", "ratings.csv", "means.csv", "fewer.csv")

RANDOM = "a model at random"
LANGUAGES = {"en": "English", "de": "German", "fr": "French"}
ALONE = {"thesaurus": "sa", "synonyms": "la"}
"""The criteria of languages without rated pairs, which are in no mean over texts."""

CRITERIA = ("similarity", "relatedness", "categories: ap", "categories: bless", "topics", "sentence ends")


# The files


def collect(work: Path, texts: Iterable[Text], models: int) -> None:
    """Write a row for each model, and what the ratings can tell, to the folder `results`."""
    folder = work / "results"
    folder.mkdir(exist_ok=True)
    rows, ratings, means, fewer = [], [], [], []
    for text in texts:
        paths = [path_of(work, text, *each) for each in plan(text, models)]
        own = [json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) for path in paths]
        rows += own
        if text.rated:
            ratings.append({"text": text.name, **_of_ratings(paths, own)})
            means += json.loads((work / f"{text.name}-means-{models}.json").read_text(encoding="utf-8"))
            fewer += json.loads((work / f"{text.name}-fewer-{models}.json").read_text(encoding="utf-8"))
    for name, content in zip(FILES, (rows, ratings, means, fewer), strict=True):
        pd.DataFrame(content).to_csv(folder / name, index=False, float_format="%.5g", lineterminator="\n")


def _of_ratings(paths: Sequence[Path], rows: Sequence[dict[str, float]]) -> dict[str, float]:
    rated = [dict(np.load(path.with_suffix(".rated.npz"))) for path in paths]
    return {
        "pairs": sum(each.shape[1] for each in rated[0].values()),
        "lists": len(rated[0]),
        "sd of models": float(np.std([row["people"] for row in rows], ddof=1)),
        "reliability": statistics.halves(rated),
        "alpha": statistics.alpha(rated),
        "noise": statistics.noise(rated, [row["KeywordRank"] for row in rows]),
    }


def publish(work: Path) -> None:
    """Copy the files to the page, write its tables, and draw its figure."""
    FOLDER.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(work / "results" / name, FOLDER / name)
    tables.write(PAGE, made(FOLDER))
    draw(FOLDER)


def draw(folder: Path) -> None:
    """Draw the loss of choosing by each measure, beside that at random, into a folder of files."""
    found, marks = Found(folder), []
    for name in (*found.names, RANDOM):
        loss = found.losses(name)
        if loss is not None and loss.half is not None:
            marks.append(Mark(name, "", loss.value, loss.value - loss.half, loss.value + loss.half))
    with forest_figure(marks, 0.0, "loss of agreement with people, with its 95% interval") as drawn:
        (folder / "loss.svg").write_text(svg_text(drawn), encoding="utf-8")


def show(work: Path) -> None:
    """Print the tables."""
    for name, make in made(work / "results").items():
        print(f"\n{name}\n\n{make()}")


def made(folder: Path) -> dict[str, Callable[[], str]]:
    """What makes each table, from the files of a folder."""
    found = Found(folder)
    return {
        "choosing": found.choosing,
        "correlations": found.correlations,
        "criteria": found.criteria,
        "ratings": found.ratings,
        "means": found.means,
        "kinds": found.kinds,
        "fewer": found.fewer,
        "coverage": coverage,
    }


# The tables


class Found:
    """What was computed, by model and by text."""

    def __init__(self, folder: Path) -> None:
        frames = [pd.read_csv(folder / name) if _filled(folder / name) else pd.DataFrame() for name in FILES]
        self.models, self.of_ratings, self.of_means, self.of_fewer = frames
        rates = self.models["learning_rate"].fillna(0) * self.models.get(
            "epochs", pd.Series(dtype=float)
        ).fillna(0)
        self.models["rate × epochs × window"] = rates * self.models["window"]
        self.rated = self.models[self.models["people"].notna()]

    @property
    def languages(self) -> list[str]:
        """Those with rated pairs."""
        return [each for each in LANGUAGES if (self.rated["language"] == each).any()]

    @property
    def names(self) -> list[str]:
        """The measures, and what evaluates nothing."""
        own = [*MEASURES, *([GOOGLE] if GOOGLE in self.models else [])]
        return [*own, "window", "rate × epochs × window"]

    def by_text(
        self, of: Callable[[pd.DataFrame], float], language: str = "", frame: pd.DataFrame | None = None
    ) -> list[float]:
        """What is computed of the models of each text, which may be NaN where there is nothing."""
        own = self.rated if frame is None else frame
        own = own[own["language"] == language] if language else own
        return [of(each) for _, each in own.groupby("text", sort=False)]

    def losses(self, name: str, language: str = "", less: str = "", level: float = 0.95) -> OverTexts | None:
        """The loss of choosing by a measure over texts; or how much more it is than by another."""

        def of(frame: pd.DataFrame) -> float:
            return _loss(frame, name) - (_loss(frame, less) if less else 0)

        return _over(self.by_text(of, language), level)

    def choosing(self) -> str:
        """The loss by each measure: in each language, over all texts, and beside that at random."""
        named = len([each for each in self.names if each not in ("window", "rate × epochs × window")])
        rows = []
        for name in (RANDOM, *self.names):
            cells = [_shown(self.losses(name, each)) for each in (*self.languages, "")]
            more = None if name == RANDOM else self.losses(name, less=RANDOM)
            corrected = None if name == RANDOM else self.losses(name, less=RANDOM, level=1 - 0.05 / named)
            chooses = "" if corrected is None else "yes" if corrected.below_zero else "not shown"
            rows.append([name, *cells, _shown(more), chooses])
        languages = [f"{LANGUAGES[each]}, texts: {len(self.by_text(len, each))}" for each in self.languages]
        return table(["chosen by", *languages, "all texts", "more than at random", "chooses"], rows)

    def correlations(self) -> str:
        """Spearman's correlation with people's ratings within a text."""
        rows = []
        for name in self.names:
            cells = [self._correlation(name, "people", each) for each in (*self.languages, "")]
            asked = f"{name}, asked"
            known = (
                f"{self.rated[asked].min():,.0f}"
                if asked in self.rated and self.rated[asked].notna().any()
                else ""
            )
            rows.append([name, known, *cells])
        return table(["", "asked at least", *(LANGUAGES[each] for each in self.languages), "all texts"], rows)

    def _correlation(
        self, name: str, criterion: str, language: str = "", frame: pd.DataFrame | None = None
    ) -> str:
        def of(own: pd.DataFrame) -> float:
            both = own[[name, criterion]]
            if both.isna().any(axis=None):
                return float("nan")
            return statistics.correlation(both[name].tolist(), both[criterion].tolist())

        return _correlated(self.by_text(of, language, self.models if frame is None else frame))

    def criteria(self) -> str:
        """Spearman's correlation with each criterion; those of one language alone are of its texts."""
        columns = [each for each in (*CRITERIA, *ALONE) if each in self.models]
        rest = self.models[~self.models["language"].isin(ALONE.values())]
        rows = []
        for name in self.names:
            cells = []
            for each in columns:
                own = self.models[self.models["language"] == ALONE[each]] if each in ALONE else rest
                cells.append(self._correlation(name, each, frame=own[own[each].notna()]))
            rows.append([name, *cells])
        return table(["", *columns], rows)

    def ratings(self) -> str:
        """What the ratings can tell of each text."""
        rows = [
            [
                str(row["text"]),
                f"{row['pairs']:,.0f}",
                f"{row['lists']:.0f}",
                f"{row['sd of models']:.3f}",
                f"{row['reliability']:.2f}",
                f"{np.sqrt(row['reliability']):.2f}",
                "" if np.isnan(row["alpha"]) else f"{row['alpha']:.2f}",
                f"{row['noise']:.3f}",
            ]
            for _, row in self.of_ratings.iterrows()
        ]
        head = [
            "text",
            "known pairs",
            "lists",
            "models' standard deviation",
            "reliability",
            "highest ρ",
            "α of the lists",
            "noise of a loss",
        ]
        return table(head, rows)

    def means(self) -> str:
        """Agreement with people of means of models and of single ones."""
        names = [each for each in self.of_means.columns if each != "text"]
        frame = self.of_means.assign(language=self.of_means["text"].str.partition("-")[0])
        rows = []
        for name in names:
            values = frame.groupby("text", sort=False)[name].mean()
            more = (frame[name] - frame["chosen by KeywordRank"]).groupby(frame["text"], sort=False).mean()
            rows.append(
                [
                    name,
                    f"{values.mean():.3f}",
                    "" if name == "chosen by KeywordRank" else _shown(_over(list(more))),
                ]
            )
        return table(["of five models", "agreement with people", "more than KeywordRank's choice"], rows)

    def kinds(self) -> str:
        """Correlations with people's ratings among models of one kind, and given the hyper-parameters."""
        rows = []
        for name in self.names:
            cells = []
            for kinds in (("skip-gram",), ("cbow",), ("skip-gram", "cbow")):
                own = self.rated[self.rated["kind"].isin(kinds)]
                cells.append(self._correlation(name, "people", frame=own))
            rows.append([name, *cells, self._given(name)])
        return table(["", "among skip-gram", "among CBOW", "among both", "given the hyper-parameters"], rows)

    def _given(self, name: str) -> str:
        """The correlation with people's ratings of what a regression on the hyper-parameters leaves."""
        own = self.rated.assign(
            trained=self.rated["learning_rate"].fillna(1) * self.rated["epochs"].fillna(1)
        )
        own = own[own.groupby("text")[name].transform(lambda values: values.notna().all())]
        if own.empty or name not in MEASURES:
            return ""
        known = own[["window", "dimension", "min_count", "trained"]].join(
            pd.get_dummies(own["kind"], dtype=float)
        )
        left = statistics.given(own[name], own["people"], known, own["text"])
        return _correlated(left)

    def fewer(self) -> str:
        """The loss and the correlation with people's ratings by some of the keywords or pairs alone."""
        rows = []
        for (measure, size), own in self.of_fewer.groupby(["measure", "size"], sort=False):
            cells = [_shown(_over(list(own["loss"]))), _correlated(list(own["correlation"]))]
            rows.append([str(measure), f"{size}", f"{len(own)}", *cells])
        return table(["measure", "keywords or pairs", "texts", "loss", "correlation"], rows)


def _filled(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 1


def _loss(frame: pd.DataFrame, name: str) -> float:
    if name == RANDOM:
        return statistics.loss(frame["people"].tolist(), None)
    if frame[name].isna().any():
        return float("nan")
    return statistics.loss(frame["people"].tolist(), frame[name].tolist())


def _over(values: Sequence[float], level: float = 0.95) -> OverTexts | None:
    known = [each for each in values if not np.isnan(each)]
    return over_texts(known, level) if known else None


def _shown(found: OverTexts | None) -> str:
    return "" if found is None else str(found)


def _correlated(values: Sequence[float]) -> str:
    found = _over(values)
    return "" if found is None else str(replace(found, most=1.0))


@cache
def coverage() -> str:
    """How often intervals over texts hold the true loss."""
    strengths = (0.0, 0.4, 0.8)
    rows = [
        [str(texts), *(f"{statistics.covered(texts, 16, strength):.3f}" for strength in strengths)]
        for texts in (5, 9)
    ]
    return table(["texts", *(f"correlation {each:g}" for each in strengths)], rows)
