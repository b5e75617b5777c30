"""Training: a seed gives the same vectors, wrong input has a name, and models can be kept and read again."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator import Corpus, EpochScores, OutputError, TrainingError, from_gensim, load_vectors, score
from evaluator.settings import ARCHITECTURES, MODELS, Hyperparameters
from evaluator.studies.trainers import train, trained_model, write_model
from evaluator.studies.training import train as train_and_write
from tests.conftest import NO_GENSIM
from tests.evaluator.examples import test_set

pytest.importorskip("gensim", reason=NO_GENSIM)

KINDS = pytest.mark.parametrize(
    ("model", "architecture"),
    [(model, architecture) for model in MODELS for architecture in ARCHITECTURES],
    ids=lambda name: name,
)
SMALL = {"dimension": 6, "min_count": 2, "epochs": 2}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A corpus in which words have the frequencies of a language, and of which some occur once."""
    path = tmp_path_factory.mktemp("text") / "text.txt"
    generator = np.random.default_rng(0)
    names = np.array([f"word{number}" for number in range(60)])
    lines = [" ".join(names[np.minimum(generator.zipf(1.5, 9) - 1, 59)]) for _ in range(150)]
    path.write_text("\n".join([*lines, "अकेला hapax"]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def sentences(text, tmp_path_factory):
    return Corpus((text,)).write_sentences(tmp_path_factory.mktemp("sentences") / "sentences.txt")


@KINDS
def test_a_seed_gives_the_same_vectors(sentences, model, architecture):
    parameters = Hyperparameters(model, architecture, **SMALL)
    first = train(sentences, parameters, 1)
    again = train(sentences, parameters, 1)
    assert list(first.words) == list(again.words)
    assert (first.matrix == again.matrix).all()
    assert (first.matrix != train(sentences, parameters, 2).matrix).any()
    assert first.matrix.shape == (len(first), 6)


@pytest.mark.parametrize("seed", [-1, 2**32])
@pytest.mark.parametrize("resample", [None, "lines"])
def test_a_seed_that_gensim_does_not_take_is_refused(text, sentences, tmp_path, seed, resample):
    with pytest.raises(TrainingError, match=rf"^seed is {seed}; it must be 0 or more, and below 2\^32$"):
        trained_model(sentences, Hyperparameters(**SMALL), seed)
    with pytest.raises(TrainingError, match=rf"^seed is {seed}; "):
        train_and_write(Corpus((text,)), tmp_path / "x.vec", seed=seed, resample=resample)


@KINDS
def test_the_vocabulary_is_that_of_gensim_itself(text, sentences, model, architecture):
    from gensim.models import FastText, Word2Vec

    plain = [line.split() for line in text.read_text(encoding="utf-8").splitlines()]
    settings = {"min_count": 2, "vector_size": 4, "workers": 1}
    same = (
        Word2Vec(plain, **settings) if model == "word2vec" else FastText(plain, **settings, bucket=100)
    ).wv
    found = trained_model(sentences, Hyperparameters(model, architecture, **SMALL))
    assert found.wv.index_to_key == same.index_to_key
    assert "hapax" not in found.wv.key_to_index
    for word in same.index_to_key:
        assert found.wv.get_vecattr(word, "count") == same.get_vecattr(word, "count")


@KINDS
def test_hyper_parameters_are_gensims(sentences, model, architecture):
    parameters = Hyperparameters(model, architecture, 7, 3, 0.05, 4, epochs=2)
    found = trained_model(sentences, parameters)
    assert (found.vector_size, found.window, found.alpha, found.min_count) == (7, 3, 0.05, 4)
    assert (found.sg, found.epochs, found.workers) == (int(architecture == "skip-gram"), 2, 1)
    assert (model == "fasttext") == hasattr(found.wv, "vectors_ngrams")


def test_training_learns_what_stands_together(tmp_path):
    generator = np.random.default_rng(0)
    topics = [[f"{topic}{number}" for number in range(8)] for topic in "ab"]
    lines = [" ".join(generator.choice(topics[number % 2], 8)) for number in range(300)]
    (tmp_path / "text").write_text("\n".join(lines), encoding="utf-8")
    written = Corpus((tmp_path / "text",)).write_sentences(tmp_path / "sentences.txt")
    found = train(written, Hyperparameters(dimension=8, learning_rate=0.1))
    unit = found.matrix / np.linalg.norm(found.matrix, axis=1, keepdims=True)
    topic = np.array([word[0] for word in found.words])
    similarities = unit @ unit.T
    same = topic[:, None] == topic
    assert similarities[same].mean() > similarities[~same].mean() + 0.5


def test_buckets_grow_with_the_vocabulary(sentences):
    found = trained_model(sentences, Hyperparameters("fasttext", **SMALL))
    assert found.wv.bucket == 64 * len(found.wv)


def test_words_that_are_too_rare_are_no_model(sentences):
    with pytest.raises(TrainingError, match=r"9999.*min count"):
        train(sentences, Hyperparameters(min_count=9999))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("model", "glove", "model is 'glove'; choose from word2vec, fasttext"),
        ("architecture", "sg", "architecture is 'sg'; choose from skip-gram, cbow"),
        ("dimension", 0, "dimension is 0; it must be 1 or more"),
        ("window", -1, "window is -1"),
        ("min_count", 0, "min_count is 0"),
        ("epochs", 0, "epochs is 0"),
        ("learning_rate", 0, "learning_rate is 0; it must be above 0"),
        ("learning_rate", float("nan"), "learning_rate is nan"),
    ],
)
def test_hyper_parameters_that_do_not_exist_are_named(name, value, message):
    with pytest.raises(TrainingError, match=message):
        Hyperparameters(**{name: value})


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_word2vec_is_kept_as_text(sentences, tmp_path, architecture):
    model = trained_model(sentences, Hyperparameters("word2vec", architecture, **SMALL))
    path = write_model(model, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["model.vec"]
    read = load_vectors(path)
    assert list(read.words) == model.wv.index_to_key
    assert (read.matrix == model.wv.vectors).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_fasttext_is_kept_with_its_subwords(sentences, tmp_path, architecture):
    parameters = Hyperparameters("fasttext", architecture, **SMALL)
    model = trained_model(sentences, parameters)
    path = write_model(model, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["model.bin"]
    read = load_vectors(path)
    assert list(read.words) == model.wv.index_to_key
    assert np.allclose(read.matrix, model.wv.vectors, atol=1e-6)
    for word in ("word99", "अकेला"):
        assert word not in read.words
        assert np.allclose(read.subword(word), model.wv.get_vector(word), atol=1e-6)


def test_a_model_that_cannot_be_kept_leaves_nothing(sentences, tmp_path):
    model = trained_model(sentences, Hyperparameters(**SMALL))
    with pytest.raises(OutputError, match=r"nowhere/model\.vec"):
        write_model(model, tmp_path / "nowhere")


# Scores after each epoch


TOPICS = {f"topic{t}": [f"word{t}x{i}" for i in range(12)] for t in range(4)}
TEST_SET = test_set(**TOPICS)


def topic_sentences():
    generator = np.random.default_rng(0)
    topics = list(TOPICS.values())
    return [list(generator.choice(topics[i % 4], 8)) for i in range(400)]


def trained(kind, callback, epochs=3):
    from gensim.models import FastText, Word2Vec

    settings = {"vector_size": 8, "min_count": 1, "workers": 1, "seed": 1, "epochs": epochs}
    if kind == "fasttext":
        return FastText(topic_sentences(), **settings, bucket=500, callbacks=[callback])
    return Word2Vec(topic_sentences(), **settings, callbacks=[callback])


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
    epochs = EpochScores(test_set(c=["nowhere"]), "Topk@3")
    trained("word2vec", epochs, epochs=2)
    assert epochs.scores == [None, None]
    assert list(epochs.frame().index) == [1, 2]
