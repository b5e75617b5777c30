"""Analogies against their definitions, against gensim, and at their edges."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator import GENSIM, ScoreError, Settings, TestSet, load_vectors, read_testset
from evaluator.datasets.testset import AnalogySection, Item, Pair, Relation
from evaluator.execution.machine import Machine
from evaluator.measures import parse_measure
from evaluator.measures.analogy import Analogy
from tests.conftest import NEEDS_GENSIM, NO_GENSIM
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, score, vectors

METHODS = ["3CosAdd", "3CosMul", "PairDirection"]


def sections(*all_pairs, questions=None):
    made = tuple(
        AnalogySection(f"s{number}", f"s{number}", tuple((a, (b,)) for a, b in pairs), questions)
        for number, pairs in enumerate(all_pairs)
    )
    return TestSet("en", "questions", "0" * 64, analogies=made)


def parts(found, test, measure, **settings):
    return score(found, test, [measure], Settings(**settings))[str(measure)].subscores


def expected_hits(pairs, words, matrix, measure, digits=9):
    hits, firsts, asked = 0, 0, 0
    for (a, b), (c, d) in itertools.permutations(pairs, 2):
        ordered = definitions.answers(a, b, c, words, matrix, measure.method, digits)
        firsts += ordered[0] in (a, b, c)
        if measure.inputs == "excluded":
            ordered = [word for word in ordered if word not in (a, b, c)]
        hits += d in ordered[: measure.k]
        asked += 1
    return hits, firsts, asked


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(METHODS),
    st.sampled_from(["excluded", "included"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_is_its_definition(seed, method, inputs, k, ties):
    generator = np.random.default_rng(seed)
    matrix = generator.integers(-2, 3, size=(14, 3)) + 0.5 if ties else generator.normal(size=(14, 4))
    words = [f"w{row}" for row in range(14)]
    pairs = [("w0", "w1"), ("w2", "w3"), ("w4", "w5"), ("w6", "w1")]
    measure = Analogy(method, inputs, k=k)
    (found,) = parts(vectors(matrix), sections(pairs), measure)
    hits, firsts, asked = expected_hits(pairs, words, matrix.astype(np.float32), measure)
    assert (found.hits, found.trials, found.size, found.oov) == (hits, asked, asked, 0)
    assert found.extra["inputs first"] == pytest.approx(firsts / asked)
    assert pseudovalues(found).mean() == pytest.approx(found.value)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("apart", [1e-1, 1e-2, 1e-3])
def test_words_that_are_near_or_opposite_to_each_other(method, apart):
    """What divides by how far a word is from another needs more digits than single precision has."""
    words, questions = (
        [f"w{row}" for row in range(40)],
        [(f"w{row}", f"w{row + 1}") for row in range(0, 10, 2)],
    )
    for seed in range(8):
        draw = np.random.default_rng(seed)
        matrix = draw.choice([-1, 1, 1], size=(40, 1)) * [1, 0.8] + apart * draw.normal(size=(40, 2))
        measure = Analogy(method, k=5)
        (found,) = parts(vectors(matrix), sections(questions), measure)
        assert found.hits == expected_hits(questions, words, matrix.astype(np.float32), measure, 12)[0]


@pytest.mark.parametrize("method", METHODS)
def test_many_equal_words(method):
    """More answers tie than are kept: the more frequent one is the answer, whichever thread sees it first."""
    matrix = np.tile([[1.0, 0.0, 0.0]], (600, 1))
    matrix[300:] = [0.0, 1.0, 0.1]
    test = sections([("w0", "w1"), ("w300", "w301"), ("w2", "w3")])
    measure = Analogy(method)
    one, many = (
        score(vectors(matrix), test, [measure], machine=Machine(threads=threads)).record()
        for threads in (1, 3)
    )
    assert one == many
    hits, *_ = expected_hits(
        [("w0", "w1"), ("w300", "w301"), ("w2", "w3")],
        [f"w{row}" for row in range(600)],
        matrix.astype(np.float32),
        measure,
    )
    assert one.scores[0].hits == hits


def test_a_planted_relation_is_found():
    generator = np.random.default_rng(0)
    left = generator.normal(size=(20, 30))
    matrix = np.vstack([left, left + 3 * generator.normal(size=30), generator.normal(size=(300, 30))])
    test = sections([(f"w{row}", f"w{row + 20}") for row in range(20)])
    (found,) = parts(vectors(matrix), test, Analogy())
    assert found.trials == 380
    assert found.value > 0.9 > found.chance


def relation(**more):
    items = (
        Item("Q1", ("roma", "urbs")),
        Item("Q2", ("italia", "hesperia")),
        Item("Q3", ("athenae",)),
        Item("Q4", ("graecia", "hellas")),
    )
    pairs = (Pair("Q1", "Q2"), Pair("Q3", "Q4"))
    return TestSet(
        "la", "la.json", "0" * 64, relations=(Relation("capital", "capital", items, pairs),), **more
    )


def test_relations_of_a_test_set_are_sections():
    """Any word of the item is an answer; the first that has a vector is asked with."""
    words = ["roma", "hesperia", "athenae", "hellas", "x", "y", "z"]
    matrix = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [-1, 0, 0], [0, -1, 0], [-1, -1, 0.1]]
    (found,) = parts(vectors(matrix, words), relation(), Analogy())
    assert (found.name, found.hits, found.trials) == ("capital", 2, 2)
    assert observed(found) == ("roma:italia/hesperia", "athenae:graecia/hellas")


@pytest.mark.parametrize("questions", [None, ((0, 1), (2, 0), (1, 2))])
def test_reversed_questions_are_those_of_reversed_pairs(questions):
    matrix = np.random.default_rng(5).normal(size=(9, 3))
    pairs = [("w0", "w1"), ("w2", "w3"), ("w4", "w5")]
    found = parts(vectors(matrix), sections(pairs, questions=questions), Analogy(direction="reversed"))
    swapped = sections([(b, a) for a, b in pairs], questions=questions)
    assert [each.hits for each in found] == [each.hits for each in parts(vectors(matrix), swapped, Analogy())]
    assert observed(found[0]) == ("w1:w0", "w3:w2", "w5:w4")


def test_reversed_any_word_with_this_answer_is_correct():
    """France and Italy are in Europe: of Europe, both are right; Egypt is to Africa as which to Europe?"""
    words = ["france", "italy", "egypt", "europe", "africa", "x"]
    matrix = [[1, 0, 0.3], [1, 0.1, 0.2], [0, 1, 0.3], [1, 0, 0], [0, 1, 0], [-1, -1, 0]]
    pairs = [("france", "europe"), ("italy", "europe"), ("egypt", "africa")]
    (found,) = parts(vectors(matrix, words), sections(pairs), Analogy(direction="reversed"))
    assert observed(found) == ("europe:france/italy", "africa:egypt")
    assert (found.hits, found.trials) == (2, 2)
    listed = sections(pairs, questions=((0, 1), (0, 2), (2, 1)))  # the first is about Europe twice
    (asked,) = parts(vectors(matrix, words), listed, Analogy(direction="reversed"))
    assert (asked.hits, asked.trials) == (2, 2)


def test_reversed_relations_are_answered_by_any_word_of_the_item():
    words = ["urbs", "italia", "athenae", "graecia", "x", "y", "z"]
    matrix = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [-1, 0, 0], [0, -1, 0], [-1, -1, 0.1]]
    (found,) = parts(vectors(matrix, words), relation(), Analogy(direction="reversed"))
    assert observed(found) == ("italia:roma/urbs", "graecia:athenae")
    assert (found.hits, found.trials) == (2, 2)


def test_oov():
    matrix = np.random.default_rng(0).normal(size=(9, 5))
    test = sections([("w0", "w1"), ("w2", "w3"), ("w4", "unknown"), ("nobody", "w5")])
    (wrong,) = parts(vectors(matrix), test, Analogy())
    assert (wrong.size, wrong.oov, wrong.trials) == (12, 10, 12)
    assert wrong.ceiling == pytest.approx(2 / 12)
    (skip,) = parts(vectors(matrix), test, Analogy(), oov="skip")
    assert (skip.size, skip.oov, skip.trials, skip.ceiling) == (12, 10, 2, 1)
    assert skip.hits == wrong.hits
    assert len(observed(skip)) == 2


def test_samples():
    matrix = np.random.default_rng(0).normal(size=(40, 5))
    pairs = [(f"w{row}", f"w{row + 1}") for row in range(0, 30, 2)]
    some = [
        parts(vectors(matrix), sections(pairs), Analogy(samples=50, k=5), seed=seed)[0] for seed in (0, 0, 1)
    ]
    assert [each.trials for each in some] == [50] * 3
    assert pseudovalues(some[0]).tolist() == pseudovalues(some[1]).tolist()
    assert pseudovalues(some[0]).tolist() != pseudovalues(some[2]).tolist()
    (every,) = parts(vectors(matrix), sections(pairs), Analogy(samples=10**6, k=5))
    assert every.trials == 15 * 14


def test_listed_questions_are_those_asked():
    matrix = np.random.default_rng(0).normal(size=(9, 5))
    pairs = [("w0", "w1"), ("w2", "w3"), ("w4", "w5")]
    (found,) = parts(vectors(matrix), sections(pairs, questions=((0, 1), (0, 1), (2, 0))), Analogy())
    assert found.trials == 3


@pytest.mark.parametrize(
    ("test", "complaint"),
    [
        (sections([("a", "b"), ("c", "d")]), "no word is known"),
        (sections([("w0", "w1")]), "0 of 0 questions"),
        (TestSet("en", "t", "0" * 64), "has nothing that can be scored"),
    ],
)
def test_nothing_to_ask(test, complaint):
    with pytest.raises(ScoreError, match=complaint):
        score(vectors(np.eye(9)), test)


@pytest.mark.parametrize("measure", ["Analogy@1", "AnalogySpace"])
def test_a_section_without_a_known_question_scores_0(measure):
    matrix = np.random.default_rng(3).normal(size=(9, 3))
    known = sections([("w0", "w1"), ("w2", "w3"), ("w4", "w5")])
    unknown = sections([("a", "b"), ("c", "d"), ("e", "f")]).sections[0]
    both = replace(known, analogies=(known.sections[0], replace(unknown, name="unknown")))
    first, second = parts(vectors(matrix), both, parse_measure(measure))
    assert (second.value, second.skipped, second.oov, second.chance) == (0, None, 6, 0)
    assert len(observed(second)) == 3
    assert not pseudovalues(second).any()
    assert first.value == parts(vectors(matrix), known, parse_measure(measure))[0].value
    with pytest.raises(ScoreError, match="no word is known"):
        parts(vectors(matrix), sections([("a", "b"), ("c", "d")]), parse_measure(measure))


def test_a_vocabulary_of_the_inputs_alone():
    with pytest.raises(ScoreError, match=r"vocabulary.*3 words"):
        score(vectors(np.eye(3)), sections([("w0", "w1"), ("w2", "w1")]))


def gensim_counts(model, lines, tmp_path, **options):
    path = tmp_path / "questions.txt"
    path.write_text(lines)
    _, found = model.evaluate_word_analogies(str(path), **options)
    return {
        each["section"]: (len(each["correct"]), len(each["correct"]) + len(each["incorrect"]))
        for each in found[:-1]
    }


@NEEDS_GENSIM
def test_spellings_are_as_in_gensim(tmp_path):
    """Upper case, where the vocabulary has several spellings of inputs and answers."""
    from gensim.models import KeyedVectors

    generator = np.random.default_rng(0)
    base = [f"word{number}" for number in range(60)]
    words = [*base, *(word.upper() for word in base[:40]), *(word.title() for word in base[10:50])]
    meaning = generator.normal(size=(60, 6))
    rows = [int(word[4:]) for word in words]
    matrix = (meaning[rows] + 0.3 * generator.normal(size=(len(words), 6))).astype(np.float32)
    model = KeyedVectors(6)
    model.add_vectors(words, matrix)
    pairs = [(f"Word{left}", f"wORD{left + 30}") for left in range(25)] + [("word1", "unknown")]
    lines = [f"{a} {b} {c} {d}" for (a, b), (c, d) in itertools.permutations(pairs, 2)]
    text = ": s0\n" + "\n".join(lines) + "\n"
    (found,) = score(vectors(matrix, words), sections(pairs), "Analogy", GENSIM)["Analogy@1"].subscores
    assert {"s0": (found.hits, found.trials)} == gensim_counts(model, text, tmp_path)


@NEEDS_GENSIM
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_any_file_is_counted_as_by_gensim(tmp_path, seed):
    """Questions "a b a b", answers that are inputs, case clashes, repetitions, OOV, sections of OOV alone."""
    from gensim.models import KeyedVectors

    generator = np.random.default_rng(seed)
    base = [f"word{number}" for number in range(14)]
    words = [*base, *(word.upper() for word in base[:8])]
    matrix = generator.normal(size=(len(words), 5)).astype(np.float32)
    model = KeyedVectors(5)
    model.add_vectors(words, matrix)
    names = [*words, *(word.title() for word in base), "unknown"]
    lines = []
    for section in range(3):
        lines.append(f": s{section}")
        for _ in range(generator.integers(1, 40 if section else 3)):
            a, b, c, d = (names[row] for row in generator.integers(len(names), size=4))
            same = {0: (a, b, a, b), 1: (a, b, c, b), 2: (a, a, c, d), 3: (a, b, c, c)}
            lines.append(" ".join(same.get(int(generator.integers(8)), (a, b, c, d))))
    path = tmp_path / "fuzzed.txt"
    path.write_text("\n".join(lines) + "\n")
    found = score(vectors(matrix, words), read_testset(path, "questions"), "Analogy", GENSIM)["Analogy@1"]
    counted = {each.name: (each.hits or 0, each.trials or 0) for each in found.subscores}
    assert counted == gensim_counts(model, path.read_text(), tmp_path)


def read_questions(path):
    """The sections of questions-words.txt, as lists of questions."""
    found = {}
    for line in path.read_text().splitlines():
        if line.startswith(":"):
            name = line[1:].strip()
        else:
            found.setdefault(name, []).append(line.split())
    return found


def as_sections(questions):
    made = []
    for name, asked in questions.items():
        places, listed = {}, []
        for a, b, c, d in asked:
            listed.append(tuple(places.setdefault(pair, len(places)) for pair in ((a, b), (c, d))))
        pairs = tuple((left, (right,)) for left, right in places)
        made.append(AnalogySection(name, name, pairs, tuple(listed)))
    return TestSet("en", "questions", "0" * 64, analogies=tuple(made))


@pytest.fixture(scope="module")
def googlenews(shared_data):
    models = pytest.importorskip("gensim.models", reason=NO_GENSIM)
    path = shared_data / "vectors" / "en" / "googlenews_top8000_300d.bin.gz"
    return load_vectors(path), models.KeyedVectors.load_word2vec_format(str(path), binary=True)


def test_is_gensim_on_real_vectors_to_the_last_question(googlenews, shared_data, tmp_path):
    ours, theirs = googlenews
    path = shared_data / "benchmarks" / "analogy" / "en" / "google_questions-words.txt"
    kept = {name: asked[::40] for name, asked in read_questions(path).items()}
    lines = "".join(
        f": {name}\n" + "".join(" ".join(q) + "\n" for q in asked) for name, asked in kept.items()
    )
    found = score(ours, as_sections(kept), "Analogy", GENSIM)["Analogy@1"]
    counted = {part.name: (part.hits or 0, part.trials or 0) for part in found.subscores}
    assert counted == gensim_counts(theirs, lines, tmp_path)
    assert found.trials > 100


def test_3cosmul_is_gensims(googlenews, shared_data):
    """Through most_similar_cosmul: its evaluate_word_analogies uses 3CosAdd whatever it is asked for."""
    ours, theirs = googlenews
    theirs.init_sims = theirs.fill_norms  # what it calls is deprecated by itself
    path = shared_data / "benchmarks" / "analogy" / "en" / "google_questions-words.txt"
    asked = [
        question
        for questions in read_questions(path).values()
        for question in questions[::60]
        if all(word in theirs for word in question)
    ]
    hits = sum(
        theirs.most_similar_cosmul(positive=[b, c], negative=[a], topn=1)[0][0] == d for a, b, c, d in asked
    )
    found = score(ours, as_sections({"all": asked}), "Analogy(method=3CosMul)")["Analogy(method=3CosMul)@1"]
    assert (found.hits, found.trials) == (hits, len(asked))


def test_great_values_of_3cosmul_are_told_apart_by_frequency():
    """Where a is nearly opposite to two answers, values are about 100, and single precision errs by more."""
    measure = Analogy("3CosMul")
    for seed in range(40):
        generator = np.random.default_rng(seed)
        whole = generator.integers(-9, 10, size=8)
        answers = generator.permutation([1, 3, 5, 7, 9, 11])[:2, None] * whole  # exactly parallel
        direction = whole / np.linalg.norm(whole)
        other = generator.normal(size=8)
        other -= other @ direction * direction
        other /= np.linalg.norm(other)
        asked = [-0.98 * direction + 0.199 * other, direction + 0.1 * other, other, 0.5 * other - direction]
        matrix = np.vstack([answers, asked, generator.normal(size=(6, 8)) - 3 * direction])
        given = sections([("w2", "w3"), ("w4", "w0")], questions=((0, 1),))
        (found,) = parts(vectors(matrix), given, measure)
        assert found.hits == 1, seed


def test_pairs_that_are_equal_after_folding_are_one():
    matrix = np.random.default_rng(0).normal(size=(9, 5))
    words = ["rome", "italy", "paris", "france", "x", "y", "z", "u", "v"]
    pairs = [("Rome", "Italy"), ("Paris", "France"), ("rome", "ITALY")]
    once = parts(vectors(matrix, words), sections(pairs[:2]), Analogy(), case="fold")[0]
    twice = parts(vectors(matrix, words), sections(pairs), Analogy(), case="fold")[0]
    assert (twice.size, twice.trials, twice.hits) == (once.size, once.trials, once.hits) == (2, 2, once.hits)
    assert observed(twice) == observed(once)
    (other,) = parts(vectors(matrix, words), sections(pairs, questions=((1, 2),)), Analogy(), case="fold")
    (same,) = parts(vectors(matrix, words), sections(pairs, questions=((1, 0),)), Analogy(), case="fold")
    assert (other.hits, observed(other)) == (same.hits, observed(same))
    assert pseudovalues(other).tolist() == pseudovalues(same).tolist()
