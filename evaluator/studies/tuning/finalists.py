"""The best model and the default, trained again with one or several seeds, and scored on all views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from msgspec import structs

from evaluator.engine.frequency import frequency_baseline
from evaluator.measures import Subscore, parse_measure
from evaluator.results.base import Difference, Estimate, Tested
from evaluator.results.scores import Score
from evaluator.results.tuning import COMBINED, WHOLE, Outcome, RetrainedModel, WholeScore
from evaluator.settings import Hyperparameters
from evaluator.statistics.combined import combined_of
from evaluator.statistics.inference import (
    Influences,
    category_spread,
    influences,
    interval,
    spread_over_seeds,
    test,
    with_seeds,
)
from evaluator.studies.scoring import of_items
from evaluator.studies.tuning.trial import TrialSetup, pair_of, values_of

SeedScores = Mapping[str, tuple[Score, ...]]
"""The scores of the models of all seeds, by the text of the measure."""


@dataclass(frozen=True, eq=False)
class Finalist:
    """A model trained again, and its scores.

    Attributes:
        outcome: Its trial.
        scores: By view; measures that can score nothing are missing.
        baseline: The scores of the frequency baseline with the same vocabulary, by view and measure.
        reasons: Why a measure can score nothing, by view.
        seeds: With how many seeds it was trained.
    """

    outcome: Outcome
    scores: Mapping[str, SeedScores]
    baseline: Mapping[str, Mapping[str, float]]
    reasons: Mapping[str, str]
    seeds: int

    def estimates(self, view: str) -> dict[str, Estimate]:
        """Each measure, and Combined, on a view: the mean over the seeds, with the interval.

        The chance level of Combined is that of the chance levels of both measures.
        """
        chances = {name: _chance(own) for name, own in self.scores[view].items()}
        known = values_of({name: each or 0.0 for name, each in chances.items()})
        return {
            name: _estimate(seeds, lowest(name), known[name] if name == COMBINED else chances[name])
            for name, seeds in self.influences(view).items()
        }

    def influences(self, view: str) -> dict[str, list[Influences]]:
        """By measure, and for Combined, the value with each seed and how much it owes to each item."""
        scores = self.scores[view]
        found = {name: [influences(each.subscores) for each in own] for name, own in scores.items()}
        pair = pair_of(list(scores))
        if pair is not None:
            both = zip(*(scores[name] for name in pair), strict=True)
            found[COMBINED] = [combined_of(topk.subscores, odd.subscores) for topk, odd in both]
        return found

    @cached_property
    def record(self) -> RetrainedModel:
        """The entry in the result file."""
        whole = {
            name: WholeScore(own[0].hits, own[0].trials, own[0].signature)
            for name, own in self.scores[WHOLE].items()
        }
        estimates = {view: self.estimates(view) for view in self.scores}
        baseline = {view: values_of(own) for view, own in self.baseline.items()}
        return RetrainedModel(
            **structs.asdict(self.outcome),
            estimates=estimates,
            baseline=baseline,
            whole=whole,
            seeds=self.seeds,
        )


def lowest(name: str) -> float:
    """The lowest possible value of a measure, or of Combined."""
    return 0.0 if name == COMBINED else parse_measure(name).lowest


def train_finalist(
    setup: TrialSetup, outcome: Outcome, seeds: int, folder: Path | None, log: Callable[[str], None]
) -> Finalist:
    """Train a model again, first to the same vectors, then with further seeds, and score it on all views.

    Args:
        setup: What all trials have in common.
        outcome: Its finished trial.
        seeds: With how many seeds.
        folder: For the file of the model of the first seed; None to write none.
        log: Called with a line for each trained model.

    Raises:
        TrainingError: A model cannot be trained.
        OutputError: The model cannot be written.
    """
    measures = [parse_measure(each) for each in setup.measures]
    scores: dict[str, dict[str, list[Score]]] = {view: {} for view in setup.views}
    baseline: dict[str, dict[str, float]] = {}
    reasons: dict[str, str] = {}
    sentences = setup.corpus.sentences(setup.with_lemmas(outcome.parameters))
    for number in range(seeds):
        to = None if number else folder
        vectors = setup.trainer.train(sentences, outcome.parameters, setup.seed + number, to)
        log(f"trial {outcome.number} trained again, seed {setup.seed + number}")
        for view in setup.views:
            found, reason = setup.scores(vectors, outcome.parameters, view, measures)
            for name, each in _by_item(found, setup, outcome.parameters, view).items():
                scores[view].setdefault(name, []).append(each)
            reasons |= {} if reason is None else {view: reason}
            if not number:  # the vocabulary does not depend on the seed
                of_frequency = frequency_baseline(vectors)
                levels, _ = setup.scores(of_frequency, outcome.parameters, view, measures)
                baseline[view] = {name: each.value for name, each in levels.items()}
    complete = {
        view: {name: tuple(each) for name, each in own.items() if len(each) == seeds}
        for view, own in scores.items()
    }
    return Finalist(outcome, complete, baseline, reasons, seeds)


def _by_item(
    scores: Mapping[str, Score], setup: TrialSetup, parameters: Hyperparameters, view: str
) -> dict[str, Score]:
    """Scores whose observations are items, as a model of lemmas has other words than one of words."""
    half, corpus = setup.half(view, parameters), setup.corpus.corpus
    normalize = corpus.normalizer_with(lemmas=False)  # lemmas are in the half already
    items: dict[str, str] = {}
    for category in half.test_set.categories:
        for item in category.items:
            for word in item.words:
                items.setdefault(normalize(word), item.id)
    return {
        name: structs.replace(each, subscores=tuple(of_items(own, items) for own in each.subscores))
        for name, each in scores.items()
    }


def _chance(scores: Sequence[Score]) -> float | None:
    levels = [each.chance for each in scores]
    return None if any(each is None for each in levels) else float(np.mean(levels))  # type: ignore[arg-type]


def _estimate(seeds: Sequence[Influences], least: float, chance: float | None) -> Estimate:
    value = float(np.mean([each.value for each in seeds]))
    return Estimate(value, *interval(value, spread_over_seeds(seeds), least), chance)


def differences_of(first: Finalist, second: Finalist, view: str) -> dict[str, Difference]:
    """How much better the second model is than the first, by measure, and Combined.

    The models of each seed are compared; the intervals and tests of the means contain the spread over seeds.
    """
    before, after = first.influences(view), second.influences(view)
    return {
        name: _difference(
            [new - old for old, new in zip(before[name], own, strict=True)],
            _categories(first.scores[view], second.scores[view], name),
            tested=name != COMBINED,
        )
        for name, own in after.items()
        if name in before
    }


def _difference(changes: Sequence[Influences], categories: Sequence[Subscore], *, tested: bool) -> Difference:
    """The mean difference over seeds, tested over words, and over categories if it is a mean over these."""
    values = [each.value for each in changes]
    over = category_spread(categories) if tested else None
    of_categories = None if over is None else Tested(*test(float(np.mean(values)), with_seeds(over, values)))
    of_words = Tested(*test(float(np.mean(values)), spread_over_seeds(changes)))
    observations = len({name for each in changes for name in each.single})
    return Difference(float(np.mean(values)), of_categories, of_words, len(categories), observations)


def _categories(first: SeedScores, second: SeedScores, name: str) -> list[Subscore]:
    """The mean difference over seeds on each category that both models were scored on."""
    measure = next(iter(second)) if name == COMBINED else name
    seeds = len(first[measure])
    rows = zip(*(each.subscores for each in (*first[measure], *second[measure])), strict=True)
    return [
        structs.replace(row[-1], value=_mean_value(row[seeds:]) - _mean_value(row[:seeds]))
        for row in rows
        if all(each.value is not None for each in row)
    ]


def _mean_value(several: Sequence[Subscore]) -> float:
    return float(np.mean([each.value or 0.0 for each in several]))
