"""Mean scores over training runs, and how seeds take part in intervals and tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evaluator.studies.training_runs import mean_over_runs

from evaluator.datasets.testset import AnalogySection, RatedPairs
from evaluator.engine.vocabulary_lookup import CommonWords
from evaluator.settings import Settings
from evaluator.statistics.inference import difference, influences
from evaluator.studies.scoring import known_words, score
from tests.evaluator.examples import test_set, vectors

WORDS = [f"w{row}" for row in range(60)]
TEST = test_set(**{f"c{n}": [*WORDS[6 * n : 6 * n + 6], f"gone{n}"] for n in range(7)})
BOTH = ["Topk@2", "OddOneOut@2"]


def run(seed, strength=1.5, noise=1.0, context=True, **how):
    """Vectors of words in categories: what a model knows of them stays, and the noise is that of a seed."""
    model = np.random.default_rng(7)
    matrix = strength * np.repeat(model.normal(size=(10, 8)), 6, axis=0) + model.normal(size=(60, 8))
    matrix = matrix + noise * np.random.default_rng(seed).normal(size=(60, 8))
    return score(vectors(matrix, WORDS), TEST, BOTH, context=context, **how)


def test_the_mean_over_runs():
    runs = [run(seed) for seed in range(4)]
    found = mean_over_runs("base", runs)
    for measure, own in found.items():
        values = [each[measure].value for each in runs]
        assert own.value == pytest.approx(np.mean(values))
        assert own.seeds == tuple(values)
        assert own.vectors == "base"
        assert own.chance == pytest.approx(np.mean([each[measure].chance for each in runs]))
        spread = influences(own.subscores).spread
        each = [influences(one[measure].subscores).single for one in runs]
        mean = {name: np.mean([one[name] for one in each]) for name in each[0]}
        assert influences(own.subscores).single == pytest.approx(mean)
        width = own.interval[1] - own.interval[0]
        assert width > 1.5 * np.sqrt(spread.variance + np.var(values, ddof=1) / 4)
    assert found.combined == pytest.approx(
        2 / sum(1 / (each.value + 1e-4) for each in found.values()), rel=1e-9
    )
    assert found.words == (42, 49)
    assert found.known["Topk@2"].value == pytest.approx(
        np.mean([each.known["Topk@2"].value for each in runs])
    )
    assert found.frequency["Topk@2"].seeds == (runs[0].frequency["Topk@2"].value,) * 4


def test_one_run_is_itself():
    one = run(3)
    found = mean_over_runs("one", [one])
    for measure, own in found.items():
        assert own.value == one[measure].value
        assert own.interval == pytest.approx(one[measure].interval)
        assert own.category_interval == pytest.approx(one[measure].category_interval)


def test_measures_that_a_run_lacks_are_left_out_and_named():
    full = score(vectors(np.eye(60), WORDS), TEST, BOTH)
    lacking = replace(score(vectors(np.eye(60), WORDS), TEST, BOTH[0]), failures={"OddOneOut@2": "no luck"})
    found = mean_over_runs("some", [full, lacking])
    assert list(found) == BOTH[:1]
    assert found.failures == {"OddOneOut@2": "no luck"}


def test_seeds_are_part_of_tests():
    """Two ways of training that do not differ: without the seeds' part, tests would find differences."""
    false, without = 0, 0
    for world in range(30):
        first, second = (
            mean_over_runs(
                name, [run(1000 * world + 10 * number + seed, noise=2.0, context=False) for seed in range(3)]
            )
            for number, name in enumerate("ab")
        )
        one, other = first["OddOneOut@2"], second["OddOneOut@2"]
        with_seeds = difference(one.subscores, other.subscores, seeds=(one.seeds, other.seeds))
        alone = difference(one.subscores, other.subscores)
        assert with_seeds.of_words.high - with_seeds.of_words.low >= alone.of_words.high - alone.of_words.low
        false += with_seeds.of_words.p < 0.05
        without += alone.of_words.p < 0.05
    assert false <= 3
    assert without >= false


def test_models_are_asked_the_words_that_all_know():
    matrix = np.random.default_rng(0).normal(size=(60, 8))
    whole, small = vectors(matrix, WORDS), vectors(matrix[:30], WORDS[:30])
    skip = Settings(oov="skip")
    common = CommonWords.of([known_words(each, TEST, BOTH, skip) for each in (whole, small)])
    assert (common.words, common.vocabulary) == (frozenset(WORDS[:30]), 30)
    found = [score(each, TEST, BOTH, skip, common=common) for each in (whole, small)]
    for measure in BOTH:
        assert len({each[measure].value for each in found}) == 1
        assert len({each[measure].signature for each in found}) == 1
        assert f"common:{common.digest}" in found[0][measure].signature
    alone = score(whole, TEST, BOTH, skip)
    assert "common:" not in alone["Topk@2"].signature


def test_a_smaller_vocabulary_gains_nothing_where_unknown_words_are_left_out():
    """The same vectors, cut: on the words that both know their scores are the same, and not better."""
    generator = np.random.default_rng(1)
    topics = np.repeat(generator.normal(size=(10, 8)), 6, axis=0)
    matrix = (topics + generator.normal(size=(60, 8)))[generator.permutation(60)]
    models = [vectors(matrix[:size], WORDS[:size]) for size in (60, 50, 40)]
    skip = Settings(oov="skip")
    common = CommonWords.of([known_words(each, TEST, BOTH, skip) for each in models])
    found = [score(each, TEST, BOTH, skip, common=common) for each in models]
    for measure in BOTH:
        assert len({each[measure].value for each in found}) == 1


def test_context():
    found = run(1)
    assert found.words == (42, 49)
    skip = run(1, settings=Settings(oov="skip"))
    assert skip.known is None, "known words are all there is"
    for measure in BOTH:
        assert found.known[measure].value == skip[measure].value
        assert found.known[measure].signature == skip[measure].signature
        assert found.known.frequency_level(measure) == skip.frequency_level(measure)
    assert run(1)["Topk@2"].value == found["Topk@2"].value


def test_known_words_alone_are_those_of_oov_skip():
    """They share what is collected from the vocabulary, where that is the same."""
    generator = np.random.default_rng(4)
    pairs = (*tuple((f"w{row}", (f"w{row + 30}",)) for row in range(28)), ("w28", ("gone0",)))
    rated = RatedPairs("r", "r", tuple((f"w{row}", f"w{2 * row}", float(row % 7)) for row in range(1, 34)))
    test = replace(TEST, analogies=(AnalogySection("s", "s", pairs),), rated_pairs=(rated,))
    every = ["Topk@3", "OddOneOut@2", "OddOneOut(out=matched)@2", "OddOneOut(samples=50)@2", "Analogy@1"]
    every += ["Analogy(method=3CosMul)@2", "AnalogySpace", "Similarity", "OutlierDetection", "Categorization"]
    model = vectors(generator.normal(size=(60, 8)), WORDS)
    both, alone = score(model, test, every, context=True), score(model, test, every, Settings(oov="skip"))
    for measure, expected in alone.items():
        found = both.known[measure]
        assert (found.value, found.interval, found.chance) == (
            expected.value,
            expected.interval,
            expected.chance,
        )
    assert set(both.frequency) == {measure for measure in both if not measure.startswith("Analogy")}


def test_above_chance():
    found = run(1)
    shares = [(each.value - each.chance) / (1 - each.chance) for each in found.values()]
    both = found.above_chance
    assert both.value == pytest.approx(np.mean(shares))
    assert both.low < both.value < both.high <= 1
    assert both.chance == pytest.approx(0)
