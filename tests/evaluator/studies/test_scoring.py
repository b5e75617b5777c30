"""Scores: settings, values, signature, table, JSON."""

from __future__ import annotations

import hashlib
import json
import pickle
from importlib.metadata import version

import msgspec
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import evaluator
from evaluator import (
    MeasureError,
    ScoreError,
    Settings,
    combined,
    parse_measure,
)
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.execution.machine import Machine
from evaluator.measures.base import Subscore
from evaluator.measures.topk import Topk
from evaluator.results.base import to_json
from evaluator.settings import Hyperparameters
from evaluator.statistics.scores import score_of
from evaluator.studies import scoring
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors

WORDS = test_set(near=["w0", "w1", "w2"], mixed=["w3", "w4", "w0", "oov"], gone=["x", "y"])
MATRIX = [[1, 0], [1, 0.1], [1, 0.2], [0, 1], [0.1, 1], [-1, -1]]


def scores(measures=("Topk@1", "OddOneOut@2"), **settings):
    return score(vectors(MATRIX), WORDS, measures, Settings(**settings))


def test_means_are_the_same_with_all_pythons():
    """Since Python 3.12, `sum` of floats rounds in another way: ten times 0.1 is 1.0, and was less before."""
    subscores = [Subscore.of(str(i), 1, 0, 0.1, [str(i)], [0.1], chance=0.1) for i in range(10)]
    found = score_of(Topk(1), subscores, "signature")
    assert (found.value, found.chance) == (0.1, 0.1)


def test_values():
    topk = scores()["Topk@1"]
    assert [(each.name, each.size, each.oov) for each in topk.subscores] == [
        ("near", 3, 0),
        ("mixed", 4, 1),
        ("gone", 2, 2),
    ]
    near, mixed, gone = topk.subscores
    assert (near.hits, near.trials, near.value, near.ceiling) == (3, 3, 1.0, 1.0)
    assert (mixed.hits, mixed.trials, mixed.value, mixed.ceiling) == (2, 4, 0.5, 0.75)
    assert (gone.hits, gone.trials, gone.value, gone.ceiling) == (None, None, None, None)
    assert gone.skipped == "2 words, 3 needed"
    assert topk.value == 0.75  # the mean over what was scored; what was skipped is no 0


def test_what_a_model_does_not_know_scores_0():
    """A category counts by the words of the test set, unless words without a vector are left out."""
    words = test_set(near=["w0", "w1", "w2"], unknown=["w3", "x", "y"])
    for measure in ("Topk@1", "OddOneOut@2"):
        wrong, skip = (
            score(vectors(MATRIX), words, measure, Settings(oov=oov))[measure] for oov in ("wrong", "skip")
        )
        assert [each.value for each in wrong.subscores] == [1.0, 0.0]
        assert wrong.value == 0.5
        assert [each.value for each in skip.subscores] == [1.0, None]
        assert skip.subscores[1].skipped == "of its 3 words 1 are known, 3 needed"


def test_the_order_of_categories_changes_no_interval():
    """A word of two items counts as one of them, whichever category comes first."""
    shared = [Item("Q1", ("w0", "w1")), Item("Q2", ("w1", "w2"))]
    others = [Item(f"Q{number}", (f"w{number}",)) for number in range(3, 7)]
    one, other = Category("a", "a", (shared[0], *others)), Category("b", "b", (shared[1], *others[1:]))
    given = vectors(np.random.default_rng(3).normal(size=(30, 5)))
    first, second = (
        score(given, TestSet("en", "test.json", "0" * 64, both), "Topk@3")["Topk@3"]
        for both in ((one, other), (other, one))
    )
    assert (first.low, first.high) == pytest.approx((second.low, second.high))
    lows = [{each.name: each.low for each in found.subscores} for found in (first, second)]
    assert lows[0] == pytest.approx(lows[1])


def test_combined_is_of_the_first_topk_and_the_first_odd_one_out():
    found = scores(["Topk@2", "Topk@1", "OddOneOut@2", "OddOneOut@3"])
    assert found["Combined"].value == combined(found["Topk@2"].value, found["OddOneOut@2"].value)
    assert found["Combined"].n == found["Topk@2"].n == 6
    assert "Combined" not in scores(["Topk@1"])
    assert "Combined" not in scores(["OddOneOut@2"])


def test_scores_are_found_by_the_text_of_the_measure():
    found = scores()
    assert [each.measure for each in found] == ["Topk@1", "OddOneOut@2", "Combined", "Above chance"]
    assert [each.measure for each in found.measured] == ["Topk@1", "OddOneOut@2"]
    assert len(found) == 4
    assert found[" OddOneOut @ 2"] is found["OddOneOut@2"]
    assert found.get("Topk@7") is None
    assert "Topk@1" in found
    assert "no measure" not in found
    with pytest.raises(KeyError):
        found["Topk@2"]


def test_a_measure_given_twice_counts_once():
    assert len(scores(["Topk@1", "Topk @ 1", Topk(1)])) == 1


@pytest.mark.parametrize("one", ["Topk@1", Topk(1)])
def test_one_measure_needs_no_list(one):
    assert [each.measure for each in scores(one)] == ["Topk@1"]


def test_signature():
    test, program = f"test:test.json#{'0' * 12}", f"version:{version('testgen-evaluator')}"
    found = scores(["Topk@1", "OddOneOut(samples=5)@2"], seed=7, oov="skip", case="fold", vocabulary=5)
    rest = f"norm:unit|oov:skip|built:unknown|case:fold|vocabulary:5|{test}|{program}"
    assert found["Topk@1"].signature == f"Topk@1|{rest}"
    seeded = rest.replace("|test", "|seed:7|test")
    assert found["OddOneOut(samples=5)@2"].signature == f"OddOneOut(samples=5)@2|{seeded}"
    plain = scores(["OddOneOut@2"], norm="none", case="exact")["OddOneOut@2"].signature
    assert (
        plain == f"OddOneOut@2|norm:none|oov:wrong|built:unknown|case:exact|vocabulary:all|{test}|{program}"
    )


def test_the_measure_of_a_signature_gets_the_score_again():
    found = scores(["OddOneOut(samples=5)@2"], seed=3)["OddOneOut(samples=5)@2"]
    text = found.signature.partition("|")[0]
    assert scores([parse_measure(text)], seed=3)[text] == found


def test_frame():
    frame = scores().frame()
    numbers = ["value", "low", "high", "categories_low", "categories_high", "chance"]
    numbers += ["baseline", "spelling"]
    assert frame.columns.tolist() == [
        *("model", "language", "test_set", "measure", "words", "part", "title"),
        *(*numbers, "n", "known", "reason"),
    ]
    assert set(frame["words"]) == {"all", "known"}
    frame = frame[frame["words"] == "all"]
    both = ["Combined", "Above chance"]
    assert frame["measure"].tolist() == ["Topk@1"] * 4 + ["OddOneOut@2"] * 4 + both
    assert frame["part"].tolist() == ["all", "near", "mixed", "gone"] * 2 + ["all"] * 2
    assert set(frame["model"]) == {"test vectors"}
    assert set(frame["test_set"]) == {"test.json"}
    assert frame["n"].tolist()[:4] == [6, 3, 4, 2], "w0 is in two categories, and one of them is skipped"
    assert frame["known"].tolist()[:4] == [5, 3, 3, 0]
    assert frame["value"].tolist()[:3] == [0.75, 1.0, 0.5]
    assert frame["value"].tolist()[-2] == scores()["Combined"].value
    gone = frame[frame["part"] == "gone"]
    assert gone[numbers].isna().all(axis=None)
    assert gone["reason"].str.endswith("needed").all()
    assert (frame[numbers].dtypes == np.float64).all()


def test_json():
    found = scores()
    read = json.loads(to_json(found.record()))
    assert {key: read[key] for key in ("model", "test_set", "language", "multiword")} == {
        "model": "test vectors",
        "test_set": "test.json",
        "language": "en",
        "multiword": {"several": 0, "words": 8},
    }
    both = next(each for each in read["scores"] if each["measure"] == "Combined")
    assert both["value"] == found["Combined"].value
    assert both["low"] <= both["value"] <= both["high"]
    topk = read["scores"][0]
    assert (topk["measure"], topk["value"], topk["signature"]) == ("Topk@1", 0.75, found["Topk@1"].signature)
    assert topk["low"] <= topk["value"] <= topk["high"]
    assert topk["subscores"][0] == {
        "name": "near",
        "size": 3,
        "n": 3,
        "known": 3,
        "value": 1.0,
        "low": pytest.approx(1 / (1 + 4.302653**2 * 1.2 / 3)),  # Wilson's by the model of luck, Student's t
        "high": 1.0,
        "chance": pytest.approx(2 / 5),
        "baseline": pytest.approx(2 / 3),
        "spelling": 0,
        "ceiling": 1.0,
        "hits": 3,
        "trials": 3,
    }
    assert topk["subscores"][2]["skipped"]
    assert "value" not in topk["subscores"][2]


def test_scores_can_be_kept():
    assert pickle.loads(pickle.dumps(scores())).record() == scores().record()  # noqa: S301  # our own
    with pytest.raises(AttributeError):
        scores()["Topk@1"].measure = "Topk@2"


def test_the_digest_of_a_model_is_that_of_its_file_or_of_words_and_matrix(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("".join(f"w{row} {x} {y}\n" for row, (x, y) in enumerate(MATRIX)), encoding="utf-8")
    of_file = evaluator.score(str(path), WORDS, "Topk@1")
    assert of_file.model_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    model = vectors(MATRIX)
    content = b"".join(f"{word}\n".encode() for word in model.words) + model.matrix.tobytes()
    assert scores().model_sha256 == hashlib.sha256(content).hexdigest()
    assert scores().test_sha256 == WORDS.sha256


def test_progress_goes_from_0_to_1():
    seen = []
    machine = Machine(progress=seen.append)
    score(vectors(MATRIX), WORDS, ["Topk@1", "OddOneOut@2"], Settings(norm="none"), machine=machine)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(
    ("setting", "choices"),
    [
        ({"oov": "ignore"}, "wrong, skip"),
        ({"norm": "l2"}, "unit, none"),
        ({"case": "lower"}, "exact, fold, upper"),
    ],
)
def test_settings_that_do_not_exist(setting, choices):
    ((name, value),) = setting.items()
    with pytest.raises(ScoreError, match=f"{name}.*'{value}'.*{choices}"):
        Settings(**setting)


def test_nothing_to_do():
    with pytest.raises(ScoreError, match="measures"):
        scores([])
    with pytest.raises(ScoreError, match="has nothing that can be scored"):
        score(vectors(MATRIX), test_set())
    with pytest.raises(MeasureError):
        scores(["Topk@0"])


def test_what_is_said_when_no_category_can_be_scored():
    five = test_set(**{name: ["x", "y"] for name in "abcdefg"})
    with pytest.raises(ScoreError, match=r"\(a: 2 words.*; e: .*; and 2 more\).*language"):
        score(vectors(MATRIX), five)
    with pytest.raises(ScoreError, match=r"no word is known.*language.*\ben\b"):
        score(vectors(MATRIX), test_set(c=["x", "y", "z"]))
    with pytest.raises(ScoreError, match=r"--case fold.*\b3\b.*\b0\b"):
        score(vectors(MATRIX), test_set(c=["W0", "W1", "W2"]), settings=Settings(case="exact"))
    with pytest.raises(ScoreError) as raised:  # where no word is OOV, neither case nor language is at fault
        score(vectors(MATRIX), test_set(c=["w0", "w1"]), ["OddOneOut@3"])
    assert str(raised.value).endswith("(c: 2 words, 3 needed)")
    with pytest.raises(ScoreError, match=r"\(c: 1 word, 3 needed\)$"):
        score(vectors(MATRIX), test_set(c=["w0"]))


@pytest.mark.parametrize("norm", ["unit", "none"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("row", [0, 5])
def test_vectors_that_are_not_finite_are_no_misses(norm, value, row):
    """Whatever a user gives is checked before; this is for vectors that are made within."""
    matrix = np.array(MATRIX, dtype=np.float32)
    matrix[row, 1] = value
    for measure in ("Topk@1", "OddOneOut@2"):
        with pytest.raises(ScoreError, match="NaN or infinity"):
            scoring.score(vectors(matrix), WORDS, measure, Settings(norm=norm))


def test_blas_has_one_thread_while_vectors_are_scored(monkeypatch):
    """Its others would wait busily, and take the time of other processes."""
    seen = []
    whole_pass = scoring.pass_over_vocabulary

    def watched(*arguments):
        seen.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        return whole_pass(*arguments)

    monkeypatch.setattr(scoring, "pass_over_vocabulary", watched)
    with threadpool_limits(2, user_api="blas"):
        score(vectors(MATRIX), WORDS, "Topk@1")
    assert set(seen) == {1}


@pytest.mark.parametrize("name", ["dimension", "window", "min_count", "epochs"])
def test_the_lowest_hyper_parameters_are_1(name):
    assert getattr(msgspec.convert({name: 1}, Hyperparameters), name) == 1
    with pytest.raises(msgspec.ValidationError, match=name):
        msgspec.convert({name: 0}, Hyperparameters)
