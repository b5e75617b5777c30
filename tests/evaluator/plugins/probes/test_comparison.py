"""Probes of test sets and vectors in which something is planted."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from msgspec import structs
from threadpoolctl import threadpool_limits

from evaluator.datasets.testset import AnalogySection, Category, Item, LabelledTexts, RatedPairs, TestSet
from evaluator.errors import ExtraError, ScoreError
from evaluator.plugins.probes import (
    TASKS,
    Candidate,
    ProbeModel,
    SplitPlan,
    membership,
    probe,
)
from evaluator.plugins.probes.learners import MAJORITY
from evaluator.results.base import to_json
from evaluator.settings import Settings
from tests.evaluator.examples import test_set as categories_of
from tests.evaluator.examples import vectors

QUICK = partial(SplitPlan, shares=(0.5, 1.0), folds=2)
SLIM = (
    MAJORITY,
    ProbeModel("logistic", "linear", (Candidate("logistic", 1.0),)),
    ProbeModel("svm", "nonlinear", (Candidate("svm", 10.0),)),
    ProbeModel("knn", "nonlinear", (Candidate("knn", 3.0),)),
    ProbeModel("bayes", "nonlinear", (Candidate("bayes"),)),
    ProbeModel("forest", "nonlinear", (Candidate("forest"),)),
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Two shares of the data and models that need not choose show what is planted here, and soon."""
    monkeypatch.setattr("evaluator.plugins.probes.learners.TREES", 5)
    monkeypatch.setitem(TASKS, "membership", replace(TASKS["membership"], all_models=SLIM))
    monkeypatch.setitem(TASKS, "sentences", replace(TASKS["sentences"], all_models=SLIM[:3]))


def of(**parts):
    return TestSet("en", "test.json", "0" * 64, **parts)


def members(n=12, kinds=3, strength=4.0, seed=0, d=8):
    """Categories of n words each, and vectors in which each category has a direction; a few words more."""
    words = [f"{chr(97 + kind)}{number}" for number in range(n) for kind in range(kinds)]
    x = np.random.default_rng(seed).normal(size=(len(words) + 9, d))
    x[np.arange(len(words)), np.arange(len(words)) % kinds] += strength
    named = {chr(97 + kind): [word for word in words if word[0] == chr(97 + kind)] for kind in range(kinds)}
    return vectors(x, [*words, *(f"z{number}" for number in range(9))]), categories_of(**named)


def probed(model, test_set, name="logistic", task=None, seed=0, splits=3, shares=(0.5, 1.0), **settings):
    """The only items that a test set has, and the scores of a model at each share, and their area."""
    plan = QUICK(splits=splits, seed=seed, shares=shares)
    found = probe([model], test_set, task and TASKS[task], [name], plan, Settings(**settings))
    (items,) = found.tasks
    *of_shares, area = found.results
    return items, [each[name] for each in of_shares], area[f"AUC of {name}"]


def items_of(test_set, *models, task="membership"):
    return TASKS[task].find(test_set, TASKS[task].lookups(models, test_set, Settings()))


def test_categories_that_have_directions_are_learnt():
    items, (_, end), area = probed(*members())
    assert (items.part, items.size, items.oov, items.items) == ("all categories", 36, 0, 36)
    assert area.value > 0.9
    assert len(area.seeds) == 3
    assert end.n == end.known == 36
    assert probed(*members(), "majority")[2].value == pytest.approx(1 / 3, abs=0.1)


def test_scores_are_those_of_the_probe_at_each_share():
    model, test_set = members(strength=1.5)
    words = [word for category in test_set.categories for word in category.words]
    labels = [word[0] for word in words]
    x = model.matrix[[model.index[word] for word in words]]
    curve = membership(x, labels, QUICK(splits=3, seed=7), SLIM[:2]).curve("logistic")
    _, (start, end), area = probed(model, test_set, seed=7)
    assert (start.seeds, end.seeds, area.seeds) == (curve.at("start"), curve.at("end"), curve.at("auc"))


@pytest.mark.parametrize("name", ["svm", "knn", "bayes", "forest"])
def test_each_model_of_membership(name):
    assert probed(*members(n=9), name)[1][-1].value > 0.7


def test_noise_is_at_chance():
    at_chance, learnt = (probed(*members(strength=0.0, n=30), name)[2] for name in ("majority", "logistic"))
    assert abs(learnt.value - at_chance.value) < 0.15


def test_what_cannot_be_learnt_from_leaves_and_is_counted():
    model, _ = members()
    words = {kind: [f"{kind}{number}" for number in range(12)] for kind in "abc"}
    test_set = categories_of(
        a=[*words["a"], "b0", "nix"], b=[*words["b"], "nox"], c=words["c"][:4], d=["nux", "nax"]
    )
    for oov in ("wrong", "skip"):
        items, *_ = probed(model, test_set, oov=oov)
        # 12 + 12 + 4 words with vectors and 4 without; b0 is in two categories, and c has too few words.
        assert (items.size, items.oov, items.items) == (32, 4, 12 + 11)
        assert items.left_out == {"in several categories": 1, "in categories with fewer than 5": 4}


def test_in_a_hierarchy_a_word_is_of_the_lowest_category():
    model, flat = members()
    a, b, c = (
        replace(each, items=tuple(Item(f"{each.name} {item.id}", item.words) for item in each.items))
        for each in flat.categories
    )
    whole = Category("whole", "", (*a.items, *b.items, *c.items))
    half = Category("half", "", (*a.items, *b.items), level=1, within="whole")
    low = (replace(a, level=2, within="half"), replace(b, level=2, within="half"))
    for categories in ((whole, half, *low), (*low, half, whole)):
        (found,) = items_of(of(categories=categories), model)
        classes = dict(zip(found.words, found.labels, strict=True))
        assert {name[0][0]: classes[name] for name in classes} == {"a": "a", "b": "b", "c": "whole"}
        assert found.left_out == {}


@pytest.mark.parametrize("named", [{"a": 12}, {"a": 12, "b": 4}, {"a": 4, "b": 4, "c": 4}])
def test_one_category_is_nothing_to_tell_apart(named):
    model, _ = members()
    test_set = categories_of(**{name: [f"{name}{i}" for i in range(count)] for name, count in named.items()})
    with pytest.raises(ScoreError, match=r"5 items.*2 needed"):
        probe([model], test_set)


def test_words_of_no_vocabulary_are_an_error_and_no_zero():
    model, _ = members()
    with pytest.raises(ScoreError, match="membership"):
        probe([model], categories_of(x=[f"x{i}" for i in range(9)], y=[f"y{i}" for i in range(9)]))


def test_vectors_that_are_all_the_same_are_an_error():
    model, test_set = members()
    same = vectors(np.ones(model.matrix.shape), model.words)
    with pytest.raises(ScoreError, match=r"all categories: .*equal"):
        probe([same], test_set)


def test_case_and_profile_reach_the_words():
    model, test_set = members(n=6)
    upper = vectors(model.matrix, [word.upper() for word in model.words])
    with pytest.raises(ScoreError):
        probed(upper, test_set, case="exact")
    assert probed(upper, test_set)[2].value == probed(model, test_set)[2].value


# The other tasks


def pairs(n=60, seed=0, d=5):
    """Ratings by one direction alone, which the cosine hardly sees."""
    x = np.random.default_rng(seed).normal(size=(2 * n, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    rated = tuple((f"w{i}", f"w{i + n}", float(-abs(x[i, 0] - x[i + n, 0]))) for i in range(n))
    return vectors(x), of(rated_pairs=(RatedPairs("r", "r", rated),))


def test_ratings_are_learnt():
    model, test_set = pairs(n=100)
    items, _, learnt = probed(model, test_set, "svr")
    _, (start, end), cosine = probed(model, test_set, "cosine")
    assert (items.task, items.size, items.oov, items.score) == ("similarity", 100, 0, "spearman")
    assert learnt.value > cosine.value + 0.1
    assert start.value == end.value
    assert probed(model, test_set, "forest")[2].value > 0.2


def test_a_pair_that_comes_again_is_one():
    model, test_set = pairs(n=20)
    (rated,) = test_set.rated_pairs
    again = (*rated.pairs, *((two, one, rating + 9) for one, two, rating in rated.pairs), ("w0", "nix", 1.0))
    (items,) = items_of(of(rated_pairs=(RatedPairs("r", "r", again),)), model, task="similarity")
    assert (items.size, items.oov, len(items.words)) == (21, 1, 20)
    assert items.labels == pytest.approx([rating + 4.5 for *_, rating in rated.pairs])


def test_few_or_equal_ratings_are_refused():
    model, test_set = pairs(n=14)
    with pytest.raises(ScoreError, match=r"14 pairs.*15 needed"):
        probe([model], test_set)
    same = of(rated_pairs=(RatedPairs("r", "r", tuple((f"w{i}", f"w{i + 20}", 1.0) for i in range(20))),))
    with pytest.raises(ScoreError, match="ratings"):
        probe([pairs(n=20)[0]], same)


def rotation(n=24, d=4, seed=0):
    """Pairs of words of which the second is the first one turned."""
    generator = np.random.default_rng(seed)
    first = generator.normal(size=(n, d))
    turned = first @ np.linalg.qr(generator.normal(size=(d, d)))[0]
    section = AnalogySection("turn", "turn", tuple((f"w{i}", ("nix", f"w{i + n}")) for i in range(n)))
    return vectors(np.vstack([first, turned, generator.normal(size=(20, d))])), of(analogies=(section,))


def test_relations_are_learnt_from_pairs():
    model, test_set = rotation()
    items, (start, end), _ = probed(model, test_set, "3CosMul")
    assert (items.task, items.size, items.oov) == ("relation", 24, 0)
    assert start.value == end.value
    assert probed(model, test_set, "relation")[1][-1].value >= probed(model, test_set, "3CosAdd")[1][-1].value


def test_relations_need_words_of_the_vocabulary():
    model, _ = rotation()
    many = tuple((f"w{i}", (f"w{i + 24}",)) for i in range(24))
    sections = (
        AnalogySection("whole", "", (*many, ("w0", ("nox",)), ("nox", ("w0",)))),
        AnalogySection("few", "", (*many[:8], ("nix", ("nax",)))),
    )
    with_subwords = vectors(model.matrix, model.words, subword=lambda _: np.ones(4, np.float32))
    plan = QUICK(splits=3)
    whole, few = probe([with_subwords], of(analogies=sections), models=["3CosAdd"], plan=plan).tasks
    assert (whole.size, whole.oov, whole.items) == (26, 2, 24)
    assert few.score is None
    assert few.skipped == "8 pairs have vectors, 10 needed"


def test_pairs_that_hang_together_are_skipped_with_the_reason():
    model, _ = rotation()
    star = AnalogySection("star", "", tuple((f"w{i}", ("w47",)) for i in range(20)))
    with pytest.raises(ScoreError, match=r"star: test vectors: analogy: .*\b20 pairs"):
        probe([model], of(analogies=(star,)), models=["3CosAdd"])


def texts(n=40, seed=0):
    """Texts of two classes, whose words lie on two sides; each has a word without a vector too."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(30, 4))
    x[:, 0] += np.where(np.arange(30) < 15, 2, -2)
    labelled = [
        (str(i % 2), (*(f"w{word}" for word in generator.integers(15, size=3) + 15 * (i % 2)), "nix"))
        for i in range(n)
    ]
    labelled += [("1", ("nix", "nox")), ("2", ("w1", "w2")), labelled[0]]
    return vectors(x), of(labelled_texts=(LabelledTexts("texts", "texts", tuple(labelled)),))


@pytest.mark.parametrize("name", ["logistic", "svm"])
def test_texts_are_learnt(name):
    items, _, learnt = probed(*texts(), name)
    # 40 texts, one of unknown words, one alone in its class; one that comes twice counts once.
    assert (items.task, items.size, items.oov, items.items) == ("sentences", 42, 1, 40)
    assert learnt.value > 0.8
    assert probed(*texts(), "majority")[2].value == pytest.approx(0.5, abs=0.15)


def test_the_seed_is_in_the_signature_and_decides():
    one, again, other = (probed(*members(strength=0.7), seed=seed)[2] for seed in (3, 3, 4))
    assert one == again
    assert one.value != other.value
    assert "|seed:3|" in one.signature


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ExtraError, match=r"pip install 'testgen-evaluator\[learn\]'"):
        probed(*members())
    assert probed(*rotation(), "3CosAdd"), "which needs none"


def test_threads_of_libraries_change_nothing():
    def found(threads):
        with threadpool_limits(limits=threads):
            return [
                probed(*members(strength=1.0, n=20, d=40))[2].seeds,
                probed(*rotation(d=24), "relation")[2].seeds,
            ]

    assert found(1) == found(2)


# Several embeddings


def test_all_embeddings_have_the_same_items_and_splits():
    model, test_set = members()
    less = vectors(model.matrix[3:], model.words[3:])
    small = vectors(model.matrix[:-12, :3], model.words[:-12])
    named = [
        type(each)(each.words, each.matrix, name)
        for each, name in ((model, "all"), (less, "less"), (small, "small"))
    ]
    found = probe(named, test_set, plan=QUICK(splits=2), models=["logistic"])
    (shared,) = items_of(test_set, *named)
    assert {word for (word,) in shared.words} == set(less.words) & set(small.words)
    assert (found.tasks[0].oov, found.tasks[0].items) == (6, len(shared.words))
    constant = [each["AUC of majority"].seeds for each in found.results if "share" not in each.keys]
    assert len(constant) == 3
    assert len(set(constant)) == 1
    assert probed(named[2], test_set)[0].oov == 3


def test_relations_are_answered_from_the_words_that_all_know():
    model, test_set = rotation()
    named = type(model)(model.words, model.matrix, "all")
    # In the other order, and with words that nobody else has, one of which hides every answer.
    order = np.random.default_rng(0).permutation(len(model.words))
    more = type(model)(
        [*(model.words[row] for row in order), *(f"only{row}" for row in range(24))],
        np.vstack([model.matrix[order], model.matrix[24:48]]),
        "more",
    )
    plan = QUICK(splits=2, shares=(1.0,))
    both = probe([named, more], test_set, plan=plan, models=["3CosAdd"]).results
    alone = probe([named], test_set, plan=plan, models=["3CosAdd"]).results
    assert (*both[:2], *both[2:]) == (*alone, *(structs.replace(each, model="more") for each in alone))


def test_better_vectors_rank_higher_and_equals_are_equal():
    good, test_set = members(strength=5.0, n=15)
    bad, _ = members(strength=0.5, n=15)
    three = [
        type(good)(good.words, good.matrix, "good"),
        type(good)(good.words, 3 * good.matrix, "longer"),
        type(good)(bad.words, bad.matrix, "bad"),
    ]
    found = probe(three, [test_set, test_set], plan=QUICK(), models=["logistic", "knn"])
    items, _ = found.tasks
    assert items.headline == "expected"
    ranks = {each.name: (each.start, each.end, each.auc) for each in items.ranks["expected"]}
    assert ranks == {"good": (0, 0, 0), "longer": (0, 0, 0), "bad": (1, 1, 1)}
    assert items.gaps["bad"].linear == "logistic"
    first, *_ = found.mean_ranks
    assert (first.name, first.tasks, first.auc) == ("good", 2, (0.0, 0.0))
    to_json(found)


def test_one_sort_of_models_has_no_gap():
    found = probe([members()[0]], members()[1], plan=QUICK(splits=2), models=["knn"])
    (items,) = found.tasks
    assert items.headline == "knn"
    assert (items.gaps, items.ranks, found.mean_ranks) == ({}, {}, ())


def test_what_cannot_be_compared_is_refused():
    model, test_set = members()
    with pytest.raises(ScoreError, match="'test vectors'"):
        probe([model, model], test_set)
    with pytest.raises(ScoreError, match="no embeddings"):
        probe([], test_set)
    with pytest.raises(ScoreError, match=r"similarity .*rated pairs"):
        probe([model], test_set, TASKS["similarity"])
    with pytest.raises(ScoreError, match=r"membership .*'svr'.*majority, logistic"):
        probe([model], test_set, models=["svr"])
    with pytest.raises(ScoreError, match="nothing"):
        probe([model], of())
    other = type(model)([f"x{row}" for row in range(len(model))], model.matrix, "other")
    with pytest.raises(ScoreError, match=r"all categories: 0\b"):
        probe([model, other], test_set)


def test_a_part_that_one_embedding_cannot_be_probed_on_is_nobodys():
    model, test_set = members()
    same = type(model)(model.words, np.ones_like(model.matrix), "same")
    with pytest.raises(ScoreError, match=r"same: membership: .*equal"):
        probe([model, same], test_set, models=["logistic"], plan=QUICK(splits=2))


def test_progress_ascends_to_one():
    seen = []
    probe([members()[0]], members()[1], models=["logistic"], plan=QUICK(splits=2), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)
