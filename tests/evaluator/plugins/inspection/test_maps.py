"""Maps: the plane beside its definition, which words are on it, the page and the figure."""

from __future__ import annotations

import re

import numpy as np
import pytest

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.errors import ScoreError
from evaluator.plugins.inspection import map_of
from evaluator.plugins.inspection.maps import most_known
from evaluator.plugins.inspection.page import map_page, write_map
from evaluator.vectors.table import Vectors


def category(name, *words):
    return Category(name, name.title(), tuple(Item(each, (each,)) for each in words))


WORDS = ("canis", "lupus", "ovis", "quercus", "fagus", "<b>")
VECTORS = Vectors(list(WORDS), np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32), "la.vec")
TESTS = TestSet("la", "la", "0" * 64, (category("animal", *WORDS[:3], "equus"), category("tree", *WORDS[3:])))


def test_known_words_are_on_the_map_and_others_are_counted():
    found = map_of(VECTORS, TESTS)
    assert [each.word for each in found.places] == list(WORDS)
    assert [(each.known, each.items) for each in found.categories] == [(3, 4), (3, 3)]
    assert [each.name for each in most_known(found, 1).categories] == ["animal"]
    assert {each.category for each in most_known(found, 1).places} == {"animal"}


def test_a_line_of_one_dimension_is_drawn():
    found = map_of(Vectors(["canis", "lupus", "ovis"], np.array([[1], [-1], [2]], np.float32), "m"), TESTS)
    assert {each.y for each in found.places} == {0.0}


def test_too_few_words_and_unknown_categories_are_refused():
    with pytest.raises(ScoreError, match="no category 'fish'; it has animal, tree"):
        map_of(VECTORS, TESTS, ["fish"])
    few = Vectors(["canis"], np.array([[1, 2]], np.float32), "m")
    with pytest.raises(ScoreError, match="knows 1 words of la; a map needs 3"):
        map_of(few, TESTS)


def test_the_page_has_each_word_escaped_and_no_script():
    page = map_page(map_of(VECTORS, TESTS))
    assert len(re.findall("<circle", page)) == len(WORDS)
    assert "<title>&lt;b&gt; (Tree)</title>" in page
    assert [each for each in ("<b>", "<script") if each in page] == []


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("html", b"<!doctype")]
)
def test_the_ending_says_what_is_written(tmp_path, ending, start):
    path = tmp_path / f"map.{ending}"
    write_map(map_of(VECTORS, TESTS), path)
    assert path.read_bytes().startswith(start)


def test_the_command_takes_the_words_of_the_language_in_the_name(evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "".join(f"{word} {number} 1 2 3\n" for number, word in enumerate(("canis", "lupus", "ovis")))
    (tmp_path / "mine.la.vec").write_text(text, encoding="utf-8")
    done = evaluator("plot", "mine.la.vec")
    assert "read as Latin (la), by its name" in done.err
    assert done.out.startswith("mine.la.html: ")
    assert "<title>lupus (" in (tmp_path / "mine.la.html").read_text(encoding="utf-8")
    assert evaluator("plot", "mine.la.vec").code == 0  # over its own page
    (tmp_path / "other.html").write_text("<p>mine", encoding="utf-8")
    assert "evaluator did not write it" in evaluator("plot", "mine.la.vec", "-o", "other.html").err
