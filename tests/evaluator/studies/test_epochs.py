"""Scores after every epoch."""

from __future__ import annotations

import numpy as np
import pytest
from evaluator.studies.epochs import EpochScores

from evaluator import Category, Item, TestSet, from_gensim, score

TOPICS = {f"topic{t}": [f"word{t}x{i}" for i in range(12)] for t in range(4)}
TEST_SET = TestSet(
    "en",
    "topics",
    "0" * 64,
    tuple(
        Category(name, name, tuple(Item(f"Q{t}{i}", (word,)) for i, word in enumerate(words)))
        for t, (name, words) in enumerate(TOPICS.items())
    ),
)


def sentences():
    generator = np.random.default_rng(0)
    topics = list(TOPICS.values())
    return [list(generator.choice(topics[i % 4], 8)) for i in range(400)]


def trained(kind, callback, epochs=3):
    from gensim.models import FastText, Word2Vec

    settings = {"vector_size": 8, "min_count": 1, "workers": 1, "seed": 1, "epochs": epochs}
    if kind == "fasttext":
        return FastText(sentences(), **settings, bucket=500, callbacks=[callback])
    return Word2Vec(sentences(), **settings, callbacks=[callback])


@pytest.mark.parametrize("kind", ["word2vec", "fasttext"])
def test_scores_of_the_last_epoch_are_those_of_the_model(kind):
    epochs = EpochScores(TEST_SET, "Topk@3")
    model = trained(kind, epochs)
    frame = epochs.frame()
    assert list(frame.index) == [1, 2, 3]
    assert frame.loc[3, "Topk@3"] == score(from_gensim(model), TEST_SET, "Topk@3")["Topk@3"].value


@pytest.mark.parametrize("kind", ["word2vec", "fasttext"])
def test_each_epoch_has_scores_of_its_own(kind):
    """Those of fastText too, whose words get their vectors only at the end of training."""
    epochs = EpochScores(TEST_SET, ["Topk@3", "OddOneOut@3"])
    trained(kind, epochs, epochs=6)
    frame = epochs.frame()
    assert list(frame.columns) == ["Topk@3", "OddOneOut@3"]
    assert frame["Topk@3"].nunique() > 1
    assert (frame.iloc[-1] > frame.iloc[0]).all()


@pytest.mark.parametrize("kind", ["word2vec", "fasttext"])
def test_looking_does_not_change_what_is_learnt(kind):
    class Nothing(EpochScores):
        def on_epoch_end(self, model):
            pass

    looked, alone = (trained(kind, make(TEST_SET)) for make in (EpochScores, Nothing))
    assert np.array_equal(looked.wv.vectors, alone.wv.vectors)


def test_a_second_training_begins_anew():
    epochs = EpochScores(TEST_SET, "Topk@3")
    trained("word2vec", epochs)
    trained("word2vec", epochs, epochs=2)
    assert len(epochs.scores) == 2


def test_an_epoch_that_cannot_be_scored_is_missing():
    unknown = TestSet("en", "unknown", "0" * 64, (Category("c", "c", (Item("Q1", ("nowhere",)),)),))
    epochs = EpochScores(unknown, "Topk@3")
    trained("word2vec", epochs, epochs=2)
    assert epochs.scores == [None, None]
    assert list(epochs.frame().index) == [1, 2]
