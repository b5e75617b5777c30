"""Words whose vectors are built from subwords are unknown in all that decides; what they add stands apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evaluator
from evaluator.settings import GENSIM_EVALUATIONS, Settings
from evaluator.statistics.scores import mean_over_runs
from evaluator.studies.scoring import mean_of_runs, score, score_vectors
from tests.evaluator.examples import test_set, vectors

BOTH = ["Topk@3", "OddOneOut@2"]
WORDS = [f"w{row}" for row in range(60)]
NUMBERS = np.random.default_rng(2).permutation(42)  # categories are not made of words next in frequency
TEST = test_set(**{f"c{n}": [f"w{row}" for row in NUMBERS[7 * n : 7 * n + 7]] for n in range(6)})
KINDS = {f"w{row}": place // 7 for place, row in enumerate(NUMBERS)}


def model(seed=0, known=range(60), *, builds=True, name="fasttext"):
    """Vectors that know categories; of words that are not in the vocabulary, others as good are built."""
    drawn = np.random.default_rng(seed)
    centres = drawn.normal(size=(60, 8))
    every = {
        word: (centres[KINDS.get(word, 18 + row % 40)] + 0.3 * drawn.normal(size=8)).astype(np.float32)
        for row, word in enumerate(WORDS)
    }
    words = [f"w{row}" for row in known]
    found = vectors([every[word] for word in words], words, subword=every.get if builds else None)
    return replace(found, name=name)


FEW = [row for row in range(60) if row % 3]


def test_built_words_are_unknown_in_scores_and_baselines():
    """The scores are those of the same vocabulary that builds nothing."""
    built, plain = (score(model(known=FEW, builds=builds), TEST, BOTH) for builds in (True, False))
    assert (built.known_words, built.built_words, built.words) == (28, 14, 42)
    assert (plain.known_words, plain.built_words) == (28, 0)
    for one, other in zip(built, plain, strict=True):
        assert replace_beside(one) == replace_beside(other)
        assert one.of_known == other.of_known
        assert other.with_built is None


def replace_beside(found):
    from msgspec.structs import replace as changed

    return changed(found, with_built=None)


def test_what_built_words_add_stands_beside_the_score():
    found = score(model(known=FEW), TEST, BOTH)
    for each in found.measured:
        alone = score(model(known=FEW), TEST, BOTH, Settings(built="known"))[each.measure]
        assert each.with_built.value == alone.value > each.value
        assert (each.with_built.known, each.known) == (42, 28)
        assert alone.with_built is None
        assert "|built:unknown|" in each.signature
        assert each.with_built.signature == alone.signature
    rows = {(row.measure, row.words): row.value for row in found.frame().query("part == 'all'").itertuples()}
    assert rows[BOTH[0], "with built"] == found[BOTH[0]].with_built.value
    assert rows[BOTH[0], "all"] == found[BOTH[0]].value


def test_words_built_from_subwords_decide_nothing_between_models():
    """With them the first would have the same words as the second, and be as good."""
    built = model(known=FEW, name="built")
    whole = model(builds=False, name="whole")
    found = evaluator.score([built, whole], TEST, BOTH)
    assert found.best == "whole"
    known = evaluator.score([built, whole], TEST, BOTH, Settings(built="known"))
    assert known.best is None
    skipped = evaluator.score([built, whole], TEST, BOTH, Settings(oov="skip"))
    assert [each.known_words for each in skipped] == [28, 28]
    assert {each.words for each in skipped[0]} == {"known"}


def test_languages_show_what_built_words_add():
    tests = {
        code: evaluator.read_testset({"c": WORDS[:12], "d": WORDS[12:24]}, language=code)
        for code in ("la", "de")
    }
    found = evaluator.compare(
        [evaluator.Language(code, model(known=FEW), own) for code, own in tests.items()]
    )
    whole = [each for each in found.results if each.keys == {"view": "whole", "category": "c"}]
    alone = score(model(known=FEW), tests["la"], ["Topk@3", "OddOneOut@3"], Settings(built="known"))
    for own in whole:
        for each in own.measured:
            (category,) = (sub for sub in alone[each.measure].subscores if sub.name == "c")
            assert each.with_built.value == pytest.approx(category.value)
            assert each.with_built.value > each.value or each.measure == "Topk@3"
            assert "|built:known|" in each.with_built.signature
    assert {each.words for each in found.frame().itertuples()} == {"all", "known", "with built"}


def test_the_library_of_the_papers_knows_built_words():
    assert GENSIM_EVALUATIONS.built == "known"
    found = score(model(known=FEW), TEST, BOTH, GENSIM_EVALUATIONS)
    assert (found.known_words, found.built_words) == (42, 0)


def test_the_mean_of_known_words_is_known_and_one_with_a_built_word_is_not():
    test = test_set(c=["w1 w2", "w2 w4", "w3 w4", "w7"])
    found = score_vectors(model(known=FEW), test, ["Topk@1"], Settings(multiword="mean"), by_item=True).scores
    assert (found.known_words, found.built_words) == (3, 1)
    (only,) = found["Topk@1"].subscores
    assert (only.known, only.n) == (3, 4)


def test_a_vocabulary_of_no_test_word_is_not_helped_by_its_subwords():
    found = score(model(known=range(42, 60)), TEST, BOTH, unknown=True)
    assert (found.known_words, found.built_words) == (0, 42)
    assert [each.value for each in found.measured] == [0, 0]
    assert found.kept.best is None
    assert found["OddOneOut@2"].with_built.value > found["OddOneOut@2"].with_built.chance


def test_means_over_training_runs_have_what_stands_beside_the_scores():
    runs = [score_vectors(model(seed, known=FEW), TEST, BOTH) for seed in range(3)]
    found = mean_of_runs("m", runs).scores
    assert found.built_words == 14
    for each in found.measured:
        own = [run.scores[each.measure] for run in runs]
        assert each.with_built.value == pytest.approx(np.mean([one.with_built.value for one in own]))
        assert each.of_known.value == pytest.approx(np.mean([one.of_known.value for one in own]))
        assert each.spelling == pytest.approx(np.mean([one.spelling for one in own]))
        assert each.over_spelling.value == pytest.approx(each.value - each.spelling)
        assert each.verdict.startswith("above frequency and spelling")


def test_of_runs_without_built_words_those_of_the_mean_are_the_score():
    runs = [score(model(1, known=FEW), TEST, BOTH), score(model(2), TEST, BOTH)]
    found = mean_over_runs("m", runs)
    for each in found.measured:
        values = [runs[0][each.measure].with_built.value, runs[1][each.measure].value]
        assert each.with_built.value == pytest.approx(np.mean(values))
