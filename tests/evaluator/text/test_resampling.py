"""Resampled corpora: what is drawn, beside the drawing of whole documents in memory; and what is refused."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Corpus, CorpusError, Hyperparameters, load_vectors, read_results, train
from evaluator.text.resampling import write_resampled

TEXT = "rex et regina\nrex venit\n\n \n* * *\ndux fugit\n\nurbs\nurbs\n"


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "two.txt").write_text("via longa", encoding="utf-8")
    return Corpus(("one.txt", "two.txt"), "la")


def units(text, unit):
    """The lines or documents of a text that have a word, each as a list of its lines of words."""
    blocks = re.split(r"\n(?:[^\S\n]*\n)+", text) if unit == "documents" else text.split("\n")
    found = [[re.findall(r"\w+", line) for line in block.split("\n")] for block in blocks]
    return [some for each in found if (some := [words for words in each if words])]


def drawn_from(path, found):
    """The lines or documents of which a file consists, if each of them is begun by another word."""
    lines, drawn = [line.split() for line in path.read_text(encoding="utf-8").splitlines()], []
    while lines:
        (own,) = (each for each in found if lines[: len(each)] == each)
        drawn.append(found.index(own))
        del lines[: len(own)]
    return drawn


def test_documents_end_at_empty_lines_and_at_ends_of_files(texts, tmp_path):
    expected = [*units(TEXT, "documents"), [["via", "longa"]]]
    assert [len(each) for each in expected] == [2, 1, 2, 1]
    documents = {}
    for words, _, document in texts.numbered_sentences():
        documents.setdefault(document, []).append(words)
    assert list(documents.values()) == expected
    sentences, how = write_resampled(texts, tmp_path / "drawn.txt", "documents", 1)
    drawn = drawn_from(sentences.path, expected)
    assert (how.number, len(drawn), how.different) == (4, 4, len({*drawn}))
    assert sentences.counts == Counter(word for each in drawn for line in expected[each] for word in line)
    assert sentences.number == sum(len(expected[each]) for each in drawn)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drawn.txt", "one.txt", "two.txt"]


BLOCKS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=2, max_size=8)


@given(BLOCKS, st.sampled_from(["lines", "documents"]), st.integers(0, 2**32 - 1))
def test_as_many_are_drawn_as_there_are_and_a_seed_decides_which(tmp_path_factory, blocks, unit, seed):
    folder = tmp_path_factory.mktemp("drawn")
    lines = [
        [f"b{at}l{number}" + " w" * more for number, more in enumerate(each)]
        for at, each in enumerate(blocks)
    ]
    text = "\n\n".join("\n".join(each) for each in lines)
    (folder / "text.txt").write_text(text, encoding="utf-8")
    corpus, expected = Corpus((folder / "text.txt",)), units(text, unit)
    sentences, how = write_resampled(corpus, folder / "a", unit, seed)
    drawn = drawn_from(sentences.path, expected)
    assert len(drawn) == how.number == len(expected)
    assert how.different == len({*drawn})
    write_resampled(corpus, folder / "b", unit, seed)
    assert (folder / "b").read_bytes() == (folder / "a").read_bytes()


def test_each_is_drawn_equally_often(tmp_path):
    """Of 20 lines, 20 are drawn with each of 200 seeds."""
    (tmp_path / "text.txt").write_text("\n".join(f"w{number}" for number in range(20)), encoding="utf-8")
    corpus, found = Corpus((tmp_path / "text.txt",)), Counter()
    for seed in range(200):
        found.update(write_resampled(corpus, tmp_path / "drawn", "lines", seed)[0].counts)
    counts = np.array(list(found.values()))
    assert (len(counts), counts.sum()) == (20, 4000)
    assert ((counts - 200) ** 2 / 200).sum() < 43.8  # chi-squared with 19 degrees of freedom: p = 0.001


@pytest.mark.parametrize(
    ("text", "unit", "said"),
    [
        ("rex venit\ndux fugit\n", "documents", "two documents with words.*Divide documents by empty lines"),
        ("rex venit\n\n\n", "lines", "two lines with words.*a sentence or a document in each line"),
        ("\n* *\n", "documents", "two documents with words"),
    ],
)
def test_what_cannot_be_drawn_from_is_refused(tmp_path, text, unit, said):
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"text\.txt: has fewer than {said}"):
        write_resampled(Corpus((tmp_path / "text.txt",)), tmp_path / "drawn", unit, 0)


def test_a_model_is_that_of_the_drawn_text(evaluator, texts, tmp_path):
    lines = [" ".join(np.random.default_rng(0).permutation(list("abcdef"))) for _ in range(6)]
    (tmp_path / "text.txt").write_text("\n\n".join(lines), encoding="utf-8")
    options = ["--only", "dimension=2", "--only", "min_count=1", "--only", "window=2"]
    command = ["train", "text.txt", *options, "--resample", "documents", "--seed", "4", "--output"]
    out, said, code = evaluator(*command, "a.vec")
    assert code == 0, said
    (found,) = read_results("a.vec.json")
    assert str(found.resampled) in out
    assert out.count("6 documents (text between empty lines) drawn with replacement") == 1
    assert json.loads((tmp_path / "a.vec.json").read_text())["resampled"]["seed"] == 4
    sentences, _ = write_resampled(Corpus(("text.txt",), case="fold"), tmp_path / "drawn.txt", "documents", 4)
    assert found.statistics.tokens == sentences.tokens
    train(Corpus(("drawn.txt",)), "b.vec", Hyperparameters("svd", dimension=2, min_count=1, window=2))
    one, other = load_vectors("a.vec"), load_vectors("b.vec")
    assert one.words == other.words
    assert (one.matrix == other.matrix).all()
    assert "resampled" not in (tmp_path / "b.vec.json").read_text()


def test_the_command_says_why_nothing_can_be_drawn(evaluator, texts, tmp_path):
    _, said, code = evaluator("train", "two.txt", "--resample", "documents", "--output", "a.vec")
    assert code == 2
    assert "resample lines" in said
    assert not (tmp_path / "a.vec").exists()
