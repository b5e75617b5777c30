"""`evaluator probe`: curves, ranks and gaps of several vectors on the items that all of them know."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from evaluator import read_results
from evaluator.plugins.probes import TASKS
from evaluator.results.scores import COLUMNS
from tests.evaluator.plugins.probes.test_comparison import QUICK, SLIM

WORDS = [f"{kind}{number}" for number in range(12) for kind in "ab"]


def write(path, strength, words):
    x = np.random.default_rng(0).normal(size=(len(WORDS), 3))
    x[:, 0] += np.where([word[0] == "a" for word in WORDS], strength, -strength)
    known = ((word, vector) for word, vector in zip(WORDS, x, strict=True) if word in words)
    rows = [" ".join([word, *map(str, vector)]) for word, vector in known]
    path.write_text(f"{len(rows)} 3\n" + "\n".join(rows) + "\n", encoding="utf-8")


@pytest.fixture
def run(tmp_path, monkeypatch, evaluator):
    """Runs `evaluator probe` beside good and bad vectors and test sets; gives stdout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evaluator.plugins.probes.learners.TREES", 3)
    monkeypatch.setitem(TASKS, "membership", replace(TASKS["membership"], all_models=SLIM))
    monkeypatch.setattr("evaluator.plugins.probes.SplitPlan", QUICK)
    write(tmp_path / "good.vec", 5.0, WORDS)
    write(tmp_path / "bad.vec", 0.0, WORDS[1:])
    of_kind = {kind: " ".join(word for word in WORDS if word[0] == kind) for kind in "ab"}
    categories = [f":{kind}\n{words} nix{kind}\n" for kind, words in of_kind.items()]
    (tmp_path / "two.txt").write_text("".join(categories), encoding="utf-8")
    (tmp_path / "again.txt").write_text("".join(reversed(categories)), encoding="utf-8")
    questions = [f"a{i} b{i} a{(i + 1) % 12} b{(i + 1) % 12}\n" for i in range(12)]
    text = ": few\n" + "".join(questions[:3]) + ": many\n" + "".join(questions)
    (tmp_path / "questions.txt").write_text(text, encoding="utf-8")

    def run_(*arguments, code=0, err=""):
        monkeypatch.setenv("COLUMNS", "200")
        out, said, ended = evaluator("probe", *arguments)
        assert ended == code, said
        assert err in said if err else not said
        return out

    return run_


def test_curves_of_one(run):
    out = run("good.vec", "-t", "two.txt", "--splits", "2").splitlines()
    assert out[:2] == ["Probes: good.vec", ""]
    assert out[2] == "membership: all categories of two.txt (und)"
    assert out[3] == "24 of 26 items probed; left out: 2 without a vector."
    assert out[4] == "accuracy on 4 items, mean of 2 splits."
    assert out[6].split() == ["50%", "100%"]
    assert out[7].split() == ["model", "(10)", "(20)", "AUC"]
    rows = {line.split()[0]: line.split()[1:] for line in out[8:15]}
    assert list(rows) == ["majority", "logistic", "svm", "knn", "bayes", "forest", "expected"]
    assert rows["logistic"] == ["1.0000", "1.0000", "1.0000"]
    assert out[15] == "good.vec: gap at the end +0.0000, svm beside logistic."
    last = run("good.vec", "-t", "two.txt", "--splits", "2", "--details").splitlines()[-2:]
    assert last[0] == "Signatures:"
    assert last[1].startswith("membership|models:majority,logistic,svm,knn,bayes,forest|case:fold|")


def test_several_are_ranked_on_what_all_know(run):
    arguments = ("bad.vec", "good.vec", "-t", "two.txt", "-t", "again.txt", "--model", "logistic")
    out = run(*arguments)
    assert out.count("23 of 26 items probed; left out: 3 that not all know.") == 2
    ranks = out[out.index("Ranks on all categories of two.txt (membership) by logistic") :].splitlines()
    assert ranks[1].split() == ["embedding", "start", "end", "AUC"]
    assert [row.split() for row in ranks[2:4]] == [["bad.vec", "1", "1", "1"], ["good.vec", "0", "0", "0"]]
    means = out[out.index("Mean ranks, ") :].splitlines()
    assert means[1].split() == ["embedding", "start", "end", "AUC", "change", "tasks"]
    assert means[2].split() == ["bad.vec", *("1.00", "±", "0.00") * 3, "0.00", "2"]
    assert out.count("These ranks name no model to keep: vectors") == 3  # of two test sets, and of both
    assert out.count("Not shown to be above majority, which learns from no vector: bad.vec. They") == 2


def test_json(run):
    asked = "bad.vec good.vec -t two.txt --model logistic --model knn --splits 2 --json"
    arguments = asked.split()
    out = run(*arguments)
    assert out == run(*arguments)
    assert out != run(*arguments, "--seed", "1")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (found["format"], found["version"]) == ("probes", 2)
    (task,) = found["tasks"]
    assert [task[key] for key in ("test_set", "task", "size", "oov", "items", "skipped")] == [
        "two.txt", "membership", 26, 3, 23, None,
    ]  # fmt: skip
    keys = [
        {"task": "membership", "items": "all categories", **at_share}
        for at_share in ({"share": 0.5, "size": 10}, {"share": 1.0, "size": 19}, {})
    ]
    assert [each["keys"] for each in found["results"]] == keys * 2
    assert [each["model"] for each in found["results"]] == ["bad.vec"] * 3 + ["good.vec"] * 3
    models = ["majority", "logistic", "knn", "expected"]
    for at_start, at_end, area in (found["results"][:3], found["results"][3:]):
        assert [each["measure"] for each in at_start["scores"]] == models
        assert [each["measure"] for each in area["scores"]] == [f"AUC of {model}" for model in models]
        for *both, auc in zip(at_start["scores"], at_end["scores"], area["scores"], strict=True):
            assert [len(each["seeds"]) for each in both] == [2, 2]
            assert auc["value"] == pytest.approx(sum(each["value"] for each in both) / 2)
    assert {gap["nonlinear"] for gap in task["gaps"].values()} == {"knn"}
    assert list(task["ranks"]) == models
    assert [each["name"] for each in found["mean_ranks"]] == ["bad.vec", "good.vec"]


def test_scores_are_in_the_long_table(run, tmp_path):
    out = run(*["good.vec", "-t", "two.txt", "--model", "knn", "--splits", "2", "--json"])
    (tmp_path / "probes.json").write_text(out, encoding="utf-8")
    frame = read_results(tmp_path / "probes.json").frame()
    assert list(frame) == [*COLUMNS, "task", "items", "share", "size"]
    assert set(frame["measure"]) == {"majority", "knn", "AUC of majority", "AUC of knn"}


def test_a_part_that_is_skipped_is_named(run):
    asked = "good.vec -t questions.txt --task relation --model 3CosAdd --splits 2"
    out = run(*asked.split()).splitlines()
    assert out[2:4] == ["relation: few of questions.txt (und)", "Skipped: 4 pairs have vectors, 10 needed."]
    assert out[5:7] == ["relation: many of questions.txt (und)", "12 of 12 items probed."]
    assert [line.split()[0] for line in out[11:13]] == ["3CosAdd", "3CosMul"]
    last = run(*asked.split(), "--details").splitlines()[-1]
    assert last.startswith("relation|models:3CosAdd,3CosMul|")


def test_files_of_one_name_are_told_apart(run, tmp_path):
    (tmp_path / "other").mkdir()
    write(tmp_path / "other" / "good.vec", 0.0, WORDS)
    found = json.loads(run("good.vec", "other/good.vec", "-t", "two.txt", "--model", "knn", "--json"))
    assert [each["name"] for each in found["mean_ranks"]] == ["good.vec", "other/good.vec"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-t", "two.txt", "--task", "words"), "'words' is not one of 'membership', 'similarity'"),
        (("-t", "two.txt", "--task", "similarity"), "probed on rated pairs, and it has none"),
        (("-t", "two.txt", "--model", "tree"), "membership has no model 'tree'"),
        (("-t", "two.txt", "--splits", "0"), "splits is 0"),
        (("-t", "none.txt"), "none.txt"),
        (("good.vec", "-t", "two.txt"), "given twice"),
        (("bad.vec", "-t", "two.txt", "--splits", "1"), "--splits must be 2 or more"),
    ],
)
def test_what_is_wrong_is_said(run, arguments, said):
    assert run("good.vec", *arguments, code=2, err=said) == ""
