"""OddOneOut with odd words matched in frequency: its definition, its edges, and what it is for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Settings, frequency_baseline, load_vectors, read_testset
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.oddoneout import OddOneOut, rank_neighbours
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, score, test_set, vectors

MATCHED = OddOneOut(3, out="matched")


def matched(words, matrix, category, k=3, subword=None, **settings):
    """The only subscore."""
    measure = OddOneOut(k, out="matched")
    model = vectors(matrix, words, subword=subword)
    (found,) = score(model, test_set(c=category), [measure], Settings(**settings))[str(measure)].subscores
    return found


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 5),
    st.integers(0, 2),
    st.sampled_from(["wrong", "skip"]),
    st.sampled_from(["unit", "none"]),
)
def test_it_is_its_definition(seed, k, unknown, oov, norm):
    """Whole numbers make ties likely; with few words, many are neighbours, or at an end."""
    generator = np.random.default_rng(seed)
    matrix = generator.integers(-2, 3, size=(generator.integers(9, 26), 3)) + 0.5
    words = [f"w{row}" for row in range(len(matrix))]
    members = generator.choice(words, size=generator.integers(k + 1, 8), replace=False).tolist()
    category = [*members, "x", "y"][: len(members) + unknown]
    found = matched(words, matrix, category, k, oov=oov, norm=norm)
    assert (found.hits, found.trials) == definitions.matched_odd_one_out(
        category, words, matrix, k, oov, norm
    )


@pytest.mark.parametrize("oov", ["wrong", "skip"])
def test_pseudovalues_are_those_of_leaving_each_word_out(oov):
    generator = np.random.default_rng(1)
    matrix = generator.normal(size=(40, 4)) + np.array([0.5, 0, 0, 0])
    words = [f"w{row}" for row in range(40)]
    category = ["w0", "w4", "w5", "w6", "w21", "w39", "x"]
    n = 7 if oov == "wrong" else 6

    def share(left_out=None):
        kept = [row for row, word in enumerate(words) if word != left_out]
        rest = [word for word in category if word != left_out]
        hits, trials = definitions.matched_odd_one_out(
            rest, [words[row] for row in kept], matrix[kept], 3, oov
        )
        return hits / trials

    found = matched(words, matrix, category, oov=oov)
    expected = [n * share() - (n - 1) * share(word) for word in observed(found)]
    assert observed(found) == tuple(category[:n])
    assert pseudovalues(found) == pytest.approx(np.array(expected), abs=1e-9)


def test_words_built_from_subwords_are_rarer_than_the_vocabulary():
    generator = np.random.default_rng(2)
    matrix = generator.normal(size=(30, 3)).astype(np.float32)
    built = {word: generator.normal(size=3).astype(np.float32) for word in "xy"}
    words = [f"w{row}" for row in range(30)]
    category = ["w2", "w9", "w28", "x", "y"]
    found = matched(words, matrix, category, subword=built.get, built="known")
    assert (found.hits, found.trials) == definitions.matched_odd_one_out(
        category, words, matrix, 3, built=built
    )
    assert rank_neighbours(np.array([2, 9, 28, -1, -1]), 30)[3].tolist() == [*range(19, 28), 29]


def test_neighbours_in_rank_are_the_same_number_on_both_sides():
    found = rank_neighbours(np.array([50, 20, 22, 0, 99]), 100)
    assert found.tolist() == [
        [45, 46, 47, 48, 49, 51, 52, 53, 54, 55],
        [15, 16, 17, 18, 19, 21, 23, 24, 25, 26],
        [16, 17, 18, 19, 21, 23, 24, 25, 26, 27],
        list(range(1, 11)),
        list(range(89, 99)),
    ]
    assert rank_neighbours(np.array([1, 3]), 6).tolist() == [[0, 2, 4, 5]] * 2


@pytest.mark.parametrize(
    ("category", "words", "reason"),
    [
        (["w0", "w1", "w2"], 20, "3 words, 4 needed"),
        (["w0", "w1", "w2", "x"], 20, None),
        (["w0", "w1", "w2", "w3"], 4, None),  # no word is left to be odd
    ],
)
def test_what_cannot_be_matched_is_skipped_or_zero(category, words, reason):
    matrix = np.random.default_rng(3).normal(size=(words, 3))
    evaluation = MATCHED.evaluation(
        test_set(c=category), VocabularyLookup(vectors(matrix), "en", Settings()), Settings()
    )
    assert evaluation.categories == []
    assert evaluation.skipped.get("c") == reason


def test_the_ceiling_is_what_a_perfect_model_reaches():
    """The words of the category are equal, and all others are orthogonal to them."""
    matrix = np.zeros((40, 5))
    matrix[:, 1:] = np.random.default_rng(4).normal(size=(40, 4))
    matrix[3:36:6] = [1, 0, 0, 0, 0]
    found = matched(None, matrix, [*(f"w{row}" for row in range(3, 36, 6)), "x"])
    assert found.value == found.ceiling == math.comb(6, 4) / math.comb(7, 4)
    assert found.chance == found.ceiling / 4


def test_blocks_and_threads_do_not_matter(monkeypatch):
    matrix = np.random.default_rng(5).integers(-2, 3, size=(90, 3)) + 0.5
    words = [f"w{row}" for row in range(90)]
    whole = matched(words, matrix, words[3:70:6])
    monkeypatch.setattr("evaluator.engine.similarities.BLOCK", 7)
    for threads in (1, 5):
        monkeypatch.setattr("evaluator.engine.similarities.cores", lambda threads=threads: threads)
        again = matched(words, matrix, words[3:70:6])
        assert (again.hits, again.trials) == (whole.hits, whole.trials)
        assert pseudovalues(again).tolist() == pseudovalues(whole).tolist()


@pytest.mark.parametrize("oov", ["wrong", "skip"])
@pytest.mark.parametrize("text", ["OddOneOut@3", "OddOneOut(samples=9)@3", "OddOneOut(out=matched)@3"])
def test_a_category_that_is_the_whole_vocabulary_scores_0(text, oov):
    """No word is outside that could be the odd one: nothing shows that the model tells its words apart."""
    matrix = np.random.default_rng(8).normal(size=(8, 3))
    words = [f"w{row}" for row in range(8)]
    found = score(vectors(matrix), test_set(whole=words, part=words[:5]), text, Settings(oov=oov))[text]
    whole, part = found.subscores
    assert (whole.value, whole.chance, whole.skipped) == (0, 0, None)
    assert len(observed(whole)) == 8
    assert found.value == part.value / 2


def test_drawn_sets_are_close_to_all(monkeypatch):
    matrix = np.random.default_rng(6).normal(size=(200, 4)) + np.array([0.7, 0, 0, 0])
    category = [*(f"w{row}" for row in range(2, 100, 5)), "x"]
    exact = matched(None, matrix, category)
    monkeypatch.setattr("evaluator.measures.oddoneout.MOST_SUBSETS", 300)
    monkeypatch.setattr("evaluator.measures.oddoneout.DRAWN_SUBSETS", 1500)
    drawn = matched(None, matrix, category)
    assert drawn.trials == 1500 * 4 * 10
    assert exact.error is None
    assert 0 < abs(drawn.value - exact.value) < 3 * drawn.error < 0.04
    assert pseudovalues(drawn).mean() == pytest.approx(drawn.value)
    assert np.corrcoef(pseudovalues(drawn), pseudovalues(exact))[0, 1] > 0.9
    # All of them drawn are all of them.
    monkeypatch.setattr("evaluator.measures.oddoneout.DRAWN_SUBSETS", math.comb(21, 4))
    everything = matched(None, matrix, category)
    assert (everything.hits, everything.trials) == (exact.hits, exact.trials)
    assert pseudovalues(everything) == pytest.approx(pseudovalues(exact), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("spread", [(0, 300), (100, 200), (700, 999)])
def test_a_score_that_knows_only_frequency_is_at_chance(k, spread):
    generator = np.random.default_rng(7)
    baseline = frequency_baseline(vectors(generator.normal(size=(1000, 3))))
    rows = [np.sort(generator.choice(np.arange(*spread), size=9, replace=False)) for _ in range(30)]
    categories = {f"c{number}": [f"w{row}" for row in each] for number, each in enumerate(rows)}
    measures = [OddOneOut(k), OddOneOut(k, out="matched")]
    every, found = score(baseline, test_set(**categories), measures)
    assert found.value == pytest.approx(1 / (k + 1), abs=0.02)
    assert max(each.value for each in found.subscores) < 1 / (k + 1) + 0.1
    assert abs(every.value - found.value) > 0.1


def test_frequency_does_not_explain_real_categories(shared_data):
    """The words of each side of a section of the Google analogies are a category."""
    model = load_vectors(shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz")
    questions = read_testset(shared_data / "benchmarks" / "analogy" / "en" / "google_questions-words.txt")
    sides = {
        f"{section.name}-{number}": dict.fromkeys(words)
        for section in questions.sections
        for number, words in enumerate(
            ([pair[0] for pair in section.pairs], [answer for pair in section.pairs for answer in pair[1]])
        )
    }
    assert len(sides) == 28
    measures, settings = [OddOneOut(3), MATCHED], Settings(oov="skip")
    real = score(model, test_set(**sides), measures, settings)
    baseline = score(frequency_baseline(model), test_set(**sides), measures, settings)
    highest = [max(each.value for each in found.subscores) for found in baseline]
    # As docs/measures.md says.
    assert [round(found.value, 3) for found in real] == [0.870, 0.861]
    assert [round(found.value, 3) for found in baseline] == [0.266, 0.250]
    assert [round(each, 3) for each in highest] == [0.521, 0.250]


def test_a_tie_is_a_miss_in_a_sample_too():
    matrix = np.tile([[0.3, 0.7, 0.1]], (40, 1))
    for text in ("OddOneOut@3", "OddOneOut(samples=50)@3"):
        (found,) = score(vectors(matrix), test_set(c=[f"w{row}" for row in range(6)]), text)[text].subscores
        assert found.hits == 0


def test_words_that_no_sample_has_drawn_are_as_good_as_the_others():
    """Of twelve words, a sample of two triples leaves out six: that says nothing against them."""
    matrix = np.zeros((40, 5))
    matrix[:, 1:] = np.random.default_rng(4).normal(size=(40, 4))
    matrix[:12] = [1, 0, 0, 0, 0]
    text = "OddOneOut(samples=2)@3"
    (found,) = score(vectors(matrix), test_set(c=[f"w{row}" for row in range(12)]), text)[text].subscores
    assert found.value == 1
    assert pseudovalues(found).tolist() == [1] * 12


@pytest.mark.parametrize(("out", "most", "each"), [("any", 587, 700), ("matched", 338, 10)])
def test_a_sample_of_a_million_is_drawn_from_large_categories_alone(out, most, each):
    """What is compared: all pairs of up to 587 words, or of 338 if odd words are matched in frequency."""
    model = vectors(np.ones((700, 2)))
    order = 3 if out == "any" else 4
    for size, pairs in (
        (most, math.comb(most, order) * math.comb(order, 3) * each),
        (most + 1, 1_000_000 * math.comb(order, 3) * each),
    ):
        lookup = VocabularyLookup(model, "en", Settings())
        given_ = test_set(c=[f"w{row}" for row in range(size)], d=["w0", "w1", "x"])
        found = OddOneOut(3, out=out).evaluation(given_, lookup, Settings())
        assert found.comparisons == pairs
        assert (found.collects is None) == (size > most)
