"""What a search has found: all trials, the best of them, and an honest number for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.measures.base import Subscore
from evaluator.results.notebook import html_table, shown, shown_interval
from evaluator.statistics.combined import combined
from evaluator.statistics.resampling import Difference, difference, interval, mean_replicates
from evaluator.studies.scoring import Score
from evaluator.studies.tuning.trial import COMBINED, REPORT, WHOLE, Outcome
from evaluator.text.corpus import CorpusStatistics

if TYPE_CHECKING:
    import pandas as pd

FORMAT, VERSION = "tuning", 1


@dataclass(frozen=True)
class Estimate:
    """A value and where it lies with 95% confidence.

    Attributes:
        value: The value.
        low: From here …
        high: … to here.
        chance: What a model that knows nothing is expected to reach; None for differences.
    """

    value: float
    low: float
    high: float
    chance: float | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A model trained again, and its scores.

    Attributes:
        outcome: Its trial.
        scores: Topk and OddOneOut by view; categories that it cannot be scored on are parts with the value 0.
    """

    outcome: Outcome
    scores: Mapping[str, tuple[Score, ...]]

    def estimates(self, view: str) -> dict[str, Estimate]:
        """Each measure, and Combined, on one of the views; Combined with the same words drawn for both.

        The chance of Combined is that of the chances of both measures.
        """
        scores = self.scores[view]
        found = {str(each.measure): Estimate(each.value, *each.interval, each.chance) for each in scores}
        low, high = interval(_combined_replicates(scores), 0, 1)
        value = combined(*(score.value for score in scores))
        chance = combined(*(score.chance or 0.0 for score in scores))
        return {**found, COMBINED: Estimate(value, low, high, chance)}


@dataclass(frozen=True, eq=False, repr=False)
class TuningResult:
    """All trials, and the best of them beside the default hyper-parameters.

    Attributes:
        corpus: The name of the corpus.
        statistics: What it holds.
        test_set: The name of the test set.
        language: Its code.
        categories: How many categories are in each view.
        left_out: Categories that no model of this corpus can be scored on, and why.
        outcomes: All trials by number; 0 is the default hyper-parameters.
        best: The best by Combined on the half that models are chosen by, trained again.
        default: gensim's default hyper-parameters, trained again; None if that trial failed.
        notes: What else there is to know.
    """

    corpus: str
    statistics: CorpusStatistics
    test_set: str
    language: str
    categories: Mapping[str, int]
    left_out: Mapping[str, str]
    outcomes: Sequence[Outcome]
    best: Model
    default: Model | None
    notes: Sequence[str] = ()

    @property
    def view(self) -> str:
        """What the honest number is on: the other half, or the whole where there are no halves."""
        return REPORT if REPORT in self.best.scores else WHOLE

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """How much better the best is than the default, on the half that it was not chosen by."""
        if self.default is None:
            return {}
        pairs = zip(self.default.scores[self.view], self.best.scores[self.view], strict=True)
        found = {str(b.measure): difference(a.subscores, b.subscores, b.settings.seed) for a, b in pairs}
        return {name: each for name, each in found.items() if each is not None}

    @cached_property
    def combined_difference(self) -> Estimate | None:
        """The same of Combined: the difference with the same words drawn again for both models."""
        if self.default is None:
            return None
        drawn = [_combined_replicates(model.scores[self.view]) for model in (self.best, self.default)]
        values = [model.estimates(self.view)[COMBINED].value for model in (self.best, self.default)]
        return Estimate(values[0] - values[1], *interval(drawn[0] - drawn[1], -1, 1))

    def __repr__(self) -> str:
        """In a line."""
        found = self.best.estimates(self.view)[COMBINED]
        return (
            f"<tuning of {self.corpus} on {self.test_set}: {len(self.outcomes)} trials, the best is "
            f"{self.best.outcome.number} ({self.best.outcome.parameters}), {COMBINED} on {self.view} "
            f"{shown(found.value)} ({shown_interval((found.low, found.high))})>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the best model and the default, on what neither was chosen by."""
        models = {"best": self.best, **({"default": self.default} if self.default else {})}
        rows = [
            (
                *(f"{name} ({model.outcome.number})", measure, shown(each.value)),
                *(shown_interval((each.low, each.high)), shown(each.chance)),
            )
            for name, model in models.items()
            for measure, each in model.estimates(self.view).items()
        ]
        caption = f"{self.corpus} on {self.test_set}: {len(self.outcomes)} trials; scores on {self.view}"
        columns = ("model", "measure", "score", "95% interval", "chance")
        notes = [f"best ({self.best.outcome.number}): {self.best.outcome.parameters}"]
        if self.view == WHOLE:
            notes.append("on the same test set that the model was chosen by, which flatters it")
        return html_table(caption, columns, rows, [*notes, *self.notes])

    def frame(self) -> pd.DataFrame:
        """A table with a row for each trial, the best first.

        Columns are trial, the hyper-parameters, vocabulary, and each value of each view; values of failed
        trials are missing, and `reason` says why. How long trials took is not in it, so that the same study
        gives the same table wherever it was made.
        """
        import pandas as pd

        rows = [
            {
                "trial": outcome.number,
                **asdict(outcome.parameters),
                "vocabulary": outcome.vocabulary,
                **{f"{view} {name}": v for view, own in outcome.values.items() for name, v in own.items()},  # noqa: PD011 - no table
                "reason": outcome.reason,
            }
            for outcome in sorted(self.outcomes, key=lambda each: each.rank, reverse=True)
        ]
        return pd.DataFrame(rows)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        models = {"best": self.best, "default": self.default}
        return {
            "format": FORMAT,
            "version": VERSION,
            "corpus": self.corpus,
            "statistics": asdict(self.statistics),
            "test_set": self.test_set,
            "language": self.language,
            "categories": dict(self.categories),
            "left_out": dict(self.left_out),
            "reported_on": self.view,
            **{name: model and _model_dict(model) for name, model in models.items()},
            "differences": {name: asdict(each) for name, each in self.differences.items()},
            "combined_difference": self.combined_difference and asdict(self.combined_difference),
            "notes": list(self.notes),
            "trials": [outcome.as_dict() for outcome in self.outcomes],
        }


def with_skipped(own: Score, other: Score | None) -> Score:
    """A score in which categories that were skipped count as 0, unit by unit.

    Args:
        own: The score.
        other: That of another model, which knows the words of categories that this one cannot be scored on.
    """
    known = {} if other is None else {part.name: part for part in other.subscores if part.value is not None}
    parts = (part if part.value is not None else _zero(part, known.get(part.name)) for part in own.subscores)
    return replace(own, subscores=tuple(parts))


def all_skipped(like: Score, vectors: str) -> Score:
    """The score of a model that cannot be scored on any category.

    Args:
        like: That of another model, which can.
        vectors: The name of the model.
    """
    parts = tuple(_zero(part, None if part.value is None else part) for part in like.subscores)
    return replace(like, vectors=vectors, subscores=parts)


def _zero(part: Subscore, like: Subscore | None) -> Subscore:
    """A skipped part with the value 0 for each unit; units have no names where no model has scored them."""
    if like is None:
        units: tuple[str, ...] = tuple(map(str, range(max(part.size, 1))))
        return replace(
            part, value=0.0, observations=units, pseudovalues=np.zeros(len(units)), hits=0, chance=0.0
        )
    return replace(like, value=0.0, pseudovalues=np.zeros(len(like.observations)), hits=0, chance=0.0)


def _combined_replicates(scores: tuple[Score, ...]) -> Doubles:
    drawn = [np.clip(mean_replicates(score.subscores, score.settings.seed), 0, 1) for score in scores]
    return np.array([combined(*pair) for pair in zip(*drawn, strict=True)])


def _model_dict(model: Model) -> dict[str, Any]:
    views = {
        view: {name: asdict(each) for name, each in model.estimates(view).items()} for view in model.scores
    }
    whole = {
        str(score.measure): {"hits": score.hits, "trials": score.trials, "signature": score.signature}
        for score in model.scores[WHOLE]
    }
    return {**model.outcome.as_dict(), "estimates": views, "whole": whole}
