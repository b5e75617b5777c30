"""Topk and OddOneOut against their definitions, against gensim, and at their edges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import ScoreError, Settings, from_gensim, load_vectors
from evaluator.measures.oddoneout import OddOneOut, unrank
from evaluator.measures.topk import Topk
from tests.conftest import NEEDS_GENSIM
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, score, test_set, vectors

# Small whole numbers make ties and equal vectors likely; the all-zero vector is no vector.
MATRICES = st.integers(4, 11).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any), min_size=rows, max_size=rows
    )
)
OOV = st.sampled_from(["wrong", "skip"])


def counted(matrix, category, measure, **settings):
    scores = score(vectors(matrix), test_set(c=category), [measure], Settings(**settings))
    (found,) = scores[str(measure)].subscores
    return found.hits, found.trials


DISTANCES = st.sampled_from(["cosine", "euclidean", "manhattan"])


@given(MATRICES, st.integers(1, 3), st.integers(2, 5), st.booleans(), OOV, DISTANCES)
def test_topk_is_its_definition(rows, k, size, with_oov, oov, distance):
    matrix = np.array(rows, dtype=np.float32)
    words = [f"w{row}" for row in range(len(matrix))]
    category = [*words[::2][:size], *(["unknown"] if with_oov else [])]
    expected = definitions.topk(category, words, matrix, k, oov, distance)
    counts = len(category) if oov == "wrong" else len(category) - with_oov
    if counts < 3 or k >= len(words):
        return
    assert counted(matrix, category, Topk(k, distance), oov=oov) == expected


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
def test_topk_by_distance_in_several_blocks(distance):
    matrix = np.random.default_rng(6).normal(size=(1500, 5)) * np.geomspace(1e-3, 1e3, 1500)[:, None]
    words = [f"w{row}" for row in range(1500)]
    single = matrix.astype(np.float32)
    expected = definitions.topk(words[500:1500:5], words, single, 3, distance=distance)
    assert counted(single, words[500:1500:5], Topk(3, distance)) == expected
    assert expected[0] > 3


@given(MATRICES, st.integers(2, 4), st.integers(2, 5), st.booleans(), OOV, st.sampled_from(["unit", "none"]))
def test_exact_odd_one_out_is_its_definition(rows, k, size, with_oov, oov, norm):
    matrix = np.array(rows, dtype=np.float32)
    words = [f"w{row}" for row in range(len(matrix))]
    known = words[::2][:size]
    category = [*known, *(["unknown"] if with_oov else [])]
    if len(known) < k or len(category if oov == "wrong" else known) < 3:
        return
    expected = definitions.odd_one_out(category, words, matrix, k, oov, norm)
    assert counted(matrix, category, OddOneOut(k), oov=oov, norm=norm) == expected


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_odd_one_out_on_vectors_of_any_length(seed, k):
    """Raw vectors of very different lengths: the form for unit vectors would be wrong for them."""
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(12, 4)) * generator.lognormal(0, 2, size=(12, 1))
    words = [f"w{row}" for row in range(12)]
    expected = definitions.odd_one_out(words[:5], words, matrix.astype(np.float32), k, norm="none")
    assert counted(matrix, words[:5], OddOneOut(k), norm="none") == expected


def test_blocks_of_the_vocabulary_do_not_matter(monkeypatch):
    matrix = np.random.default_rng(1).integers(-2, 3, size=(60, 3)) + 0.5
    category = [f"w{row}" for row in range(0, 30, 3)]
    measures = [Topk(4), OddOneOut(3), OddOneOut(3, samples=500)]
    whole = [counted(matrix, category, measure) for measure in measures]
    monkeypatch.setattr("evaluator.engine.similarities.BLOCK", 7)
    assert [counted(matrix, category, measure) for measure in measures] == whole


def test_samples_are_part_of_p_and_converge_to_the_exact_score():
    matrix = np.random.default_rng(2).normal(size=(40, 5))
    category = [f"w{row}" for row in range(9)] + ["unknown"]
    hits, pairs = counted(matrix, category, OddOneOut(3))
    assert pairs == math.comb(10, 3) * 31
    assert counted(matrix, category, OddOneOut(3, samples=pairs)) == (hits, pairs)
    sampled = [
        counted(matrix, category, OddOneOut(3, samples=400), seed=seed)[0] / 400 for seed in range(100)
    ]
    rate = hits / pairs
    # Drawn without replacement: the variance has the finite population factor.
    error = math.sqrt(rate * (1 - rate) / 400 * (pairs - 400) / (pairs - 1))
    assert abs(np.mean(sampled) - rate) < 4 * error / math.sqrt(100)
    assert 0.8 < np.std(sampled) / error < 1.2


def test_a_sample_of_nearly_everything_is_nearly_exact():
    """Without replacement, all but one of the pairs can miss at most one hit."""
    matrix = np.random.default_rng(3).normal(size=(20, 4))
    category = [f"w{row}" for row in range(6)]
    hits, pairs = counted(matrix, category, OddOneOut(2))
    assert hits - counted(matrix, category, OddOneOut(2, samples=pairs - 1))[0] in (0, 1)


def test_the_seed_decides_the_sample():
    matrix = np.random.default_rng(4).normal(size=(80, 5))
    category = [f"w{row}" for row in range(12)]
    one, same, other = (counted(matrix, category, OddOneOut(3, samples=500), seed=s) for s in (0, 0, 1))
    assert one == same
    assert one != other


def test_adding_a_category_leaves_the_samples_of_others_alone():
    matrix = np.random.default_rng(5).normal(size=(50, 5))
    measure = OddOneOut(3, samples=300)
    words = [f"w{row}" for row in range(16)]
    alone = score(vectors(matrix), test_set(b=words[8:]), [measure])
    both = score(vectors(matrix), test_set(a=words[:8], b=words[8:]), [measure])
    assert both[str(measure)].subscores[1].hits == alone[str(measure)].subscores[0].hits


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_unranking_lists_each_subset_once(k):
    subsets = {tuple(sorted(subset)) for subset in unrank(range(math.comb(9, k)), k).tolist()}
    assert len(subsets) == math.comb(9, k)
    assert all(len(set(subset)) == k and max(subset) < 9 for subset in subsets)


@pytest.mark.parametrize(("words", "k"), [(3000, 3), (50_000, 4), (400_000, 4)], ids=str)
def test_unranking_of_large_ranks(words, k):
    """The last ones fit into no array of 64-bit numbers."""
    ranks = [0, 1, math.comb(words, k) // 3, math.comb(words, k) - 1]
    subsets = unrank(ranks, k).tolist()
    assert [sum(math.comb(w, k - i) for i, w in enumerate(subset)) for subset in subsets] == ranks
    assert subsets[-1] == list(range(words - 1, words - 1 - k, -1))


def test_all_vectors_equal():
    """Every comparison is a tie: no word is odd, and neighbours are the most frequent words."""
    matrix = np.ones((10, 3))
    assert counted(matrix, ["w0", "w1", "w2", "w9"], OddOneOut(3))[0] == 0
    assert counted(matrix, ["w0", "w1", "w2", "w9"], Topk(2)) == (8, 8)


def test_ceiling_counts_oov_words_as_misses():
    matrix = np.vstack([np.repeat([[1.0, 0.0]], 5, axis=0), np.repeat([[0.0, 1.0]], 5, axis=0)])
    category = ["w0", "w1", "w2", "w3", "w4", "x", "y", "z"]
    scores = score(vectors(matrix), test_set(c=category))
    for each in scores.measured:
        assert each.subscores[0].value == each.subscores[0].ceiling < 1


def test_words_built_from_subwords_are_known_if_they_are_to_be():
    near = np.array([[1, 0.1, 0], [1, 0, 0.1], [1, 1, 1]], dtype=np.float32)
    far = np.array([[-1, 1, 0], [-1, 0, 1], [-1, 1, 1]], dtype=np.float32)
    built = {"w0w1": np.array([1, 0.05, 0.05], dtype=np.float32)}
    with_subwords = vectors(np.vstack([near, far]), subword=built.get)
    category = ["w0", "w1", "w0w1", "nothing"]
    scores = score(with_subwords, test_set(c=category), ["Topk@2", "OddOneOut@3"], Settings(built="known"))
    # The built word asks for neighbours but is nobody's neighbour: w0 and w1 have one fellow each in the
    # vocabulary, w0w1 has both.
    (topk,) = scores["Topk@2"].subscores
    assert (topk.size, topk.oov, topk.hits, topk.trials) == (4, 1, 4, 8)
    # Of the subsets, only {w0, w1, w0w1} is without "nothing"; every far word is odd beside it, w2 is too.
    (odd,) = scores["OddOneOut@3"].subscores
    assert (odd.hits, odd.trials) == (4, 16)


@pytest.mark.parametrize(
    ("measure", "category", "complaint"),
    [
        ("Topk@5", ["w0", "w1", "w2"], "c: 3 words, 5 needed"),
        ("OddOneOut@4", ["w0", "w1", "w2"], "c: 3 words, 4 needed"),
        ("Topk@1", ["w0", "w1"], "c: 2 words, 3 needed"),
        ("OddOneOut@2", ["w0", "w1"], "c: 2 words, 3 needed"),
        ("OddOneOut@2", ["x", "y", "z"], "no word is known"),
    ],
)
def test_nothing_to_score_is_an_error_and_not_a_zero(measure, category, complaint):
    with pytest.raises(ScoreError, match=complaint):
        score(vectors(np.eye(6)), test_set(c=category), [measure])


@pytest.mark.parametrize(
    ("measure", "category"),
    [
        ("Topk@2", ["w0", "x", "y"]),
        ("Topk@6", [f"w{row}" for row in range(6)] + ["x"]),
        ("OddOneOut@2", ["w0", "x", "y"]),
        ("OddOneOut@2", [f"w{row}" for row in range(6)]),
    ],
)
def test_a_category_of_which_a_model_knows_too_little_is_a_zero(measure, category):
    (found,) = score(vectors(np.eye(6)), test_set(c=category), [measure])[measure].subscores
    assert (found.value, found.chance, found.skipped) == (0, 0, None)
    assert observed(found) == tuple(category)
    assert not pseudovalues(found).any()


def test_where_unknown_words_are_left_out_a_category_needs_known_ones():
    with pytest.raises(ScoreError, match=r"\bc: .*4.*2.*3 needed"):
        score(vectors(np.eye(6)), test_set(c=["w0", "w1", "x", "y"]), ["Topk@1"], Settings(oov="skip"))


@NEEDS_GENSIM
def test_agrees_with_gensim_on_real_vectors(shared_data):
    from gensim.models import KeyedVectors

    path = shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz"
    ours, theirs = load_vectors(path), KeyedVectors.load_word2vec_format(str(path), binary=True)
    category = list(ours.words[40:64:3])
    hits = sum(
        neighbour in category for word in category for neighbour, _ in theirs.most_similar(word, topn=3)
    )
    scores = score(ours, test_set(c=category), ["Topk@3"])
    assert scores["Topk@3"].subscores[0].hits == hits
    generator = np.random.default_rng(0)
    for word in generator.choice(ours.words[64:], size=60, replace=False):
        subset = [str(each) for each in generator.choice(category, size=3, replace=False)]
        two = vectors(np.array([theirs[each] for each in (*subset, word)]), words=[*subset, str(word)])
        found = score(two, test_set(c=subset), ["OddOneOut@3"])["OddOneOut@3"].subscores[0]
        assert bool(found.hits) == (theirs.doesnt_match([*subset, str(word)]) == word)


@pytest.mark.slow
def test_agrees_with_gensim_on_a_model_trained_on_little_text(tmp_path):
    models = pytest.importorskip("gensim.models", reason="compares with gensim, which is not installed")
    from tools.train_demo import Hyperparameters, corpus, train

    file = tmp_path / "demo.vec"
    train(corpus(tmp_path / "demo.txt"), file, Hyperparameters("svd", min_count=4))
    model = models.KeyedVectors.load_word2vec_format(file)
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    hits = sum(word in days for day in days for word, _ in model.most_similar(day, topn=3))
    scores = score(from_gensim(model), test_set(days=days))
    assert scores["Topk@3"].hits == hits > 0
    outside = [word for word in model.index_to_key[:12] if word not in days]
    few = vectors(model[[*outside, *days]], words=[*outside, *days])
    odd = sum(
        model.doesnt_match([*subset, word]) == word
        for subset in itertools.combinations(days, 3)
        for word in outside
    )
    assert score(few, test_set(days=days), ["OddOneOut@3"])["OddOneOut@3"].hits == odd


@pytest.mark.parametrize(
    ("measure", "comparisons"),
    [
        ("Topk@2", 20 * (5 + 3)),
        ("OddOneOut@2", 20 * (10 + 3)),
        ("OddOneOut(out=matched)@2", 10 * (3 * 10 + 3 * 1)),  # 3 words of each set are replaced by 10 others
        ("OddOneOut(samples=7)@2", 7 + 7),
    ],
)
def test_what_is_announced_is_how_much_is_compared(measure, comparisons):
    """Two categories of 5 and 3 known words of 20, and one that is too small."""
    words = [f"w{row}" for row in range(8)]
    matrix = np.random.default_rng(0).normal(size=(20, 3))
    announced = []
    given_ = test_set(a=[*words[:5], "x"], b=words[5:], c=words[:2])
    score(vectors(matrix), given_, [measure], announce=announced.append)
    assert announced == [comparisons]
