"""Category files: what counts as a header, what as words, and what is refused."""

from __future__ import annotations

import hashlib
import re

import pytest

from evaluator import TestSetError, read_testset


def read(tmp_path, text):
    """The words of each category of a file."""
    path = tmp_path / "categories.txt"
    path.write_bytes(text.encode())
    return {category.name: list(category.words) for category in read_testset(path, "categories").categories}


def test_a_plain_file(tmp_path):
    assert read(tmp_path, ":a\nrex regina\n:b\nfilia filius\n") == {
        "a": ["rex", "regina"],
        "b": ["filia", "filius"],
    }


def test_name_language_and_hash(tmp_path):
    path = tmp_path / "categories.txt"
    path.write_bytes(b":a\nrex\n")
    test = read_testset(path, language="la")
    assert (test.name, test.language) == ("categories.txt", "la")
    assert test.sha256 == hashlib.sha256(b":a\nrex\n").hexdigest()
    assert read_testset(path, "categories").language == "und"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":a\nrex\nregina\n", {"a": ["rex", "regina"]}),
        (":a\nrex regina\n\n\n", {"a": ["rex", "regina"]}),
        ("\n\n:a\n\nrex regina", {"a": ["rex", "regina"]}),
        ("\ufeff:a\nrex regina\n", {"a": ["rex", "regina"]}),
        (":a\r\nrex regina\r\n", {"a": ["rex", "regina"]}),
        (":a\nrex  regina  rex \n", {"a": ["rex", "regina"]}),
        (":a\n:b\nrex regina\n", {"a": [], "b": ["rex", "regina"]}),
        (":b\nrex regina\n:a\n", {"b": ["rex", "regina"], "a": []}),
        (":a b (c)\nrex regina\n", {"a b (c)": ["rex", "regina"]}),
        (" : a \nrex regina\n", {"a": ["rex", "regina"]}),
        (
            ':"a"\nrex\n:(former) b\nrex\n:भारत\nrex\n',
            {'"a"': ["rex"], "(former) b": ["rex"], "भारत": ["rex"]},
        ),
        (":a\n:) :( ;)\n", {"a": [":)", ":(", ";)"]}),
        (":a\n:( sad\n", {"a": [":(", "sad"]}),
        (":a\n: rex\n", {"a": [], "rex": []}),
        (":a\nNew\u00a0York rex\u3000x r\ts\n", {"a": ["New\u00a0York", "rex\u3000x", "r\ts"]}),
        (":a\nrex\t \u3000regina\u00a0\n", {"a": ["rex", "regina"]}),
        (":a\nline\u2028break form\x0cfeed\n", {"a": ["line\u2028break", "form\x0cfeed"]}),
    ],
)
def test_what_is_read(tmp_path, text, expected):
    assert read(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ": the file is empty; fetch or write it again"),
        (b"\n \n", ": the file is empty"),
        (b"\xef\xbb\xbf\n", ": no category in it; a category is a line `:name` and a line of words"),
        (b"rex regina\n", ", line 1: words before any category; add a line `:name` first"),
        (b"\n:\n", ", line 2: words before any category"),
        (b":) :(\n", ", line 1: words before any category"),
        (b":a\nrex\n:b\nrex\n: a\n", ", line 5: category 'a' occurs twice; rename one of them"),
        (b":a\nr\xe9x\n", ", line 2: not UTF-8; save the file as UTF-8"),
        (":a\n".encode("utf-16"), ", line 1: not UTF-8"),
    ],
)
def test_what_is_refused(tmp_path, content, expected):
    path = tmp_path / "categories.txt"
    path.write_bytes(content)
    with pytest.raises(TestSetError, match=re.escape(f"{path}{expected}")):
        read_testset(path, "categories")
