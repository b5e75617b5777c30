"""The convolutional network for sentences. What trains it is skipped where torch is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from evaluator.datasets.testset import LabelledTexts, TestSet
from evaluator.errors import ExtraError, ScoreError
from evaluator.plugins.probes import CNN, SplitPlan, Texts, mean_vectors, probe, sentences
from evaluator.plugins.probes.learners import LOGISTIC
from evaluator.vectors.table import Vectors

PLAN = SplitPlan(splits=1, shares=(1.0,), folds=2)


def ordered(n=80, dimension=8):
    """Sentences of two classes: a word of one kind stands before one of another kind, or after it."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(30, dimension)) / 2
    vectors[:10, 0] += 3
    vectors[10:20, 1] += 3
    rows = []
    for number in range(n):
        pair = [int(generator.integers(10)), int(generator.integers(10, 20))]
        others = generator.integers(20, 30, size=5).tolist()
        rows.append([*others[: number % 5], *pair[:: 1 if number % 2 else -1], *others[number % 5 :]])
    return vectors, rows, [f"class {number % 2}" for number in range(n)]


def test_it_learns_the_order_of_words_and_their_mean_does_not_show_it():
    pytest.importorskip("torch")
    vectors, rows, labels = ordered()
    network, means = sentences(Texts.of(vectors, rows), labels, PLAN, (CNN, LOGISTIC)).curves
    assert (network.model, network.kind) == ("cnn", "nonlinear")
    assert network.mean("end") > 0.85
    assert means.mean("end") < 0.75


def test_the_same_seed_gives_the_same_and_torch_is_left_as_it_was():
    torch = pytest.importorskip("torch")
    from evaluator.plugins.probes.convolution import classify

    generator = np.random.default_rng(0)
    vectors, rows = generator.normal(size=(30, 8)), generator.integers(30, size=(60, 9))
    y = np.where(generator.random(60) < 0.5, 2.0, 7.0)
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    one, same, other = (classify(vectors, rows, y, rows[:, ::-1], seed) for seed in (3, 3, 4))
    assert one.tolist() == same.tolist() != other.tolist()
    assert set(one) == {2.0, 7.0}
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_the_network_by_hand():
    torch = pytest.importorskip("torch")
    from evaluator.plugins.probes.convolution import Network

    generator = np.random.default_rng(1)
    table = torch.tensor(generator.normal(size=(6, 4)), dtype=torch.float32)
    table[-1] = 0
    network = Network(table, 3)
    rows = [2, 0, 4, 1, -1, -1]
    padded = np.vstack([np.zeros((4, 4)), table[torch.tensor(rows)].numpy(), np.zeros((4, 4))])
    features = []
    for width, layer in zip((3, 4, 5), network.filters, strict=True):
        weights, bias = (each.detach().numpy() for each in (layer.weight, layer.bias))
        inside = padded[5 - width : len(padded) - 5 + width]
        windows = [inside[start : start + width].T for start in range(len(inside) - width + 1)]
        values = [(weights * window).sum(axis=(1, 2)) + bias for window in windows]
        features.append(np.maximum(values, 0).max(axis=0))
    last = (each.detach().numpy() for each in (network.output.weight, network.output.bias))
    weights, bias = last
    expected = weights @ np.concatenate(features) + bias
    assert network.logits(torch.tensor([rows])).detach().numpy()[0] == pytest.approx(expected, abs=1e-5)


@pytest.fixture
def known():
    """Vectors and a test set of the sentences, most of which are shorter than the longest."""
    vectors, rows, labels = ordered(40)
    texts = tuple((label, tuple(f"w{row}" for row in text)) for label, text in zip(labels, rows, strict=True))
    texts += (("class 0", ("w1",)),)
    model = Vectors([f"w{row}" for row in range(30)], vectors.astype(np.float32), "model")
    return model, TestSet("und", "t", "0" * 64, labelled_texts=(LabelledTexts("t", "t", texts),))


def test_beside_the_other_models(known):
    pytest.importorskip("torch")
    found = probe(*known, models=["cnn", "logistic"], plan=PLAN)
    assert [score.measure for score in found.results[0]] == ["majority", "logistic", "cnn", "expected"]
    assert "models:majority,logistic,cnn" in found.tasks[0].signature


def test_only_those_who_ask_need_torch(known, monkeypatch):
    found = probe(*known, plan=PLAN)
    assert "cnn" not in [score.measure for score in found.results[0]]
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(
        "evaluator.plugins.probes.learners.find_spec", lambda name: None if name == "torch" else name
    )
    with pytest.raises(ExtraError, match=r"the model cnn needs PyTorch.*testgen-evaluator\[torch\]"):
        probe(*known, models=["cnn"], plan=PLAN)


def test_means_have_no_order(known):
    vectors, rows, labels = ordered(20)
    with pytest.raises(ScoreError, match="give Texts, not their mean vectors"):
        sentences(mean_vectors(vectors, rows), labels, PLAN, (CNN,))
