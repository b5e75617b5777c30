"""The scores of one language on a category or topic, with chance level and frequency baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluator.datasets.testset import TestSet
from evaluator.engine.frequency import frequency_baseline
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup, find_category
from evaluator.execution.machine import Machine
from evaluator.measures.base import Subscore
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from evaluator.results.comparison import Group, Row, View
from evaluator.settings import Settings
from evaluator.statistics.combined import combined, combined_of
from evaluator.statistics.inference import LEAST_OBSERVATIONS, influences, interval, observations_of
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors

Measures = tuple[Topk, OddOneOut]
COMBINED = "Combined"


@dataclass(frozen=True, eq=False)
class LanguageScores:
    """The scores of one language in one view.

    Attributes:
        code: The language's code.
        sizes: The size of the vocabulary, by category.
        subscores: By the text of the measure, its score on each category.
        baseline: The same for the frequency baseline.
    """

    code: str
    sizes: Mapping[str, int]
    subscores: Mapping[str, Sequence[Subscore]]
    baseline: Mapping[str, Sequence[Subscore]]

    def scored(self, measure: str, group: Group) -> list[Subscore]:
        """The scores on the categories of a group, without skipped ones."""
        return [
            each
            for each in self.subscores[measure]
            if each.name in group.categories and each.value is not None
        ]

    def above_baseline(self, measure: str, group: Group) -> bool:
        """Whether the 95% interval on a group is above the chance level and the frequency baseline."""
        scored = self.scored(measure, group)
        low, _ = _interval(scored)
        baseline = [each for each in self.baseline[measure] if each.name in group.categories]
        level = _mean([each for each in baseline if each.value is not None], "value")
        return low is not None and low > max(_mean(scored, "chance") or 0.0, level or 0.0)


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
    machine: Machine = Machine(),
) -> LanguageScores:
    """Score vectors and their frequency baseline on the categories of a test set.

    Args:
        code: The language's code.
        vectors: Its vectors.
        test_set: Its test set.
        measures: Topk and OddOneOut.
        settings: For both measures.
        machine: How many threads share the work.
    """
    own, baseline = (
        _subscores(each, test_set, measures, settings, machine)
        for each in (vectors, frequency_baseline(vectors))
    )
    return LanguageScores(code, {each.name: len(vectors) for each in test_set.categories}, own, baseline)


def rows_of(scores: LanguageScores, view: View, group: Group, measures: Measures) -> Iterator[Row]:
    """Three rows: Topk, OddOneOut and Combined of a language on a category or topic."""
    topk, odd = (_row(scores, view, group, str(measure)) for measure in measures)
    yield topk
    yield odd
    low, high = _combined_interval([scores.scored(str(each), group) for each in measures])
    yield Row(
        scores.code,
        group.name,
        view,
        COMBINED,
        _combined(topk.value, odd.value),
        low,
        high,
        _combined(topk.chance, odd.chance),
        _combined(topk.baseline, odd.baseline),
        topk.n,
        topk.oov,
        group.kind,
        topk.vocabulary,
        topk.skipped or odd.skipped,
    )


def _subscores(
    vectors: Vectors, test_set: TestSet, measures: Measures, settings: Settings, machine: Machine
) -> dict[str, tuple[Subscore, ...]]:
    """The subscores of each measure; a measure that can score nothing is no error, all of its are skipped."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, settings)
    found = [find_category(category, lookup, settings) for category in test_set.categories]
    reasons = {measure: _why_not(measure, found, settings) for measure in measures}
    possible = [measure for measure, why in reasons.items() if None in why]
    # The digest of vectors that are cut for each category says nothing, and takes time.
    scores = score(vectors, test_set, possible, settings, machine=machine, sha256="") if possible else None
    return {
        str(measure): scores[str(measure)].subscores
        if scores is not None and measure in possible
        else tuple(
            Subscore.of(category.name, len(category.words), category.oov, skipped=why)
            for category, why in zip(found, reasons[measure], strict=True)
        )
        for measure in measures
    }


def _why_not(
    measure: Topk | OddOneOut, categories: Sequence[FoundCategory], settings: Settings
) -> list[str | None]:
    """Why a measure does not score each category; if no word at all is known, it scores none."""
    reasons = [measure.why_not(category, settings) for category in categories]
    counted = [category for category, why in zip(categories, reasons, strict=True) if why is None]
    if any(category.usable for category in counted):
        return reasons
    return [why or "no word is known" for why in reasons]


def _row(scores: LanguageScores, view: View, group: Group, measure: str) -> Row:
    own = [each for each in scores.subscores[measure] if each.name in group.categories]
    usable = scores.scored(measure, group)
    baseline = [
        each for each in scores.baseline[measure] if each.name in group.categories and each.value is not None
    ]
    low, high = _interval(usable)
    sizes = {scores.sizes[each.name] for each in own if each.name in scores.sizes}
    return Row(
        scores.code,
        group.name,
        view,
        measure,
        _mean(usable, "value"),
        low,
        high,
        _mean(usable, "chance"),
        _mean(baseline, "value"),
        sum(each.size for each in own),
        sum(each.oov for each in own),
        group.kind,
        sizes.pop() if len(sizes) == 1 else None,
        None if usable else _why_none(own),
    )


def _why_none(subscores: Sequence[Subscore]) -> str:
    reasons = dict.fromkeys(each.skipped for each in subscores if each.skipped)
    return "; ".join(reasons) or "not in its test set"


def _mean(scored: Sequence[Subscore], attribute: str) -> float | None:
    """The weighted mean; None if there are no scores."""
    weights = math.fsum(each.weight for each in scored)
    if not weights:
        return None
    return math.fsum(each.weight * getattr(each, attribute) for each in scored) / weights


def _combined_interval(scored: Sequence[Sequence[Subscore]]) -> tuple[float, float] | tuple[None, None]:
    if not all(map(_enough, scored)):
        return None, None
    topk, odd = scored
    both = combined_of(topk, odd)
    return interval(both.value, both.spread)


def _interval(scored: Sequence[Subscore]) -> tuple[float, float] | tuple[None, None]:
    if not _enough(scored):
        return None, None
    found = influences(scored)
    return interval(found.value, found.spread)


def _enough(scored: Sequence[Subscore]) -> bool:
    """Whether there are enough words for an interval."""
    return bool(scored) and all(
        len(observations_of(each).influences) >= LEAST_OBSERVATIONS for each in scored
    )


def _combined(topk: float | None, odd_one_out: float | None) -> float | None:
    return None if topk is None or odd_one_out is None else combined(topk, odd_one_out)
