"""Emoji models at many learning rates, their scores by each measure, and whether the measures agree.

The experiment of section 3.2 of "Evaluating Word Embeddings on Low-Resource Languages".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from evaluator.plugins import Scores, Settings, TestSetLike, TrainingError, Vectors, read_testset, score
from evaluator.plugins.emoji.model import Described, EmojiHyperparameters, classify, train_emoji
from evaluator.plugins.emoji.result import (
    CATEGORY_MEASURES,
    OTHER_MEASURES,
    DescriptionCounts,
    EmojiFile,
    On,
    means_of,
    values_of,
)
from evaluator.plugins.emoji.texts import LabelledTexts, sentiment

MOST_RATES = 1000

SETTINGS = Settings(oov="skip", case="exact")
"""Emoji without a description are left out; they are the same for all models of a sweep."""


@dataclass(frozen=True)
class EmojiTests:
    """Categories of emoji, labelled pairs, and texts; the held-out pairs and the texts choose nothing."""

    test_set: TestSetLike
    dev: Described
    held_out: Described | None = None
    texts: LabelledTexts | None = None

    def score(self, vectors: Vectors, **keys: float) -> list[Scores]:
        """Score a model on everything that there is; the keys tell its scores apart."""
        scored: dict[On, Scores] = {
            "categories": score(vectors, read_testset(self.test_set), CATEGORY_MEASURES[:2], SETTINGS),
            "dev": classify(vectors, self.dev),
        }
        if self.held_out is not None:
            scored["held-out"] = classify(vectors, self.held_out)
        if self.texts is not None:
            scored["texts"] = sentiment(vectors, self.texts)
        return [structs.replace(each, keys={"on": on, **keys}).record() for on, each in scored.items()]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Models at many learning rates, by rate and seed; and the content of the result file."""

    result: EmojiFile
    models: Mapping[tuple[float, int], Vectors]

    def best(self, measure: str) -> Vectors:
        """The best model at the best rate, both by the same measure; of several, that of the first seed."""
        rate = self.result.best[measure]
        at_rate = [model for (of_model, _), model in self.models.items() if of_model == rate]
        values = values_of(self.result.results, measure)[rate]
        return at_rate[values.index(max(values))]


def sweep(
    described: Described,
    tests: EmojiTests,
    rates: Iterable[float],
    seeds: int = 3,
    parameters: EmojiHyperparameters | None = None,
    progress: Callable[[float], None] | None = None,
) -> Sweep:
    """Train a model at each learning rate with each seed, and score them all.

    Models of one seed start with the same values and learn from the same pairs in the same order.
    `parameters` has the other hyper-parameters, and the first seed.
    """
    parameters, progress = parameters or EmojiHyperparameters(), progress or (lambda _: None)
    all_parameters = _all_parameters(parameters, sorted(rates), seeds)
    results: list[Scores] = []
    models: dict[tuple[float, int], Vectors] = {}
    for each in all_parameters:
        model = models[each.rate, each.seed] = train_emoji(described, each)
        results += tests.score(model, rate=each.rate, seed=each.seed)
        progress(len(models) / len(all_parameters))
    labelled: dict[On, Described | None] = {"dev": tests.dev, "held-out": tests.held_out}
    result = EmojiFile(
        descriptions=_counts(described, int(described.fits.sum())),
        labelled={on: _counts(each, len(each.emoji)) for on, each in labelled.items() if each is not None},
        plan={"epochs": parameters.epochs, "batch": parameters.batch, "ratio": parameters.ratio},
        results=tuple(results),
        best={
            measure: max(means, key=means.__getitem__)  # of several, the lowest rate
            for measure in (*CATEGORY_MEASURES, *OTHER_MEASURES)
            if (means := means_of(results, measure))
        },
        spearman={
            one: {
                other: _spearman(list(means_of(results, one).values()), list(means.values()))
                for other in OTHER_MEASURES
                if (means := means_of(results, other))
            }
            for one in CATEGORY_MEASURES
        },
    )
    return Sweep(result, models)


def _spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The rank correlation of two measures over the rates; None if one of them is the same at all."""
    from scipy.stats import spearmanr

    constant = len(set(one)) == 1 or len(set(other)) == 1
    return None if constant else float(spearmanr(one, other).statistic)


def _counts(described: Described, pairs: int) -> DescriptionCounts:
    return DescriptionCounts(described.name, pairs, described.left_out)


def _all_parameters(
    parameters: EmojiHyperparameters, rates: Sequence[float], seeds: int
) -> list[EmojiHyperparameters]:
    if not rates:
        raise TrainingError("no learning rate given; name one or more")
    if len(set(rates)) < len(rates):
        again = next(rate for rate in rates if rates.count(rate) > 1)
        raise TrainingError(f"the learning rate {again:g} is given twice; name each once")
    if seeds < 1:
        raise TrainingError(f"seeds is {seeds}; it must be 1 or more")
    return [replace(parameters, rate=rate, seed=parameters.seed + i) for rate in rates for i in range(seeds)]


def rates_between(text: str) -> list[float]:
    """A learning rate; or several in equal ratios, rounded to six digits, as in `1e-5:1e-1:13`."""
    try:
        first, last, number = text.split(":") if ":" in text else (text, text, "1")
        low, high, count = float(first), float(last), int(number)
        good = 0 < low <= high < np.inf and 1 <= count <= MOST_RATES and (low < high) == (count > 1)
    except ValueError:
        good = False
    if not good:
        raise TrainingError(
            f"{text!r} is no learning rate; write one, or lowest:highest:count, as in 1e-5:1e-1:13, with a "
            f"count from 2 to {MOST_RATES}"
        )
    return [float(f"{rate:.6g}") for rate in np.geomspace(low, high, count)]
