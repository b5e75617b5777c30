"""Bad lines of test sets: refused, or left out and named; headers as they are published."""

from __future__ import annotations

import pickle

import pytest

from evaluator import TestSetError, read_testset
from evaluator.datasets.reading import MOST_DROPPED
from tests.conftest import NEEDS_GENSIM

GOOD = [f"word{number}\tother{number}\t{number % 10}" for number in range(200)]


def write(folder, lines, name="set.txt"):
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def one_bad(tmp_path):
    """A set like the Tamil one: line 81 has no score."""
    return write(tmp_path, [*GOOD[:80], "a\tb\t", *GOOD[80:]])


def test_a_bad_line_is_refused_with_what_leaves_it_out(one_bad):
    with pytest.raises(TestSetError, match=r"line 81: .*score.*--bad-rows drop") as told:
        read_testset(one_bad)
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)  # noqa: S301


def test_a_bad_line_is_dropped_and_named(one_bad, tmp_path):
    found = read_testset(one_bad, bad_rows="drop")
    sound = read_testset(write(tmp_path, GOOD, "sound.txt"), bad_rows="drop")
    assert found.rated_pairs[0].pairs == sound.rated_pairs[0].pairs
    (line,) = found.reading.skipped
    assert line.startswith(f"{one_bad.name}, line 81: the score is ''")
    assert "bad-rows" not in line  # who has followed that advice needs it no more
    assert sound.reading.skipped == ()


def test_several_bad_lines_keep_their_numbers(tmp_path):
    path = write(tmp_path, ["a\tb", *GOOD[:5], "c\td\tmuch", *GOOD[5:9], ""])
    skipped = read_testset(path, "rated-pairs", bad_rows="drop").reading.skipped
    assert [each.partition(": ")[0] for each in skipped] == ["set.txt, line 1", "set.txt, line 7"]


def test_a_file_of_bad_lines_is_refused(tmp_path):
    path = write(tmp_path, [*GOOD, *["a\tb\t"] * (MOST_DROPPED + 1)])
    with pytest.raises(TestSetError, match=f"line {201 + MOST_DROPPED}: the score") as raised:
        read_testset(path, bad_rows="drop")
    assert str(raised.value).endswith(f"; and {MOST_DROPPED} lines before it are bad, too")


def test_a_header_is_never_dropped(tmp_path):
    path = write(tmp_path, [": one", "a b c d", ": one", "e f g h"])
    for bad_rows in ("refuse", "drop"):
        with pytest.raises(TestSetError, match="one") as raised:
            read_testset(path, "questions", bad_rows=bad_rows)
        assert "bad-rows" not in str(raised.value) or bad_rows == "refuse"


def test_the_command_line_names_what_it_leaves_out(evaluator, one_bad, tmp_path):
    vectors = write(tmp_path, ["4 2", "word1 1 2", "other1 2 1", "word2 1 1", "other2 2 5"], "some.vec")
    refused = evaluator("score", vectors, "--test", one_bad)
    assert refused.code == 2
    scored = evaluator("score", vectors, "--test", one_bad, "--bad-rows", "drop")
    assert scored.code == 0, scored.err
    assert f"evaluator: left out: {one_bad.name}, line 81: the score is ''" in scored.err


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("tune no.txt --output out --no-figure --test", marks=NEEDS_GENSIM),
        pytest.param("curve no.txt --output out --no-figure --test", marks=NEEDS_GENSIM),
        pytest.param("curve no.txt --output out --no-figure --analogies", marks=NEEDS_GENSIM),
        "emoji --descriptions no.txt --dev no.txt --words no.vec --output out --test",
        "coverage no.vec --test",
    ],
)
def test_each_command_names_a_bad_line(evaluator, one_bad, command):
    refused = evaluator(*command.split(), one_bad)
    assert refused.code == 2
    assert f"{one_bad}, line 81: the score is ''" in refused.err


@pytest.mark.parametrize("header", ["twi1,twi2,EngSim", "Yor1,Yor2,EngSim,YorSim", "word1,word2,score"])
def test_headers_of_published_sets(tmp_path, header):
    rows = [",".join([f"a{n}", f"b{n}", *[str(n % 7)] * (header.count(",") - 1)]) for n in range(30)]
    found = read_testset(write(tmp_path, [header, *rows]))
    assert len(found.rated_pairs[0].pairs) == 30


def test_two_words_with_digits_are_no_header(tmp_path):
    rows = [f"h{n} h{n + 1} {n}.5" for n in range(1, 30)]
    assert len(read_testset(write(tmp_path, rows)).rated_pairs[0].pairs) == 29


def test_languages_of_a_folder_are_named_as_on_the_command_line(tmp_path):
    for code in ("en", "de", "ja"):
        write(tmp_path / "wikisem", ["a", "b", "", "c", "c"], f"{code}/Q1.txt")
    with pytest.raises(TestSetError, match=r"one language with --language \(language=\): de, en, ja"):
        read_testset(tmp_path / "wikisem")
    (group,) = read_testset(tmp_path / "wikisem", language="en").outlier_groups
    assert group.outliers == ("c", "c")
