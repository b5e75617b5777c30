"""The demo's training: its text without wiki markup, and vectors that know which words go together."""

from __future__ import annotations

import bz2
import subprocess
import zipfile
from itertools import chain

import numpy as np
import pytest

from tools import train_demo

PAGE = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
<page><title>Ann</title><ns>0</ns><redirect title="Anne"/><revision><text>Moved.</text></revision></page>
<page><title>Talk:Anne</title><ns>1</ns><revision><text>Not an article.</text></revision></page>
<page><title>Anne</title><ns>0</ns><revision><text>{text}</text></revision></page>
</mediawiki>"""


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel as on a Python where gensim cannot be installed, with one article."""
    path = tmp_path / "gensim.whl"
    folder = "gensim/test/test_data"
    with zipfile.ZipFile(path, "w") as archive:
        page = PAGE.format(text="== Life ==\n\n'''Anne''' is [[queen|a queen]].\n")
        archive.writestr(f"{folder}/{train_demo._ARTICLES}", bz2.compress(page.encode()))
        archive.writestr(f"{folder}/lee_background.cor", "First news.\nSecond news.\n")
    monkeypatch.setattr(train_demo, "find_spec", lambda _: None)
    monkeypatch.setattr(train_demo, "WHEEL", path)
    return path


def test_without_gensim_the_text_is_read_in_its_wheel(wheel):
    assert list(train_demo.read()) == ["Life", "Anne is a queen.", "First news.", "Second news."]


def test_a_wheel_that_cannot_be_fetched_is_an_error_that_says_so(wheel, monkeypatch):
    wheel.unlink()
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1))
    with pytest.raises(SystemExit, match="check the network"):
        list(train_demo.read())


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a{{cite|x={{nested|y}}|z}}b", "ab"),
        ("{| class=x\n| cell {{t}}\n{| inner\n|}\n|}after", "after"),
        ("one<ref name=x/> two<ref>{{cite}} [http://x.org y]</ref> three<!-- no\nmore -->", "one two three"),
        ("[[File:A.jpg|thumb|a [[b|c]] d]]x[[Category:Y]]", "x"),
        ("[[Rome]], [[Rome|the city]], [http://rome.it its site]", "Rome, the city, its site"),
        ("=== Name ===\n* ''one'' '''two'''\n:# three", " Name \n one two\n three"),
        ("a<br />b <sub>2</sub> 1 < 2 > 0 &amp;amp;", "ab 2 1 < 2 > 0 &amp;"),
    ],
)
def test_wiki_markup_is_removed(markup, text):
    assert train_demo._plain(markup) == text


def test_tokens_are_words_of_two_letters_or_more_in_lower_case():
    assert train_demo.tokens("A naïve Café’s 3 B2B x_yz") == ["naïve", "café", "yz"]


def test_words_of_one_topic_are_near_each_other_and_rare_ones_are_left_out():
    topics = np.array([[f"{topic}{number}" for number in range(30)] for topic in "abcd"])
    draw = np.random.default_rng(0)
    sentences = [draw.choice(topics[draw.integers(4)], size=8).tolist() for _ in range(2000)]
    stream = [*chain.from_iterable(sentences), "rare", "rare", "rare"]
    vectors = train_demo.train(stream)
    assert vectors.keys() == set(topics.flat)
    matrix = np.array([vectors[word] for word in topics.flat])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    similar = matrix @ matrix.T - 2 * np.eye(120)
    assert np.array_equal(similar.argmax(axis=1) // 30, np.repeat(range(4), 30))
    again = train_demo.train(stream)
    assert all(np.array_equal(vectors[word], again[word]) for word in vectors)
