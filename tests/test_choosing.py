"""The study of which measure chooses computes what it says, and its tables come from its files."""

from __future__ import annotations

import re
from collections import Counter
from inspect import signature
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, rankdata, t, ttest_1samp

from evaluator.datasets.testset import Item, Pair, RelatedWords, Relation, TestSet
from evaluator.plugins.emoji.command import CHOICES, emoji
from evaluator.results.score import HEADLINE
from evaluator.studies.scoring import DEFAULT_MEASURES
from evaluator.studies.tuning import Tuning
from evaluator.text.corpus import Sentences
from tests.conftest import NEEDS_GENSIM, REPOSITORY
from tools.choosing import fewer, page, statistics, study
from tools.choosing.glove import POWER, RATE, train_glove
from tools.choosing.glove import _epoch as epoch
from tools.choosing.texts import TEXTS
from tools.choosing.training import ORDER, plan
from tools.tables import cells, shown

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize("at_random", [False, True])
def test_a_loss_is_that_of_all_choices_of_five(at_random):
    scores, criterion = GENERATOR.standard_normal((2, 9))
    each = []
    for drawn in map(list, combinations(range(9), 5)):
        chosen = drawn if at_random else [max(drawn, key=scores.__getitem__)]
        each += [criterion[drawn].max() - criterion[one] for one in chosen]
    found = statistics.loss(criterion, None if at_random else scores)
    assert found == pytest.approx(np.mean(each))


def test_models_of_one_score_share_how_often_they_are_chosen():
    assert statistics.loss([1, 2, 3, 4, 5, 6], [7] * 6) == pytest.approx(
        statistics.loss([1, 2, 3, 4, 5, 6], None)
    )


def test_an_interval_over_texts_is_students():
    values = GENERATOR.standard_normal(9)
    found, wanted = statistics.over_texts(values), ttest_1samp(values, 0).confidence_interval()
    assert (found.value - found.half, found.value + found.half) == pytest.approx((wanted.low, wanted.high))
    assert statistics.over_texts([1.0]).half is None
    assert str(statistics.OverTexts(-0.25, 0.1, (0,) * 4)) == "-.250 (-.350 to -.150)"
    assert str(statistics.OverTexts(0.25, 0.9, (0.2, 0.3))) == ".250 (.200, .300)"


def test_an_interval_over_nine_texts_holds_the_loss_as_often_as_it_says():
    assert statistics.covered(9, 16, 0.4, worlds=400) == pytest.approx(0.95, abs=0.03)


def test_what_is_given_is_what_a_regression_on_ranks_leaves():
    one, other, known = GENERATOR.standard_normal((3, 20))
    left = []
    for values in (one, other):
        line = np.polyfit(rankdata(known), rankdata(values), 1)
        left.append(rankdata(values) - np.polyval(line, rankdata(known)))
    found = statistics.given(one, other, pd.DataFrame({"window": known}), ["en"] * 20)
    assert found == pytest.approx([pearsonr(*left).statistic])
    same = statistics.given(known, other, pd.DataFrame({"window": known}), ["en"] * 20)
    assert np.isnan(same).all()
    both = statistics.given(one, one, pd.DataFrame({"window": known}), ["en", "de"] * 10)
    assert both == pytest.approx([1, 1])


def test_some_keywords_and_pairs_are_as_many_as_are_asked():
    groups = [RelatedWords("g", "g", tuple(Item(f"{n}", (f"a{n}", f"b{n}", "Far")) for n in range(30)))]
    items = tuple(Item(f"{n}", (f"a{n}",)) for n in range(30))
    relations = [
        Relation(name, name, items, tuple(Pair(f"{n}", f"{n + 1}") for n in range(first, first + 9)))
        for name, first in (("r", 0), ("s", 20), ("t", 10))
    ]
    whole = TestSet("en", "", "", groups=tuple(groups), relations=tuple(relations))
    known = {f"{letter}{number}": number for letter in "ab" for number in range(20)}
    some = fewer.keywords(whole, known, 12, seed=1)
    words = {word for item in some.groups[0].items for word in item.words}
    assert len(words & set(known)) == 12
    assert fewer.keywords(whole, known, 12, seed=1) == some != fewer.keywords(whole, known, 12, seed=2)
    assert fewer.keywords(whole, known, 41, seed=1) is None
    assert {each.name for each in fewer.pairs(whole, known, 18, seed=1).relations} >= {"r", "t"}
    assert fewer.pairs(whole, known, 19, seed=1) is None


def _rated(true, noise, pairs=400):
    """Models whose cosines agree with ratings by more or less."""
    ratings = GENERATOR.standard_normal(pairs)
    return [
        {"a": np.stack([ratings, each * ratings + noise * GENERATOR.standard_normal(pairs)])} for each in true
    ]


def test_ratings_that_tell_models_apart_are_reliable_and_others_are_not():
    assert statistics.halves(_rated(np.linspace(0.2, 2, 12), 1), splits=8) > 0.9
    assert statistics.halves(_rated(np.ones(12), 1), splits=8) < 0.7


def test_alpha_is_that_of_its_definition():
    one = _rated(np.linspace(0, 1, 8), 1)
    other = _rated(np.linspace(0, 1, 8), 1)
    both = [{"a": first["a"], "b": second["a"]} for first, second in zip(one, other, strict=True)]
    table = np.array([[statistics.agreement({"": each}) for each in model.values()] for model in both])
    correlation = np.corrcoef(table.T)[0, 1]
    assert statistics.alpha(both) == pytest.approx(2 * correlation / (1 + correlation))
    assert np.isnan(statistics.alpha(one))


def test_a_step_of_glove_is_that_of_its_equations():
    words, others = GENERATOR.standard_normal((2, 2, 4)).astype(np.float32)
    before = words[0].astype(float), others[1].astype(float)
    x, weight = 5.0, np.float32((5 / 10) ** POWER)
    ones = np.ones((2, 4), dtype=np.float32)
    own, across = words.copy(), others.copy()
    rows = [np.array([each], dtype=np.int32) for each in (0, 1)]
    logs, weights = np.float32([np.log(x)]), np.array([weight])
    epoch(np.array([0]), *rows, logs, weights, own, across, ones.copy(), ones.copy())
    error = before[0][:3] @ before[1][:3] + before[0][3] + before[1][3] - np.log(x)
    step = weight * error
    assert own[0, :3] == pytest.approx(before[0][:3] - RATE * step * before[1][:3], rel=1e-4)
    assert across[1, :3] == pytest.approx(before[1][:3] - RATE * step * before[0][:3], rel=1e-4)
    assert (own[0, 3], across[1, 3]) == pytest.approx(
        (before[0][3] - RATE * step, before[1][3] - RATE * step), rel=1e-4
    )


def test_glove_learns_which_words_stand_together(tmp_path):
    lines = []
    for _ in range(600):
        topic = GENERATOR.integers(2)
        lines.append(" ".join(f"{'ab'[topic]}{word}" for word in GENERATOR.integers(10, size=8)))
    (tmp_path / "text").write_text("\n".join(lines) + "\n", encoding="utf-8")
    vectors = train_glove(Sentences.read(tmp_path / "text"), 10, 5, 2, 30, seed=1)
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    of_a = np.array([word[0] == "a" for word in vectors.words])
    near = units @ units.T
    assert near[np.ix_(of_a, of_a)].mean() > near[np.ix_(of_a, ~of_a)].mean() + 0.2


def test_the_plan_is_that_of_the_study():
    assert Counter(ORDER) == {"skip-gram": 5, "cbow": 5, "fasttext": 2, "svd": 2, "glove": 2}
    assert Counter(each.language for each in TEXTS) == {"en": 5, "de": 2, "fr": 2, "sa": 1, "la": 1}
    whole = list(plan(TEXTS[0]))
    assert list(plan(TEXTS[0], 3)) == whole[:3]  # a smaller study has the first models of the whole
    assert whole != list(plan(TEXTS[1]))


def test_a_folder_is_for_one_size_of_texts(tmp_path):
    study.work_for(tmp_path / "work", 100)
    study.work_for(tmp_path / "work", 100)
    with pytest.raises(SystemExit, match="has texts of 100 tokens"):
        study.work_for(tmp_path / "work", 200)


@pytest.fixture
def files(tmp_path):
    """Scores in which KeywordRank is the agreement with people, and nothing else is related to it."""
    own_criterion = {language: name for name, language in page.ALONE.items()}
    rows, ratings, means, some = [], [], [], []
    for text in TEXTS:
        for number, own in plan(text):
            people = float(GENERATOR.random())
            row = {"text": text.name, "language": text.language, "model": number, **own}
            row |= {
                name: float(GENERATOR.random()) for name in (*page.MEASURES, "similarity", "sentence ends")
            }
            row |= {f"{name}, asked": 500 for name in page.MEASURES} | {"KeywordRank": people}
            rows.append(
                row
                | (
                    {"people": people}
                    if text.rated
                    else {"people": None, own_criterion[text.language]: people}
                )
            )
        if text.rated:
            each = {"pairs": 900, "lists": 3, "sd of models": 0.1, "reliability": 0.81, "alpha": 0.5}
            ratings.append({"text": text.name, **each, "noise": 0.01})
            each = {"at random": 0.5, "chosen by KeywordRank": 0.8, "best": 0.8, "mean of all": 0.7}
            means.append({"text": text.name, **each})
            some.append({"text": text.name, "measure": "PairRank", "size": 40, "loss": 0.1, "correlation": 0})
    for name, content in zip(page.FILES, (rows, ratings, means, some), strict=True):
        pd.DataFrame(content).to_csv(tmp_path / name, index=False)
    return tmp_path


def test_tables_tell_which_measure_chooses(files):
    made = page.made(files)
    rows = [line.split(" | ") for line in made["choosing"]().splitlines()]
    said = {row[0].lstrip("| "): row for row in rows}
    assert said["KeywordRank"][-1] == "yes |"
    assert said["Topk@3"][-1] == "not shown |"
    assert said["KeywordRank"][4].startswith(".000 (")
    assert rows[0][1:4] == ["English, texts: 5", "German, texts: 2", "French, texts: 2"]
    everything = pd.read_csv(files / "models.csv")
    losses = [
        statistics.loss(own["people"].tolist(), own["PairRank"].tolist())
        for _, own in everything[everything["people"].notna()].groupby("text", sort=False)
    ]
    half = t.ppf(0.975, 8) * np.std(losses, ddof=1) / 3
    wanted = statistics.OverTexts(float(np.mean(losses)), float(half), tuple(losses))
    assert said["PairRank"][4] == str(wanted)


@pytest.mark.parametrize("name", ["correlations", "criteria", "ratings", "means", "kinds", "fewer"])
def test_each_table_has_what_there_is(files, name):
    made = page.made(files)[name]()
    lines = made.splitlines()
    assert len({*map(len, cells(made))}) == 1
    assert len(lines) > (2 if name == "fewer" else 3)
    if name == "criteria":
        (own,) = [line for line in lines if line.startswith("| KeywordRank |")]
        assert own.endswith(
            " 1.000 | 1.000 |"
        )  # of thesaurus and synonyms, which the scores of their texts are


PAGE_TABLES = ["choosing", "correlations", "criteria", "ratings", "means", "kinds", "fewer"]


@pytest.mark.parametrize("name", [*PAGE_TABLES, pytest.param("coverage", marks=pytest.mark.slow)])
def test_the_page_shows_what_its_files_say(name):
    found = page.made(page.FOLDER)
    assert sorted(found) == sorted([*PAGE_TABLES, "coverage"])
    assert shown(page.PAGE, name) == cells(found[name]()), "run make validity with STUDY=--publish"


# The advice that follows from it

ADVICE = {
    "docs/evidence/validity.md": "Report **`{}`**",
    "docs/read-a-score.md": "Report **`{}`** with its interval",
    "docs/tune.md": "Else they are ranked by `{}`",
    "docs/tables/cli-evaluator-options.csv": "A measure; of categories, {} is the one to report.",
    "testgen/serve/templates/scores_explained.html": "<b>{}</b> is the mean of this over the words of each",
}
ANOTHER = re.compile(
    r"(?:choose|chosen|report|rank(?:s|ed)?) (?:\w+ ){0,3}by \W*(?:Combined|OddOneOut|Above)"
)


def test_one_measure_is_advised_everywhere():
    for path, text in ADVICE.items():
        assert text.format(HEADLINE) in (REPOSITORY / path).read_text(encoding="utf-8"), path


@NEEDS_GENSIM  # without which a search with its trainers is refused
def test_it_is_the_default():
    assert DEFAULT_MEASURES["categories"][0] == HEADLINE
    assert Tuning().measures is None  # they are ranked by it, or by related words where there are enough
    assert CHOICES[signature(emoji).parameters["choose"].default] == HEADLINE


@pytest.mark.parametrize("folder", ["docs", "evaluator", "testgen"])
def test_no_other_is_advised(folder):
    files = [path for end in ("md", "py", "html") for path in (REPOSITORY / folder).rglob(f"*.{end}")]
    found = [path.name for path in files if ANOTHER.search(path.read_text(encoding="utf-8"))]
    assert found == []
