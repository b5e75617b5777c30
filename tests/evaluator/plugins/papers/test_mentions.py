"""Mentions of categories, beside counts by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from evaluator import Corpus
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.errors import ResultsError, ScoreError
from evaluator.plugins import Results, Score, Scores, ScoresFile
from evaluator.plugins.papers.mentions import mentions


def set_of(**categories: list[tuple[str, ...]]) -> TestSet:
    return TestSet(
        "la",
        "t",
        "0" * 64,
        categories=tuple(
            Category(name, name.title(), tuple(Item(words[0], words) for words in items))
            for name, items in categories.items()
        ),
    )


def text(folder: Path, content: str) -> Corpus:
    (folder / "text.txt").write_text(content, encoding="utf-8")
    return Corpus((folder / "text.txt",), "la", "fold")


def test_words_of_an_item_count_together_and_several_words_in_a_row_are_found(tmp_path):
    test_set = set_of(city=[("Roma", "Urbs"), ("Nova Roma",), ("Ostia",)], river=[("Tiberis",)])
    corpus = text(tmp_path, "Roma, urbs urbium. Nova Roma non est roma!\nTiberis Romam fluit; nova\nRoma.\n")
    city, river = mentions({"la": corpus}, {"la": test_set}).mentions
    assert (city.tokens, city.items, city.mentioned, city.mentions) == (13, 3, 2, 4 + 1 + 1)
    assert (city.most, city.share_of_most) == ("Roma", 5 / 6)
    assert city.per_million == pytest.approx(1e6 * 6 / 13)
    assert (river.mentions, river.most, river.share_of_most) == (1, "Tiberis", 1)


def test_a_text_of_random_words_beside_a_count_of_every_place(tmp_path):
    draw = random.Random(3)
    words = draw.choices("abcdef", k=500)
    items = [("a",), ("b c", "d"), ("e f a",), ("b c d",)]
    (found,) = mentions({"la": text(tmp_path, " ".join(words))}, {"la": set_of(x=items)}).mentions
    expected = sum(
        words[place : place + len(each)] == each
        for item in items
        for each in map(str.split, item)
        for place in range(len(words))
    )
    assert found.mentions == expected > 100


def test_scores_stand_beside_and_their_order_is_compared(tmp_path):
    corpora, sets, scores = {}, {}, []
    for number, code in enumerate(("la", "grc", "sa", "non")):
        folder = tmp_path / code
        folder.mkdir()
        corpora[code] = text(folder, "rex " * (number + 1) + "et " * 20)
        sets[code] = set_of(kin=[("rex",)])
        for view, value in (("whole", 0.9 - number / 10), ("aligned", 0.5)):
            scores.append(
                Scores(
                    model=code,
                    test_set="t",
                    language=code,
                    test_sha256="0" * 64,
                    keys={"view": view, "category": "kin"},
                    scores=(Score(measure="Topk@3", value=value, signature="s"),),
                )
            )
    found = mentions(corpora, sets, comparison=Results([ScoresFile(results=tuple(scores))]))
    assert [each.scores for each in found.mentions] == [{"Topk@3": 0.9 - n / 10} for n in range(4)]
    (agreement,) = found.agreements
    assert (agreement.languages, agreement.correlation) == (4, pytest.approx(-1))
    assert found.frame()["Topk@3"].tolist() == [0.9 - n / 10 for n in range(4)]
    with pytest.raises(ResultsError, match="no language comparison"):
        mentions(corpora, sets, comparison=Results([ScoresFile(results=tuple(scores[1:2]))]))


def test_a_category_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ScoreError, match="no category 'river'; they have city"):
        mentions({"la": text(tmp_path, "roma")}, {"la": set_of(city=[("Roma",)])}, ["river"])


def test_codes_and_profiles_are_given_as_to_compare(tmp_path, monkeypatch, evaluator):
    (tmp_path / "la.txt").write_text("mensis Ianvarivs", encoding="utf-8")
    category = {"name": "month", "title": "Months", "items": [{"id": "Q108", "words": ["ianuarius"]}]}
    made = {"format": "testset", "version": 2, "language": "la", "categories": [category]}
    (tmp_path / "la.json").write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    given = ("mentions", "lat=la.txt", "--test", ".", "--case", "fold")
    (found,) = json.loads(evaluator(*given, "--profile", "lat=latin", "--json").out)["mentions"]
    assert (found["language"], found["mentions"]) == ("la", 1)
    ended = evaluator(*given, "--profile", "grc=greek")
    assert (ended.code, "--profile for 'grc', which is not compared; there are la" in ended.err) == (2, True)
