"""`average`: which models, what is written, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from msgspec import UNSET

import evaluator
from evaluator import ScoreError, average, load_vectors, read_results
from evaluator.reports.renderers import as_html
from tests.evaluator.vectors.test_average import drawn

WORDS = [f"{one}{other}" for one in ("ba", "ke", "lo", "mi", "tu", "ra") for other in "dfgnpz"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Four models of the same words, of which the later ones see less of two categories; and a test set."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    topics = np.repeat(np.eye(3), 12, axis=0) @ random.normal(size=(3, 6))
    for number in range(4):
        noise = random.normal(size=(36, 6)) * (0.1 + 0.4 * number)
        rows = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, topics + noise, strict=True)]
        (tmp_path / f"m{number}.vec").write_text("\n".join(["36 6", *rows, ""]), encoding="utf-8")
    topics = [WORDS[:12], WORDS[12:24], WORDS[24:]]
    text = "".join(f":c{number}\n{' '.join(words)}\n" for number, words in enumerate(topics))
    (tmp_path / "topics.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_what_was_averaged_stands_beside_the_vectors(evaluator, folder):
    out, _, code = evaluator("average", "m0.vec", "m1.vec", "--output", "mean.vec")
    assert code == 0
    assert "mean.vec: 36 words, 6 dimensions: the mean of 2 models." in out
    (found,) = read_results("mean.vec.json")
    assert [each.model for each in found.models] == ["m0.vec", "m1.vec"]
    assert [(each.role, each.path) for each in found.inputs] == [("vectors", "m0.vec"), ("vectors", "m1.vec")]
    assert (found.words, found.dimension) == (36, 6)
    assert [(each.words, each.dimension, each.subwords) for each in found.models] == [(36, 6, False)] * 2
    for each in found.models:
        matrix = load_vectors(each.model).matrix
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        assert each.spread == pytest.approx((unit @ unit.T)[np.triu_indices(36, 1)].std(), rel=1e-4)
        assert each.weight == pytest.approx(1 / each.spread / sum(1 / one.spread for one in found.models))
        assert f"{each.model} 36 6 {each.spread:.4f} {each.weight:.4f}" in re.sub(" +", " ", out)
    assert "Left out" not in out
    assert 0.5 < found.kept < 1
    assert f"{found.kept:.1%} of the squared singular values are kept" in out
    assert (found.output.path, found.output.bytes) == ("mean.vec", (folder / "mean.vec").stat().st_size)
    assert found.ranking is UNSET
    assert found.arguments == ("m0.vec", "m1.vec")
    again = average(["m0.vec", "m1.vec"])
    np.testing.assert_array_equal(load_vectors("mean.vec").matrix, again.vectors.matrix)
    assert (again.models, again.kept, again.record) == (found.models, found.kept, None)
    assert evaluator("verify", "mean.vec.json")[2] == 0
    (folder / "m1.vec").write_bytes((folder / "m0.vec").read_bytes())
    assert "m1.vec has changed" in evaluator("verify", "mean.vec.json")[1]


def test_the_best_are_those_by_the_measure_that_score_goes_by(evaluator, folder):
    names = [f"m{number}.vec" for number in (3, 1, 0, 2)]
    options = ["--best", "2", "--test", "topics.txt", "--output", "mean.safetensors"]
    out, said, code = evaluator("average", *names, *options)
    assert code == 0, said
    scores = evaluator_score(names)
    measure = scores.kept[0].measures[0]
    by_value = sorted(scores.results, key=lambda each: -each[measure].value)
    (found,) = read_results("mean.safetensors.json")
    assert (
        {each.model for each in found.models} == {each.model for each in by_value[:2]} == {"m0.vec", "m1.vec"}
    )
    assert found.ranking.measure == measure
    assert len(found.ranking.models) == 4
    assert "topics.txt" in [each.path for each in found.inputs]
    assert f"These are the best 2 of 4, by {measure} on topics.txt" in out


def evaluator_score(names):
    return evaluator.score(names, ["topics.txt"])


def test_files_of_others_are_overwritten_only_by_force(evaluator, folder):
    command = "average", "m0.vec", "m1.vec", "--output", "mean.vec"
    assert evaluator(*command)[2] == 0
    first = (folder / "mean.vec").read_bytes()
    assert evaluator(*command)[2] == 0  # evaluator wrote that
    assert (folder / "mean.vec").read_bytes() == first
    for changed in ("mean.vec", "mean.vec.json"):
        (folder / changed).write_text("mine", encoding="utf-8")
        out, said, code = evaluator(*command)
        assert (code, out) == (2, "")
        assert "evaluator did not write it" in said
        assert evaluator(*command, "--force")[2] == 0
    assert (folder / "mean.vec").read_bytes() == first


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["m0.vec", "--output", "mean.vec"], "1 model: a mean is of two models or more"),
        (["m0.vec", "m0.vec", "--output", "mean.vec"], "m0.vec: given twice"),
        (
            ["m0.vec", "copy.vec", "--output", "mean.vec"],
            "m0.vec and copy.vec are copies of one training run",
        ),
        (["m0.vec", "none.vec", "--output", "mean.vec"], "none.vec: there is no such file"),
        (["m0.vec", "m1.vec", "--output", "m1.vec", "--force"], "m1.vec: is an input"),
        (["m0.vec", "m1.vec", "--output", "mean.txt"], "must end in .safetensors or .vec"),
        (["m0.vec", "m1.vec", "--best", "2", "--output", "mean.vec"], "--best and --test belong together"),
        (
            ["m0.vec", "m1.vec", "--best", "3", "--test", "topics.txt", "--output", "mean.vec"],
            "best is 3 of 2 models; it must be from 2 to",
        ),
    ],
)
def test_what_cannot_be_averaged(evaluator, folder, options, said):
    (folder / "copy.vec").write_bytes((folder / "m0.vec").read_bytes())
    out, told, code = evaluator("average", *options)
    assert (code, out) == (2, "")
    assert said in told
    assert not (folder / "mean.vec").exists()


def test_models_may_be_in_memory_and_have_names(folder):
    one, other = drawn(0, 4, 5)
    found = average({"one": one, "other": other})
    assert [each.model for each in found.models] == ["one", "other"]
    assert [each.role for each in found.inputs] == ["memory", "memory"]
    with pytest.raises(ScoreError, match="give both"):
        average([one, other], best=2)


def test_a_mean_says_whose_subwords_it_lacks(folder):
    one, other = drawn(0, 4, 5)
    built = replace(other, subword=lambda _: None)
    found = average({"one": one, "other": built}, "mean.vec")
    assert [each.subwords for each in found.models] == [False, True]
    assert "other: its subwords; the mean has words alone" in as_html(found.record)
