"""What is made of the scores of models: losses, correlations, and intervals over texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import spearmanr
from scipy.stats import t as students_t

from tools.choosing.scoring import agreement

CHOSEN = 5
"""How many models somebody chooses from."""

Floats = npt.NDArray[np.float64]


SHOWN = 4
"""With fewer texts their values are shown in place of an interval, which would say nothing."""


@dataclass(frozen=True)
class OverTexts:
    """A mean over texts with its interval, Student's t; None with one text.

    Attributes:
        value: The mean.
        half: Half of the interval's width.
        values: Those of the texts.
        most: The largest value that is possible, as 1 of correlations, and the smallest if negative.
    """

    value: float
    half: float | None
    values: tuple[float, ...]
    most: float = math.inf

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.half is not None and self.value + self.half < 0

    def __str__(self) -> str:
        """With three digits."""
        shown = f"{self.value:.3f}"
        if self.half is not None and len(self.values) >= SHOWN:
            low, high = max(self.value - self.half, -self.most), min(self.value + self.half, self.most)
            shown += f" ({low:.3f} to {high:.3f})"
        elif len(self.values) > 1:
            shown += f" ({', '.join(f'{each:.3f}' for each in self.values)})"
        return shown.replace("0.", ".").replace("-.000", ".000")


def over_texts(values: Sequence[float], level: float = 0.95) -> OverTexts:
    """The mean of what is computed of each text, which are drawn independently."""
    own = np.asarray(values, dtype=np.float64)
    if len(own) < 2:
        return OverTexts(float(own.mean()), None, tuple(own))
    error = own.std(ddof=1) / np.sqrt(len(own))
    half = float(students_t.ppf((1 + level) / 2, len(own) - 1) * error)
    return OverTexts(float(own.mean()), half, tuple(own))


def loss(criterion: Sequence[float], scores: Sequence[float] | None, chosen: int = CHOSEN) -> float:
    """The mean loss of choosing the best of some models by scores; at random if there are none.

    The k-th of n models from below is the best of a random choice of so many in C(k-1,chosen-1) of
    C(n,chosen) choices; models of equal scores share these.
    """
    own, chosen = np.asarray(criterion, dtype=float), min(chosen, len(criterion))
    best = np.array([comb(place, chosen - 1) for place in range(len(own))]) / comb(len(own), chosen)
    top = float(best @ np.sort(own))
    if scores is None:
        return top - float(own.mean())
    order = np.argsort(scores, kind="stable")
    _, which = np.unique(np.asarray(scores, dtype=float)[order], return_inverse=True)
    shared = np.bincount(which, best) / np.bincount(which)
    return top - float(shared[which] @ own[order])


def correlation(scores: Sequence[float], criterion: Sequence[float]) -> float:
    """Spearman's; 0 if all scores are equal."""
    if len(set(scores)) < 2 or len(set(criterion)) < 2:
        return 0.0
    return float(spearmanr(scores, criterion).statistic)


def given(
    scores: Sequence[float], criterion: Sequence[float], known: pd.DataFrame, texts: Sequence[str]
) -> list[float]:
    """In each text the correlation of scores and criterion that is left when what is known is given.

    All are ranked within a text, and lines on the ranks of what is known, the same in all texts, are taken
    away (Spearman's partial correlation). NaN where nothing is left.
    """

    def centred(values: pd.DataFrame) -> Floats:
        ranks = values.groupby(texts).rank()
        return np.asarray(ranks - ranks.groupby(texts).transform("mean"))

    texts = np.asarray(texts)
    both = centred(pd.DataFrame({"scores": np.asarray(scores), "criterion": np.asarray(criterion)}))
    about = centred(known.reset_index(drop=True))
    left = both - about @ np.linalg.lstsq(about, both, rcond=None)[0]
    found = []
    for text in dict.fromkeys(texts):
        one, other = left[texts == text].T
        size = np.sqrt((one @ one) * (other @ other))
        found.append(float(one @ other / size) if size > 1e-9 else float("nan"))
    return found


def halves(models: Sequence[Mapping[str, Floats]], splits: int = 50, seed: int = 0) -> float:
    """How well the models' agreement with half of the rated pairs tells that with the other half.

    The mean of Pearson's correlations over random halves, for whole lists by Spearman and Brown's formula
    (2r/(1+r)). Its square root is the greatest correlation with the ratings that any measure can be expected
    to have.
    """
    generator, found = np.random.default_rng(seed), []
    for _ in range(splits):
        first = {
            name: generator.permutation(each.shape[1]) < each.shape[1] // 2
            for name, each in models[0].items()
        }
        both = [
            [
                agreement({name: each[:, first[name] == side] for name, each in model.items()})
                for model in models
            ]
            for side in (True, False)
        ]
        found.append(np.corrcoef(*both)[0, 1])
    mean = float(np.mean(found))
    return 2 * mean / (1 + mean) if mean > 0 else 0.0


def alpha(models: Sequence[Mapping[str, Floats]]) -> float:
    """Cronbach's α of the lists, as to how they rank the models: α = L/(L-1) · (1 - Σ σ²_list / σ²_sum).

    Agreement with each list is brought to mean 0 and variance 1 first. NaN with one list.
    """
    table = np.array([[agreement({name: each}) for name, each in model.items()] for model in models])
    if table.shape[1] < 2:
        return float("nan")
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    number = table.shape[1]
    return float(number / (number - 1) * (1 - number / standard.sum(axis=1).var()))


def noise(
    models: Sequence[Mapping[str, Floats]], scores: Sequence[float], draws: int = 200, seed: int = 0
) -> float:
    """How much the loss of choosing by scores changes with the pairs that happened to be rated.

    The standard deviation over bootstrapped pairs of the loss at random less that by the scores.
    """
    generator, found = np.random.default_rng(seed), []
    for _ in range(draws):
        drawn = {
            name: generator.integers(each.shape[1], size=each.shape[1]) for name, each in models[0].items()
        }
        people = [agreement({name: each[:, drawn[name]] for name, each in model.items()}) for model in models]
        found.append(loss(people, None) - loss(people, scores))
    return float(np.std(found))


def covered(texts: int, models: int, strength: float, worlds: int = 2000, seed: int = 0) -> float:
    """How often the interval over texts holds the true loss, in worlds of normal scores.

    Scores and criterion correlate by `strength` on average; by how much in a text varies by 0.2.
    """
    generator = np.random.default_rng(seed)
    values = np.array([_loss_of_world(generator, models, strength) for _ in range(worlds * texts)]).reshape(
        worlds, texts
    )
    truth = values.mean()
    found = [over_texts(own) for own in values]
    return float(np.mean([abs(each.value - truth) <= (each.half or 0) for each in found]))


def _loss_of_world(generator: np.random.Generator, models: int, strength: float) -> float:
    own = float(np.clip(generator.normal(strength, 0.2), -1, 1))
    criterion, other = generator.standard_normal((2, models))
    return loss(criterion, own * criterion + np.sqrt(1 - own**2) * other)
