"""AnalogySpace against its definition question by question, against the paper, and at its edges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Settings, load_vectors
from evaluator.datasets.testset import AnalogySection, Item, Pair, Relation, TestSet
from evaluator.measures.analogyspace import AnalogySpace
from tests.evaluator.examples import observed, pseudovalues, score, vectors

METHODS = ["Cos", "Euc", "N-Cos", "N-Euc"]
EACH = pytest.mark.parametrize("method", METHODS)
# Simulations: the others differ in the formula alone, which is compared with its definition.
SIMULATED = pytest.mark.parametrize(
    "method", [pytest.param(each, marks=[pytest.mark.slow] * (each in ("Euc", "N-Cos"))) for each in METHODS]
)

# Small whole numbers make equal, opposite and zero vectors and offsets likely; w0 … w6 have vectors.
WORDS = 7
MATRICES = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=WORDS, max_size=WORDS
    ).map(np.array)
)
SOME_OOV = st.integers(0, WORDS + 1).map(lambda number: f"w{number}")
ANSWERS = st.lists(SOME_OOV, min_size=1, max_size=2).map(tuple)
PAIRS = st.lists(st.tuples(SOME_OOV, ANSWERS), max_size=6)
OOV = st.sampled_from(["wrong", "skip"])


def part_of(matrix, pairs, method="Cos", questions=None, words=None, **settings):
    """The part of one section, skipped or not; a second section keeps it from being an error."""
    sections = (
        AnalogySection("s", "s", tuple(pairs), None if questions is None else tuple(questions)),
        AnalogySection("fine", "fine", (("x0", ("x1",)), ("x1", ("x0",)))),
    )
    names = [*(words or [f"w{row}" for row in range(len(matrix))]), "x0", "x1"]
    extra = np.zeros((2, np.shape(matrix)[1]))
    extra[0, 0] = 1
    measure = AnalogySpace(method)
    table = vectors(np.vstack([matrix, extra]), names)
    test_set = TestSet("en", "test.txt", "0" * 64, analogies=sections)
    return score(table, test_set, [measure], Settings(**settings))[str(measure)].subscores[0]


def alike(method, a, b, c, d):
    """The definition, for one question."""
    if method.startswith("N-"):
        a, b, c, d = (x / (np.linalg.norm(x) or 1) for x in (a, b, c, d))
    r1, r2 = b - a, d - c
    if min(np.linalg.norm(r1), np.linalg.norm(r2)) < 1e-12:
        return 0.0
    if method.endswith("Cos"):
        return float(r1 @ r2 / np.linalg.norm(r1) / np.linalg.norm(r2))
    return float(1 - np.linalg.norm(r1 - r2) / (np.linalg.norm(r1) + np.linalg.norm(r2)))


def slow(matrix, pairs, method, oov, questions=None):
    """Value and contributions of each pair by name, number of questions, and of those with OOV words."""
    rows = {f"w{row}": vector.astype(float) for row, vector in enumerate(np.asarray(matrix))}
    if questions is None:
        questions = [(i, j) for i, j in itertools.permutations(range(len(different(pairs))), 2)]
        pairs = different(pairs)
    units = [f"{word}:{'/'.join(dict.fromkeys(answers))}" for word, answers in pairs]
    values, of_unit, asked, missing = [], {}, 0, 0
    for i, j in questions:
        if units[i] == units[j]:
            continue
        asked += 1
        found = [rows.get(pairs[i][0]), next((rows[w] for w in pairs[i][1] if w in rows), None)]
        found += [rows.get(pairs[j][0]), next((rows[w] for w in pairs[j][1] if w in rows), None)]
        known = all(vector is not None for vector in found)
        missing += not known
        if not known and oov == "skip":
            continue
        values.append(alike(method, *found) if known else 0.0)
        of_unit.setdefault(units[i], []).append(values[-1])
        of_unit.setdefault(units[j], []).append(values[-1])
    return values, of_unit, asked, missing


def different(pairs):
    return list(dict.fromkeys((word, tuple(dict.fromkeys(answers))) for word, answers in pairs))


def compare(part, values, of_unit, asked, missing):
    assert (part.size, part.oov) == (asked, missing)
    if not values:
        assert part.value is None
        assert part.skipped == f"0 of {asked} questions with all words in the vocabulary"
        return
    value = np.mean(values)
    assert part.value == pytest.approx(value, abs=2e-8)  # the root of a difference near 0
    assert part.extra["spread"] == pytest.approx(np.std(values), abs=1e-6)
    assert sorted(observed(part)) == sorted(of_unit)
    assert pseudovalues(part).mean() == pytest.approx(part.value, abs=1e-12)
    n, asked_of_each = len(of_unit), np.mean([len(each) for each in of_unit.values()])
    lever = 2 * (n - 1) / (n - 2) / asked_of_each if n > 2 else 2 / asked_of_each
    projection = [value + lever * sum(np.array(of_unit[unit]) - value) for unit in observed(part)]
    assert pseudovalues(part) == pytest.approx(projection, abs=1e-6)


@given(MATRICES, PAIRS, st.sampled_from(METHODS), OOV)
def test_it_is_its_definition(matrix, pairs, method, oov):
    compare(part_of(matrix, pairs, method, oov=oov), *slow(matrix, pairs, method, oov))


def test_a_pair_in_no_question_is_no_observation():
    pairs, questions = [("w0", ("w0",)), ("w9", ("w0",)), ("w0", ("w1",))], [(0, 1)]
    part = part_of(np.zeros((WORDS, 1)), pairs, questions=questions, oov="wrong")
    compare(part, *slow(np.zeros((WORDS, 1)), pairs, "Cos", "wrong", questions))


@given(MATRICES, PAIRS, st.sampled_from(METHODS), OOV, st.data())
def test_it_is_its_definition_on_listed_questions(matrix, pairs, method, oov, data):
    place = st.integers(0, max(0, len(pairs) - 1))
    questions = data.draw(st.lists(st.tuples(place, place), max_size=8)) if pairs else []
    part = part_of(matrix, pairs, method, questions, oov=oov)
    compare(part, *slow(matrix, pairs, method, oov, questions))


@EACH
@pytest.mark.parametrize("listed", [False, True])
def test_blocks_of_pairs_do_not_matter(monkeypatch, method, listed):
    monkeypatch.setattr("evaluator.measures.analogyspace._ROWS_AT_A_TIME", 7)
    generator = np.random.default_rng(1)
    matrix = generator.normal(size=(60, 5)).astype(np.float32)
    pairs = [(f"w{i}", (f"w{i + 30}",)) for i in range(30)]
    questions = [(i, (i * i + 1) % 30) for i in range(30)] * 2 if listed else None
    part = part_of(matrix, pairs, method, questions)
    compare(part, *slow(matrix, pairs, method, "wrong", questions))


@EACH
def test_contributions_are_those_of_leaving_each_pair_out(method):
    generator = np.random.default_rng(16)
    matrix = generator.normal(size=(24, 5)).astype(np.float32)
    pairs = [(f"w{i}", (f"w{i + 12}",)) for i in range(12)]
    part = part_of(matrix, pairs, method)
    without = np.array([part_of(matrix, pairs[:i] + pairs[i + 1 :], method).value for i in range(12)])
    assert pseudovalues(part) == pytest.approx(12 * part.value - 11 * without, abs=1e-9)


# Table 2 of "Traversal-Free Word Vector Evaluation in Analogy Space": Cos, Euc, N-Cos, N-Euc of a question.
TABLE_2 = [
    (0.114, 0.334, 0.115, 0.332),
    (0.324, 0.410, 0.320, 0.415),
    (0.310, 0.380, 0.314, 0.356),
    (0.367, 0.423, 0.376, 0.411),
    (0.496, 0.492, 0.508, 0.495),
    (0.452, 0.420, 0.451, 0.405),
    (0.438, 0.430, 0.441, 0.418),
    (0.712, 0.617, 0.714, 0.619),
]
ROWS = [row[:2] for row in TABLE_2] + [row[2:] for row in TABLE_2]


def two_offsets(cosine, ratio):
    """Two pairs whose offsets have that cosine, the second as many times as long as the first."""
    offsets = np.array([[1.0, 0.0], [ratio * cosine, ratio * math.sqrt(1 - cosine**2)]])
    starts = np.array([[0.3, -0.2], [1.1, 0.4]])
    matrix = np.empty((4, 2))
    matrix[::2], matrix[1::2] = starts, starts + offsets
    return matrix, [("w0", ("w1",)), ("w2", ("w3",))]


@pytest.mark.parametrize(("cosine", "euclidean"), ROWS)
def test_the_papers_table_comes_out(cosine, euclidean):
    """Offsets of equal length with the paper's Cos have at least its Euc, some other lengths just that."""
    cos, equal = (part_of(*two_offsets(cosine, 1), method).value for method in ("Cos", "Euc"))
    assert cos == pytest.approx(cosine, abs=1e-6)
    assert equal == pytest.approx(1 - math.sqrt((1 - cosine) / 2), abs=1e-6)
    assert euclidean <= equal + 0.0005

    low, high = 1.0, 4.0
    for _ in range(40):
        ratio = (low + high) / 2
        distance = math.sqrt(1 + ratio**2 - 2 * ratio * cosine)
        low, high = (ratio, high) if 1 - distance / (1 + ratio) > euclidean else (low, ratio)
    pair = [part_of(*two_offsets(cosine, ratio), method).value for method in ("Cos", "Euc")]
    assert pair == pytest.approx([cosine, euclidean], abs=0.0006)
    assert ratio < 2.5


@pytest.mark.parametrize(("cosine", "euclidean"), [(0.114, 0.334), (0.712, 0.617)])
def test_the_papers_euc_is_nearly_that_of_equal_lengths(cosine, euclidean):
    assert part_of(*two_offsets(cosine, 1), "Euc").value == pytest.approx(euclidean, abs=0.004)


@EACH
def test_a_perfect_parallelogram_is_1_and_its_opposite_the_lowest(method):
    # Both starts are mirrored, so that unit vectors make a parallelogram too.
    matrix = np.array([[1.0, 1, 0], [-1, 1, 0], [1, 0, 1], [-1, 0, 1]])
    assert part_of(matrix, [("w0", ("w1",)), ("w2", ("w3",))], method).value == pytest.approx(1, abs=2e-8)
    lowest = -1 if method.endswith("Cos") else 0
    assert part_of(matrix, [("w0", ("w1",)), ("w3", ("w2",))], method).value == pytest.approx(lowest)


@EACH
def test_an_offset_of_zero_is_like_nothing(method):
    matrix = np.array([[1.0, 2, 3], [1, 2, 3], [3, 1, 2], [3, 1, 2], [0, 1, 0]])
    zero, another, real = ("w0", ("w1",)), ("w2", ("w3",)), ("w0", ("w4",))
    assert part_of(matrix, [zero, another], method).value == 0
    assert part_of(matrix, [zero, real], method).value == 0


@pytest.mark.parametrize("method", ["N-Cos", "N-Euc"])
def test_rounding_of_parallel_vectors_is_no_direction(method):
    generator = np.random.default_rng(2)
    start = generator.integers(1, 2**12, size=(30, 8))
    matrix = np.vstack([start, start * 3])  # exact in single precision
    assert part_of(matrix, [(f"w{i}", (f"w{i + 30}",)) for i in range(30)], method).value == 0


@EACH
def test_the_scale_of_all_vectors_does_not_matter(method):
    generator = np.random.default_rng(3)
    matrix = generator.normal(size=(20, 4)).astype(np.float32)
    pairs = [(f"w{i}", (f"w{i + 10}",)) for i in range(10)]
    part = part_of(matrix, pairs, method, norm="none")
    for factor in (2.0**-100, 2.0**100):
        scaled = part_of(matrix * np.float32(factor), pairs, method, norm="unit")
        assert scaled.value == pytest.approx(part.value, abs=1e-9)
        assert pseudovalues(scaled) == pytest.approx(pseudovalues(part), abs=1e-7)
    lengths = np.float32(2) ** generator.integers(-3, 4, size=(20, 1))
    stretched = part_of(matrix * lengths, pairs, method).value
    assert (stretched == pytest.approx(part.value, abs=1e-9)) == method.startswith("N-")


@EACH
def test_moving_all_vectors_does_not_matter_to_raw_offsets(method):
    matrix = np.random.default_rng(4).integers(-9, 9, size=(12, 3))
    pairs = [(f"w{i}", (f"w{i + 6}",)) for i in range(6)]
    moved = part_of(matrix + 100, pairs, method).value
    assert (moved == pytest.approx(part_of(matrix, pairs, method).value)) != method.startswith("N-")


def related(n, generator, words=3000, d=20):
    """Pairs of two kinds of words with a common offset, among words of no kind."""
    kinds = generator.normal(size=(2, d)) * 2
    own = generator.normal(size=(n, d))
    matrix = np.vstack([kinds[0] + own, kinds[1] + own + generator.normal(size=(n, d)) * 0.7])
    matrix = np.vstack([matrix, generator.normal(size=(words, d)) * 2])
    return matrix, [(f"w{i}", (f"w{i + n}",)) for i in range(n)]


@SIMULATED
def test_chance_is_what_words_of_the_vocabulary_give(method):
    matrix, pairs = related(12, np.random.default_rng(5), words=100)
    part = part_of(matrix, pairs, method)
    everything = np.vstack([matrix, np.eye(1, 20), np.zeros((1, 20))]).astype(np.float32).astype(float)
    exact = np.mean(
        [
            alike(method, everything[i], everything[i + 12], everything[j], word)
            for i, j in itertools.permutations(range(12), 2)
            for word in everything
        ]
    )
    assert part.chance == pytest.approx(exact, abs=0.02)
    seeds = [part_of(matrix, pairs, method, seed=seed).chance for seed in range(10)]
    assert np.mean(seeds) == pytest.approx(exact, abs=4 * np.std(seeds) / math.sqrt(9))
    assert 0 < np.std(seeds) < 0.01


@EACH
def test_shuffled_is_what_other_pairs_answers_give(method):
    matrix, pairs = related(12, np.random.default_rng(6), words=10)
    part = part_of(matrix, pairs, method)
    rows = matrix.astype(np.float32).astype(float)
    exact = np.mean(
        [
            alike(method, rows[i], rows[i + 12], rows[j], rows[other + 12])
            for i, j in itertools.permutations(range(12), 2)
            for other in range(12)
            if other != j
        ]
    )
    assert part.extra["shuffled"] == pytest.approx(exact, abs=0.01)
    assert part.chance < part.extra["shuffled"] < part.value


def test_chance_of_vectors_that_know_nothing_is_their_score():
    generator = np.random.default_rng(7)
    matrix = generator.normal(size=(2000, 30))
    pairs = [(f"w{i}", (f"w{i + 150}",)) for i in range(150)]
    for method in METHODS:
        part = part_of(matrix, pairs, method)
        assert part.value == pytest.approx(part.chance, abs=0.01)
        assert part.extra["shuffled"] == pytest.approx(part.chance, abs=0.01)


@EACH
def test_words_without_a_vector_count_as_nothing_or_not_at_all(method):
    matrix, pairs = related(4, np.random.default_rng(8), words=50)
    skipped = part_of(matrix, [*pairs, ("no", ("w1",))], method, oov="skip")
    wrong = part_of(matrix, [*pairs, ("no", ("w1",))], method, oov="wrong")
    known = part_of(matrix, pairs, method)
    assert (skipped.value, observed(skipped), skipped.chance) == (
        known.value,
        observed(known),
        known.chance,
    )
    assert (skipped.size, skipped.oov) == (wrong.size, wrong.oov) == (20, 8)
    assert wrong.value == pytest.approx(known.value * 12 / 20)
    assert wrong.chance == pytest.approx(known.chance * 12 / 20)
    assert observed(wrong)[-1] == "no:w1"
    assert pseudovalues(wrong)[-1] < 0 < pseudovalues(wrong)[:-1].min()


@SIMULATED
def test_contributions_vary_as_the_score_does(monkeypatch, method):
    """Their variance by n is nearly that of the score when other pairs are drawn."""
    monkeypatch.setattr("evaluator.measures.analogyspace._DRAWN", 1)
    generator = np.random.default_rng(9)
    kinds = generator.normal(size=(2, 6))
    parts = []
    for _ in range(100):
        own = generator.normal(size=(60, 6))
        matrix = np.vstack([kinds[0] + own, kinds[1] + own + generator.normal(size=(60, 6))])
        parts.append(part_of(matrix, [(f"w{i}", (f"w{i + 60}",)) for i in range(60)], method))
    true = np.var([part.value for part in parts])
    claimed = np.mean([np.var(pseudovalues(part), ddof=1) / 60 for part in parts])
    assert 0.75 < claimed / true < 1.3


def test_the_first_answer_with_a_vector_is_taken():
    matrix = np.random.default_rng(10).normal(size=(6, 3))
    pairs = [("w0", ("no", "w1", "w2")), ("w3", ("w4", "w5"))]
    part = part_of(matrix, pairs)
    assert part.value == part_of(matrix, [("w0", ("w1",)), ("w3", ("w4",))]).value
    assert observed(part) == ("w0:no/w1/w2", "w3:w4/w5")
    assert part.oov == 0


def test_relations_are_sections():
    items = tuple(Item(f"Q{i}", (f"w{i}",)) for i in range(4))
    relation = Relation("capital", "capital", items, (Pair("Q0", "Q1"), Pair("Q2", "Q3")))
    matrix = np.random.default_rng(11).normal(size=(4, 3))
    test_set = TestSet("en", "test.txt", "0" * 64, relations=(relation,))
    (part,) = score(vectors(matrix), test_set, ["AnalogySpace"])["AnalogySpace"].subscores
    assert part.value == part_of(matrix, [("w0", ("w1",)), ("w2", ("w3",))]).value


def test_words_that_the_run_leaves_out_are_not_counted():
    matrix = np.random.default_rng(12).normal(size=(6, 3))
    pairs = [("w0", ("w1",)), ("w2", ("w3",)), ("two words", ("w4",)), ("w5", ("two words",))]
    assert part_of(matrix, pairs, multiword="drop").size == 2
    assert (part_of(matrix, pairs).size, part_of(matrix, pairs).oov) == (12, 10)
    listed = part_of(matrix, pairs, questions=[(0, 1), (1, 2), (3, 0)], multiword="drop")
    assert (listed.size, listed.oov) == (1, 0)


def test_pairs_that_are_compared_as_the_same_words_are_one():
    matrix = np.random.default_rng(13).normal(size=(6, 3))
    pairs = [("w0", ("w1",)), ("w2", ("w3",)), ("W0", ("W1",))]
    assert part_of(matrix, pairs, case="fold").size == 2
    assert part_of(matrix, pairs, questions=[(0, 1), (0, 2), (1, 2)], case="fold").size == 2


def test_the_same_run_gives_the_same_bytes():
    matrix, pairs = related(40, np.random.default_rng(14), words=50)
    one, same, other = (part_of(matrix, pairs, seed=seed) for seed in (0, 0, 1))
    assert (one.value, one.chance, one.extra) == (same.value, same.chance, same.extra)
    assert one.value == other.value
    assert one.chance != other.chance
    assert not AnalogySpace().draws


def test_thousands_of_pairs_take_little_memory():
    import tracemalloc

    matrix = np.random.default_rng(15).normal(size=(5000, 10)).astype(np.float32)
    pairs = [(f"w{i}", (f"w{i + 2500}",)) for i in range(2500)]
    tracemalloc.start()
    try:
        assert part_of(matrix, pairs, "N-Euc").size == 2500 * 2499
        assert tracemalloc.get_traced_memory()[1] < 2500 * 2500 * 8
    finally:
        tracemalloc.stop()


# Real vectors and questions


def google(path):
    """The Google set's sections."""
    sections, name, pairs, questions = [], "", {}, []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ":"]:
        if not line.startswith(":"):
            a, b, c, d = line.split()
            questions.append(tuple(pairs.setdefault(pair, len(pairs)) for pair in ((a, b), (c, d))))
            continue
        if questions:
            listed = tuple((word, (answer,)) for word, answer in pairs)
            sections.append(AnalogySection(name, name, listed, tuple(questions)))
        name, pairs, questions = line[1:].strip(), {}, []
    return tuple(sections)


@pytest.mark.slow
def test_google_questions_question_by_question(shared_data):
    table = load_vectors(shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz")
    sections = google(shared_data / "benchmarks" / "analogy" / "en" / "google_questions-words.txt")
    test_set = TestSet("en", "google", "0" * 64, analogies=sections)
    measures = [AnalogySpace(method) for method in METHODS]
    scores = score(table, test_set, measures, Settings(oov="skip", case="exact"))
    for measure in measures:
        parts = scores[str(measure)].subscores
        assert sum(part.size for part in parts) == 19544
        for section, part in zip(sections, parts, strict=True):
            found = []
            for i, j in section.questions:
                words = [section.pairs[i][0], *section.pairs[i][1], section.pairs[j][0], *section.pairs[j][1]]
                if all(word in table.index for word in words):
                    rows = [table.matrix[table.index[word]].astype(float) for word in words]
                    found.append(alike(measure.method, *rows))
            assert part.size - part.oov == len(found)
            assert part.value == pytest.approx(np.mean(found), abs=1e-9)
            assert part.chance < part.value
    values = [scores[str(measure)].value for measure in measures]
    assert values == pytest.approx([0.3751, 0.4436, 0.3721, 0.4412], abs=5e-5)
