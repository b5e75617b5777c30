"""Item analysis against its definition, and what it finds in models whose good and bad items are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import evaluator
from evaluator import ScoreError
from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.plugins.design import items
from evaluator.results.scores import Scores
from evaluator.statistics.scores import score_of
from tests.evaluator.examples import test_set as of_words
from tests.evaluator.examples import vectors

WORDS = {"a": ["w0", "w1", "w2", "w3", "w4"], "b": ["w5", "w6", "w7", "w8", "no"]}


def models(number, seed=0):
    """Models whose categories are ever clearer."""
    generator = np.random.default_rng(seed)
    for strength in np.linspace(0.2, 2, number):
        matrix = generator.normal(size=(20, 4))
        matrix[:5, 0] += strength
        matrix[5:9, 1] += strength
        yield vectors(matrix)


def of(found, word, category=None, measure="OddOneOut@3"):
    return next(
        each
        for each in found.items
        if each.word == word and each.measure == measure and category in (None, each.category)
    )


def odd_hits(model, words):
    """Whether each word outside is the odd one beside each subset of three, by subset."""
    index = {word: row for row, word in enumerate(model.words)}
    unit = model.matrix / np.linalg.norm(model.matrix, axis=1, keepdims=True)
    outside = [word for word in model.words if word not in words]
    found = {}
    for subset in itertools.combinations(words, 3):
        rows = [unit[[index[word] for word in (*subset, odd)]] for odd in outside if {*subset} <= {*index}]
        hits = [int(np.argmin(own @ own.mean(axis=0))) == 3 for own in rows]
        found[subset] = float(np.mean(hits)) if hits else 0.0
    return found


def test_a_word_is_compared_with_the_test_set_without_it():
    several = list(models(7))
    scored = [evaluator.score(model, of_words(**WORDS), "OddOneOut@3") for model in several]
    found = items(scored)
    hits = [{name: odd_hits(model, words) for name, words in WORDS.items()} for model in several]
    for word in ("w0", "w6", "no"):
        (name,) = (name for name, words in WORDS.items() if word in words)
        pairs = []
        for own in hits:
            with_word = np.mean([value for subset, value in own[name].items() if word in subset])
            rest = {
                each: np.mean([value for subset, value in own[each].items() if word not in subset])
                for each in WORDS
            }
            pairs.append((with_word, (rest["a"] + rest["b"]) / 2))
        each = of(found, word)
        if word == "no":
            assert (each.known, each.value, each.discrimination, each.finding) == (
                *(0, None, None),
                "no model knows it",
            )
            continue
        assert (each.models, each.known) == (7, 7)
        assert each.value == pytest.approx(np.mean([share for share, _ in pairs]))
        assert each.discrimination == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
        assert each.low < each.discrimination < each.high
    category = of(found, None, "a")
    values = [[np.mean(list(own[name].values())) for name in "ab"] for own in hits]
    assert category.discrimination == pytest.approx(stats.spearmanr(*zip(*values, strict=True)).statistic)


def test_the_share_of_a_word_in_topk_is_that_of_its_own_neighbours():
    several = list(models(4, seed=1))
    found = items(evaluator.score(model, of_words(**WORDS), "Topk@3") for model in several)
    shares = []
    for model in several:
        unit = model.matrix / np.linalg.norm(model.matrix, axis=1, keepdims=True)
        nearest = np.argsort(-(unit @ unit[0]))[1:4]
        shares.append(np.isin(nearest, range(5)).mean())
    assert of(found, "w0", measure="Topk@3").value == pytest.approx(np.mean(shares))


def made(quality, against):
    """The scores of a model on one category of five words, one of which goes against the others."""
    shares = [quality, quality, quality, 0.0, against]
    part = Subscore.of(
        "c", 5, 0, float(np.mean(shares)), ["w0", "w1", "w2", "never", "against"], shares, shares=shares
    )
    score = score_of(parse_measure("Topk@3"), [part], "s")
    return Scores(model=f"m{quality}", test_set="t", language="en", scores=(score,))


def test_words_that_go_against_the_rest_and_words_that_no_model_gets():
    found = items(made(quality, 1 - quality) for quality in np.linspace(0.3, 0.9, 12).tolist())
    findings = {each.word: each.finding for each in found.items}
    never = "no model is above chance"
    assert findings == {None: "", "w0": "", "w1": "", "w2": "", "never": never, "against": "against the rest"}
    assert of(found, "against", measure="Topk@3").discrimination == pytest.approx(-1)
    assert of(found, "w0", measure="Topk@3").discrimination == pytest.approx(1)
    assert found.frame()["finding"].tolist() == list(findings.values())


def test_of_several_words_of_an_item_the_best_counts():
    several = TestSet(
        *("en", "t", "0" * 64),
        (
            Category(
                *("c", "c"),
                (Item("Q1", ("w0", "w19")), *(Item(f"Q{n}", (f"w{n}",)) for n in range(2, 5))),
            ),
        ),
    )
    scored = [evaluator.score(model, several, "Topk@3") for model in models(4)]
    shares = [each["Topk@3"].subscores[0].observations.shares for each in scored]
    assert all({*each} == {"Q1", "w2", "w3", "w4"} for each in shares)
    alone = []
    for model in models(4):
        asked = of_words(c=["w0", "w19", "w2", "w3", "w4"])
        own = evaluator.score(model, asked, "Topk@3")["Topk@3"].subscores[0].observations.shares
        alone.append(max(own["w0"], own["w19"]))
    assert [each["Q1"] for each in shares] == alone


def test_scores_out_of_files_have_categories_alone_and_one_model_is_not_enough():
    scored = [evaluator.score(model, of_words(**WORDS), "Topk@3") for model in models(5)]
    stored = items(each.record() for each in scored)
    assert [each.word for each in stored.items] == [None, None]
    of_categories = [each for each in items(scored).items if each.word is None]
    assert list(stored.items) == of_categories
    with pytest.raises(ScoreError, match="two models or more"):
        items(scored[:1])
