"""Corpora: words in all scripts, sentences of any length, files that are wrong, and what is counted."""

from __future__ import annotations

import gzip
import json
import pickle
import unicodedata
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Corpus, CorpusError, OutputError, ScoreError
from evaluator.text import corpus as module
from evaluator.text.corpus import LONGEST_SENTENCE, Sentences, can_be_token, script_of, words_of
from evaluator.text.prepared_corpus import fingerprint

DEVANAGARI = "नमस्ते"
GUJARATI = "ગુજરાતી"
HEBREW = "בְּרֵאשִׁית"
ARABIC = "الرَّحْمٰن"
JOINED = "क्‍ष"
PERSIAN = "می‌خواهم"


@pytest.fixture
def write(tmp_path):
    def write_(content, name="corpus.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_


@pytest.mark.parametrize(
    "word",
    [DEVANAGARI, GUJARATI, HEBREW, ARABIC, JOINED, PERSIAN, "Ǣðel", "茸", "2026"],
    ids=["devanagari", "gujarati", "points", "harakat", "joiner", "non-joiner", "latin", "han", "digits"],
)
def test_a_word_keeps_its_marks_and_joiners(word):
    word = unicodedata.normalize("NFC", word)
    assert words_of(f"«{word}», {word}.") == [word, word]


def test_what_has_no_letter_is_no_word():
    assert words_of("a – ्  ‍ '' … 3.5") == ["a", "3", "5"]


def test_words_of_a_text_that_is_tokenized_already():
    assert words_of(" mūšu_I\tNew_York  .\n", "white-space") == ["mūšu_I", "New_York", "."]


@pytest.mark.parametrize(
    ("word", "letter_runs", "white_space"),
    [
        ("Roma", True, True),
        ("re\N{COMBINING ACUTE ACCENT}gio", True, True),
        ("mūšu_I", False, True),
        ("Aix-en-Provence", False, True),
        ("l'eau", False, True),
        ("New York", False, False),
        ("", False, False),
    ],
)
def test_what_can_be_a_token(word, letter_runs, white_space):
    assert can_be_token(word, "letter-runs") == letter_runs
    assert can_be_token(word, "white-space") == white_space


def test_a_corpus_that_is_tokenized_already(write):
    path = write("mūšu_I New_York . Mūšu_I")
    corpus = Corpus((path,), case="fold", tokens="white-space")
    assert list(corpus.sentences()) == [["mūšu_i", "new_york", ".", "mūšu_i"]]
    assert fingerprint(corpus) != fingerprint(replace(corpus, tokens="letter-runs"))
    with pytest.raises(CorpusError, match=r"tokens.*'words'.*letter-runs, white-space"):
        replace(corpus, tokens="words")


def test_words_are_in_nfc():
    assert words_of("re\N{COMBINING ACUTE ACCENT}gio") == ["r\N{LATIN SMALL LETTER E WITH ACUTE}gio"]


@pytest.mark.parametrize(
    ("word", "script"),
    [("rex", "Latin"), (DEVANAGARI, "Devanagari"), (HEBREW, "Hebrew"), ("12", None), ("1a", "Latin")],
    ids=["latin", "devanagari", "hebrew", "digits", "both"],
)
def test_the_script_of_a_word_is_that_of_its_first_letter(word, script):
    assert script_of(word) == script


@pytest.mark.parametrize(
    "content",
    [
        b"rex urbis\nvia",
        "\N{BYTE ORDER MARK}rex urbis\r\n\n  via\n".encode(),
        gzip.compress(b"rex urbis\n...\nvia\n"),
        b"rex urbis\r\rvia\r",
        gzip.compress(b"rex urbis\rvia"),
    ],
    ids=["plain", "mark and blank lines", "gzip", "old Mac", "old Mac and gzip"],
)
def test_a_line_with_words_is_a_sentence(write, content):
    assert list(Corpus((write(content),)).sentences()) == [["rex", "urbis"], ["via"]]


@pytest.mark.parametrize(
    ("ends", "piece"),
    [("\n", 1), ("\r\n", 10), ("\r\n", 11), ("\r", 12), ("\r", 13), ("\r", 64), ("\r", 1 << 20)],
)
def test_line_ends_are_the_same_on_all_systems_wherever_reading_stops(write, monkeypatch, ends, piece):
    text = "rex urbis\n\nvia\n\n\nурбс et\n" + "longa " * 30 + "\nfinis"
    expected = list(Corpus((write(text, "a.txt"),)).numbered_sentences())
    assert {document for _, _, document in expected} == {0, 1, 3}
    monkeypatch.setattr("evaluator.text.corpus._PIECE", piece)
    corpus = Corpus((write(text.replace("\n", ends).encode(), "b.txt"),))
    assert list(corpus.numbered_sentences()) == expected


def test_line_ends_of_two_kinds_are_refused_where_the_first_line_is_not_known(write):
    with pytest.raises(CorpusError, match="lines end in CR at first, and later in LF; end all"):
        list(Corpus((write(b"rex\rvia" + b" urbs" * 300_000 + b"\nvia\n"),)).sentences())
    assert list(Corpus((write(b"rex\nvia\rurbs\n"),)).sentences()) == [["rex"], ["via", "urbs"]]


def test_files_follow_each_other_and_none_ends_in_the_next(write):
    corpus = Corpus((write("rex", "a.txt"), write(gzip.compress(b"via\nurbs"), "b.gz")))
    assert list(corpus.sentences()) == [["rex"], ["via"], ["urbs"]]
    assert corpus.name == "a.txt and 1 more"


@pytest.mark.parametrize("number", [LONGEST_SENTENCE, LONGEST_SENTENCE + 1, 2 * LONGEST_SENTENCE, 25_000])
def test_long_lines_are_split_and_not_cut(write, number):
    words = [f"w{i}" for i in range(number)]
    found = list(Corpus((write(f"a b\n{' '.join(words)}\nc"),)).sentences())
    assert [found[0], found[-1]] == [["a", "b"], ["c"]]
    assert [word for part in found[1:-1] for word in part] == words
    full, rest = divmod(number, LONGEST_SENTENCE)
    assert [len(part) for part in found[1:-1]] == [LONGEST_SENTENCE] * full + [rest] * (rest > 0)


TEXT = st.text("eab12 \t\n\u0301\u00e9\u200d\u3002\u8338\u00a0\u0a97\u0ac1")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@given(text=TEXT, piece=st.integers(1, 9))
def test_pieces_of_a_line_lose_and_cut_no_word(packed, text, piece, tmp_path_factory):
    path = tmp_path_factory.mktemp("pieces") / "corpus"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    whole = [words for words in map(words_of, text.split("\n")) if words]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIECE", piece)
        assert list(Corpus((path,)).sentences()) == whole


@pytest.mark.parametrize("piece", [1 << 20, 4])
def test_a_wrong_encoding_is_named_with_its_place(write, monkeypatch, piece):
    monkeypatch.setattr(module, "_PIECE", piece)
    path = write(b"rex regina\nurbs via filia\n" + "à propos d'été".encode("latin-1"))
    with pytest.raises(CorpusError, match=r"corpus\.txt, line 3: .*UTF-8.*byte 0\b.*convert"):
        Corpus((path,)).counts()
    path = write(b"rex\nurbs via \xff filia")
    with pytest.raises(CorpusError, match=r"line 2: .*UTF-8.*byte 9\b"):
        Corpus((path,)).counts()


def test_utf_16_is_a_wrong_encoding(write):
    with pytest.raises(CorpusError, match=r"line 1: .*UTF-16"):
        Corpus((write("rex".encode("utf-16")),)).counts()


def test_files_that_are_not_there_are_refused_at_once(tmp_path, write):
    with pytest.raises(CorpusError, match="name one"):
        Corpus(())
    for wrong in (str(write("rex")), write("rex"), None, (each for each in [write("rex")])):
        with pytest.raises(CorpusError, match=r"as in \('latin\.txt',\)"):
            Corpus(wrong)
    with pytest.raises(CorpusError, match=r"nothing\.txt: .*no such file"):
        Corpus((write("rex"), tmp_path / "nothing.txt"))
    with pytest.raises(CorpusError, match=r"directory.*name the files"):
        Corpus((tmp_path,))
    with pytest.raises(CorpusError, match="twice"):
        Corpus((write("rex"), write("rex")))


@pytest.mark.parametrize("content", [b"", b"\n \n", "… – ् !".encode()], ids=["empty", "blank", "no letter"])
def test_a_corpus_without_words_is_refused(write, content):
    corpus = Corpus((write(content),))
    for use in (corpus.counts, corpus.statistics, corpus.vocabulary):
        with pytest.raises(CorpusError, match=r"corpus\.txt: .*no word"):
            use()


@pytest.mark.parametrize("kept", [0.5, 0.99], ids=["half", "nearly all"])
def test_a_gzip_file_that_breaks_off_is_refused(write, tmp_path, kept):
    packed = gzip.compress(" ".join(map(str, range(5000))).encode())
    path = write(packed[: int(len(packed) * kept)])
    with pytest.raises(CorpusError, match=r"corpus\.txt: .*Compressed file ended"):
        Corpus((path,)).write_sentences(tmp_path / "sentences.txt")
    assert [each.name for each in tmp_path.iterdir()] == ["corpus.txt"]


def test_words_are_brought_into_form(write):
    text = "Iulius AMICVS"
    path = write(text)
    assert list(Corpus((path,), "la").sentences()) == [["Iulius", "AMICVS"]]
    assert list(Corpus((path,), "la", "fold").sentences()) == [["iulius", "amicvs"]]
    assert list(Corpus((path,), "la", "upper").sentences()) == [["IULIUS", "AMICVS"]]
    assert list(Corpus((path,), "la", profile="latin").sentences()) == [["Iulius", "AMICUS"]]
    for turkish in ("tr", "tur"):
        assert list(Corpus((write("DIYARBAKIR"),), turkish, "fold").sentences()) == [["dıyarbakır"]]


def test_forms_that_do_not_exist_are_refused_at_once(write):
    path = write("rex")
    with pytest.raises(ScoreError, match=r"case.*'lower'.*exact, fold, upper"):
        Corpus((path,), case="lower")
    with pytest.raises(ScoreError, match="klingon"):
        Corpus((path,), profile="klingon")


def test_lemmas_come_before_case(write):
    pytest.importorskip("simplemma")
    path = write("The Cats were sleeping in two Houses")
    lemmas = list(Corpus((path,), "en", "fold", lemmas=True).sentences())
    assert lemmas == [["the", "cat", "be", "sleep", "in", "two", "house"]]
    with pytest.raises(CorpusError, match=r"simplemma.*'akk'"):
        Corpus((path,), "akk", lemmas=True).counts()


def test_a_corpus_that_has_been_read_still_travels_between_processes(write):
    corpus = Corpus((write("Rex"),), case="fold", profile="latin")
    assert corpus.counts() == {"rex": 1}
    again = pickle.loads(pickle.dumps(corpus))  # noqa: S301  # our own
    assert again == corpus
    assert again.counts() == {"rex": 1}


@given(st.lists(st.lists(st.sampled_from(["rex", "via", "नगर", "1", "urbs"]), min_size=1), min_size=1))
def test_statistics_count_what_there_is(tmp_path_factory, sentences):
    folder = tmp_path_factory.mktemp("statistics")
    (folder / "corpus").write_text("\n\n".join(map(" ".join, sentences)), encoding="utf-8")
    corpus = Corpus((folder / "corpus",))
    found = corpus.statistics()
    words = [word for sentence in sentences for word in sentence]
    assert (found.sentences, found.tokens, found.types) == (len(sentences), len(words), len(set(words)))
    for least in range(3, 12):
        assert found.types_by_count[least] == sum(words.count(word) >= least for word in set(words))
    for script, letters in {"Latin": {"rex", "via", "urbs"}, "Devanagari": {"नगर"}}.items():
        share = sum(word in letters for word in words) / len(words)
        assert found.scripts.get(script, 0) == pytest.approx(share)
    assert list(found.scripts.values()) == sorted(found.scripts.values(), reverse=True)
    # What is written is the corpus again, with the words in the order in which they were met.
    written = corpus.write_sentences(folder / "sentences.txt")
    again = Sentences.read(folder / "sentences.txt")
    assert again == written
    assert list(again.counts.items()) == list(Counter(words).items())
    assert (again.tokens, again.statistics()) == (len(words), found)


def test_sentences_are_written_whole_or_not_at_all(write, tmp_path):
    path = tmp_path / "sentences.txt"
    Corpus((write("Rex, urbs!\n\nvia"),)).write_sentences(path)
    assert path.read_text(encoding="utf-8") == "Rex urbs\nvia\n"
    with pytest.raises(CorpusError):
        Corpus((write(b"via\n" * 9 + b"\xff"),)).write_sentences(path)
    assert path.read_text(encoding="utf-8") == "Rex urbs\nvia\n"
    with pytest.raises(OutputError, match="nowhere"):
        Corpus((write("via"),)).write_sentences(tmp_path / "nowhere" / "sentences.txt")


def test_the_vocabulary_is_that_of_a_model(write):
    corpus = Corpus((write("via rex via urbs rex via"),))
    assert list(corpus.vocabulary().words) == ["via", "rex", "urbs"]
    assert list(corpus.vocabulary(2).words) == ["via", "rex"]
    with pytest.raises(CorpusError, match=r"\b4 times.*lower"):
        corpus.vocabulary(4)
    with pytest.raises(CorpusError, match=r"min_count.*0"):
        corpus.vocabulary(0)


def test_the_command_line_counts(write, evaluator):
    path = write("Rex rex नगर\nvia 7\n")
    out = evaluator("coverage", path, "--corpus").out
    rows = [line.rsplit(maxsplit=1) for line in out.splitlines()[3:6]]
    assert [(name.strip(), number) for name, number in rows] == [
        ("sentences", "2"),
        ("tokens", "5"),
        ("types", "4"),
    ]
    assert out.endswith("Scripts: Latin 60.0%, Devanagari 20.0%\n")
    read = json.loads(evaluator("coverage", path, "--corpus", "--case", "exact", "--json").out)
    assert (read["corpus"], read["types"]) == ("corpus.txt", 5)


@pytest.mark.parametrize(
    ("name", "types"), [("gujarati.txt", 1141), ("bengali.txt", 2184), ("malayalam.txt", 5476)]
)
def test_real_corpora_have_as_many_types_as_their_makers_counted(shared_data, name, types):
    assert Corpus((shared_data / "corpora" / name,), case="fold").statistics().types == types


def test_utf_16_without_a_mark_is_not_taken_for_letters_with_something_between(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes("arma virumque cano".encode("utf-16-le"))
    with pytest.raises(CorpusError, match=r"line 1: .*UTF-16"):
        Corpus((path,)).counts()


def test_a_stray_zero_byte_parts_words_and_does_no_harm(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"arma\0virumque cano\n\0\n")
    assert list(Corpus((path,)).sentences()) == [["arma", "virumque", "cano"]]


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (b"a", r"line 2: a word of more than 1,048,576 bytes, at byte 4 of the line; is this text\?"),
        (b"via " * 256, r"line 2: longer than 2,097,152 bytes; is this text\? Put a sentence"),
    ],
    ids=["word", "line"],
)
def test_a_small_archive_of_something_huge_is_refused_at_once(write, monkeypatch, unit, said):
    monkeypatch.setattr(module, "LONGEST_LINE", 1 << 21)
    huge = gzip.compress(b"prima\nvia " + unit * ((1 << 23) // len(unit)))
    assert len(huge) < 200_000
    read = []
    corpus = Corpus((write(huge, "bomb.gz"),))
    with pytest.raises(CorpusError, match=said):
        read.extend(map(len, corpus.sentences()))
    assert sum(read) * 4 < 1 << 22


def test_a_line_may_be_long(write):
    corpus = Corpus((write(b"via " * 300_000 + b"a" * 1_000_000),))
    assert corpus.statistics().tokens == 300_001
