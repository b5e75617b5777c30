"""SynonymChoice against its definition, with OOV words, ties and settings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import ScoreError, Settings, TestSet
from evaluator.datasets.testset import SynonymQuestion, SynonymQuestions
from evaluator.studies.scoring import score
from tests.evaluator.examples import vectors

WORDS = [f"w{number}" for number in range(12)]
VECTORS = st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=10, max_size=10)
QUESTION = st.permutations(WORDS).flatmap(
    lambda words: st.tuples(st.just(words), st.integers(1, 2), st.integers(1, 3))
)


def questions_of(questions):
    return TestSet("en", "s", "0" * 64, synonym_questions=(SynonymQuestions("s", "s", tuple(questions)),))


def asked(words, answers, others):
    return SynonymQuestion(words[0], tuple(words[1 : 1 + answers]), tuple(words[5 : 5 + others]))


def cosine(x, y):
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    return float(np.dot(x, y) / lengths) if lengths else 0.0


def defined(questions, vector_of, oov):
    """The share of right questions and its chance level; None if fewer than three words are asked about."""
    right, chance, different = [], [], set()
    for each in questions:
        answers, others = ([w for w in some if w in vector_of] for some in (each.answers, each.others))
        whole = each.word in vector_of and len(answers + others) == len(each.answers + each.others)
        usable = each.word in vector_of and answers and others
        if oov == "skip" and not usable:
            continue
        different.add(each.word)
        if not (usable if oov == "skip" else whole):
            right.append(0)
            chance.append(0)
            continue
        best, other = (
            max(cosine(vector_of[each.word], vector_of[w]) for w in some) for some in (answers, others)
        )
        right.append(best > other + 1e-10)
        chance.append(len(answers) / len(answers + others))
    return (float(np.mean(right)), float(np.mean(chance))) if right and len(different) > 2 else None


@given(VECTORS, st.lists(QUESTION, min_size=3, max_size=6), st.sampled_from(["wrong", "skip"]))
def test_the_definition(matrix, drawn, oov):
    questions = [asked(*each) for each in drawn]
    vector_of = dict(zip(WORDS, matrix, strict=False))  # the last two words are OOV
    expected = defined(questions, vector_of, oov)
    try:
        found = score(
            vectors(matrix, WORDS[: len(matrix)]), questions_of(questions), "SynonymChoice", Settings(oov=oov)
        )
    except ScoreError:  # too few questions, or none that could be answered
        assert expected is None or expected[1] == 0
        return
    (subscore,) = found["SynonymChoice"].subscores
    assert expected is not None
    assert (subscore.value, subscore.chance) == pytest.approx(expected)
    assert 0 <= subscore.value <= subscore.ceiling <= 1


def test_values_by_hand():
    table = vectors([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [-1, 0]], ["rex", "dux", "via", "iter", "urbs"])
    questions = [
        SynonymQuestion("rex", ("dux",), ("via", "urbs")),  # right
        SynonymQuestion("via", ("iter",), ("rex",)),  # right
        SynonymQuestion("urbs", ("rex",), ("via",)),  # wrong
        SynonymQuestion("dux", ("nusquam",), ("via",)),  # OOV
    ]
    found = score(table, questions_of(questions))["SynonymChoice"]
    assert (found.value, found.subscores[0].ceiling, found.subscores[0].oov) == (0.5, 0.75, 1)
    assert found.subscores[0].chance == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 4)
    skipped = score(table, questions_of(questions), settings=Settings(oov="skip"))["SynonymChoice"]
    assert skipped.value == pytest.approx(2 / 3)


def test_a_tie_is_a_miss():
    table = vectors([[1, 0], [1, 1], [1, 1], [1, -1]], ["a", "b", "c", "d"])
    questions = [SynonymQuestion(word, ("b",), ("c",)) for word in "ad"] + [
        SynonymQuestion("c", ("b",), ("a",))
    ]
    assert score(table, questions_of(questions))["SynonymChoice"].value == pytest.approx(1 / 3)


def test_too_few_questions_are_refused():
    table = vectors([[1, 0], [1, 1], [0, 1]], ["a", "b", "c"])
    with pytest.raises(ScoreError, match="1, 3 needed"):
        score(table, questions_of([SynonymQuestion("a", ("b",), ("c",))] * 4))
