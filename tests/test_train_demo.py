"""The demo's training: its text without wiki markup, and vectors that know which words go together."""

from __future__ import annotations

import bz2
import subprocess
import zipfile
from functools import partial

import numpy as np
import pytest

from evaluator import Hyperparameters
from tests.evaluator.conftest import evaluator  # noqa: F401  # a fixture
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


def test_the_demo_trains_what_the_command_trains(tmp_path, monkeypatch, capsys, evaluator):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    words = ["First", "Second", "news", "queen", "of", "the", "town", "and", "a", "river"]
    draw = np.random.default_rng(0)
    lines = [" ".join(draw.choice(words, 9)) for _ in range(200)]
    monkeypatch.setattr(train_demo, "read", lambda: lines)
    monkeypatch.setattr(train_demo, "Hyperparameters", partial(Hyperparameters, dimension=3))
    monkeypatch.setattr("sys.argv", ["train_demo.py", "demo/en.vec"])
    train_demo.main()
    assert capsys.readouterr().out == "demo/en.vec: 10 words from 1,800 tokens\n"
    options = ["--language", "en", "--only", "min_count=4", "--only", "dimension=3"]
    assert evaluator("train", "demo/en.txt", *options, "--output", "en.vec").code == 0
    assert (tmp_path / "en.vec").read_bytes() == (tmp_path / "demo" / "en.vec").read_bytes()
