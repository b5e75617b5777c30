"""Which of several models to keep: one answer over all measures, or that none can be given.

A model is a contender if it is shown to be above chance, frequency and spelling by at least one measure.
Contenders are compared by their lifts, what they are above the highest of the three: by KeywordRank, if all
models know enough related words; else by all measures that choose, such as Topk and OddOneOut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from evaluator.results.base import SIGNIFICANT
from evaluator.results.kept import Kept
from evaluator.results.scores import Scores, TestedDifference, contenders_of
from evaluator.statistics.inference import holm


def keep(models: Sequence[Scores], lifts: Iterable[TestedDifference] = ()) -> Kept:
    """Which of the models of a test set to keep.

    Tests of all pairs of contenders by all measures that choose are corrected together (Holm 1979), so that
    the answer errs in at most one of twenty tables. A model beats another one if it is better by one measure,
    and worse by none.

    Args:
        models: Their scores on one test set, among the same candidates.
        lifts: The differences of the lifts of pairs of models.
    """
    found = contenders_of(models)
    able = found.contenders
    if len(able) < 2:
        return found
    deciding = found.chosen_by or found.measures
    asked = [each for each in lifts if each.measure in deciding and {each.first, each.second} <= {*able}]
    wins: dict[tuple[str, str], dict[str, None]] = {}
    for each, p in zip(asked, holm([each.tested.p for each in asked]), strict=True):
        if p < SIGNIFICANT and each.value:
            pair = (each.second, each.first) if each.value > 0 else (each.first, each.second)
            wins.setdefault(pair, {})[each.measure] = None
    beats = {pair for pair in wins if pair[::-1] not in wins}
    able = _best_first(models, able, beats, deciding)
    found = replace(found, models=able, contenders=able)
    first = [one for one in able if all((one, other) in beats for other in able if other != one)]
    if first:
        others = [tuple(wins[first[0], other]) for other in able if other != first[0]]
        return replace(found, kind="best", models=(first[0],), by=_by(others, found.measures))
    top = _not_beaten(able, able, beats)
    if len(top) < 2:  # by tests, A may beat B, and B another model that A does not; or each another one
        top = _not_beaten(able, top, beats)
    clash = next((pair for pair in wins if pair[::-1] in wins and {*pair} <= {*top}), None)
    if clash is not None:
        by = tuple(
            tuple(each for each in found.measures if each in wins[one]) for one in (clash, clash[::-1])
        )
        return replace(found, kind="disagree", models=clash, by=by)
    return replace(found, models=top)


def _best_first(
    models: Sequence[Scores], able: Collection[str], beats: Collection[tuple[str, str]], by: Sequence[str]
) -> tuple[str, ...]:
    """Contenders, those first that beat most others; of as many, by what they are above their baselines."""
    lifts = {
        each.model: next(own.lift for own in each.measured if own.measure in by)
        for each in models
        if each.model in able
    }
    often = Counter(first for first, _ in beats)
    return tuple(sorted(able, key=lambda model: (-often[model], -lifts[model])))


def _by(wins: Sequence[tuple[str, ...]], measures: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """By which measures a model beats all others; or, if there is none, each of them."""
    common = tuple(measure for measure in measures if all(measure in own for own in wins))
    each = (tuple(measure for measure in measures if measure in own) for own in wins)
    return (common,) if common else tuple(dict.fromkeys(each))


def _not_beaten(
    models: Iterable[str], by: Iterable[str], beats: Collection[tuple[str, str]]
) -> tuple[str, ...]:
    return tuple(one for one in models if not any((other, one) in beats for other in by))
