"""Which model to keep, from tests of all pairs by all measures."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest

import evaluator
from evaluator.results.scores import Scores
from evaluator.statistics.keep import keep
from evaluator.statistics.scores import compared, floor_of
from evaluator.studies.scoring import score
from tests.evaluator.examples import vectors
from tests.evaluator.results.samples import measured, scored
from tests.evaluator.statistics.test_ranking import compared as difference
from tests.evaluator.statistics.test_scores import BOTH, TEST, WORDS, run_vectors

TOPK, ODD = "Topk@3", "OddOneOut@3"


def answer(models, **wins):
    """What to keep, where pairs such as ab differ by so many standard errors, by each measure."""
    scores = [
        msgspec.convert(scored(name, [measured(TOPK, value), measured(ODD, value)]), Scores)
        for name, value in models.items()
    ]
    lifts = []
    for first, second in itertools.combinations(models, 2):
        of_pair = wins.get(first + second, (0.0, 0.0))
        for measure, value in zip((TOPK, ODD), of_pair, strict=True):
            lift = difference(-value * 0.01, 0.01, first, second)
            lifts.append(msgspec.structs.replace(lift, measure=measure))
    return keep(scores, lifts)


ABLE = {"a": 0.5, "b": 0.5, "c": 0.5}


@pytest.mark.parametrize(
    ("models", "wins", "kind", "named"),
    [
        ({"a": 0.1, "b": 0.1}, {"ab": (9, 9)}, "none", ()),
        ({"a": 0.1, "b": 0.5}, {"ab": (9, 9)}, "only", ("b",)),
        ({"a": 0.5, "b": 0.5}, {"ab": (0, 9)}, "best", ("a",)),
        ({"a": 0.5, "b": 0.5}, {"ab": (-9, 0)}, "best", ("b",)),
        ({"a": 0.5, "b": 0.5}, {"ab": (1, 1)}, "equal", ("a", "b")),
        ({"a": 0.5, "b": 0.5}, {"ab": (9, -9)}, "disagree", ("a", "b")),
        (ABLE, {"ab": (9, 0), "ac": (0, 9)}, "best", ("a",)),
        (ABLE, {"ac": (9, 9), "bc": (9, 9)}, "equal", ("a", "b")),
        (ABLE, {"ac": (9, 9), "bc": (9, 9), "ab": (-9, 9)}, "disagree", ("b", "a")),
        # a beats b, and b beats c, which a does not: a and c cannot be told apart.
        (ABLE, {"ab": (9, 0), "bc": (9, 0)}, "equal", ("a", "c")),
        # Each beats another one.
        (ABLE, {"ab": (9, 0), "bc": (0, 9), "ac": (-9, 0)}, "equal", ("a", "b", "c")),
        # c is better than all, but knows nothing by any measure.
        ({**ABLE, "c": 0.1}, {"ab": (9, 0), "ac": (-9, -9), "bc": (-9, -9)}, "best", ("a",)),
    ],
)
def test_each_answer(models, wins, kind, named):
    found = answer(models, **wins)
    assert (found.kind, set(found.models)) == (kind, set(named))
    assert found.best == (named[0] if kind in ("only", "best") else None)
    if kind == "disagree":
        better = dict(zip(found.models, found.by, strict=True))
        assert better == ({"a": (TOPK,), "b": (ODD,)} if len(models) == 2 else {"a": (ODD,), "b": (TOPK,)})


@pytest.mark.parametrize(
    ("wins", "by"),
    [
        ({"ab": (9, 9), "ac": (9, 9)}, ((TOPK, ODD),)),
        ({"ab": (9, 9), "ac": (9, 0)}, ((TOPK,),)),
        ({"ab": (0, 9), "ac": (9, 0)}, ((ODD,), (TOPK,))),
    ],
)
def test_it_is_said_by_which_measures_the_best_wins(wins, by):
    found = answer(
        {"c": 0.5, "b": 0.6, "a": 0.5},
        ba=(-wins["ab"][0], -wins["ab"][1]),
        ca=(-wins["ac"][0], -wins["ac"][1]),
    )
    assert (found.models, found.by) == (("a",), by)
    assert found.contenders == ("a", "b", "c"), (
        "the best first, then those that are most above their baselines"
    )


def test_tests_of_all_pairs_and_measures_are_corrected_together():
    """A difference that one test would show is not shown by six; tests of other models do not count."""
    assert answer({"a": 0.5, "b": 0.5}, ab=(2.6, 0)).kind == "best"
    assert answer(ABLE, ab=(2.6, 0), ac=(9, 9), bc=(9, 9)).kind == "best"
    assert answer(ABLE, ab=(2.6, 0), ac=(2.6, 0)).kind == "equal"
    assert answer({**ABLE, "c": 0.1}, ab=(2.6, 0)).kind == "best"


def test_a_lift_is_what_a_score_is_above_its_highest_baseline():
    first, second = score(run_vectors(3), TEST, BOTH), score(run_vectors(5, noise=0.5), TEST, BOTH)
    plain, lifted = compared(first, second), compared(first, second, lifted=True)
    for measure in BOTH:
        floors = [floor_of(each[measure]) for each in (first, second)]
        for each, floor in zip((first, second), floors, strict=True):
            levels = {"chance": each[measure].chance, "frequency": each[measure].baseline}
            levels["spelling"] = each[measure].spelling
            assert np.mean([*floor.values()]) == pytest.approx(max(levels.values()))
        above = [
            np.mean([sub.value - floor[sub.name] for sub in each[measure].subscores])
            for each, floor in zip((first, second), floors, strict=True)
        ]
        assert lifted[measure].value == pytest.approx(above[1] - above[0])
        assert lifted[measure].of_words.error == pytest.approx(plain[measure].of_words.error)


def shuffled(seed, noise):
    """Vectors of words whose frequencies say nothing of their categories."""
    order = np.random.default_rng(0).permutation(60)
    return vectors(run_vectors(seed, noise=noise).matrix[order], [WORDS[row] for row in order])


def test_what_a_model_lacks_is_not_for_the_other_to_show():
    """Beside one that knows nothing, a model is the only one; beside its equal, either."""
    good, other = shuffled(3, 0.3), shuffled(3, 0.3)
    nothing = vectors(np.random.default_rng(0).normal(size=(60, 8)), WORDS)
    found = evaluator.score({"good": good, "nothing": nothing}, TEST, BOTH)
    assert (found.best, found.kept[0].kind) == ("good", "only")
    assert "nothing" in found.kept[0].lacking
    assert found.closing == [str(found.kept[0])]
    twice = evaluator.score({"good": good, "other": other, "nothing": nothing}, TEST, BOTH)
    assert (twice.best, twice.kept[0].kind, twice.kept[0].models) == (None, "equal", ("good", "other"))
    (both,) = (each for each in twice.differences if each.measure == BOTH[0] and each.second == "other")
    assert both.is_none, "the same vectors have the same scores"
    assert not any(each.is_none for each in twice.differences if each.second == "nothing")
