"""Scores of one language on a category or topic, beside chance and the frequency baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import frequency_baseline
from evaluator.engine.vocabulary_lookup import VocabularyLookup, find_category
from evaluator.measures.base import Subscore
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.results.comparison import Group, Row, View
from evaluator.settings import Settings
from evaluator.statistics.combined import combined
from evaluator.statistics.resampling import LEAST_UNITS, interval, mean_replicates
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors

Measures = tuple[Topk, OddOneOut]
Parts = Mapping[str, Sequence[Subscore]]
COMBINED = "Combined"


@dataclass(frozen=True, eq=False)
class Scored:
    """One language in one view.

    Attributes:
        code: Its code.
        sizes: How many words the vocabulary has, by category.
        parts: Its scores on all categories, by the text of the measure.
        baseline: The same of the frequency baseline.
    """

    code: str
    sizes: Mapping[str, int]
    parts: Parts
    baseline: Parts

    def scored(self, measure: str, group: Group) -> list[Subscore]:
        """The parts of a group that have a score."""
        return [part for part in _of_group(self.parts[measure], group) if part.value is not None]


def measures_of(k: int) -> Measures:
    """The two measures of a comparison.

    Raises:
        MeasureError: k is too small.
    """
    return Topk(k), OddOneOut(k)


def score_language(
    code: str,
    vectors: Vectors,
    test_set: TestSet,
    measures: Measures,
    settings: Settings,
    threads: int | None = None,
) -> Scored:
    """Score vectors and their frequency baseline on the categories of a test set.

    Args:
        code: The language's code.
        vectors: Its vectors.
        test_set: Its test set.
        measures: Topk and OddOneOut.
        settings: Of the run.
        threads: How many share the work.
    """
    own, baseline = (
        _parts(each, test_set, measures, settings, threads) for each in (vectors, frequency_baseline(vectors))
    )
    return Scored(code, {each.name: len(vectors) for each in test_set.categories}, own, baseline)


def rows_of(scored: Scored, view: View, group: Group, measures: Measures, seed: int) -> Iterator[Row]:
    """Three rows: Topk, OddOneOut and Combined of a language on a category or topic."""
    topk, odd = (_measured(scored, view, group, str(measure), seed) for measure in measures)
    yield topk
    yield odd
    low, high = _combined_interval([scored.scored(str(each), group) for each in measures], seed)
    yield Row(
        scored.code,
        group.name,
        view,
        COMBINED,
        _both(topk.value, odd.value),
        low,
        high,
        _both(topk.chance, odd.chance),
        _both(topk.baseline, odd.baseline),
        topk.n,
        topk.oov,
        group.kind,
        topk.vocabulary,
        topk.skipped or odd.skipped,
    )


def _parts(
    vectors: Vectors, test_set: TestSet, measures: Measures, settings: Settings, threads: int | None
) -> dict[str, tuple[Subscore, ...]]:
    """The parts of each measure; a measure that can score nothing has skipped ones, and is no error here."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    found = [find_category(category, lookup, settings) for category in test_set.categories]
    reasons = {
        measure: [measure.why_not(category, len(lookup.vectors)) for category in found]
        for measure in measures
    }
    possible = [measure for measure, why in reasons.items() if None in why]
    scores = score(vectors, test_set, possible, settings, threads=threads) if possible else {}
    return {
        str(measure): scores[str(measure)].subscores
        if measure in possible
        else tuple(
            Subscore(category.name, len(category.words), category.oov, skipped=why)
            for category, why in zip(found, reasons[measure], strict=True)
        )
        for measure in measures
    }


def _measured(scored: Scored, view: View, group: Group, measure: str, seed: int) -> Row:
    parts = _of_group(scored.parts[measure], group)
    usable = scored.scored(measure, group)
    low, high = _interval(usable, seed)
    sizes = {scored.sizes[part.name] for part in parts if part.name in scored.sizes}
    return Row(
        scored.code,
        group.name,
        view,
        measure,
        _mean(usable, "value"),
        low,
        high,
        _mean(usable, "chance"),
        _mean(
            [part for part in _of_group(scored.baseline[measure], group) if part.value is not None], "value"
        ),
        sum(part.size for part in parts),
        sum(part.oov for part in parts),
        group.kind,
        sizes.pop() if len(sizes) == 1 else None,
        None if usable else _why_none(parts),
    )


def _of_group(parts: Sequence[Subscore], group: Group) -> list[Subscore]:
    return [part for part in parts if part.name in group.categories]


def _why_none(parts: Sequence[Subscore]) -> str:
    reasons = dict.fromkeys(part.skipped for part in parts if part.skipped)
    return "; ".join(reasons) or "not in its test set"


def _mean(scored: Sequence[Subscore], attribute: str) -> float | None:
    """The mean over parts, weighted as in the mean of all scores."""
    weights = sum(part.weight for part in scored)
    if not weights:
        return None
    return float(sum(part.weight * getattr(part, attribute) for part in scored) / weights)


def _interval(scored: Sequence[Subscore], seed: int) -> tuple[float, float] | tuple[None, None]:
    if not _tell_how_they_vary(scored):
        return None, None
    return interval(mean_replicates(scored, seed), 0, 1)


def _combined_interval(
    scored: Sequence[Sequence[Subscore]], seed: int
) -> tuple[float, float] | tuple[None, None]:
    """Both measures with the same words drawn again."""
    if not all(map(_tell_how_they_vary, scored)):
        return None, None
    drawn = [np.clip(mean_replicates(parts, seed), 0, 1) for parts in scored]
    return interval(np.array([combined(*pair) for pair in zip(*drawn, strict=True)]), 0, 1)


def _tell_how_they_vary(scored: Sequence[Subscore]) -> bool:
    return bool(scored) and all(len(part.observations) >= LEAST_UNITS for part in scored)


def _both(topk: float | None, odd_one_out: float | None) -> float | None:
    return None if topk is None or odd_one_out is None else combined(topk, odd_one_out)
