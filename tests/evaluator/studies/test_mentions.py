"""Counting as a baseline of the language comparison."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evaluator import Category, CorpusError, Item, Score, Scores, Settings, TestSet
from evaluator.results.comparison import Group, Mentions
from evaluator.studies.languages import Language
from evaluator.studies.languages.mentions import agreement_of, count_mentions
from evaluator.text.corpus import Corpus
from tests.evaluator.examples import vectors


@pytest.fixture
def language(tmp_path):
    (tmp_path / "la.txt").write_text("Roma et Athenae. ROMA iuxta Vrbem, urbs aeterna\net mensis Maius\n")
    categories = (
        Category("city", "", (Item("Q1", ("Roma",)), Item("Q2", ("Athenae", "urbs aeterna")))),
        Category("month", "", (Item("Q3", ("Maius",)), Item("Q4", ("Iunius",)), Item("Q5", ("roma",)))),
    )
    test_set = TestSet("la", "la.json", "0" * 64, categories)
    return Language("la", vectors(np.eye(2)), test_set, Settings(), Corpus((tmp_path / "la.txt",)))


def test_tokens_are_counted_as_words_are_compared(language):
    groups = [Group("city", "category", ("city",)), Group("all", "topic", ("city", "month"))]
    city, topic = count_mentions(language, groups)
    assert (city.mentions, city.tokens) == (3, 11)  # Roma twice, Athenae; no name of several words
    assert city.per_million == pytest.approx(3e6 / 11)
    assert (topic.kind, topic.mentions) == ("topic", 4)  # roma is in both, and counts once


def test_profiles_join_spellings(language, tmp_path):
    (tmp_path / "la.txt").write_text("Iunius Junius")
    exact, profile = (
        Language("la", language.vectors, language.test_set, settings, language.corpus)
        for settings in (Settings(), Settings(profile="latin"))
    )
    groups = [Group("month", "category", ("month",))]
    assert [each.mentions for each in (*count_mentions(exact, groups), *count_mentions(profile, groups))] == [
        1,
        2,
    ]


def row(language, category, value):
    score = Score(measure="Topk@3", value=value, signature="Topk@3")
    keys = {"view": "whole", "category": category}
    return Scores(model="m", test_set="t", language=language, keys=keys, scores=(score,))


def test_scores_are_compared_with_mentions_within_each_language_and_over_all():
    rows = [row(code, f"c{n}", n / 10) for code in ("la", "eo") for n in range(5)]
    mentions = [
        Mentions(code, f"c{n}", "category", 1, 10, sign * n)
        for code, sign in (("la", 1), ("eo", -1))
        for n in range(5)
    ]
    la, eo, every = agreement_of([*rows, row("sa", "c0", 0.5), row("la", "c9", 0.5)], mentions)
    assert (la.language, la.n, round(la.spearman, 9)) == ("la", 5, 1)
    assert (eo.language, round(eo.spearman, 9)) == ("eo", -1)
    assert (every.language, every.n, every.low) == (None, 10, None)
    assert agreement_of(rows[:4], mentions) == ()


def test_the_command(tmp_path, monkeypatch, evaluator):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    text = ""
    (tmp_path / "sets").mkdir()
    for code in ("la", "eo"):
        words = [f"{code}{n}" for n in range(30)]
        lines = [f"{word} {generator.normal():.3f} {generator.normal():.3f}" for word in words]
        (tmp_path / f"{code}.vec").write_text("\n".join(["30 2", *lines, ""]))
        categories = [
            {
                "name": f"c{c}",
                "items": [{"id": f"Q{n}", "words": [words[n]]} for n in range(5 * c, 5 * c + 5)],
            }
            for c in range(5)
        ]
        content = {"format": "testset", "version": 1, "language": code, "categories": categories}
        (tmp_path / "sets" / f"{code}.json").write_text(json.dumps(content))
        text += " ".join(words[n] for n in range(25) for _ in range(n)) + "\n"
    (tmp_path / "both.txt").write_text(text)
    command = ["compare", "la=la.vec", "eo=eo.vec", "--test", "sets", "--mentions", "la=both.txt"]
    ended = evaluator(*command)
    assert ended.code == 0, ended.err
    assert "Mentions in the corpora" in ended.out
    assert "16,666.7" in ended.out
    assert "Rank correlation of scores and mentions" in ended.out
    (tmp_path / "found.json").write_text(evaluator(*command, "--json").out)
    assert evaluator("report", "found.json", "-o", "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert "Mentions in the corpora" in page
    assert "Rank correlation of scores and mentions" in page
    refused = evaluator(*command, "--mentions", "sa=both.txt")
    assert refused.code == 2
    assert "--mentions sa=both.txt: write a compared language" in refused.err
    with pytest.raises(CorpusError):
        Corpus((tmp_path / "none.txt",))
