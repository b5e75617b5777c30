"""Similarity against scipy's correlations, gensim, and leaving each pair out; and at its edges."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import stats

from evaluator import ScoreError, Settings, load_vectors, read_testset
from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.measures.similarity import Similarity
from evaluator.settings import GENSIM
from evaluator.statistics.inference import difference, variation
from tests.conftest import NEEDS_GENSIM, NO_GENSIM
from tests.evaluator.examples import observed, pseudovalues, score, vectors

CORRELATIONS = ["spearman", "pearson"]
EITHER = pytest.mark.parametrize("correlation", CORRELATIONS)
SIMULATED = pytest.mark.parametrize(
    "correlation", ["spearman", pytest.param("pearson", marks=pytest.mark.slow)]
)

# Small whole numbers make ties, equal, opposite and zero vectors likely; w0 … w5 have vectors.
WORDS = 6
MATRICES = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=WORDS, max_size=WORDS
    ).map(np.array)
)
SOME_OOV = st.integers(0, WORDS + 1).map(lambda number: f"w{number}")
PAIRS = st.lists(st.tuples(SOME_OOV, SOME_OOV, st.integers(0, 4).map(float)), max_size=14)
OOV = st.sampled_from(["wrong", "skip"])


def rated(pairs, name="p"):
    return TestSet("en", "test.txt", "0" * 64, rated_pairs=(RatedPairs(name, name, tuple(pairs)),))


def part_of(matrix, pairs, correlation="spearman", words=None, **settings):
    """The part of one set of pairs, skipped or not; a second set keeps it from being an error."""
    fine = RatedPairs("fine", "fine", (("x0", "x1", 1.0), ("x0", "x2", 2.0), ("x0", "x3", 3.0)))
    names = [*(words or [f"w{row}" for row in range(len(matrix))]), "x0", "x1", "x2", "x3"]
    extra = np.zeros((4, np.shape(matrix)[1]))
    extra[[0, 2, 3], 0] = 1, 1, -1
    both = TestSet("en", "test.txt", "0" * 64, rated_pairs=(RatedPairs("p", "p", tuple(pairs)), fine))
    measure = Similarity(correlation)
    table = vectors(np.vstack([matrix, extra]), names)
    return score(table, both, [measure], Settings(**settings))[str(measure)].subscores[0]


def cosine(one, other):
    """By the angle's definition, rounded where it is computed only to tell equal ones from others."""
    lengths = np.linalg.norm(one) * np.linalg.norm(other)
    return 0.0 if lengths == 0 else round(float(np.dot(one, other) / lengths), 12)


def slow(matrix, pairs, oov):
    """Cosines and ratings of all pairs that count, how many have no vectors, and the pairs themselves."""
    rows = {f"w{row}": vector.astype(float) for row, vector in enumerate(np.asarray(matrix))}
    known = [pair for pair in pairs if pair[0] in rows and pair[1] in rows]
    counted = pairs if oov == "wrong" else known
    similar = [cosine(rows[a], rows[b]) if a in rows and b in rows else 0.0 for a, b, _ in counted]
    return similar, [rating for *_, rating in counted], len(pairs) - len(known)


def correlate(similar, ratings, correlation):
    """As scipy has it; None where it is undefined."""
    if len(set(similar)) < 2 or len(set(ratings)) < 2:
        return None
    function = stats.spearmanr if correlation == "spearman" else stats.pearsonr
    return float(function(similar, ratings)[0])


def pseudo_values(similar, ratings, correlation):
    """By leaving each pair out in turn."""
    n, whole = len(similar), correlate(similar, ratings, correlation)
    without = np.array(
        [
            correlate(similar[:i] + similar[i + 1 :], ratings[:i] + ratings[i + 1 :], correlation) or 0.0
            for i in range(n)
        ]
    )
    found = whole + (n - 1) * (without.mean() - without)
    return scaled(found, n) if correlation == "spearman" else found


def of_words(values, pairs):
    """What the words owe, by word, of the pseudo-values of their pairs."""
    n, words = len(pairs), list(dict.fromkeys(word for one, other, _ in pairs for word in (one, other)))
    influence = (values - values.mean()) / np.sqrt(n * (n - 1))
    sums = {
        word: sum(each for each, pair in zip(influence, pairs, strict=True) if word in pair[:2])
        for word in words
    }
    m = len(words)
    factor = 1 + max(1 - m / (2 * n), 0) / max(m - 2, 1)
    of_pairs = {}
    for each, pair in zip(influence, pairs, strict=True):
        key = frozenset(pair[:2])
        of_pairs[key] = of_pairs.get(key, 0) + each * (len(key) == 2)
    squares = sum((factor * each) ** 2 for each in sums.values())
    # What two words owe together is in the sums of both; pairs do not vary against each other.
    squares, twice = squares * m / max(m - 1, 1), sum(each**2 for each in of_pairs.values())
    factor *= np.sqrt(max(squares - twice, twice) / squares) if squares else 1
    return {word: values.mean() + m * factor * each for word, each in sums.items()}


def scaled(values, n):
    """Rank correlations: the variance is mixed with that of normal variables, as much as 40 pairs."""
    r, found = values.mean(), values.var(ddof=1) / n
    normal = (1 - r * r) ** 2 * (1 + r * r / 2) / max(n - 2, 1)
    return r + (values - r) * np.sqrt((n * found + 40 * normal) / (n + 40) / found) if found else values


def influences_of(pseudovalues):
    """By word: words that stand in several pairs have no pseudo-values whose mean is the score."""
    values = np.array(list(pseudovalues.values()))
    n = len(values)
    own = (values - values.mean()) / np.sqrt(n * (n - 1)) if n > 1 else np.zeros(n)
    return dict(zip(pseudovalues, own.tolist(), strict=True))


def counted(pairs, matrix, oov):
    known = {f"w{row}" for row in range(len(matrix))}
    return [pair for pair in pairs if oov == "wrong" or known.issuperset(pair[:2])]


@given(MATRICES, PAIRS, st.sampled_from(CORRELATIONS), OOV)
@example(np.zeros((6, 1)), [("w0", "w0", 0.0), ("w0", "w0", 0.0), ("w0", "w6", 1.0)], "spearman", "wrong")
def test_it_is_its_definition(matrix, pairs, correlation, oov):
    similar, ratings, missing = slow(matrix, pairs, oov)
    part = part_of(matrix, pairs, correlation, oov=oov)
    expected = correlate(similar, ratings, correlation) if len(pairs) - missing >= 3 else None
    assert (part.size, part.oov) == (len(pairs), missing)
    if expected is None:
        nothing_seen = oov == "wrong" and missing > 0 and len(pairs) >= 3 and len(set(ratings)) > 1
        assert part.value == (0.0 if nothing_seen else None)
        assert bool(part.skipped) != nothing_seen
        return
    assert part.skipped is None
    assert part.chance == 0
    assert part.value == pytest.approx(expected, abs=1e-9)
    assert len(set(observed(part))) == len(observed(part)) == len(pseudovalues(part))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of_pairs = pseudo_values(similar, ratings, correlation)
    expected = influences_of(of_words(of_pairs, counted(pairs, matrix, oov)))
    assert part.observations.influences == pytest.approx(expected, abs=1e-6)


@EITHER
@pytest.mark.parametrize("digits", [1, 2, 9])
def test_contributions_without_each_pair_in_blocks(monkeypatch, correlation, digits):
    """More pairs than a block has rows, with many ties and with none."""
    monkeypatch.setattr("evaluator.measures.similarity._VALUES_AT_A_TIME", 700)
    monkeypatch.setattr("evaluator.measures.similarity._PAIRS_AT_A_TIME", 9)
    generator = np.random.default_rng(digits)
    matrix = np.round(generator.normal(size=(90, 4)), digits).astype(np.float32)
    pairs = [(f"w{i}", f"w{i + 45}", round(float(generator.normal()), digits)) for i in range(45)]
    similar, ratings, _ = slow(matrix, pairs, "skip")
    part = part_of(matrix, pairs, correlation)
    assert part.value == pytest.approx(correlate(similar, ratings, correlation), abs=1e-12)
    of_pairs = pseudo_values(similar, ratings, correlation)
    expected = influences_of(of_words(of_pairs, pairs))
    assert part.observations.influences == pytest.approx(expected, abs=1e-9)


def drawn_pairs(n, generator):
    """Two words each on a half circle, so that the cosine of their angle is their rating but for noise."""
    angles = generator.uniform(0, np.pi, n)
    ratings = np.cos(angles) + generator.normal(size=n) * 0.7
    matrix = np.column_stack([np.cos(angles), np.sin(angles)])
    pairs = [(f"v{i}", f"w{i}", float(rating)) for i, rating in enumerate(ratings)]
    names = [*(f"w{i}" for i in range(n)), *(f"v{i}" for i in range(n))]
    return np.vstack([matrix, np.tile([1, 0], (n, 1))]), pairs, names


@pytest.mark.slow
@SIMULATED
def test_contributions_vary_as_the_score_does(correlation):
    """Their variance is that of the score when other pairs are drawn."""
    generator = np.random.default_rng(5)
    parts = []
    for _ in range(120):
        matrix, pairs, words = drawn_pairs(160, generator)
        parts.append(part_of(matrix, pairs, correlation, words))
    true = np.var([part.value for part in parts])
    owed = [variation(Similarity(), [part]).single for part in parts]
    claimed = np.mean([sum(influence**2 for influence in own.values()) for own in owed])
    assert 0.8 < claimed / true < 1.25


@SIMULATED
def test_intervals_hold_what_they_promise(correlation):
    generator = np.random.default_rng(6)
    matrix, pairs, words = drawn_pairs(20_000, generator)
    truth = correlate(matrix[:20_000, 0].tolist(), [rating for *_, rating in pairs], correlation)
    inside = 0
    for _ in range(200):
        matrix, pairs, words = drawn_pairs(60, generator)
        (only,) = score(vectors(matrix, words), rated(pairs), [Similarity(correlation)])
        low, high = only.interval
        inside += low <= truth <= high
    assert 0.89 <= inside / 200 <= 0.99


@EITHER
def test_lengths_of_vectors_and_the_scale_of_ratings_do_not_matter(correlation):
    generator = np.random.default_rng(7)
    matrix = generator.normal(size=(20, 3)).astype(np.float32)
    pairs = [(f"w{i}", f"w{i + 10}", float(generator.integers(5))) for i in range(10)]
    lengths = np.float32(2) ** generator.integers(-60, 60, size=(20, 1))
    part = part_of(matrix, pairs, correlation)
    for other in (
        part_of(matrix * lengths, pairs, correlation),
        part_of(matrix, pairs, correlation, norm="none"),
        part_of(matrix, [(a, b, 7 * rating - 3) for a, b, rating in pairs], correlation),
        part_of(matrix, [(b, a, rating * 1e307 - 1e307) for a, b, rating in pairs], correlation),
        part_of(matrix, [(a, b, rating * 1e-310) for a, b, rating in pairs], correlation),
    ):
        assert other.value == pytest.approx(part.value, abs=1e-9)
        assert pseudovalues(other) == pytest.approx(pseudovalues(part), abs=1e-6)


def test_the_order_of_the_pairs_does_not_matter():
    generator = np.random.default_rng(8)
    matrix = generator.integers(-2, 3, size=(20, 2))
    pairs = [(f"w{i}", f"w{(i * 7 + 3) % 20}", float(i % 4)) for i in range(20)]
    part, back = part_of(matrix, pairs), part_of(matrix, pairs[::-1])
    assert back.value == pytest.approx(part.value, abs=1e-12)
    assert back.observations.influences == pytest.approx(part.observations.influences, abs=1e-9)


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([], "0 of 0 pairs with both words in the vocabulary, 3 needed"),
        ([("w0", "w1", 1.0), ("w0", "w2", 2.0)], "2 of 2 pairs with both words in the vocabulary, 3 needed"),
        (
            [("w0", "w1", 1.0), ("w0", "w2", 2.0), ("w0", "no", 3.0)],
            "2 of 3 pairs with both words in the vocabulary, 3 needed",
        ),
        ([("w0", "w1", 1.0), ("w0", "w2", 1.0), ("w1", "w2", 1.0)], "all 3 ratings are equal"),
        ([("w0", "w0", 1.0), ("w1", "w1", 2.0), ("w2", "w2", 3.0)], "all 3 similarities are equal"),
        ([("w0", "w1", 1.0), ("w0", "w2", float("nan")), ("w1", "w2", 3.0)], "a rating is not a number"),
        ([("w0", "w1", 1.0), ("w0", "w2", float("inf")), ("w1", "w2", 3.0)], "a rating is not a number"),
    ],
)
@EITHER
def test_what_cannot_be_correlated_is_skipped_with_the_reason(pairs, reason, correlation):
    matrix = np.array([[1.0, 0.3], [0.2, 1.7], [-0.9, 0.4]])
    for oov in ("wrong", "skip"):
        part = part_of(matrix, pairs, correlation, oov=oov)
        lacks = oov == "wrong" and "of 3 pairs" in reason  # knowing less is no reason to be left out
        assert (part.value, part.skipped) == ((0.0, None) if lacks else (None, reason))


def test_the_same_word_twice_is_always_equally_similar():
    """In single precision the cosine of a vector with itself is 1 only for some vectors."""
    matrix = np.random.default_rng(9).normal(size=(50, 31)).astype(np.float32)
    pairs = [(f"w{i}", f"w{i}", float(i)) for i in range(50)]
    assert part_of(matrix, pairs).skipped == "all 50 similarities are equal"


def test_one_dimension_tells_only_signs():
    matrix = np.array([[1.0], [2.0], [-3.0], [0.5]])
    pairs = [("w0", "w1", 5.0), ("w0", "w2", 1.0), ("w1", "w3", 4.0), ("w2", "w3", 0.0)]
    part = part_of(matrix, pairs)
    assert part.value == pytest.approx(stats.spearmanr([1, -1, 1, -1], [5, 1, 4, 0])[0])


def test_a_pair_that_alone_makes_the_difference_has_finite_contributions():
    matrix = np.array([[1.0, 0.0], [0.0, 1.0]])
    pairs = [("w0", "w0", 5.0), ("w0", "w1", 1.0), ("w1", "w0", 1.0), ("w0", "w1", 1.0)]
    for correlation in CORRELATIONS:
        part = part_of(matrix, pairs, correlation)
        assert part.value == pytest.approx(1)
        # Without the first pair nothing is left to correlate, which counts as 0; without another, 1.
        less = np.sqrt(4 / 44) if correlation == "spearman" else 1
        less *= np.sqrt(1 - 1 / (2 * 1.75**2))  # what both words owe together counts once
        expected = influences_of({"w0": 1, "w1": 1 - less * 2 * 1.75 * 3 * 0.75 / np.sqrt(12)})
        assert part.observations.influences == pytest.approx(expected)


def test_pairs_that_come_twice_are_of_the_same_words():
    generator = np.random.default_rng(10)
    first, second = generator.normal(size=(2, 8, 3))
    pairs = [("w0", "w1", 1.0), ("w0", "w1", 4.0), ("w2", "w3", 2.0), ("w4", "w5", 3.0), ("w6", "w7", 0.0)]
    one, other = part_of(first, pairs), part_of(second, pairs)
    assert observed(one) == tuple(f"w{row}" for row in range(8))
    found = difference(Similarity(), [one], [other])
    assert found.observations == 8
    assert found.value == pytest.approx(other.value - one.value)


def test_words_that_the_run_leaves_out_are_not_counted():
    matrix = np.random.default_rng(11).normal(size=(4, 3))
    pairs = [("w0", "w1", 1.0), ("w0", "w2", 3.0), ("w1", "w3", 2.0), ("two words", "w0", 9.0)]
    assert part_of(matrix, pairs, multiword="drop").size == 3
    assert part_of(matrix, pairs).size == 4
    assert part_of(matrix, pairs).oov == 1


def test_words_built_from_subwords_count_if_they_are_to_be_known():
    table = vectors(
        np.random.default_rng(12).normal(size=(4, 3)),
        subword={"built": np.array([1, 2, 3], dtype=np.float32)}.get,
    )
    pairs = [("w0", "w1", 1.0), ("w0", "w2", 3.0), ("built", "w3", 2.0)]
    for built, oov in (("known", 0), ("unknown", 1)):
        (part,) = score(table, rated(pairs), ["Similarity"], Settings(built=built))["Similarity"].subscores
        assert part.oov == oov


# Real sets


def read(path):
    """The three columns of a file: two words and their rating."""
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return [(one, other, float(rating)) for one, other, rating in lines]


@pytest.fixture(scope="session")
def real(shared_data):
    """Google's vectors for the 8,000 most frequent words, for us and for gensim."""
    models = pytest.importorskip("gensim.models", reason=NO_GENSIM)
    path = shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz"
    return load_vectors(path), models.KeyedVectors.load_word2vec_format(str(path), binary=True)


@pytest.mark.parametrize(
    ("name", "size", "spearman"),
    [
        ("MC-30", 30, 0.8833),
        ("MEN-TR-3k", 3000, 0.7633),
        ("RG-65", 65, 0.6795),
        ("SIMLEX-999", 999, 0.4214),
        ("SimVerb-3500", 3500, 0.2771),
        ("WS-353-ALL", 353, 0.6977),
        ("WS-353-REL", 252, 0.6290),
        ("WS-353-SIM", 203, 0.7759),
    ],
)
def test_it_is_gensims(shared_data, real, name, size, spearman):
    """Gensim compares in single precision, which shows in the values but hardly in the ranks."""
    own, theirs = real
    path = shared_data / "benchmarks" / "similarity" / "en" / f"EN-{name}.txt"
    measures = [Similarity(correlation) for correlation in CORRELATIONS]
    scores = score(own, rated(read(path)), measures, GENSIM)
    pearson, ranked, oov = theirs.evaluate_word_pairs(str(path))
    ours = [scores[str(measure)].subscores[0] for measure in measures]
    assert ours[0].size == size
    assert [part.value for part in ours] == pytest.approx([ranked[0], pearson[0]], abs=1e-6)
    assert ours[0].value == pytest.approx(spearman, abs=5e-5)
    for part in ours:
        assert 100 * part.oov / part.size == pytest.approx(oov)

    dummies = score(own, rated(read(path)), measures, Settings(oov="wrong", case="upper"))
    pearson, ranked, _ = theirs.evaluate_word_pairs(str(path), dummy4unknown=True)
    values = [dummies[str(measure)].value for measure in measures]
    assert values == pytest.approx([ranked[0], pearson[0]], abs=1e-6)


def of_gensim(model, path, **options):
    """Spearman's and Pearson's correlation and the share of OOV pairs; None if gensim has no correlation."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of scipy: all values are equal
            pearson, ranked, oov = model.evaluate_word_pairs(str(path), **options)
    except ValueError:  # no pair is left, or only one
        return None
    return None if np.isnan(ranked[0]) else (float(ranked[0]), float(pearson[0]), oov / 100)


def of_file(table, path, settings):
    """The same here."""
    try:
        scores = score(table, read_testset(path, "rated-pairs"), map(Similarity, CORRELATIONS), settings)
    except ScoreError:
        return None
    parts = [each.subscores[0] for each in scores]
    return *(part.value for part in parts), parts[0].oov / parts[0].size


@NEEDS_GENSIM
@pytest.mark.parametrize("dummies", [False, True])
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_any_file_is_correlated_as_by_gensim(tmp_path, dummies, seed):
    """Tied ratings and similarities, pairs twice or turned round, words in several cases, and OOV.

    No pair is of one word: in gensim's single precision its cosine is 1 or 0.99999994, by the word.
    """
    from gensim.models import KeyedVectors

    generator = np.random.default_rng(seed)
    words = [*"abcdefghi", *"ABCD", "straße"]
    matrix = generator.normal(size=(len(words), 5)).astype(np.float32)
    matrix[generator.integers(9, size=3)] = matrix[0]
    model = KeyedVectors(5)
    model.add_vectors(words, matrix)
    names = [*words, *(word.title() for word in words), "STRASSE", "unknown", "no"]
    highest, most = generator.integers(2, 9), generator.integers(3, 20)  # few ratings are mostly tied
    asked = [tuple(names[row] for row in generator.integers(len(names), size=2)) for _ in range(most)]
    asked = [pair for pair in asked if pair[0].upper() != pair[1].upper()]
    asked += [pair[::-1] for pair in asked[:2]] + asked[2:4]
    lines = [f"{one}\t{other}\t{generator.integers(1, highest)}" for one, other in asked]
    path = tmp_path / "fuzzed.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    known = {word.upper() for word in words}
    assume(sum({one.upper(), other.upper()} <= known for one, other in asked) >= 3)  # needed here
    theirs = of_gensim(model, path, dummy4unknown=dummies)
    ours = of_file(vectors(matrix, words), path, Settings(oov="wrong", case="upper") if dummies else GENSIM)
    assert (ours is None) == (theirs is None)
    assert ours is None or ours == pytest.approx(theirs, abs=1e-6)


@NEEDS_GENSIM
@pytest.mark.parametrize("lines", ["no\tunknown\t1\nword0\tunknown\t2\n", "word0\tword1\t1\n"])
def test_a_file_that_gensim_cannot_correlate_has_no_score(tmp_path, lines):
    from gensim.models import KeyedVectors

    model = KeyedVectors(2)
    model.add_vectors(["word0", "word1"], np.eye(2, dtype=np.float32))
    path = tmp_path / "few.txt"
    path.write_text(lines, encoding="utf-8")
    assert of_gensim(model, path) is None
    assert of_file(vectors(np.eye(2), ["word0", "word1"]), path, GENSIM) is None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=9))
def test_any_ratings_give_numbers(ratings):
    assume(len(set(ratings)) > 1)
    matrix = np.random.default_rng(13).normal(size=(10, 2))
    pairs = [("w0", f"w{row}", rating) for row, rating in enumerate(ratings, 1)]
    for correlation in CORRELATIONS:
        part = part_of(matrix, pairs, correlation)
        assert -1 <= part.value <= 1
        assert np.isfinite(pseudovalues(part)).all()
