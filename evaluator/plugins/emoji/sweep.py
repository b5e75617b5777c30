"""Emoji models at many learning rates, their scores by each measure, and whether the measures agree.

The experiment of section 3.2 of "Evaluating Word Embeddings on Low-Resource Languages".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from msgspec import UNSET
from msgspec.structs import asdict

from evaluator.plugins import Settings, TestSet, TrainingError, Vectors
from evaluator.plugins.emoji.descriptions import Described, classify
from evaluator.plugins.emoji.model import EmojiHyperparameters, train_emoji
from evaluator.plugins.emoji.result import (
    BestRate,
    DescriptionCounts,
    EmojiFile,
    EmojiReference,
    EmojiRun,
    EmojiScores,
    EmojiTestSet,
    EmojiTraining,
    means_by_rate,
    measured,
)
from evaluator.plugins.emoji.texts import EmojiTexts
from evaluator.results.scores import Score
from evaluator.statistics.combined import combined
from evaluator.statistics.pce import correlations
from evaluator.studies.scoring import score

if TYPE_CHECKING:
    import pandas as pd

MOST_RATES = 1000

SETTINGS = Settings(oov="skip", case="exact")
"""Emoji without a description are left out; they are the same for all models of a sweep."""


@dataclass(frozen=True)
class EmojiTests:
    """What emoji vectors are scored on.

    Attributes:
        test_set: Categories of emoji.
        dev: Pairs that fit and pairs that do not.
        held_out: More of these, which play no part in any choice.
        texts: Labelled texts to classify.
    """

    test_set: TestSet
    dev: Described
    held_out: Described | None = None
    texts: EmojiTexts | None = None

    def score(self, vectors: Vectors) -> EmojiScores:
        """Score a model.

        Raises:
            ScoreError: A measure has nothing to score.
        """
        scores = score(vectors, self.test_set, ("Topk@3", "OddOneOut@3"), SETTINGS)
        topk, odd = scores["Topk@3"], scores["OddOneOut@3"]
        dev = classify(vectors, self.dev)
        return EmojiScores(
            topk=topk.value,
            oddoneout=odd.value,
            combined=combined(topk.value, odd.value),
            accuracy=dev.accuracy,
            auc=dev.auc,
            asked=sum(part.size for part in topk.subscores),
            oov=sum(part.oov for part in topk.subscores),
            categories={"topk": _scored(topk), "oddoneout": _scored(odd)},
            dev=dev,
            held_out=None if self.held_out is None else classify(vectors, self.held_out),
            sentiment=None if self.texts is None else self.texts.score(vectors),
        )


def _scored(found: Score) -> int:
    return sum(part.value is not None for part in found.subscores)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Models at many learning rates.

    Attributes:
        result: The content of the result file: the scores of each model, and what they say.
        models: The models, in the order of `result.runs`.
    """

    result: EmojiFile
    models: tuple[Vectors, ...]

    def best(self, measure: str) -> Vectors:
        """The best model at the best rate, both by the same measure; of several, that of the first seed."""
        rate = self.result.best[measure].rate
        at_rate = [row for row, run in enumerate(self.result.runs) if run.rate == rate]
        return self.models[max(at_rate, key=lambda row: self.result.runs[row].value(measure))]

    def frame(self) -> pd.DataFrame:
        """A row for each model: rate, seed, the measures, and accuracy and AUC on the held-out pairs."""
        import pandas as pd

        measures = self.result.measures
        rows = [
            (run.rate, run.seed, *map(run.value, measures), *_held_out([run])) for run in self.result.runs
        ]
        names = ["rate", "seed", *measures, "held_out_accuracy", "held_out_auc"]
        return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[2:], float))


def sweep(
    described: Described,
    tests: EmojiTests,
    rates: Iterable[float],
    seeds: int = 3,
    parameters: EmojiHyperparameters | None = None,
    progress: Callable[[float], None] | None = None,
    reference: Vectors | None = None,
) -> Sweep:
    """Train a model at each learning rate with each seed, and score them all.

    Models of one seed start with the same values and learn from the same pairs in the same order.

    Args:
        described: The descriptions to learn from.
        tests: What to score models on.
        rates: The learning rates, each once.
        seeds: The number of models at each rate.
        parameters: The other hyper-parameters, with the first seed; `EmojiHyperparameters()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        reference: Emoji vectors from elsewhere, to score in the same way.

    Raises:
        TrainingError: There is no rate, one is given twice or is not above 0, `seeds` is less than 1, or
            nothing can be learned.
        ScoreError: A measure has nothing to score.
    """
    parameters, progress = parameters or EmojiHyperparameters(), progress or (lambda _: None)
    all_parameters = _all_parameters(parameters, sorted(rates), seeds)
    beside = EmojiReference(vectors=reference.name, **asdict(tests.score(reference))) if reference else None
    models: list[Vectors] = []
    runs: list[EmojiRun] = []
    for each in all_parameters:
        models.append(train_emoji(described, each))
        runs.append(EmojiRun(rate=each.rate, seed=each.seed, **asdict(tests.score(models[-1]))))
        progress(len(runs) / len(all_parameters))
    measures, texts = measured(sentiment=tests.texts is not None), tests.texts
    result = EmojiFile(
        generator=f"evaluator {version('testgen-evaluator')}",
        descriptions=DescriptionCounts(described.name, int(described.fits.sum()), described.left_out),
        test_set=EmojiTestSet(tests.test_set.name, tests.test_set.sha256),
        dev=tests.dev.name,
        held_out=None if tests.held_out is None else tests.held_out.name,
        plan=EmojiTraining(parameters.epochs, parameters.batch, parameters.ratio),
        settings=SETTINGS.signature,
        runs=tuple(runs),
        best={measure: _best_rate(runs, measure) for measure in measures},
        spearman={
            one: {other: _spearman(runs, one, other) for other in measures[3:]} for one in measures[:3]
        },
        reference=beside,
        texts=UNSET if texts is None else EmojiTestSet(texts.test_set.name, texts.test_set.sha256),
    )
    return Sweep(result, tuple(models))


def _best_rate(runs: Sequence[EmojiRun], measure: str) -> BestRate:
    """The rate with the highest mean; of several, the lowest rate."""
    means = means_by_rate(runs, measure)
    rate = max(means, key=means.__getitem__)
    return BestRate(rate, means[rate], *_held_out([run for run in runs if run.rate == rate]))


def _held_out(runs: Sequence[EmojiRun]) -> tuple[float | None, float | None]:
    """The mean accuracy and AUC on the held-out pairs."""
    found = [run.held_out for run in runs if run.held_out is not None]
    if not found:
        return None, None
    return float(np.mean([each.accuracy for each in found])), float(np.mean([each.auc for each in found]))


def _spearman(runs: Sequence[EmojiRun], one: str, other: str) -> float | None:
    """The correlation of the means at each rate; None if one of the measures is the same at all rates."""
    table = np.column_stack([list(means_by_rate(runs, each).values()) for each in (one, other)])
    if (table == table[0]).all(axis=0).any():
        return None
    return correlations((one, other), table).spearman[0][1]


def _all_parameters(
    parameters: EmojiHyperparameters, rates: Sequence[float], seeds: int
) -> list[EmojiHyperparameters]:
    """The hyper-parameters of all models, by rate and seed."""
    if not rates:
        raise TrainingError("no learning rate given; name one or more")
    if len(set(rates)) < len(rates):
        again = next(rate for rate in rates if rates.count(rate) > 1)
        raise TrainingError(f"the learning rate {again:g} is given twice; name each once")
    if seeds < 1:
        raise TrainingError(f"seeds is {seeds}; it must be 1 or more")
    return [replace(parameters, rate=rate, seed=parameters.seed + i) for rate in rates for i in range(seeds)]


def rates_between(text: str) -> list[float]:
    """Learning rates in equal steps of their logarithm, rounded to six digits.

    Args:
        text: The lowest, the highest, and their number, as in `1e-5:1e-1:13`.

    Raises:
        TrainingError: The text has another form.
    """
    try:
        said = text.split(":")
        low, high, count = float(said[0]), float(said[1]), int(said[2])
        good = len(said) == 3 and 0 < low < high < np.inf and 1 < count <= MOST_RATES
    except (ValueError, IndexError):
        good = False
    if not good:
        raise TrainingError(
            f"{text!r} are not learning rates; write lowest:highest:count, as in 1e-5:1e-1:13, with a count "
            f"from 2 to {MOST_RATES}"
        )
    return [float(f"{rate:.6g}") for rate in np.geomspace(low, high, count)]
