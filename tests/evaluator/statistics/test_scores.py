"""Scores and means over training runs: seeds in intervals and tests, and words that are known."""

from __future__ import annotations

from dataclasses import replace as with_fields

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import binom

import evaluator
from evaluator.datasets.testset import AnalogySection, RatedPairs
from evaluator.engine.vocabulary_lookup import Candidates, frequency_baseline, hashes_of
from evaluator.errors import ScoreError
from evaluator.execution.inputs import Input
from evaluator.measures import parse_measure
from evaluator.results.score import Failure
from evaluator.settings import Settings
from evaluator.statistics.comparison import over_languages
from evaluator.statistics.inference import difference, variation
from evaluator.statistics.scores import (
    combined_difference,
    differences,
    mean_over_runs,
    with_baselines,
)
from evaluator.studies.scoring import known_words, score
from tests.evaluator.examples import test_set, vectors
from tools.simulate import errors_over_languages, in_languages

WORDS = [f"w{row}" for row in range(60)]
TEST = test_set(**{f"c{n}": [*WORDS[6 * n : 6 * n + 6], f"gone{n}"] for n in range(7)})
BOTH = ["Topk@2", "OddOneOut@2"]


def run_vectors(seed, strength=1.5, noise=1.0):
    """Vectors of words in categories: what a model knows of them stays, and the noise is that of a seed."""
    model = np.random.default_rng(7)
    matrix = strength * np.repeat(model.normal(size=(10, 8)), 6, axis=0) + model.normal(size=(60, 8))
    matrix = matrix + noise * np.random.default_rng(seed).normal(size=(60, 8))
    return vectors(matrix, WORDS)


def run(seed, noise=1.0, context=True, **how):
    return score(run_vectors(seed, noise=noise), TEST, BOTH, context=context, **how)


def test_a_category_of_fewer_than_three_observations_has_no_interval():
    test = test_set(two=WORDS[:2], three=WORDS[6:9])
    found = score(run_vectors(1), test, "Topk@1", Settings(small_categories="score"))
    intervals = {each.name: each.interval for each in found["Topk@1"].subscores}
    assert intervals["two"] is None
    assert intervals["three"] is not None


def test_the_mean_over_runs():
    runs = [run(seed) for seed in range(4)]
    found = mean_over_runs("base", runs)
    assert (found.model, found.runs, found.vocabulary) == ("base", 4, 60)
    for own in found.measured:
        measure = own.measure
        values = [each[measure].value for each in runs]
        assert own.value == pytest.approx(np.mean(values))
        assert own.seeds == tuple(values)
        assert own.subscores[0].seeds == tuple(each[measure].subscores[0].value for each in runs)
        assert own.baseline == pytest.approx(runs[0][measure].baseline)
        assert own.chance == pytest.approx(np.mean([each[measure].chance for each in runs]))
        kind = parse_measure(measure)
        each = [variation(kind, one[measure].subscores).single for one in runs]
        mean = {name: np.mean([one[name] for one in each]) for name in each[0]}
        assert variation(kind, own.subscores).single == pytest.approx(mean)
        low, high = variation(kind, own.subscores).ends(0.05)
        assert own.interval[1] - own.interval[0] > high - low, "the variance over seeds is added"
    assert found["Combined"].value == pytest.approx(
        2 / sum(1 / (each.value + 1e-4) for each in found.measured), rel=1e-9
    )
    assert (found.known_words, found.words) == (42, 49)
    assert (found["Topk@2"].known, found["Topk@2"].n) == (42, 49)
    for text in ("Topk@2", "Combined"):
        of_known = found[text].of_known
        assert (of_known.words, of_known.n, of_known.known) == ("known", 42, 42)
    assert found["Topk@2"].of_known.value == pytest.approx(
        np.mean([each["Topk@2"].of_known.value for each in runs])
    )


def test_a_run_without_a_score_is_left_out_or_counts_as_zero():
    whole = run(0, context=False)
    lacking = replace(whole, scores=whole.scores[:1], failures=(Failure("OddOneOut@2", "no luck"),))
    topk = lacking.scores[0]
    gone = replace(topk.subscores[0], value=None, skipped="gone", observations=None)
    lacking = replace(lacking, scores=(replace(topk, subscores=(gone, *topk.subscores[1:])),))
    left_out, zero = (mean_over_runs("some", [whole, lacking], missing) for missing in ("left out", "zero"))
    assert [each.measure for each in left_out] == BOTH[:1]
    assert left_out.failures == (Failure("OddOneOut@2", "no luck"),)
    kept = [each.value for each in whole["Topk@2"].subscores[1:]]
    assert left_out["Topk@2"].value == pytest.approx(np.mean(kept))
    first = whole["Topk@2"].subscores[0].value
    assert zero["Topk@2"].subscores[0].seeds == (first, 0.0)
    assert zero["Topk@2"].value == pytest.approx((first / 2 + sum(kept)) / 7)
    assert zero["OddOneOut@2"].value == pytest.approx(whole["OddOneOut@2"].value / 2)
    assert not zero.failures


def test_a_run_that_knows_too_few_words_has_no_score_on_known_words_to_take_the_mean_of():
    knowing = run(0)
    lacking = run(1)
    lacking = replace(lacking, scores=tuple(replace(each, of_known=None) for each in lacking.scores))
    assert all(each.known < each.n for each in lacking.measured)
    assert mean_over_runs("some", [knowing, lacking])["Topk@2"].of_known is None
    zero = mean_over_runs("some", [knowing, lacking], "zero")["Topk@2"].of_known
    assert zero.value == pytest.approx(knowing["Topk@2"].of_known.value / 2)


def test_facts_of_a_mean_do_not_depend_on_which_run_is_first():
    runs = [run(0), score(vectors(np.random.default_rng(1).normal(size=(50, 8)), WORDS[:50]), TEST, BOTH)]
    both = [mean_over_runs("some", each) for each in (runs, runs[::-1])]
    assert both[0].known_words == both[1].known_words == min(each.known_words for each in runs)
    for text in BOTH:
        for one, other in zip(*(each[text].subscores for each in both), strict=True):
            assert (one.ceiling, one.chance, one.oov, one.known) == (
                other.ceiling, other.chance, other.oov, other.known
            )  # fmt: skip
            ceilings = [each.ceiling for run in runs for each in run[text].subscores if each.name == one.name]
            assert one.ceiling == pytest.approx(np.mean(ceilings))


def test_what_a_mean_says_of_the_files_and_words_of_its_runs():
    files = [Input("vectors", f"{name}.vec", digit * 64, 9) for name, digit in (("one", "1"), ("two", "2"))]
    test = Input("test set", "t.json", "3" * 64, 9)
    facts = [("1" * 64, (files[0], test), 60, 42, 1), ("2" * 64, (files[1], test), 60, 40, 3)]
    names = ("model_sha256", "inputs", "vocabulary", "known_words", "built_words")
    runs = [
        replace(run(seed, context=False), **dict(zip(names, each, strict=True)))
        for seed, each in enumerate(facts)
    ]
    found = mean_over_runs("some", runs)
    assert found.inputs == (files[0], test, files[1])
    assert (found.vocabulary, found.known_words, found.built_words) == (60, 40, 3)
    others = [runs[:1], [runs[0], runs[0]]]
    assert found.model_sha256 not in {mean_over_runs("some", each).model_sha256 for each in others}
    several = [runs[0], replace(runs[1], vocabulary=50)]
    assert mean_over_runs("some", several).vocabulary is None, "one number would be that of some runs"
    with pytest.raises(ScoreError, match=r"some: .*the same dimension, and not 8, 9"):
        mean_over_runs("some", [runs[0], replace(runs[1], dimension=9)])


def test_scores_of_a_file_without_observations_are_no_base_of_means_and_tests():
    scores = run(0)
    read = scores.record()
    assert mean_over_runs("same", [scores, scores])["Topk@2"].value == pytest.approx(scores["Topk@2"].value)
    with pytest.raises(ScoreError, match=r"c0: .*read from a file.*score the models again"):
        mean_over_runs("same", [read, read])
    with pytest.raises(ScoreError, match="this score was read from a file"):
        difference(parse_measure("Topk@2"), read["Topk@2"].subscores, read["Topk@2"].subscores)


def test_no_share_of_the_way_above_a_chance_level_of_1():
    """A category that is the whole vocabulary: every neighbour is right, whatever the vectors."""
    found = score(vectors(np.eye(4)), test_set(all=["w0", "w1", "w2", "w3"]), ["Topk@2", "OddOneOut@2"])
    assert [each.measure for each in found] == ["Topk@2", "OddOneOut@2", "Combined"]
    assert (found["Topk@2"].value, found["Topk@2"].chance) == (1, 1)


def test_one_run_is_itself():
    one = run(3)
    found = mean_over_runs("one", [one])
    for own in found.measured:
        measure = own.measure
        assert own.value == one[measure].value
        assert own.interval == pytest.approx(one[measure].interval)
        assert own.category_interval == pytest.approx(one[measure].category_interval)


def test_measures_that_a_run_lacks_are_left_out_and_named():
    full = score(vectors(np.eye(60), WORDS), TEST, BOTH)
    lacking = score(vectors(np.eye(60), WORDS), TEST, BOTH[0])
    lacking = replace(lacking, failures=(Failure("OddOneOut@2", "no luck"),))
    found = mean_over_runs("some", [full, lacking])
    assert [each.measure for each in found] == BOTH[:1]
    assert found.failures == (Failure("OddOneOut@2", "no luck"),)


def test_seeds_are_part_of_tests():
    """Two ways of training that do not differ: without the seeds' part, tests would find differences."""
    false, without = 0, 0
    for world in range(12):
        first, second = (
            mean_over_runs(
                name, [run(1000 * world + 10 * number + seed, noise=2.0, context=False) for seed in range(3)]
            )
            for number, name in enumerate("ab")
        )
        one, other = first["OddOneOut@2"], second["OddOneOut@2"]
        models = parse_measure("OddOneOut@2"), one.subscores, other.subscores
        with_seeds, alone = difference(*models, seeds=(one.seeds, other.seeds)), difference(*models)
        assert with_seeds.of_words.high - with_seeds.of_words.low >= alone.of_words.high - alone.of_words.low
        false += with_seeds.of_words.p < 0.05
        without += alone.of_words.p < 0.05
    assert false <= 2
    assert without >= false


def test_models_are_asked_the_words_that_all_know():
    matrix = np.random.default_rng(0).normal(size=(60, 8))
    whole, small = vectors(matrix, WORDS), vectors(matrix[:30], WORDS[:30])
    skip = Settings(oov="skip")
    known = [known_words(each, TEST, BOTH, skip) for each in (whole, small)]
    shared = Candidates.of(known, only_known=True)
    assert shared.asked == frozenset(WORDS[:30])
    assert set(shared.hashes) == set(hashes_of(WORDS[:30]))
    found = [score(each, TEST, BOTH, skip, candidates=shared) for each in (whole, small)]
    for measure in BOTH:
        assert len({each[measure].value for each in found}) == 1
        assert len({each[measure].signature for each in found}) == 1
        assert f"candidates:{shared.digest}" in found[0][measure].signature
    alone = score(whole, TEST, BOTH, skip)
    assert "candidates:" not in alone["Topk@2"].signature


def test_a_smaller_vocabulary_gains_nothing_where_unknown_words_are_left_out():
    """The same vectors, cut: on the words that both know their scores are the same, and not better."""
    generator = np.random.default_rng(1)
    topics = np.repeat(generator.normal(size=(10, 8)), 6, axis=0)
    matrix = (topics + generator.normal(size=(60, 8)))[generator.permutation(60)]
    models = [vectors(matrix[:size], WORDS[:size]) for size in (60, 50, 40)]
    skip = Settings(oov="skip")
    shared = Candidates.of([known_words(each, TEST, BOTH, skip) for each in models], only_known=True)
    found = [score(each, TEST, BOTH, skip, candidates=shared) for each in models]
    for measure in BOTH:
        assert len({each[measure].value for each in found}) == 1


def test_words_that_nobody_asks_for_decide_nothing_where_models_are_compared():
    """Without them neighbours are easier to find; among the same candidates they are not."""
    order = np.random.default_rng(0).permutation(60)  # so that frequency knows no category
    whole = vectors(run_vectors(3, noise=0.5).matrix[order], [WORDS[row] for row in order])
    kept = np.array([row < 42 or row % 3 == 0 for row in order])
    small = with_fields(whole.select(kept), name="small")
    found = evaluator.score({"whole": whole, "small": small}, TEST, BOTH)
    for measure in BOTH:
        assert found[1][measure].value > found[0][measure].value
    for each in found.differences:
        assert each.value == 0
        assert each.own == pytest.approx(found[1][each.measure].value - found[0][each.measure].value)
    assert {(each.letters, each.best, each.worst) for each in found.rankings[0].models} == {("a", 1, 2)}
    assert {each.value for each in found.rankings[0].models} == {score(small, TEST, BOTH[0])[BOTH[0]].value}


def test_models_of_the_same_words_are_compared_in_their_own_vocabulary():
    found = evaluator.score({"a": run_vectors(3), "b": run_vectors(4)}, TEST, BOTH)
    for each in found.differences:
        assert each.own is None
        assert each.value == pytest.approx(found[1][each.measure].value - found[0][each.measure].value)


def test_context():
    found = run(1)
    assert (found.known_words, found.words) == (42, 49)
    skip = run(1, settings=Settings(oov="skip"))
    assert {each.of_known for each in skip} == {None}, "known words are all there is"
    assert {each.words for each in skip} == {"known"}
    for measure in [*BOTH, "Combined", "Above chance"]:
        assert found[measure].of_known == replace(
            skip[measure], over_baseline=None, over_spelling=None, verdict=""
        )
    assert run(1)["Topk@2"].value == found["Topk@2"].value


@pytest.mark.parametrize("more", [[], pytest.param(["Categorization"], marks=pytest.mark.slow)])
def test_known_words_alone_are_those_of_oov_skip(more):
    """They share what is collected from the vocabulary, where that is the same."""
    generator = np.random.default_rng(4)
    pairs = (*tuple((f"w{row}", (f"w{row + 30}",)) for row in range(28)), ("w28", ("gone0",)))
    rated = RatedPairs("r", "r", tuple((f"w{row}", f"w{2 * row}", float(row % 7)) for row in range(1, 34)))
    test = with_fields(TEST, analogies=(AnalogySection("s", "s", pairs),), rated_pairs=(rated,))
    every = ["Topk@3", "OddOneOut@2", "OddOneOut(out=matched)@2", "OddOneOut(samples=50)@2", "Analogy@1"]
    every += ["Analogy(method=3CosMul)@2", "AnalogySpace", "Similarity", "OutlierDetection", *more]
    model = vectors(generator.normal(size=(60, 8)), WORDS)
    both, alone = score(model, test, every), score(model, test, every, Settings(oov="skip"))
    for expected in alone.measured:
        found = both[expected.measure].of_known
        assert (found.value, found.interval, found.chance) == (
            expected.value,
            expected.interval,
            expected.chance,
        )
    with_baseline = {each.measure for each in both.measured if each.baseline is not None}
    assert with_baseline == {each.measure for each in both.measured if not each.measure.startswith("Analogy")}


def test_above_chance():
    found = run(1)
    shares = [(each.value - each.chance) / (1 - each.chance) for each in found.measured]
    both = found["Above chance"]
    assert both.value == pytest.approx(np.mean(shares))
    assert both.low < both.value < both.high <= 1
    assert both.chance == pytest.approx(0)


def test_a_run_without_any_score_counts_as_zero():
    whole = run(0)
    found = mean_over_runs("some", [None, whole], "zero")
    for own in found.measured:
        assert own.value == pytest.approx(whole[own.measure].value / 2)
        assert own.seeds == (0, whole[own.measure].value)


def test_a_baseline_beside_scores_is_that_of_their_context():
    model, tests = run_vectors(2), TEST
    with_context = score(model, tests, BOTH)
    alone = score(model, tests, BOTH, context=False)
    beside = with_baselines(alone, score(frequency_baseline(model), tests, BOTH, context=False), None)
    for text in (*BOTH, "Combined"):
        assert beside[text].baseline == pytest.approx(with_context[text].baseline)
        levels = [each.baseline for each in with_context[text].subscores]
        assert [each.baseline for each in beside[text].subscores] == levels


def test_the_difference_in_combined_is_tested_over_words():
    first, second = run(4), run(5)
    found = combined_difference(first, second)
    assert found.value == pytest.approx(second["Combined"].value - first["Combined"].value)
    assert found.of_categories is None
    assert found.of_words.low < found.value < found.of_words.high
    assert (found.subscores, found.observations) == (7, 49)
    assert combined_difference(first, score(run_vectors(5), TEST, BOTH[:1])) is None


def test_the_mean_over_languages():
    cells = list(in_languages([2.0, 2.0], 0))
    cells.append([replace(cells[0][0], language="only m0")])  # a language that the other model lacks
    totals = over_languages(cells)
    assert [(each.model, each.test_set) for each in totals] == [
        ("m0", "all languages"),
        ("m1", "all languages"),
    ]
    for model, total in enumerate(totals):
        scored = [cell[model]["Topk@3"] for cell in cells[:3]]
        found = total["Topk@3"]
        for name in ("value", "chance"):
            assert getattr(found, name) == pytest.approx(np.mean([getattr(each, name) for each in scored]))
        assert [each.name for each in found.subscores] == [each.name for each in scored[0].subscores]
        assert found.n == sum(each.n for each in scored), "a word of each language is a word"
        low, high = found.interval
        lengths = [each.interval[1] - each.interval[0] for each in scored]
        assert high - low == pytest.approx(np.sqrt(np.sum(np.square(lengths))) / 3, rel=0.1)
    difference_ = next(differences(*totals))
    assert difference_.tests[0][0] == "8 categories"
    assert over_languages(cells[:1]) == []


def test_seeds_of_languages_with_other_numbers_of_runs_stay_in_the_interval():
    cells = list(in_languages([2.0], 0))
    runs = [(0.3, 0.5, 0.4), (0.45, 0.35), ()]
    several = [
        [replace(cell[0], scores=tuple(replace(each, seeds=own) for each in cell[0]))]
        for cell, own in zip(cells, runs, strict=True)
    ]
    (total,), (without,) = over_languages(several), over_languages(cells)
    value = cells[2][0]["Topk@3"].value
    assert total["Topk@3"].seeds == pytest.approx(((0.3 + 0.45 + value) / 3, (0.5 + 0.35 + value) / 3))
    lengths = [high - low for high, low in (each["Topk@3"].interval[::-1] for each in (total, without))]
    assert lengths[0] > lengths[1]


def test_a_category_that_only_one_language_has_counts_less():
    cells = list(in_languages([2.0], 1, languages=2))
    one = cells[0][0]["Topk@3"]
    some = replace(
        one, subscores=one.subscores[:2], value=np.mean([each.value for each in one.subscores[:2]])
    )
    other = cells[1][0]["Topk@3"]
    (total,) = over_languages([[replace(cells[0][0], scores=(some,))], cells[1]])
    assert total["Topk@3"].value == pytest.approx((some.value + other.value) / 2)


@pytest.mark.slow
def test_models_of_the_same_strength_are_seldom_told_apart_over_languages():
    """In at most 5% of tables, though what is luck on a category is the same luck in all languages."""
    for each in errors_over_languages(8, 0.3, 200):
        assert each["errors"] <= binom.ppf(0.999, 200, 0.05)


def test_a_model_that_is_better_is_found_over_languages():
    for found in differences(*over_languages(list(in_languages([1.0, 3.0], 2)))):
        assert (found.of_categories.p < 0.05, found.value > 0) == (True, True)


def test_a_model_that_knows_no_word_scores_0_beside_others_and_says_why():
    draw = np.random.default_rng(0)
    words = [f"w{number}" for number in range(12)]
    asked = test_set(one=words[:4], two=words[4:8])
    models = {
        "whole": (words, draw.normal(size=(12, 5))),
        "other": (["x", "y", "z"], np.eye(3)),
        "less": (words[:-1], draw.normal(size=(11, 5))),
    }
    found = evaluator.score(models, asked)
    assert not found.failures
    assert [each.model for each in found if each["Topk@3"].reason] == ["other"]
    (other,) = (each for each in found if each.model == "other")
    assert (other["Topk@3"].value, "no word is known" in other["Topk@3"].reason) == (0, True)
    assert {each.model for each in found.rankings[0].models} == {*models}
    assert {each.verdict for each in found[0].measured} != {""}
    unknown = test_set(three=["p", "q", "r"])
    several = evaluator.score(models["whole"], [asked, with_fields(unknown, name="unknown")])
    assert several[1]["Topk@3"].reason


def test_what_is_known_depends_on_how_words_are_matched():
    model = vectors([[1, 0], [0, 1], [1, 1]])
    asked = test_set(a=["W0", "W1", "W2"])
    exact = Settings(case="exact")
    assert len(known_words(model, asked).found) == 3
    assert known_words(model, asked, settings=exact).found == {}
