"""fastText's binary files, against a slow definition, and against gensim where there is one."""

from __future__ import annotations

import gzip
import pickle
import re
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors
from tests.conftest import NO_GENSIM
from tests.evaluator.vectors.fasttext_files import fnv, vector, write
from tests.spread import spread

WORDS = ["est", "gallia", "in", "italia", "ω", "<>"]
OTHERS = ["galliae", "romanus", "ωω", "a" * 50, "<", "\ud800"]
ROWS = np.random.default_rng(5).standard_normal((len(WORDS) + 11, 8)).astype(np.float32)
MATRIX, NGRAMS = ROWS[: len(WORDS)], ROWS[len(WORDS) :]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.bin"


def expected(words, rows, ngrams, minn=3, maxn=6):
    found = [vector(word, row, ngrams, minn, maxn) for word, row in zip(words, rows, strict=True)]
    return np.array(found, np.float32).reshape(len(words), -1)


def same(found, wanted):
    """Whether two vectors have the same bits, or both are None."""
    return found is wanted if found is None or wanted is None else found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", ["some.bin", "some.bin.gz", "some.model"])
def test_words_and_subwords(tmp_path, name, packed):
    path = write(tmp_path / name, WORDS, ROWS)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    vectors = load_vectors(path)
    assert list(vectors.words) == WORDS
    assert vectors.matrix.tobytes() == expected(WORDS, MATRIX, NGRAMS).tobytes()
    subword = pickle.loads(pickle.dumps(vectors)).subword  # noqa: S301
    path.unlink()
    for word in OTHERS[:-1]:
        assert same(vectors.subword(word), vector(word, None, NGRAMS, 3, 6))
        assert same(subword(word), vectors.subword(word))
    assert vectors.subword("\ud800") is not None  # no UTF-8 is of this
    assert vectors.subword("") is None


def test_hashes_and_vectors_as_recorded(path):
    """Of gensim 4.4: hashes of n-grams, and a vector of 8 buckets whose rows are powers of two."""
    recorded = {"<es": 1369899627, "a": 3826002220, "ωω": 1263415397, "<ω>": 1890680163}
    assert {text: fnv(text.encode()) for text in recorded} == recorded
    rows = np.float32([[256], *([2.0**power] for power in range(8))])
    vectors = load_vectors(write(path, ["roma"], rows, 2, 3))
    assert vectors.matrix[0, 0] == np.float32(54.9)
    assert vectors.subword("ωmega")[0] == np.float32(596 / 11)


def test_the_first_words_only(path):
    few = load_vectors(write(path, WORDS, ROWS), limit=3)
    assert list(few.words) == WORDS[:3]
    assert same(few.subword(WORDS[4]), vector(WORDS[4], MATRIX[4], NGRAMS, 3, 6))


lengths = st.integers(0, 7)
text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=9)


@given(
    words=st.lists(text, min_size=1, max_size=5, unique=True),
    others=st.lists(text, max_size=5),
    buckets=st.integers(0, 9),
    dimension=st.integers(1, 9),
    minn=lengths,
    maxn=lengths,
    seed=st.integers(0, 99),
)
def test_any_model(tmp_path_factory, words, others, buckets, dimension, minn, maxn, seed):
    draw = np.random.default_rng(seed)
    rows = draw.standard_normal((len(words) + buckets, dimension)).astype(np.float32)
    ngrams = rows[len(words) :]
    path = write(tmp_path_factory.mktemp("any") / "some.bin", words, rows, minn, maxn)
    vectors = load_vectors(path)
    wanted = expected(words, rows[: len(words)], ngrams, minn, maxn)
    assert vectors.matrix.tobytes() == wanted.tobytes()
    built = {word: vector(word, None, ngrams, minn, maxn) for word in set(others) - {*words}}
    assert all(same(vectors.subword(word), row) for word, row in built.items())
    fasttext = pytest.importorskip("gensim.models.fasttext", reason=NO_GENSIM)
    if buckets and maxn < minn:
        return  # gensim refuses such a file, which older versions of fastText wrote
    theirs = fasttext.load_facebook_vectors(str(path))
    assert theirs.index_to_key == words
    assert theirs.vectors.tobytes() == vectors.matrix.tobytes()
    assert all(same(theirs.get_vector(word), row) for word, row in built.items() if row is not None)


def test_the_end_of_a_line_has_no_n_grams(path):
    """As in fastText's `Dictionary::initNgrams`; gensim gives it those of `<</s>>`."""
    vectors = load_vectors(write(path, [*WORDS[:-1], "</s>"], ROWS))
    assert same(vectors.matrix[-1], MATRIX[-1])
    assert same(vectors.subword("</s>"), MATRIX[-1])
    assert load_vectors(write(path, WORDS, ROWS)).subword("</s>") is None


# --- models of floret

LINES = [
    "rex regina rex dux",
    "roma est in italia et gallia est provincia",
    "ω Ποσειδῶν rex",
    "honorificabilitudinitatibus constantinopolitanus rex",
] * 5
UNKNOWN = ["galliae", "a", "", "ωω", "😀", "incomprehensibilitas", "x" * 80, "sixteen bytes…", "</s>"]


def trained(folder, lines=LINES, **settings):
    floret = pytest.importorskip("floret", reason="compares with floret, which is not installed")
    # With fewer than ten threads floret leaves rows zero.
    (folder / "corpus.txt").write_text("\n".join(lines), encoding="utf-8")
    return floret.train_unsupervised(
        str(folder / "corpus.txt"),
        **{"model": "skipgram", "dim": 6, "minCount": 1, "epoch": 1, "thread": 12, "verbose": 0, **settings},
    )


@pytest.mark.parametrize(
    ("hashes", "lengths"), spread(product([1, 2, 3, 4], [(3, 6), (1, 2), (5, 5)]), 5), ids=str
)
def test_floret(tmp_path, hashes, lengths):
    model = trained(
        tmp_path, mode="floret", hashCount=hashes, minn=lengths[0], maxn=lengths[1], bucket=97, minCount=1
    )
    model.save_model(str(tmp_path / "some.bin"))
    vectors = load_vectors(tmp_path / "some.bin")
    assert list(vectors.words) == [word for word in model.words if word != "</s>"]
    assert model.words[0] == "rex", "the first word has a row of its own"
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        assert row == pytest.approx(model.get_word_vector(word), rel=1e-5, abs=1e-8)
    subword = pickle.loads(pickle.dumps(vectors)).subword  # noqa: S301
    for word in UNKNOWN:
        expected, found = model.get_word_vector(word), subword(word)
        assert (found is None) == (not expected.any())
        assert found is None or found == pytest.approx(expected, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("minn", [0, 2])
def test_floret_in_the_mode_of_fasttext(tmp_path, minn):
    model = trained(tmp_path, mode="fasttext", minn=minn, maxn=2 * minn, bucket=97)
    model.save_model(str(tmp_path / "some.bin"))
    vectors = load_vectors(tmp_path / "some.bin")
    assert list(vectors.words) == model.words
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        assert row == pytest.approx(model.get_word_vector(word), rel=1e-5, abs=1e-8)
    assert (vectors.subword("galliae") is None) == (not minn)


def test_the_end_of_a_line_stays_if_floret_has_a_row_for_it(tmp_path):
    model = trained(tmp_path, ["rex regina", "dux roma"] * 4, mode="floret", bucket=97)
    model.save_model(str(tmp_path / "some.bin"))
    vectors = load_vectors(tmp_path / "some.bin")
    assert list(vectors.words) == model.words
    assert "</s>" in model.words[:1]
    assert vectors.matrix[0] == pytest.approx(model.get_word_vector("</s>"), rel=1e-5)


def test_hashes_of_floret_as_published():
    """The values that other programs give for MurmurHash3_x64_128 with the seed 0."""
    from evaluator.vectors.loops import _murmur

    published = {
        "hello": (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19),
        "The quick brown fox jumps over the lazy dog": (0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347),
    }
    for text, expected in published.items():
        assert _murmur(np.frombuffer(text.encode(), np.uint8), 0) == expected


@pytest.mark.parametrize("mode", [1, 2])
def test_floret_cut_off_or_of_another_kind(path, mode):
    data = write(path, WORDS, ROWS, floret=(mode, 2)).read_bytes()
    assert len(load_vectors(path)) == len(WORDS)
    for size in [*range(4, 400, 7), len(data) - 1]:
        path.write_bytes(data[:size])
        assert "truncated: the file ends within its" in refused(path)
    assert "supervised" in refused(write(path, WORDS, ROWS, floret=(mode, 2), model=3))
    assert "quantised" in refused(write(path, WORDS, ROWS, floret=(mode, 2), quantised=True))


# --- files that are damaged, of another kind, or with bad rows


def refused(path, **options):
    with pytest.raises(VectorsError) as caught:
        load_vectors(path, **options)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_cut_off_anywhere(path):
    data = write(path, WORDS, ROWS).read_bytes()
    matrix_end = len(data) - 17 - 4 * MATRIX.size  # what is left is the output layer, which is not read
    for size in [*range(4, 400, 7), matrix_end // 2, matrix_end - 1, matrix_end, len(data) - 1]:
        path.write_bytes(data[:size])
        message = refused(path)
        assert "truncated: the file ends within its" in message
        assert "Fetch it again" in message


def test_where_a_vocabulary_is_cut_off_is_said(path):
    data = write(path, WORDS, ROWS).read_bytes()
    for row, word in enumerate(WORDS, 1):
        start = data.index(f"{word}\0".encode())
        for end in (start, start + len(word.encode()), start + len(word.encode()) + 9):
            path.write_bytes(data[:end])
            assert f"at row {row} of {len(WORDS)}" in refused(path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": 3}, r"supervised.*\.vec"),
        ({"labels": 2}, "supervised"),
        ({"quantised": True}, r"quantised \(\.ftz\)"),
        ({"height": 10**15}, "its matrix has 1000000000000000 rows of 8"),
        ({"width": 7}, "its matrix has 17 rows of 7"),
        ({"minn": -1}, "damaged: .*n-grams of -1 to 6 characters in 11 buckets"),
        ({"maxn": -1}, "damaged: .*n-grams of 3 to -1"),
        ({"bucket": -1, "height": 5}, "damaged: .* -1 buckets"),
        ({"dimension": 0, "width": 0}, "damaged: .*dimension 0"),
        ({"known": 3}, "damaged: .* 3 words in a vocabulary of 6.* Fetch or train it again"),
        ({"size": -2, "known": -2}, "damaged: "),
    ],
    ids=str,
)
def test_of_other_kinds_or_damaged(path, changed, said):
    assert re.search(said, refused(write(path, WORDS, ROWS, **changed)))


def test_without_words(path):
    assert "no row can be used" in refused(write(path, [], ROWS))


@pytest.mark.parametrize(
    "changed", [{"t": np.nan}, {"tokens": -1}, {"count": -(2**63)}, {"pruned": 3}], ids=str
)
def test_numbers_that_do_not_matter(path, changed):
    vectors = load_vectors(write(path, WORDS, ROWS, **changed))
    assert vectors.matrix.tobytes() == expected(WORDS, MATRIX, NGRAMS).tobytes()


def test_without_magic_number(path):
    path.write_bytes(b"1 1\na 1\n")
    message = refused(path, format="fasttext")
    assert "not a fastText .bin file" in message
    assert 'format="word2vec-text"' in message


@pytest.mark.parametrize(("word", "said"), [(b"omn\xeds", r"word 'omn\\xeds': .*not UTF-8"), (b"", "empty")])
def test_bad_words(path, word, said):
    words = [WORDS[0], word, *WORDS[2:]]
    assert re.search(f"row 2.*{said}.*bad_rows=.drop", refused(write(path, words, ROWS)))
    vectors = load_vectors(path, bad_rows="drop")
    assert (list(vectors.words), vectors.dropped) == ([WORDS[0], *WORDS[2:]], 1)
    assert same(vectors.matrix[1], vector(WORDS[2], MATRIX[2], NGRAMS, 3, 6))
    assert vectors.subword("") is None


def test_n_grams_of_another_encoding_are_those_of_utf8(path):
    vectors = load_vectors(write(path, [b"caf\xe9"], ROWS, bucket=16), encoding="cp1252")
    assert list(vectors.words) == ["café"]
    assert same(vectors.matrix[0], vector("café", ROWS[0], ROWS[1:], 3, 6))


def test_a_word_twice(path):
    write(path, ["est", "in", "est", *WORDS[3:]], ROWS)
    assert "row 3, word 'est': duplicate" in refused(path)
    vectors = load_vectors(path, bad_rows="drop")
    assert (list(vectors.words), vectors.dropped) == (["est", "in", *WORDS[3:]], 1)
    assert same(vectors.subword("est"), vectors.matrix[0])


def test_a_bad_vector(path):
    rows = ROWS.copy()
    rows[0, 0] = np.nan
    assert "row 1, word 'est': number 1 of 8 is NaN" in refused(write(path, WORDS, rows))
    vectors = load_vectors(path, bad_rows="drop")
    assert (len(vectors), vectors.dropped) == (len(WORDS) - 1, 1)
    assert vectors.subword("est") is None


@pytest.mark.parametrize("value", [0, np.inf, np.nan])
def test_bad_rows_of_n_grams_give_no_vector(path, value):
    rows = ROWS.copy()
    rows[2:] = value
    vectors = load_vectors(write(path, ["est", "in"], rows, minn=6))  # these have no n-grams
    assert vectors.matrix.tolist() == ROWS[:2].tolist()
    assert vectors.subword("galliae") is None


def test_gensim_is_not_imported(path):
    code = "import sys; sys.modules['gensim'] = None; import evaluator; evaluator.load_vectors(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, write(path, WORDS, ROWS)], check=True)
