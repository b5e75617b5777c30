from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evaluator
from evaluator import Settings, Vectors, VectorsFile, read_testset, score
from evaluator.errors import ScoreError, TestSetError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.results.base import to_json
from evaluator.results.files import parse_results
from evaluator.studies.models import ScoringTask, score_and_compare, score_models

WORDS = [f"w{n}" for n in range(40)]
PARTS = "part", "measure"


def matrix(seed):
    found = np.random.default_rng(seed).normal(size=(40, 5))
    found[:4, 0] += 4
    return found


def vectors(seed, name=None):
    return Vectors(WORDS, matrix(seed), name or f"m{seed}")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in (1, 2):
        rows = (
            f"{word} {' '.join(map(repr, row))}"
            for word, row in zip(WORDS, matrix(seed).tolist(), strict=True)
        )
        (tmp_path / f"m{seed}.vec").write_text("40 5\n" + "\n".join(rows) + "\n")
    (tmp_path / "a.txt").write_text(":near\nw0 w1 w2 w3\n:far\nw7 w9 w11 nothing\n")
    (tmp_path / "b.txt").write_text(":other\nw2 w3 w20 w21\n")
    return tmp_path


def test_one_table_of_several_models_and_test_sets(folder):
    tests = [read_testset("a.txt"), "b.txt"]
    found = score([vectors(1), "m2.vec"], tests)
    assert len(found) == 4
    frame = found.frame()
    assert frame.columns.tolist()[:5] == ["model", "language", "test_set", "measure", "words"]
    assert frame["model"].unique().tolist() == ["m1", "m2.vec"]
    asked = frame[frame["words"] == "all"]
    table = asked[asked["part"] == "all"].pivot(
        index="model", columns=["test_set", "measure"], values="value"
    )
    assert table.shape == (2, 8)
    assert table.loc["m1", ("a.txt", "Combined")] == found["m1", "a.txt"]["Combined"].value
    assert frame.set_index(["model", "test_set", "words", *PARTS]).index.is_unique
    far = asked[(asked["part"] == "far") & (asked["measure"] == "Topk@3")]
    assert far["n"].tolist() == [4, 4]
    assert far["known"].tolist() == [3, 3]
    assert asked["baseline"].notna().all()
    assert "m2.vec" in found._repr_html_()
    with pytest.raises(KeyError):
        found["m1", "c.txt"]


def test_the_same_scores_as_one_by_one(folder):
    one = score(vectors(2), read_testset("a.txt"))
    (other,) = score({"m2": "m2.vec"}, "a.txt")
    assert other.scores == one.scores
    assert other.frame().equals(one.frame())


def test_worker_processes_give_the_same(folder, two_workers):
    here = score(["m1.vec", "m2.vec"], ["a.txt", "b.txt"])
    there = score(["m1.vec", VectorsFile("m2.vec")], ["a.txt", "b.txt"], machine=Machine(two_workers))
    assert there.frame().equals(here.frame())
    with pytest.raises(ScoreError, match=r"m1: .*worker processes.*path"):
        score([vectors(1)], ["a.txt"], machine=Machine(2))


def test_any_source_of_one_model(folder):
    plain = dict(zip(WORDS, matrix(1), strict=True))
    of_dict = score(plain, "a.txt", "Topk@1")
    assert isinstance(of_dict, evaluator.Scores)
    assert of_dict["Topk@1"].value == score("m1.vec", read_testset("a.txt"), "Topk@1")["Topk@1"].value
    several = score({"one": plain, "two": "m2.vec"}, "a.txt", "Topk@1")
    assert [each.model for each in several] == ["one", "two"]
    encoder = score(lambda words: [plain.get(each, np.ones(5)) for each in words], "a.txt", vocabulary=WORDS)
    assert (encoder.known_words, encoder.built_words, encoder.words) == (7, 1, 8)


def test_settings_and_words_that_all_models_know(folder):
    fewer = Vectors(WORDS[:11], matrix(1)[:11], "fewer")
    found = score([vectors(1), fewer], "a.txt", "Topk@1", Settings(oov="skip"))
    assert "|candidates:" in found[0]["Topk@1"].signature
    assert found[0]["Topk@1"].signature == found[1]["Topk@1"].signature


def test_what_fails_is_in_the_table(folder):
    (folder / "broken.vec").write_text("2 2\na 1 2\n")
    found = score(["m1.vec", "broken.vec"], ["a.txt", "b.txt"], ["Topk@1"])
    failed = found.frame().query("model == 'broken.vec'")
    assert failed["reason"].str.contains("header says 2 rows").all()
    assert found.record().failures == found.failures
    assert parse_results(to_json(found.record()).encode(), "scores.json") == found.record()
    with pytest.raises(ScoreError, match="header says 2 rows"):
        score(["broken.vec"], "a.txt")


@pytest.mark.parametrize(
    ("models", "tests", "problem"),
    [
        ([], ["a.txt"], "there is no model"),
        (["m1.vec"], [], "there is no test set"),
        (["m1.vec", "./m1.vec"], ["a.txt"], "two models are called 'm1.vec'; give a dict"),
        (["m1.vec"], ["a.txt", "./a.txt"], "two test sets are called"),
    ],
)
def test_what_would_be_confused_is_refused(folder, models, tests, problem):
    with pytest.raises(ScoreError, match=problem):
        score(models, tests)


def test_vectors_that_cannot_be_scored(folder):
    bad = matrix(1)
    bad[3] = np.nan
    with pytest.raises(VectorsError, match="own, row 4, word 'w3': number 1 of 5 is NaN"):
        score(Vectors(WORDS, bad, "own"), "a.txt")


class Tensor:
    """What is used of a tensor of torch, which refuses numpy as long as it has a gradient."""

    def __init__(self, rows, steps=("detach", "cpu", "float")):
        self.rows, self.steps = rows, steps

    @property
    def shape(self):
        return self.rows.shape

    def __getattr__(self, name):
        if name == "numpy" and not self.steps:
            return lambda: self.rows
        if self.steps and name == self.steps[0]:
            return lambda: Tensor(self.rows, self.steps[1:])
        raise AttributeError(name)


class Embedding:
    def __init__(self, rows):
        self.weight = Tensor(rows)


def test_words_and_their_matrix():
    table = {"near": WORDS[:4], "far": WORDS[10:14]}
    expected = score(vectors(1), table)["Topk@3"].value
    for rows in (matrix(1), Tensor(matrix(1)), Embedding(matrix(1))):
        for words in (WORDS, tuple(WORDS), np.array(WORDS)):
            assert score((words, rows), table)["Topk@3"].value == expected > 0
    with pytest.raises(VectorsError, match=r"39 words but 40 rows"):
        score((WORDS[1:], matrix(1)), table)
    assert len(score((vectors(1), vectors(2)), table)) == 2  # two models, as before


def test_a_dict_of_categories_is_a_test_set(tmp_path):
    (tmp_path / "t.txt").write_text(":near\nw0 w1 w2 w3\n:far\nw7 w9 w11 w12\n")
    table = {"near": WORDS[:4], "far": iter(["w7", "w9", "w11", "w12", "w9"])}
    found, of_file = score(vectors(1), table), score(vectors(1), tmp_path / "t.txt")
    assert [each.value for each in found] == [each.value for each in of_file]
    assert (found.test_set, found.language) == ("words", "und")
    assert (
        found.test_sha256
        == score(vectors(2), {"near": WORDS[:4], "far": ["w7", "w9", "w11", "w12", "w9"]}).test_sha256
    )
    assert len(score([vectors(1), vectors(2)], {"near": WORDS[:4]})) == 2


@pytest.mark.parametrize("table", [{}, {"a": "w0"}, {"a": []}, {"a": ["w0", 1]}])
def test_a_dict_of_something_else_is_refused(table):
    with pytest.raises(TestSetError, match=r"words|categories"):
        score(vectors(1), table)


def test_a_model_that_knows_nothing_has_0_and_a_reason_so_that_a_loop_goes_on():
    arabic = vectors(1).fold({word: f"كَ{number}" for number, word in enumerate(WORDS)}.get)
    asked = {"near": [f"ك{number}" for number in range(5)]}
    found = score(arabic, asked)
    helps = "words: no word is known; with --profile arabic, 5 words are known instead of 0"
    assert {each.reason for each in found} == {helps}
    assert [each.value for each in found.measured] == [0, 0]
    assert set(found.frame().query("part == 'all'")["reason"]) == {helps}
    assert score(arabic, asked, settings=Settings(profile="arabic"))["Topk@3"].reason == ""
    with pytest.raises(ScoreError, match=r"\b5\b.*\b0\b"):
        score(arabic, asked, settings=Settings(oov="skip"))


def test_models_of_all_languages_are_scored_in_one_run(folder):
    """So that they are scored at the same time, though each language may have only one."""
    runs = []

    def scored(models):
        runs.append([model.file.name for model in models])
        return score_models(models, Machine())

    settings, test_sets = Settings(), {code: (read_testset(f"{code}.txt"),) for code in "ab"}
    groups = [
        (
            [ScoringTask(vectors(seed, f"{code}{seed}"), tests, None, settings) for seed in seeds],
            [None] * len(seeds),
        )
        for (code, tests), seeds in zip(test_sets.items(), [(1,), (1, 2)], strict=True)
    ]
    found = score_and_compare(groups, scored, Machine())
    assert runs == [["a1", "b1", "b2"]]
    assert found.frame().groupby("test_set")["model"].unique().map(list).to_dict() == {
        "a.txt": ["a1"],
        "b.txt": ["b1", "b2"],
    }


def test_copies_are_refused_as_training_runs_before_any_work(folder, monkeypatch):
    Path("copy.vec").write_bytes(Path("m1.vec").read_bytes())
    monkeypatch.setattr("evaluator.studies.models.score_models", None)
    with pytest.raises(VectorsError, match=r"^m: m1\.vec and copy\.vec are copies of one training run"):
        score({"m": ["m1.vec", "m2.vec", "copy.vec"]}, ["a.txt"])
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert len(score(["m1.vec", "copy.vec"], ["a.txt"])) == 2  # two models, of which the closing line tells


def test_copies_that_are_known_only_when_they_are_loaded_have_no_mean(folder):
    """As those at two URLs."""
    tests = (read_testset("a.txt"),)
    tasks = [ScoringTask(vectors(seed, f"m{seed}"), tests, None, Settings()) for seed in (1, 2, 3)]

    def scored(models):
        found = score_models(models, Machine())
        return [found[0], found[0], *found[2:]]

    found = score_and_compare([(tasks, ["m", "m", None])], scored, Machine())
    assert [each.model for each in found] == ["m3"]
    assert "m on a.txt: m1 and m1 are copies of one training run. Name one of them." in found.reasons


def test_one_model_alone_has_what_it_has_in_a_list(tmp_path):
    """Known words, chance, frequency baseline, tests against it, and verdicts: whoever asks."""
    rows = [[1, 0.1 * n, 0.01 * n * n] for n in range(14)]
    text = "".join(f"w{n} {' '.join(map(str, row))}\n" for n, row in enumerate(rows))
    (tmp_path / "a.vec").write_text(text, encoding="utf-8")
    words = {"one": [f"w{n}" for n in range(6)], "two": ["w6", "w7", "w8", "w9", "gone"]}
    measures = ["Topk@2", "OddOneOut@2"]
    alone = evaluator.score(tmp_path / "a.vec", words, measures)
    assert alone == evaluator.score([tmp_path / "a.vec"], words, measures)[0]
    assert alone == evaluator.score({"a.vec": [str(tmp_path / "a.vec")]}, words, measures)[0]
    for each in alone.measured:
        assert each.of_known is not None
        assert each.baseline is not None
        assert each.over_baseline is not None
        assert each.verdict
