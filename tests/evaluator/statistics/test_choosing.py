"""Which measure chooses between models: related words where all models know enough of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import evaluator
from evaluator.datasets.testset import AnalogySection, Category, Item, RelatedWords, TestSet
from evaluator.statistics.score_lines import compared
from evaluator.studies.batch import batch
from tests.evaluator.examples import vectors

BY_CATEGORIES = ("Topk@3", "OddOneOut@3")
WORDS = [f"w{number}" for number in range(1000)]
OF_CATEGORIES = WORDS[600:720]


def asked(keywords, pairs=0):
    """Groups of four of the first words; twelve categories of ten others; pairs of others still."""
    groups = [Item(f"s{n}", tuple(WORDS[n : n + 4])) for n in range(0, keywords, 4)]
    categories = [
        Category(f"c{n}", f"c{n}", tuple(Item(word, (word,)) for word in OF_CATEGORIES[n : n + 10]))
        for n in range(0, 120, 10)
    ]
    sections = (
        AnalogySection("of", "of", tuple((f"w{720 + n}", (f"w{900 + n % 40}",)) for n in range(pairs))),
    )
    family = (RelatedWords("keywords", "Keywords", tuple(groups)),) if groups else ()
    return TestSet(
        "en", "t.json", "0" * 64, tuple(categories), groups=family, analogies=sections[: bool(pairs)]
    )


def model(name, keywords, categories, seed, words=WORDS):
    """Words of a group, and of a category, lie around a centre, as near as said."""
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(1000, 20))
    for start, end, size, strength in ((0, 600, 4, keywords), (600, 720, 10, categories)):
        centres = np.repeat(generator.normal(size=((end - start) // size, 20)), size, axis=0)
        matrix[start:end] += strength * centres
    listed = [str(word) for word in np.random.default_rng(0).permutation(words)]  # frequency says nothing
    return replace(vectors(matrix[[WORDS.index(word) for word in listed]], listed), name=name)


MODELS = [model("a", 1.5, 1.0, 1), model("b", 0.8, 2.0, 2)]  # better by related words, and by categories


def test_related_words_choose_where_all_models_know_enough():
    found = evaluator.score(MODELS, asked(600))
    (kept,) = found.kept
    assert (kept.best, kept.chosen_by, kept.related) == ("a", ("KeywordRank",), None)
    assert str(kept) == "Keep a: it is better than b, by KeywordRank."
    assert [each.measure for each in found[0].measured] == [*BY_CATEGORIES, "KeywordRank"]


def test_categories_choose_where_there_are_too_few_related_words():
    (kept,) = evaluator.score(MODELS, asked(300)).kept
    assert (kept.best, kept.chosen_by, kept.measures) == ("b", (), BY_CATEGORIES)
    assert str(kept).endswith(" There are too few related words (300 of 400) to choose by.")
    (kept,) = evaluator.score(MODELS, asked(0)).kept
    assert (kept.best, kept.related) == ("b", None)
    assert "related words" not in str(kept)


def test_what_one_model_does_not_know_is_asked_of_none():
    few = model("few", 1.5, 1.0, 3, [*WORDS[:390], *WORDS[600:]])
    found = evaluator.score([MODELS[0], few], asked(600))
    for scores in found:
        assert scores["KeywordRank"].answered == 390
        assert scores["KeywordRank"].subscores[0].size == 600
    assert {each.measure: each.value for each in found.differences}["KeywordRank"] == pytest.approx(
        found[1]["KeywordRank"].value - found[0]["KeywordRank"].value
    )
    assert (found.kept[0].related, found.kept[0].related_needed) == (390, 400)
    assert evaluator.score(MODELS[0], asked(600))["KeywordRank"].answered == 600
    same_others = evaluator.score([MODELS[0], few], asked(600), "KeywordRank", evaluator.Settings(oov="skip"))
    assert [each["KeywordRank"].value for each in same_others] == [
        each["KeywordRank"].value for each in found
    ]


@pytest.mark.parametrize(
    ("keywords", "pairs", "ranked"), [(196, 149, []), (200, 150, ["KeywordRank", "PairRank"])]
)
def test_there_are_no_ranks_from_few_words_or_pairs(keywords, pairs, ranked):
    measures = ["Topk@3", "KeywordRank", "PairRank"]
    found = evaluator.score(MODELS, asked(keywords, pairs), measures)
    assert [each.measure for each in found.rankings] == ["Topk@3", *ranked]
    assert [each.measure for each in found[0].measured] == measures


def test_pairs_are_shown_by_default_where_there_are_enough_and_never_choose():
    found = evaluator.score(MODELS, asked(0, 150))
    assert [each.measure for each in found[0].measured] == [*BY_CATEGORIES, "PairRank"]
    assert found.kept[0].measures == BY_CATEGORIES
    assert "PairRank" not in evaluator.score(MODELS, asked(0, 149))[0]
    alone = evaluator.score(MODELS, asked(0, 150), "PairRank")
    assert str(alone.kept[0]) == "No model is chosen: none of these measures chooses one."
    (kept,) = evaluator.score(MODELS, asked(300), "KeywordRank").kept
    few = "There are too few related words (300 of 400) to choose by."
    assert str(kept) == f"No model is chosen: none of these measures chooses one. {few}"


def test_a_file_of_score_lines_says_the_same(tmp_path):
    """Also of a model that does not know all related words: its line is scored again with the others."""
    few = model("few", 1.5, 1.0, 3, [*WORDS[:390], *WORDS[600:]])
    paths = [tmp_path / f"{each.name}.safetensors" for each in (MODELS[0], few)]
    for each, path in zip((MODELS[0], few), paths, strict=True):
        evaluator.convert(each, path)
    parts = {
        key: [
            {"name": part.name, "items": [{"id": item.id, "words": item.words} for item in part.items]}
            for part in getattr(asked(600), key)
        ]
        for key in ("categories", "groups")
    }
    test_set = tmp_path / "t.json"
    test_set.write_text(json.dumps({"format": "testset", "version": 2, "language": "en", **parts}))
    at_once = evaluator.score(list(map(str, paths)), test_set)
    batch(paths, test_set, tmp_path / "lines.jsonl")
    kept = compared(evaluator.read_results(tmp_path / "lines.jsonl")[0])
    assert kept.differences == at_once.differences
    assert kept.closing == at_once.closing
    assert [each["KeywordRank"].value for each in kept] == [each["KeywordRank"].value for each in at_once]
    assert "(390 of 400)" in kept.closing[0]
