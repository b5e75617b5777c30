"""Emoji models at many learning rates, their scores by each measure, and whether the measures agree.

The experiment of section 3.2 of "Evaluating Word Embeddings on Low-Resource Languages".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import UNSET

from evaluator.plugins import Settings, TestSet, TrainingError, Vectors
from evaluator.plugins.emoji.descriptions import Described, classify
from evaluator.plugins.emoji.model import EmojiHyperparameters, train_emoji
from evaluator.plugins.emoji.result import (
    BestRate,
    Classification,
    DescriptionCounts,
    EmojiFile,
    EmojiReference,
    EmojiRun,
    EmojiTestSet,
    EmojiTraining,
    TextScore,
    measured,
)
from evaluator.plugins.emoji.texts import EmojiTexts
from evaluator.statistics.combined import combined
from evaluator.statistics.pce import correlations
from evaluator.studies.scores import Score
from evaluator.studies.scoring import score

if TYPE_CHECKING:
    import pandas as pd

MOST_RATES = 1000

SETTINGS = Settings(oov="skip", case="exact")
"""Emoji without a description are left out; they are the same for all models of a sweep."""


@dataclass(frozen=True)
class EmojiScores:
    """The scores of one model.

    Attributes:
        topk: Topk@3.
        oddoneout: OddOneOut@3, exact.
        dev: Description classification on the development pairs.
        held_out: On the held-out pairs, if there are any.
        vectors: The model.
        asked: The number of emoji of the test set.
        oov: The number of these without a vector.
        scored: The number of categories with enough emoji for Topk@3, and for OddOneOut@3.
        sentiment: Classification of texts, if there are any.
    """

    topk: float
    oddoneout: float
    dev: Classification
    held_out: Classification | None
    vectors: Vectors
    asked: int
    oov: int
    scored: tuple[int, int]
    sentiment: TextScore | None = None

    def value(self, measure: str) -> float:
        """The score by a measure of `MEASURES`."""
        values = {
            "topk": self.topk,
            "oddoneout": self.oddoneout,
            "combined": combined(self.topk, self.oddoneout),
            "accuracy": self.dev.accuracy,
            "auc": self.dev.auc,
        }
        return self.sentiment.value if measure == "sentiment" and self.sentiment else values[measure]

    @property
    def _figures(self) -> dict[str, Any]:
        """The scores in the result file."""
        return {
            **{measure: self.value(measure) for measure in measured(sentiment=False)},
            "sentiment": self.sentiment,
            "asked": self.asked,
            "oov": self.oov,
            "categories": dict(zip(("topk", "oddoneout"), self.scored, strict=True)),
            "dev": self.dev,
            "held_out": self.held_out,
        }

    def record(self, rate: float, seed: int) -> EmojiRun:
        """The entry in the result file of a model of a sweep."""
        return EmojiRun(rate=rate, seed=seed, **self._figures)

    @property
    def reference(self) -> EmojiReference:
        """The entry in the result file of other vectors."""
        return EmojiReference(vectors=self.vectors.name, **self._figures)


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
        return EmojiScores(
            topk=topk.value,
            oddoneout=odd.value,
            dev=classify(vectors, self.dev),
            held_out=None if self.held_out is None else classify(vectors, self.held_out),
            vectors=vectors,
            asked=sum(part.size for part in topk.subscores),
            oov=sum(part.oov for part in topk.subscores),
            scored=(_scored(topk), _scored(odd)),
            sentiment=None if self.texts is None else self.texts.score(vectors),
        )


def _scored(found: Score) -> int:
    return sum(part.value is not None for part in found.subscores)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Models at many learning rates.

    Attributes:
        parameters: The hyper-parameters besides rate and seed.
        rates: The learning rates, ascending.
        seeds: The seeds at each rate.
        runs: The scores by rate and seed.
        learned: The name of the descriptions, the number of pairs that were learned from, and the number left
            out because no word has a vector.
        tests: What they were scored on.
    """

    parameters: EmojiHyperparameters
    rates: tuple[float, ...]
    seeds: tuple[int, ...]
    runs: tuple[tuple[EmojiScores, ...], ...]
    learned: tuple[str, int, int]
    tests: EmojiTests

    @property
    def measures(self) -> tuple[str, ...]:
        """What was measured, keys of `MEASURES`."""
        return measured(sentiment=self.tests.texts is not None)

    def values(self, measure: str) -> tuple[tuple[float, ...], ...]:
        """The scores by a measure, by rate and seed."""
        return tuple(tuple(run.value(measure) for run in runs) for runs in self.runs)

    def means(self, measure: str) -> tuple[float, ...]:
        """The mean over the seeds, by rate."""
        return tuple(float(np.mean(values)) for values in self.values(measure))

    def best(self, measure: str) -> int:
        """The index of the rate with the highest mean; of several, the lowest rate."""
        return int(np.argmax(self.means(measure)))

    def best_run(self, measure: str) -> EmojiScores:
        """The best model at the best rate, both by the same measure; of several, that of the first seed."""
        return max(self.runs[self.best(measure)], key=lambda run: run.value(measure))

    def held_out(self, measure: str) -> tuple[float, float] | None:
        """Accuracy and AUC on the held-out pairs at the best rate, means over the seeds."""
        found = [run.held_out for run in self.runs[self.best(measure)] if run.held_out is not None]
        if not found:
            return None
        return float(np.mean([each.accuracy for each in found])), float(np.mean([each.auc for each in found]))

    @cached_property
    def correlations(self) -> dict[str, dict[str, float | None]]:
        """Spearman's correlation of each measure on categories with each of the others, over the rates.

        Of the means over the seeds; None if one of them is the same at all rates.
        """
        found: dict[str, dict[str, float | None]] = {}
        for one in ("topk", "oddoneout", "combined"):
            found[one] = {other: self._spearman(one, other) for other in self.measures[3:]}
        return found

    def _spearman(self, one: str, other: str) -> float | None:
        table = np.column_stack([self.means(one), self.means(other)])
        if (table == table[0]).all(axis=0).any():
            return None
        return correlations((one, other), table).spearman[0][1]

    def frame(self) -> pd.DataFrame:
        """A row for each model: rate, seed, the measures, and accuracy and AUC on the held-out pairs."""
        import pandas as pd

        rows = [
            (rate, seed, *(run.value(measure) for measure in self.measures), *_held_out(run))
            for rate, runs in zip(self.rates, self.runs, strict=True)
            for seed, run in zip(self.seeds, runs, strict=True)
        ]
        names = ["rate", "seed", *self.measures, "held_out_accuracy", "held_out_auc"]
        return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[2:], float))

    def record(self, reference: EmojiScores | None = None) -> EmojiFile:
        """The content of the result file.

        Args:
            reference: The scores of other emoji vectors.
        """
        name, pairs, left_out = self.learned
        test_set, held_out, texts = self.tests.test_set, self.tests.held_out, self.tests.texts
        return EmojiFile(
            generator=f"evaluator {version('testgen-evaluator')}",
            descriptions=DescriptionCounts(name, pairs, left_out),
            test_set=EmojiTestSet(test_set.name, test_set.sha256),
            dev=self.tests.dev.name,
            held_out=None if held_out is None else held_out.name,
            plan=EmojiTraining(self.parameters.epochs, self.parameters.batch, self.parameters.ratio),
            settings=SETTINGS.signature,
            runs=tuple(
                run.record(rate, seed)
                for rate, runs in zip(self.rates, self.runs, strict=True)
                for seed, run in zip(self.seeds, runs, strict=True)
            ),
            best={measure: self._best_rate(measure) for measure in self.measures},
            spearman=self.correlations,
            reference=None if reference is None else reference.reference,
            texts=UNSET if texts is None else EmojiTestSet(texts.test_set.name, texts.test_set.sha256),
        )

    def _best_rate(self, measure: str) -> BestRate:
        row = self.best(measure)
        return BestRate(self.rates[row], self.means(measure)[row], *(self.held_out(measure) or (None, None)))


def _held_out(run: EmojiScores) -> tuple[float | None, float | None]:
    return (None, None) if run.held_out is None else (run.held_out.accuracy, run.held_out.auc)


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

    Args:
        described: The descriptions to learn from.
        tests: What to score models on.
        rates: The learning rates, each once.
        seeds: The number of models at each rate.
        parameters: The other hyper-parameters, with the first seed; `EmojiHyperparameters()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.

    Raises:
        TrainingError: There is no rate, one is given twice or is not above 0, `seeds` is less than 1, or
            nothing can be learned.
        ScoreError: A measure has nothing to score.
    """
    parameters, progress = parameters or EmojiHyperparameters(), progress or (lambda _: None)
    all_parameters = _all_parameters(parameters, sorted(rates), seeds)
    runs: list[tuple[EmojiScores, ...]] = []
    for row in all_parameters:
        of_rate: list[EmojiScores] = []
        for each in row:
            of_rate.append(tests.score(train_emoji(described, each)))
            progress((len(runs) * seeds + len(of_rate)) / (len(all_parameters) * seeds))
        runs.append(tuple(of_rate))
    return Sweep(
        parameters,
        tuple(row[0].rate for row in all_parameters),
        tuple(each.seed for each in all_parameters[0]),
        tuple(runs),
        (described.name, int(described.fits.sum()), described.left_out),
        tests,
    )


def _all_parameters(
    parameters: EmojiHyperparameters, rates: Sequence[float], seeds: int
) -> list[list[EmojiHyperparameters]]:
    """The hyper-parameters of all models, by rate and seed."""
    if not rates:
        raise TrainingError("no learning rate given; name one or more")
    if len(set(rates)) < len(rates):
        again = next(rate for rate in rates if rates.count(rate) > 1)
        raise TrainingError(f"the learning rate {again:g} is given twice; name each once")
    if seeds < 1:
        raise TrainingError(f"seeds is {seeds}; it must be 1 or more")
    return [
        [replace(parameters, rate=rate, seed=parameters.seed + i) for i in range(seeds)] for rate in rates
    ]


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
