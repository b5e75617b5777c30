"""The SVD of positive PMI beside its definition, and as a trainer of commands and studies."""

from __future__ import annotations

import json
from itertools import chain
from math import log

import numpy as np
import pytest

import evaluator as package
from evaluator import (
    Corpus,
    Hyperparameters,
    StudyError,
    SvdTrainer,
    TrainingError,
    load_vectors,
    read_results,
)
from evaluator.studies.curves import CurveOptions
from evaluator.studies.svd import train_svd
from evaluator.studies.trainers import GensimTrainer, ProgramTrainer
from evaluator.studies.tuning import COUNTED, Space, Tuning
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.small_studies import TOPICS, topic_lines
from tests.evaluator.text.test_cooccurrences import by_definition as counts_by_definition


def written(folder, lines):
    (folder / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Corpus((folder / "text.txt",), "en").write_sentences(folder / "sentences.txt")


def random_lines(seed, words=14, number=60):
    random = np.random.default_rng(seed)
    often = 1 / np.arange(1, words + 1)
    return [
        " ".join(f"w{row}" for row in random.choice(words, random.integers(1, 9), p=often / often.sum()))
        for _ in range(number)
    ]


def by_definition(lines, own):
    """Words and vectors as sections 2 and 3 of Levy, Goldberg and Dagan say, with loops and a whole SVD."""
    sentences = [line.split() for line in lines]
    tokens = list(chain.from_iterable(sentences))
    words = sorted({*tokens}, key=lambda word: (-tokens.count(word), word))
    words = [word for word in words if tokens.count(word) >= own.min_count]
    kept = [[word for word in sentence if word in words] for sentence in sentences]
    pairs = counts_by_definition(kept, own.window, own.dynamic_window)
    of_word = {word: sum(n for (one, _), n in pairs.items() if one == word) for word in words}
    total = sum(n**own.smoothing for n in of_word.values())
    matrix = np.zeros((len(words), len(words)))
    for (word, context), n in pairs.items():
        share, of_context = n / of_word[word], of_word[context] ** own.smoothing / total
        matrix[words.index(word), words.index(context)] = max(0.0, log(share / of_context) - log(own.shift))
    left, values, right = np.linalg.svd(matrix)
    weights = values[: own.dimension] ** own.eigenvalues
    found = left[:, : own.dimension] * weights
    return words, found + right[: own.dimension].T * weights if own.add_contexts else found


def products(matrix):
    """The inner products of all rows, which no sign of a component changes."""
    return matrix.astype(np.float64) @ matrix.T.astype(np.float64)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"window": 1, "dynamic_window": False},
        {"shift": 1.3, "smoothing": 1.0},
        {"eigenvalues": 1.0, "smoothing": 0.5},
        {"eigenvalues": 0.0, "min_count": 8},
        {"add_contexts": True, "window": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(2))
def test_vectors_are_those_of_the_definition(tmp_path, seed, options):
    lines = random_lines(seed)
    own = Hyperparameters("svd", **{"dimension": 4, "min_count": 2, **options})
    found = train_svd(written(tmp_path, lines), own)
    words, expected = by_definition(lines, own)
    assert found.words == words
    np.testing.assert_allclose(products(found.matrix), products(expected), atol=1e-5)


@pytest.mark.parametrize("words", [40, 800])
def test_neither_the_run_nor_the_order_of_sentences_changes_a_byte(tmp_path, words):
    """Also of so many words that only the first components are computed."""
    lines = random_lines(0, words, 20 * words)
    own = Hyperparameters("svd", dimension=8, min_count=2)
    first = train_svd(written(tmp_path, lines), own)
    assert len(first) == words
    np.random.default_rng(1).shuffle(lines)
    again = train_svd(written(tmp_path, lines), own)
    assert first.words == again.words
    assert first.matrix.tobytes() == again.matrix.tobytes()


def test_few_components_of_many_words_are_those_of_the_whole_svd(tmp_path, monkeypatch):
    sentences = written(tmp_path, random_lines(0, 60, 2000))
    own = Hyperparameters("svd", dimension=5, min_count=2)
    whole = train_svd(sentences, own)
    monkeypatch.setattr("evaluator.studies.svd._DENSE", 0)
    np.testing.assert_allclose(train_svd(sentences, own).matrix, whole.matrix, atol=1e-5)


def test_a_word_without_a_positive_context_has_no_vector(tmp_path):
    lines = random_lines(0) + ["alone"] * 9
    own = Hyperparameters("svd", dimension=3, min_count=2)
    found = train_svd(written(tmp_path, lines), own)
    assert "alone" not in found.words
    assert np.abs(found.matrix).max(axis=1).min() > 0


def test_more_dimensions_than_there_are_components_are_zeros(tmp_path):
    """Words of two topics that never meet, and that are all as frequent."""
    lines = ["a b c d", "e f g h"] * 5
    found = train_svd(written(tmp_path, lines), Hyperparameters("svd", dimension=7, min_count=1, window=9))
    assert np.isfinite(found.matrix).all()
    assert np.linalg.matrix_rank(found.matrix) <= 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 99}, "no word occurs 99 times"),
        ({"dimension": 14, "min_count": 1}, "dimension 14: only 14 words have contexts"),
        ({"shift": 1000.0}, "only 0 words have contexts.*lower dimension, or a lower min count or shift"),
    ],
)
def test_what_cannot_be_trained(tmp_path, options, message):
    with pytest.raises(TrainingError, match=message):
        train_svd(written(tmp_path, random_lines(0)), Hyperparameters("svd", **{"dimension": 4, **options}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"model": "svd", "architecture": "cbow"},
            "architecture is no hyper-parameter of svd; these are: model",
        ),
        ({"model": "svd", "epochs": 3}, "epochs is no hyper-parameter of svd"),
        ({"shift": 5.0}, "shift is no hyper-parameter of word2vec"),
        ({"model": "svd", "shift": 0.5}, "shift is 0.5; it must be 1 or more"),
        ({"model": "svd", "smoothing": 1.5}, "smoothing is 1.5; it must be from 0 to 1"),
        ({"model": "svd", "eigenvalues": -1.0}, "eigenvalues is -1.0"),
        ({"model": "glove"}, "model is 'glove'; choose from word2vec, fasttext, svd"),
    ],
)
def test_hyperparameters_that_do_not_exist(values, message):
    with pytest.raises(TrainingError, match=message):
        Hyperparameters(**values)


# The command


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("\n".join(topic_lines()), encoding="utf-8")
    topics = (f": {name}\n" + "\n".join(words) for name, words in TOPICS.items())
    (tmp_path / "topics.txt").write_text("\n".join(topics) + "\n", encoding="utf-8")
    return tmp_path


def test_train_writes_vectors_and_how_they_were_trained(evaluator, corpus):
    command = (
        "train",
        "text.txt",
        "--only",
        "dimension=8",
        "--only",
        "add_contexts=yes",
        "--output",
        "some.vec",
    )
    out, said, code = evaluator(*command)
    assert code == 0, said
    assert "some.vec: 42 words, 8 dimensions, trained on text.txt." in out
    first = (corpus / "some.vec").read_bytes()
    assert evaluator(*command)[2] == 0
    assert (corpus / "some.vec").read_bytes() == first
    (found,) = read_results("some.vec.json")
    assert found.parameters == Hyperparameters("svd", dimension=8, add_contexts=True)
    assert [(each.role, each.path) for each in found.inputs] == [("corpus", "text.txt")]
    assert found.settings == {"case": "fold", "tokens": "letter-runs", "trained with": "svd"}
    assert found.statistics.tokens == 3200
    scores = package.score("some.vec", "topics.txt")
    assert scores["Topk@3"].value > 0.9


@NEEDS_GENSIM
def test_train_with_gensim(evaluator, corpus):
    options = ["--trainer", "gensim", "--only", "architecture=skip-gram", "--only", "dimension=8"]
    out, said, code = evaluator(
        "train", "text.txt", *options, "--epochs", "2", "--seed", "3", "--output", "a.vec"
    )
    assert code == 0, said
    assert "skip-gram" in out
    content = json.loads((corpus / "a.vec.json").read_text(encoding="utf-8"))
    assert content["parameters"]["epochs"] == 2
    assert (content["settings"]["trained with"], content["settings"]["seed"]) == ("gensim", "3")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--epochs", "3"], "svd counts the corpus once, and has no epochs"),
        (
            ["--only", "learning_rate=0.1"],
            "learning_rate: no such hyper-parameter; choose from model, dimension",
        ),
        (["--only", "learning_rate=0.1"], "add_contexts; --trainer gensim has it"),
        (["--only", "epochs=2"], "add_contexts\n"),
        (
            ["--only", "model=fasttext"],
            "model=fasttext: this trainer does not train it; use --trainer gensim",
        ),
        (
            ["--only", "model=word2vec"],
            "model=word2vec: this trainer does not train it; use --trainer gensim",
        ),
        (["--only", "shift=nan"], "shift is nan; it must be a finite number"),
        (["--only", "shift=inf"], "shift is inf; it must be a finite number"),
        (["--only", "shift=abc"], "shift: 'abc' is not a value of it; give a number"),
        (["--only", "window=1.5"], "window: '1.5' is not a value of it; give a whole number"),
        (["--only", "lemmas=1"], "lemmas: '1' is not a value of it; give yes or no"),
        (["--only", "min_count=9999"], "text.txt: no word occurs 9999 times, and the most frequent one "),
        (
            ["--only", "window=2", "--only", "window=9"],
            "--only window=2 and --only window=9: give one of them",
        ),
        (["--only", "min-count=2", "--only", "min_count=3"], "--only min_count=2 and --only min_count=3"),
        (["--seed", "3"], "seed is 3, and svd draws nothing at random: all seeds give the same model"),
        (
            ["--seed", "3", "--trainer", "cp {corpus} {output}"],
            "seed is 3, and the trainer takes no {seed}: all seeds give the same model",
        ),
        (["--only", "shift=1,5"], "give one value"),
        (["--only", "window=0"], "window is 0; it must be 1 or more"),
        (["--output", "a.txt"], "must end in .safetensors or .vec"),
        (["--output", "text.txt"], "must end in"),
        (["none.txt"], "none.txt"),
    ],
)
def test_what_train_refuses(evaluator, corpus, options, said):
    out, told, code = evaluator("train", "text.txt", "--output", "a.vec", *options)
    assert (code, out) == (2, "")
    assert said in told
    assert [each.name for each in corpus.iterdir() if each.name.startswith("a.")] == []


@NEEDS_GENSIM
def test_subwords_are_not_lost_silently(evaluator, corpus):
    options = ["--trainer", "gensim", "--only", "model=fasttext", "--output", "a.vec"]
    _, told, code = evaluator("train", "text.txt", *options)
    assert code == 2
    assert "fasttext builds vectors from subwords" in told


# Studies


def test_a_search_of_its_own_hyperparameters(evaluator, corpus, monkeypatch):
    monkeypatch.setattr("evaluator.vectors.formats.gensim.find_spec", lambda _: None)  # it needs no gensim
    options = ["--trials", "4", "--only", "dimension=5,10", "--only", "min_count=3", "--no-figure"]
    command = "tune", "text.txt", "--test", "topics.txt", *options, "--trainer", "svd", "--output", "study"
    out, said, code = evaluator(*command)
    assert code == 0, said
    (found,) = read_results("study/tuning.json")
    assert found.trials[0].parameters == Hyperparameters("svd")
    assert {each.parameters.model for each in found.trials} == {"svd"}
    assert {each.parameters.dimension for each in found.trials[1:]} <= {5, 10}
    assert len({each.parameters.shift for each in found.trials}) > 1
    assert found.settings["trained with"] == "svd"
    assert {"shift", "smoothing", "eigenvalues"} <= {*found.frame().columns}
    assert not {"architecture", "epochs"} & {*found.frame().columns}
    kept = load_vectors("study/model.vec")
    assert kept.dimension == found.trials[found.best].parameters.dimension
    assert evaluator(*command)[0] == out  # nothing is trained again


def test_a_curve_has_several_models_of_a_size(evaluator, corpus):
    options = ["--from", "128", "--to", "256", "--seeds", "2", "--only", "dimension=4", "--no-figure"]
    _, said, code = evaluator(
        "curve", "text.txt", "--test", "topics.txt", *options, "--trainer", "svd", "--output", "c"
    )
    assert code == 0, said
    (found,) = read_results("c/curve.json")
    assert found.parameters == Hyperparameters("svd", dimension=4)
    assert [each.seeds for each in found.sizes] == [2, 2]
    seeds = found.results[0]["Topk@3"].seeds
    assert seeds[0] != seeds[1]


def test_spaces_and_trainers_that_do_not_fit():
    with pytest.raises(StudyError, match="trains svd, and no word2vec"):
        Tuning(space=Space(), trainer=SvdTrainer())
    with pytest.raises(StudyError, match="trains word2vec and fasttext, and no svd"):
        Tuning(space=COUNTED, trainer=ProgramTrainer("true {corpus} {output}"))
    with pytest.raises(StudyError, match=r"several seeds would give .*Leave out --seeds"):
        Tuning(space=COUNTED, trainer=SvdTrainer(), seeds=2)
    with pytest.raises(StudyError, match="trains svd, and no word2vec"):
        CurveOptions(trainer=SvdTrainer())


@NEEDS_GENSIM
def test_gensim_does_not_train_it(tmp_path):
    with pytest.raises(TrainingError, match="use SvdTrainer, or --trainer svd"):
        GensimTrainer().train(written(tmp_path, random_lines(0)), Hyperparameters("svd"), 0, None)
