"""Sentence boundaries: what is marked in texts, F1, and what classifiers find of a known rule."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator import Corpus
from evaluator.errors import ScoreError
from evaluator.plugins.papers.boundaries import boundaries, f1, f1_interval, marked
from evaluator.vectors.table import Vectors


def text(tmp_path, content, **how):
    (tmp_path / "text.txt").write_text(content, encoding="utf-8")
    return Corpus((tmp_path / "text.txt",), **how)


def ended(found):
    return [word for word, ends in zip(found.words, found.ends, strict=True) if ends]


def test_sentences_end_before_the_marks_of_every_script_and_go_over_lines(tmp_path):
    corpus = text(tmp_path, "Veni, vidi! Vici\nhodie. रामः गच्छति। Ἦν; … ἔστι· καὶ\n", case="fold")
    assert ended(marked(corpus)) == ["vidi", "hodie", "गच्छति"]
    assert ended(marked(corpus, ends="·")) == ["vidi", "hodie", "गच्छति", "ἔστι"]
    assert ended(marked(corpus, of_lines=True)) == ["vici", "καὶ"]
    assert marked(corpus).words[:4] == ["veni", "vidi", "vici", "hodie"]


def test_a_text_without_marks_is_refused_with_what_helps(tmp_path):
    with pytest.raises(ScoreError, match=r"1 of 300 words end a sentence, too few; .*--lines"):
        marked(text(tmp_path, "a b c " * 100 + "."))


def test_f1_beside_its_definition():
    true = np.array([True, True, False, True, False])
    told = np.array([True, False, True, True, False])
    precision, recall = 2 / 3, 2 / 3
    assert f1(true, told) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1(true, ~true) == 0
    draw = np.random.default_rng(0)
    truth, guess = draw.random(2000) < 0.1, draw.random(2000) < 0.1
    value, low, high = f1_interval(truth, guess)
    assert 0 <= low < value < high <= 1


def test_intervals_hold_the_f1_of_the_whole_text():
    draw = np.random.default_rng(1)
    truth = draw.random((200, 4000)) < 0.06
    told = np.where(draw.random(truth.shape) < 0.9, truth, draw.random(truth.shape) < 0.06)
    expected = f1(truth.ravel(), told.ravel())
    ends = [f1_interval(*each)[1:] for each in zip(truth, told, strict=True)]
    assert 0.9 <= np.mean([low <= expected <= high for low, high in ends]) <= 0.99


def test_vectors_that_tell_last_words_are_found_and_random_ones_are_not(tmp_path):
    draw = np.random.default_rng(2)
    names = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    last, others = names[:16], names[16:]
    sentences = [" ".join([*draw.choice(others, draw.integers(3, 9)), draw.choice(last)]) for _ in range(900)]
    corpus = text(tmp_path, ". ".join(sentences) + ".")
    matrix = draw.normal(size=(64, 8)).astype(np.float32)
    telling = matrix.copy()
    telling[:16, 0] += 30
    models = [Vectors(names, telling, "telling"), Vectors(["none"], matrix[:1], "empty")]
    found = boundaries(models, marked(corpus), corpus, models=["logistic"], train=2000, test=2000)
    (clear,), (empty,) = found.results
    assert clear.value > 0.9
    assert clear.low > clear.chance > 0.2
    everything = f1(np.arange(2000) < found.share * 2000, np.ones(2000, np.bool_))  # all are said to end
    assert clear.chance == empty.chance == pytest.approx(everything, abs=0.001)
    assert (clear.n, empty.n, clear.unit) == (2000, 2000, "words")
    assert (empty.known, clear.known) == (0, 2000)
    assert empty.value <= 2 * found.share / (1 + found.share) + 0.01


def test_what_cannot_be_done_is_refused_before_work(tmp_path):
    corpus = text(tmp_path, "a b. " * 500)
    vectors = Vectors(["a"], np.ones((1, 2), np.float32), "one")
    for options, said in (
        ({"window": 4}, "window is 4; it must be an odd number"),
        ({"train": 10}, "both must be 2,000 or more"),
        ({"train": 1999, "test": 2000}, "train is 1999 and test 2000; both must be 2,000 or more"),
        ({"train": 2001, "test": 2002}, "has 1,000 words, and 4,003 are needed; lower --learned or --asked"),
        ({"models": ["forest"]}, "there is no classifier"),
        ({"train": 2000, "test": 2000}, "has 1,000 words, and 4,000 are needed"),
    ):
        with pytest.raises(ScoreError, match=said):
            boundaries(vectors, marked(corpus), corpus, **options)
