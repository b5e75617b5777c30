"""The convolutional network for sentences. What trains it is skipped where torch is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from evaluator.datasets.testset import LabelledTexts, TestSet
from evaluator.errors import ExtraError
from evaluator.plugins.probes import SplitPlan, mean_vectors, probe, sentences, sequences
from evaluator.plugins.probes.learners import CNN
from evaluator.studies.scoring import score
from evaluator.vectors import Vectors

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
    found = sequences(vectors, rows, labels, PLAN)
    means = sentences(mean_vectors(vectors, rows), labels, PLAN)
    (curve,) = found.curves
    assert (curve.model, curve.kind, found.tests, found.score) == (
        "cnn",
        "nonlinear",
        means.tests,
        "accuracy",
    )
    assert curve.mean("end") > 0.85
    assert max(curve.mean("end") for curve in means.curves) < 0.75


def test_the_same_seed_gives_the_same_and_torch_is_left_as_it_was():
    torch = pytest.importorskip("torch")
    from evaluator.plugins.probes.convolution import classify

    generator = np.random.default_rng(0)
    vectors, rows = generator.normal(size=(30, 8)), generator.integers(30, size=(100, 9)).astype(float)
    y = np.where(generator.random(100) < 0.5, 2.0, 7.0)
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    one, same, other = (classify(vectors, rows, y, rows[:, ::-1], 25, seed) for seed in (3, 3, 4))
    assert one.tolist() == same.tolist() != other.tolist()
    assert set(one) == {2.0, 7.0}
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.get_num_threads() == threads


def test_the_network_by_hand():
    torch = pytest.importorskip("torch")
    from evaluator.plugins.probes.convolution import _network

    generator = np.random.default_rng(1)
    table = torch.tensor(generator.normal(size=(6, 4)), dtype=torch.float32)
    table[-1] = 0
    network, parameters, _ = _network(table, 3)
    rows = [2, 0, 4, 1, -1, -1]
    padded = np.vstack([np.zeros((4, 4)), table[torch.tensor(rows)].numpy(), np.zeros((4, 4))])
    numbers = [each.detach().numpy() for each in parameters]
    features = []
    for width, weights, bias in zip((3, 4, 5), numbers[0:6:2], numbers[1:6:2], strict=True):
        inside = padded[5 - width : len(padded) - 5 + width]
        windows = [inside[start : start + width].T for start in range(len(inside) - width + 1)]
        values = [(weights * window).sum(axis=(1, 2)) + bias for window in windows]
        features.append(np.maximum(values, 0).max(axis=0))
    expected = numbers[6] @ np.concatenate(features) + numbers[7]
    assert network(torch.tensor([rows]), 0.0).detach().numpy()[0] == pytest.approx(expected, abs=1e-5)


@pytest.fixture
def known():
    """Vectors and a test set of the sentences, most of which are shorter than the longest."""
    vectors, rows, labels = ordered(40)
    texts = tuple((label, tuple(f"w{row}" for row in text)) for label, text in zip(labels, rows, strict=True))
    texts += (("class 0", ("w1",)),)
    model = Vectors([f"w{row}" for row in range(30)], vectors.astype(np.float32), "model")
    return model, TestSet("und", "t", "0" * 64, labelled_texts=(LabelledTexts("t", "t", texts),))


def test_as_a_measure_and_beside_the_other_models(known):
    pytest.importorskip("torch")
    (part,) = score(*known, "SentenceProbe(model=cnn,splits=3,point=end)")[
        "SentenceProbe(model=cnn,point=end,splits=3)"
    ].subscores
    assert 0.4 < part.chance < 0.6 < part.value
    (found,) = probe([known[0]], known[1], models=["cnn", "logistic"], plan=PLAN)
    assert [curve.model for curve in found.probes["model"].curves] == ["majority", "logistic", "cnn"]
    assert "models:majority,logistic,cnn" in found.signature


def test_only_those_who_ask_need_torch(known, monkeypatch):
    (found,) = probe([known[0]], known[1], plan=PLAN)
    assert CNN.name not in [curve.model for curve in found.probes["model"].curves]
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ExtraError, match=r"the model cnn needs torch: pip install 'testgen-evaluator\[torch\]'"
    ):
        probe([known[0]], known[1], models=["cnn"], plan=PLAN)
