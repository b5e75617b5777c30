"""Words that stay in a file: the same as a list and a dict of them."""

from __future__ import annotations

import pickle
import zlib
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.vectors import Vectors
from evaluator.vectors import words as module
from evaluator.vectors.words import StoredIndex, StoredWords, pack, unpack
from tests.evaluator.vectors.test_formats import ODD_WORDS, SPACED_WORDS

WORDS = ["rex", "regina", "New York", "\ufeff", "😀", "\ufeffrex", "re", ""]
MOST = (1 << 32) - 1
CODES = {
    "CRC": zlib.crc32,
    "all the same, the first bucket": lambda raw: 0,
    "all the same, the last bucket": lambda raw: MOST,
    "few": lambda raw: len(raw) % 3 * (MOST // 2),
}


def stored(words):
    text, table = pack(words)
    return unpack(np.frombuffer(text, np.uint8), table, len(words))


def vectors(words):
    matrix = np.arange(1, 2 * len(words) + 1, dtype=np.float32).reshape(-1, 2)
    return Vectors(stored(words), matrix, "some.vec")


some_words = st.lists(st.text(max_size=5) | st.sampled_from(ODD_WORDS + SPACED_WORDS), unique=True)


@given(some_words, some_words, st.sampled_from(sorted(CODES)))
def test_the_same_as_a_list_and_a_dict(words, others, code):
    with mock.patch.object(module, "_code", CODES[code]):
        found = stored(words)
        rows = {word: row for row, word in enumerate(words)}
        assert (list(found), len(found)) == (words, len(words))
        assert [found[row] for row in range(-len(words), len(words))] == words + words
        assert [found.find(word) for word in words] == list(range(len(words)))
        for singly in (1, 10**9):  # one by one, and in a dict from the start
            with mock.patch.object(module, "SINGLY", singly):
                index = StoredIndex(found)
                assert [index.get(word) for word in others] == [rows.get(word) for word in others]
                assert [word in found for word in others] == [word in rows for word in others]
                assert index == rows
                assert list(index.items()) == list(rows.items())


@given(some_words, st.slices(12))
def test_slices_are_those_of_a_list(words, part):
    assert list(stored(words)[part]) == words[part]


@given(some_words, st.integers(0, 12), st.sampled_from(sorted(CODES)))
def test_the_first_words_know_no_others(words, size, code):
    with mock.patch.object(module, "_code", CODES[code]):
        found = stored(words)
        few = found[:size]
        assert isinstance(few, StoredWords)
        assert np.shares_memory(few.text, found.text) or not words
        assert few == words[:size]
        assert StoredIndex(few) == {word: row for row, word in enumerate(words[:size])}
        assert [word in few for word in words] == [row < size for row in range(len(words))]
        assert few[:2] == words[:size][:2]


@pytest.mark.parametrize("block", [1, 2, 3, 8, 9])
def test_blocks_of_any_size(monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK_WORDS", block)
    assert list(stored(WORDS)) == WORDS


def test_no_words_and_the_empty_word():
    assert list(stored([])) == []
    assert "" not in stored([])
    assert stored([]).find("rex") == -1
    assert list(stored([""])) == [""]
    assert stored([""]).find("") == 0


def test_rows_that_are_not_there():
    for row in (len(WORDS), -len(WORDS) - 1, 10**20):
        with pytest.raises(IndexError):
            stored(WORDS)[row]
    with pytest.raises(TypeError):
        stored(WORDS)["rex"]
    assert stored(WORDS)[np.int32(1)] == "regina"


def test_what_is_no_word_is_not_found():
    found = stored(WORDS)
    assert found.find("\ud83d") == -1
    assert "\ud83d" not in StoredIndex(found)
    assert None not in found
    with pytest.raises(KeyError, match="rege"):
        StoredIndex(found)["rege"]


def test_equal_to_a_list_of_the_same_words():
    assert stored(WORDS) == WORDS
    assert WORDS == stored(WORDS)  # noqa: SIM300  # a list asks what it is compared with
    assert stored(WORDS) == stored(WORDS)
    assert stored(WORDS) != WORDS[:-1]
    assert stored(WORDS) != [*WORDS[:-1], "x"]
    assert stored(WORDS) != tuple(WORDS)
    assert repr(stored(WORDS)) == "<8 stored words>"


def test_a_separator_of_several_bytes():
    words = ["".join(map(chr, range(128))), "rex", "regina"]
    assert stored(words).separator == "\x80".encode()
    assert list(stored(words)) == words
    assert [stored(words).find(word) for word in words] == [0, 1, 2]


def test_a_table_for_texts_beyond_four_gigabytes(monkeypatch):
    monkeypatch.setattr(module, "_kind", lambda size: "<u8")
    found = stored(WORDS)
    assert found.rows.dtype == np.uint64
    assert (list(found), found.find("😀")) == (WORDS, 4)


@pytest.mark.parametrize(("size", "kind"), [(0, "<u4"), ((1 << 32) - 1, "<u4"), (1 << 32, "<u8")])
def test_the_type_of_a_table(size, kind):
    assert module._kind(size) == kind


def test_the_layout_of_files_that_other_processes_read():
    """Who changes this has to raise the version of the copies in the cache."""
    text, table = pack(["rex", "é", "regina"])
    assert text == "rex\0é\0regina\0".encode()
    assert table.dtype == np.dtype("<u4")
    starts, heads, rows = [0, 4, 7, 14], [0, 1, 2, 3], [1, 2, 0]
    assert table.tolist() == starts + heads + rows


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "words", [["a", "b", "a"], ["a", "a"], ["", "x", "y", ""], ["a", "b", "c", "b", "a"]]
)
def test_a_word_that_comes_twice_is_found_out(monkeypatch, words, code):
    monkeypatch.setattr(module, "_code", CODES[code])
    with pytest.raises(ValueError, match="a word comes twice"):
        pack(words)


def test_half_a_character_cannot_be_packed():
    with pytest.raises(ValueError, match="surrogates not allowed"):
        pack(["rex", "\ud83d"])


def test_what_is_cut_short_is_refused():
    text, table = pack(WORDS)
    raw = np.frombuffer(text, np.uint8)
    cuts = [
        (raw[:-1], table, 8),
        (raw, table[:-1], 8),
        (raw, table[:-3], 8),
        (raw, table, 7),
        (raw, table, 9),
    ]
    for cut in cuts:
        with pytest.raises(ValueError, match=r"it does not hold \d words"):
            unpack(*cut)


def test_a_dict_is_made_only_if_many_words_are_looked_up(monkeypatch):
    found, words = [], [f"w{row}" for row in range(160)]
    find = StoredWords.find
    monkeypatch.setattr(StoredWords, "find", lambda self, word: found.append(word) or find(self, word))
    index = StoredIndex(stored(words))
    with monkeypatch.context() as patch:
        patch.setattr(StoredWords, "__iter__", None)
        assert [index.get(f"w{row}") for row in range(0, 180, 18)] == [*range(0, 160, 18), None]
    assert len(found) == 10
    assert [index.get(f"w{row}") for row in range(170)] == [*range(160), *[None] * 10]
    assert len(found) == 10


def test_vectors_of_stored_words():
    some = vectors(WORDS)
    assert some.index is some.index
    assert some.index == {word: row for row, word in enumerate(WORDS)}
    few = some.restrict(2)
    assert (list(few.words), few.matrix.tolist()) == (["rex", "regina"], [[1, 2], [3, 4]])
    assert few.index == {"rex": 0, "regina": 1}
    assert "😀" not in few.index
    assert few.restrict(99).words == few.words


def test_stored_words_fold_as_others_do():
    words = ["The", "rex", "Rex", "the", "regina"]
    folded = vectors(words).fold(str.lower)
    assert list(folded.words) == ["the", "rex", "regina"]
    assert folded.matrix[:, 0].tolist() == [1, 3, 9]
    assert folded.index == {"the": 0, "rex": 1, "regina": 2}


def test_vectors_of_stored_words_can_be_sent_to_another_process():
    some = vectors(WORDS)
    assert some.index["😀"] == 4
    again = pickle.loads(pickle.dumps(some))  # noqa: S301
    assert (again.words, again.index) == (WORDS, some.index)
