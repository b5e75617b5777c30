"""Sentences prepared for training: read as they were written of this corpus, or written again."""

from __future__ import annotations

import pytest

from evaluator.errors import CorpusError
from evaluator.text.corpus import Corpus
from evaluator.text.prepared_corpus import PreparedCorpus, fingerprint

LINES = [f"arma virumque cano{number}" for number in range(50)]


@pytest.fixture
def source(tmp_path):
    """A corpus of 150 tokens."""
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def prepared(source, folder):
    folder.mkdir(exist_ok=True)
    return PreparedCorpus.of(Corpus((source,)), folder)


@pytest.fixture
def written(source, tmp_path):
    corpus = prepared(source, tmp_path / "study")
    assert corpus.prepare(lemmas=False).tokens == 150
    return corpus


def cut_in_half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def change_a_letter(path):
    path.write_bytes(path.read_bytes().replace(b"virumque", b"virumquE", 1))


@pytest.mark.parametrize("damage", [cut_in_half, change_a_letter])
def test_damaged_sentences_are_written_again(written, source, damage):
    damage(written.folder / "sentences.txt")
    again = prepared(source, written.folder)
    sentences = again.prepare(lemmas=False)
    assert sentences.tokens == 150
    assert sentences.path.read_text(encoding="utf-8").split("\n")[:-1] == LINES


@pytest.mark.parametrize("damage", [cut_in_half, change_a_letter])
def test_no_worker_trains_on_damaged_sentences(written, damage):
    damage(written.folder / "sentences.txt")
    read = written.sentences(lemmas=False)
    assert read.tokens == 150
    assert read.path != written.folder / "sentences.txt"


@pytest.mark.parametrize("damage", [cut_in_half, change_a_letter])
def test_the_cache_of_a_worker_is_checked_too(written, damage):
    (written.folder / "sentences.txt").unlink()
    cached = written.file(lemmas=False)
    damage(cached)
    assert written.sentences(lemmas=False).tokens == 150
    assert cached.read_text(encoding="utf-8").split("\n")[:-1] == LINES


def test_sound_sentences_are_not_written_again(written, source):
    before = (written.folder / "sentences.txt").stat()
    prepared(source, written.folder).prepare(lemmas=False)
    assert (written.folder / "sentences.txt").stat().st_ino == before.st_ino


def test_sentences_of_another_version_are_written_again(written, source, monkeypatch):
    before = (written.folder / "sentences.txt").stat()
    monkeypatch.setattr("evaluator.execution.processes.version", lambda _: "0.0.0")
    prepared(source, written.folder).prepare(lemmas=False)
    assert (written.folder / "sentences.txt").stat().st_ino != before.st_ino


def test_a_text_that_is_gone_is_named(source):
    corpus = Corpus((source,))
    source.unlink()
    with pytest.raises(CorpusError, match=r"text\.txt: cannot be read: No such file"):
        fingerprint(corpus)
