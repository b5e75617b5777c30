"""Models that encode any word: many words at a time, and the lists of words that they come with."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors.formats.encoder import AT_A_TIME, Encoder, read_words


def lengths(words):
    return np.array([[len(word), float(word)] for word in words], np.float32)


def test_words_are_encoded_some_at_a_time_and_keep_their_order():
    asked = []

    def encode(words):
        asked.append(len(words))
        return lengths(words)

    words = [str(number) for number in range(1, 2 * AT_A_TIME + 2)]
    encoder = Encoder(encode, "m")
    assert encoder.rows(words).tolist() == lengths(words).tolist()
    assert asked == [AT_A_TIME, AT_A_TIME, 1]
    encoder.prepare([*words[:3], words[0]])
    assert (asked[3:], encoder(words[2]).tolist(), asked[4:]) == ([3], [1.0, 3.0], [])
    assert encoder("9").tolist() == [1.0, 9.0]
    assert asked[4:] == [1]


@pytest.mark.parametrize("bad", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_word_without_a_direction_has_no_vector(bad):
    assert Encoder(lambda words: np.array([bad] * len(words), np.float32), "m")("w") is None


def test_vectors_of_one_length_only():
    encoder = Encoder(lambda words: np.ones((len(words), 2 if "1" in words else 3), np.float32), "m:f")
    with pytest.raises(VectorsError, match=r"m:f: it gives vectors of 2 and 3 numbers\. All must have"):
        encoder.rows([str(number) for number in range(AT_A_TIME + 1, 0, -1)])


def listed(tmp_path, text):
    path = tmp_path / "words.txt"
    path.write_bytes(text)
    return read_words(str(path))


def test_a_word_a_line_with_a_count_after_a_tab_or_without(tmp_path):
    text = b"\xef\xbb\xbfrex\t12\nnew york\n\n \nroma\r\nlex\tx\ty\n"
    assert listed(tmp_path, text) == ["rex", "new york", "roma", "lex"]


@pytest.mark.parametrize(("numbers", "refused"), [(50, False), (51, True)])
def test_lines_that_mostly_end_in_numbers_are_refused_at_the_hundredth(tmp_path, numbers, refused):
    lines = [f"w{number} 5" if number < numbers else f"w{number}" for number in range(100)]
    assert len(listed(tmp_path, "\n".join(lines[:99]).encode())) == 99
    whole = "\n".join(lines).encode()
    if refused:
        with pytest.raises(VectorsError, match="line 100: ends in a number, as most lines before it"):
            listed(tmp_path, whole)
    else:
        assert len(listed(tmp_path, whole)) == 100
