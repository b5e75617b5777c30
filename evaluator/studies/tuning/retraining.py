"""The best model and the default, trained again with one or several seeds, and scored on all views."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import structs

from evaluator.engine.frequency import frequency_baseline
from evaluator.errors import ScoreError
from evaluator.measures import parse_measure
from evaluator.results.scores import ModelFailure, Score, Scores
from evaluator.results.tuning import Trial
from evaluator.settings import Hyperparameters
from evaluator.statistics.combined import with_combined
from evaluator.statistics.scores import mean_over_runs, with_baseline
from evaluator.studies.scoring import of_items
from evaluator.studies.tuning.trial import TrialSetup
from evaluator.vectors import Vectors


def train_again(
    setup: TrialSetup, trial: Trial, seeds: int, folder: Path | None, log: Callable[[str], None]
) -> tuple[list[Scores], list[ModelFailure]]:
    """Train a model again, first to the same vectors, then with further seeds, and score it on all views.

    The results are the means over the seeds on each view; and views on which something could not be scored.
    Both have the keys `trial` and `view`.
    """
    runs: dict[str, list[Scores]] = {view: [] for view in setup.views}
    reasons: dict[str, str] = {}
    sentences = setup.corpus.sentences(setup.with_lemmas(trial.parameters))
    for seed in range(setup.seed, setup.seed + seeds):
        to = folder if seed == setup.seed else None
        vectors = setup.trainer.train(sentences, trial.parameters, seed, to)
        log(f"trial {trial.number} trained again, seed {seed}")
        for view, of_view in runs.items():
            try:
                of_view.append(_scores(setup, vectors, trial.parameters, view))
            except ScoreError as error:
                reasons[view] = str(error)
    results: list[Scores] = []
    failures: list[ModelFailure] = []
    for view, of_view in runs.items():
        keys: dict[str, str | int | float] = {"trial": trial.number, "view": view}
        if len(of_view) == seeds:
            mean = of_view[0] if seeds == 1 else mean_over_runs(of_view[0].model, of_view)
            results.append(structs.replace(mean, keys=keys))
            reasons |= {view: mean.failures[-1].reason} if mean.failures else {}
        if view in reasons:
            test_set = setup.views[view].test_set.name
            failures.append(ModelFailure(str(trial.parameters), test_set, reasons[view], keys))
    return results, failures


def _scores(setup: TrialSetup, vectors: Vectors, parameters: Hyperparameters, view: str) -> Scores:
    """Scores beside the frequency baseline, whose observations are items.

    A model of lemmas has other words than one of words, but the same items.
    """
    measures = [parse_measure(each) for each in setup.measures]
    scores = setup.scores(vectors, parameters, view, measures)
    with suppress(ScoreError):  # it knows no word if all vectors are built from subwords
        frequency = setup.scores(frequency_baseline(vectors), parameters, view, measures)
        scores = with_baseline(scores, frequency)
    normalize = setup.corpus.corpus.normalizer_with(lemmas=False)  # lemmas are in the half already
    items: dict[str, str] = {}
    for category in setup.half(view, parameters).test_set.categories:
        for item in category.items:
            for word in item.words:
                items.setdefault(normalize(word), item.id)

    def by_item(score: Score) -> Score:
        return structs.replace(score, subscores=tuple(of_items(each, items) for each in score.subscores))

    return structs.replace(scores, scores=with_combined([by_item(each) for each in scores.measured]))
