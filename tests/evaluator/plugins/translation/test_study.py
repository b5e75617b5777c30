"""Two sets of vectors on a dictionary: against slow definitions, MUSE's procedure and simulated truth."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes
from scipy.stats import binom

import evaluator
from evaluator import (
    MeasureError,
    ScoreError,
    Settings,
    TestSetError,
    VectorsError,
)
from evaluator.execution.machine import Machine
from evaluator.plugins.translation import Dictionary, TranslatedItem, TranslationList, translate
from evaluator.plugins.translation.ranks import mean_of_nearest, procrustes
from evaluator.plugins.translation.study import TRANSLATION_MEASURES
from tests.evaluator import definitions
from tests.evaluator.examples import test_set, vectors

ALL = Settings(small_categories="score")
RANKS = {"NN": False, "CSLS": True}


def dictionary(**lists):
    """Words and translations of each list; the words of an item are separated by commas."""
    return Dictionary(
        "la",
        "la-te.json",
        "0" * 64,
        translations=tuple(
            TranslationList(
                name,
                name.title(),
                tuple(
                    TranslatedItem(f"Q{word}", tuple(word.split(",")), tuple(others.split(",")), *split)
                    for word, others, *split in items
                ),
            )
            for name, items in lists.items()
        ),
        target="te",
    )


def named(matrix, letter):
    return vectors(matrix, [f"{letter}{row}" for row in range(len(matrix))])


# Small whole numbers make ties and equal vectors likely; the all-zero vector is no vector.
ROWS = st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any)
MATRICES = st.lists(ROWS, min_size=3, max_size=14)
ANSWERS = st.lists(st.lists(st.integers(0, 13), min_size=1, max_size=3, unique=True), min_size=1, max_size=5)


@given(MATRICES, MATRICES, ANSWERS, st.sampled_from(["wrong", "skip"]), st.integers(1, 4))
def test_ranks_are_their_definition(source, target, answers, oov, k):
    """Some words of both sides have no vector."""
    source, target = np.array(source, dtype=np.float32), np.array(target, dtype=np.float32)
    asked = dictionary(
        a=[(f"s{row + 1}", ",".join(f"t{each}" for each in of)) for row, of in enumerate(answers)]
    )
    questions = [
        (row + 1, [each for each in of if each < len(target)])
        for row, of in enumerate(answers)
        if row + 1 < len(source) and min(of) < len(target)
    ]
    settings = Settings(oov=oov, small_categories="score")
    measures = [f"{name}(method={method}){at}" for method in RANKS for name, at in MEASURED(k)]
    if not questions:
        with pytest.raises(ScoreError):
            translate(named(source, "s"), named(target, "t"), asked, measures, settings)
        return
    found = translate(named(source, "s"), named(target, "t"), asked, measures, settings)
    size = len(questions) if oov == "skip" else len(answers)
    for method, csls in RANKS.items():
        ranks = np.array(definitions.translation_ranks(questions, source, target, csls))
        assert found[f"Translation(method={method})@{k}"].value == (ranks <= k).sum() / size
        assert found[f"MRR(method={method})"].value == pytest.approx((1 / ranks).sum() / size)


def MEASURED(k):  # noqa: N802
    return ("Translation", f"@{k}"), ("MRR", "")


@pytest.fixture(scope="module")
def world():
    """Two languages of 300 and 400 words, a rotation between them, and a noisy dictionary of 200 words."""
    generator = np.random.default_rng(0)
    source = generator.normal(size=(300, 20))
    rotation = np.linalg.qr(generator.normal(size=(20, 20)))[0]
    target = np.vstack([source @ rotation, generator.normal(size=(100, 20))])
    target += 0.8 * generator.normal(size=target.shape) + 0.3 * generator.normal(size=20)
    pairs = [(row, row) for row in range(200)] + [(row, 399 - row) for row in range(0, 200, 3)]
    return source.astype(np.float32), target.astype(np.float32), rotation, np.array(sorted(pairs))


def asked_in(pairs, split="test"):
    groups = itertools.groupby(pairs.tolist(), key=lambda pair: pair[0])
    return [(f"s{word}", ",".join(f"t{other}" for _, other in of), split) for word, of in groups]


@pytest.mark.parametrize("method", RANKS)
def test_precision_is_that_of_muse(world, method):
    source, target, rotation, pairs = world
    turned = (source @ rotation).astype(np.float32)
    # MUSE leaves out pairs of which a word has no vector.
    asked = dictionary(a=[*asked_in(pairs), ("unknown", "t1"), ("s299", "unknown")])
    measures = [f"Translation(method={method})@{k}" for k in (1, 5, 10)]
    found = translate(named(turned, "s"), named(target, "t"), asked, measures, Settings(oov="skip"))
    expected = definitions.muse_accuracy(pairs, turned, target, RANKS[method])
    assert [found[each].value for each in measures] == pytest.approx(expected, abs=1e-12)
    assert 0.2 < expected[0] < 0.95


def test_blocks_and_threads_do_not_matter(world, monkeypatch):
    source, target, _, pairs = world
    asked, models = dictionary(a=asked_in(pairs)), (named(source, "s"), named(target, "t"))
    measures = [each for each in TRANSLATION_MEASURES if "@1" in each or "MRR" in each]
    whole = [each.value for each in translate(*models, asked, measures)]
    monkeypatch.setattr("evaluator.engine.similarities.BLOCK", 7)
    for name, size in (("_WORDS", 9), ("_OTHERS", 5)):
        monkeypatch.setattr(f"evaluator.plugins.translation.ranks.{name}", size)
    monkeypatch.setattr("evaluator.plugins.translation.ranks._PAIRS_AT_A_TIME", 1)
    assert [each.value for each in translate(*models, asked, measures, machine=Machine(threads=1))] == whole


def test_equal_vectors_are_in_the_order_of_frequency():
    """All words of the target are equally near: the rank is the row."""
    found = translate(
        named(np.eye(4)[:3], "s"),
        named(np.ones((6, 4)), "t"),
        dictionary(a=[("s0", "t2"), ("s1", "t4,t5"), ("s2", "t0")]),
        ["MRR", "MRR(method=CSLS)"],
    )
    assert [each.value for each in found] == pytest.approx([(1 / 3 + 1 / 5 + 1) / 3] * 2)


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 12), st.booleans())
def test_mean_of_nearest_is_its_definition(seed, n, k, turned):
    generator = np.random.default_rng(seed)
    words, others = generator.normal(size=(2, n, 4)).astype(np.float32)
    rotation = np.linalg.qr(generator.normal(size=(4, 4)))[0].astype(np.float32) if turned else None
    mapped = others if rotation is None else others @ rotation
    similar = np.sort(definitions.unit(words) @ definitions.unit(mapped).T, axis=1)[:, -k:]
    assert mean_of_nearest(words, others, rotation, k=k) == pytest.approx(similar.mean(axis=1), abs=1e-5)


def test_procrustes_is_that_of_scipy(world):
    source, target, _, pairs = world
    one, other = (definitions.unit(each[pairs[:, side]]) for side, each in enumerate((source, target)))
    expected, _ = orthogonal_procrustes(one, other)
    assert procrustes(source[pairs[:, 0]], target[pairs[:, 1]]) == pytest.approx(expected, abs=1e-5)


def test_alignment_by_the_items_for_training(world):
    source, target, _, pairs = world
    train, test = pairs[pairs[:, 0] < 120], pairs[pairs[:, 0] >= 120]
    asked = dictionary(a=[*asked_in(train, "train"), *asked_in(test)])
    models = named(source, "s"), named(target, "t")
    none, aligned = (
        translate(*models, asked, "Translation@1", align=each) for each in ("none", "procrustes")
    )
    assert none["Translation@1"].value < 0.05 < 0.3 < aligned["Translation@1"].value
    assert (aligned.known_words, aligned.words) == (80, 80)
    expected, _ = orthogonal_procrustes(
        definitions.unit(source[train[:, 0]]), definitions.unit(target[train[:, 1]])
    )
    own = definitions.muse_accuracy(test, source @ expected, target, csls=False)
    assert aligned["Translation@1"].value == own[0]
    apart = translate(
        *models,
        dictionary(a=asked_in(test)),
        "Translation@1",
        align="procrustes",
        train=dictionary(b=asked_in(train)),
    )
    assert apart["Translation@1"].value == aligned["Translation@1"].value
    assert f"|align:procrustes|train:{len(train)} pairs of la-te.json#000000000000|" in (
        aligned["Translation@1"].signature
    )
    assert "|align:none|" in none["Translation@1"].signature


def test_a_word_of_several_items_has_the_translations_of_all():
    asked = dictionary(
        a=[("s0", "t1"), ("s1", "t2"), ("s2", "t3")], b=[("s0", "t0"), ("s3,s4", "t5"), ("s5", "t5")]
    )
    found = translate(named(np.eye(6), "s"), named(np.eye(6), "t"), asked, "Translation@1")
    a, b = found["Translation@1"].subscores
    assert (a.hits, a.trials, b.hits, b.trials) == (1, 3, 2, 4)
    assert (b.size, set(b.observations.influences), b.title) == (4, {"Qs0", "Qs3,s4", "Qs5"}, "B")
    assert found["Translation@1"].value == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert found.language == "la-te"


def test_words_without_a_vector_on_either_side():
    asked = dictionary(a=[("s0", "t0"), ("s1", "none"), ("none", "t2"), ("s3", "t3,none"), ("s4", "t0")])
    models = named(np.eye(5), "s"), named(np.eye(5), "t")
    found = translate(*models, asked, "Translation@1")
    (wrong,) = found["Translation@1"].subscores
    assert (wrong.size, wrong.oov, wrong.hits, wrong.trials, wrong.ceiling) == (5, 2, 2, 5, 0.6)
    assert (found.known_words, found.words) == (3, 5)
    (skip,) = found["Translation@1"].of_known.subscores
    assert (skip.hits, skip.trials) == (2, 3)
    alone = translate(*models, asked, "Translation@1", Settings(oov="skip"))
    assert (alone["Translation@1"].value, alone["Translation@1"].of_known) == (2 / 3, None)


@pytest.mark.parametrize(("built", "found"), [("known", (2, 1)), ("unknown", (1, 2))])
def test_words_built_from_subwords_are_no_answers_and_asked_if_they_are_to_be_known(built, found):
    def build(word):
        return np.eye(4, dtype=np.float32)[0] if word.startswith("built") else None

    asked = dictionary(a=[("built", "t0"), ("s1", "built"), ("s2", "t2")])
    models = (vectors(np.eye(4), [f"{each}{row}" for row in range(4)], subword=build) for each in "st")
    settings = Settings(built=built)
    (only,) = translate(*models, asked, "Translation@1", settings)["Translation@1"].subscores
    assert (only.hits, only.oov) == found


def test_case_is_folded_as_each_language_does():
    models = vectors(np.eye(3), ["ROMA", "b", "c"]), vectors(np.eye(3), ["Rome", "x", "y"])
    asked = dictionary(a=[("Roma", "rome"), ("B", "X"), ("c", "x")])
    (found,) = translate(*models, asked, "Translation@1")["Translation@1"].subscores
    assert (found.hits, found.oov) == (2, 0)
    (exact,) = translate(*models, asked, "Translation@1", Settings(case="exact"))["Translation@1"].subscores
    assert (exact.hits, exact.oov) == (0, 2)


def test_the_same_spelling_is_what_can_be_known_without_vectors():
    models = vectors(np.eye(4), ["roma", "b", "c", "d"]), vectors(np.eye(4)[::-1], ["roma", "b", "x", "d"])
    asked = dictionary(a=[("roma", "roma"), ("b", "x,b"), ("c", "x"), ("d", "x")])
    found = translate(*models, asked, ["Translation(method=spelling)@1", "Translation@1"])
    assert [each.value for each in found] == [0.5, 0.25]
    assert [each.spelling for each in found] == [0.5, 0.5], "it is the baseline of all measures"


@pytest.mark.parametrize("noise", [0.1, 100.0])
def test_vectors_are_kept_only_if_they_translate_more_than_is_spelled_alike(noise):
    """Of 120 words, each sixth is the same word in both languages."""
    drawn = np.random.default_rng(4)
    matrix = drawn.normal(size=(120, 10))
    targets = [f"s{row}" if row % 6 == 0 else f"t{row}" for row in range(120)]
    other = vectors(matrix + noise * drawn.normal(size=(120, 10)), targets)
    asked = dictionary(a=[(f"s{row}", target) for row, target in enumerate(targets)])
    found = translate(named(matrix, "s"), other, asked)
    assert found["Translation@1"].spelling == pytest.approx(1 / 6)
    assert found["Translation(method=spelling)@1"].verdict == "not shown to be above spelling"
    assert found.best == (found.model if noise < 1 else None)
    assert "Translation(method=spelling)@1" not in found.kept.measures


def held(right, together, worlds, n=40):
    """How often intervals hold the truth: items of up to three words, right together or each by itself."""
    generator, inside, target = np.random.default_rng(1), 0, named(np.eye(n + 1), "t")
    for _ in range(worlds):
        words = generator.integers(1, 4, size=n)
        hits = generator.random((n, 3)) < right
        if together:
            hits[:] = hits[:, :1]
        asked = dictionary(
            a=[
                (",".join(f"s{item * 3 + word}" for word in range(words[item])), f"t{item}")
                for item in range(n)
            ]
        )
        rows = np.where(hits, np.arange(n)[:, None], n).ravel()
        found = translate(
            named(np.eye(n + 1)[rows], "s"), target, asked, "Translation@1", machine=Machine(threads=1)
        )
        low, high = found["Translation@1"].interval
        inside += low <= right <= high
    return inside


@pytest.mark.parametrize(
    ("right", "together"), [(0.5, True), pytest.param(0.9, False, marks=pytest.mark.slow)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(right, together):
    worlds = 60
    assert held(right, together, worlds) >= binom.ppf(0.005, worlds, 0.95)


def test_what_is_refused():
    models = named(np.eye(4), "s"), named(np.eye(4), "t")
    asked = dictionary(a=[("s0", "t0"), ("s1", "t1"), ("s2", "t2")])
    with pytest.raises(ScoreError, match=r"\b4 dimensions.*\b3\b"):
        translate(models[0], named(np.eye(3), "t"), asked)
    with pytest.raises(ScoreError, match="use Translation or MRR"):
        translate(*models, asked, "Topk@3")
    with pytest.raises(ScoreError, match="no pair for training"):
        translate(*models, asked, align="procrustes")
    with pytest.raises(ScoreError, match=r"align.*'cca'.*none, procrustes"):
        translate(*models, asked, align="cca")
    words = test_set(b=["s0", "s1", "s2"])
    for of, train in ((words, None), (asked, words)):
        with pytest.raises(TestSetError, match=r"`evaluator score`.* --test"):
            translate(*models, of, align="procrustes", train=train)
    with pytest.raises(ScoreError, match="2 words, 3 needed"):
        translate(*models, dictionary(a=[("s0", "t0"), ("s1", "t1")]))
    with pytest.raises(MeasureError, match="k must be 1 or more"):
        translate(*models, asked, "Translation@0")
    with pytest.raises(MeasureError, match=r"method.*'best'.*NN, CSLS, spelling"):
        translate(*models, asked, "MRR(method=best)")
    with pytest.raises(ScoreError, match="Translation@1"):
        evaluator.score(models[0], words, "Translation@1")
    for refused in (evaluator.score, evaluator.coverage):
        with pytest.raises(TestSetError, match=r"`evaluator translate`.*--dictionary"):
            refused(models[0], asked)
    bad = np.eye(4)
    bad[1, 1] = np.nan
    for pair in ((named(bad, "s"), models[1]), (models[0], named(bad, "t"))):
        with pytest.raises(VectorsError, match="NaN"):
            translate(*pair, asked)


def test_real_vectors_of_two_languages(shared_data):
    """English and Italian of Dinu et al. (2015), 20 words each."""
    folder = shared_data / "vectors" / "parallel_en_it"
    models = [evaluator.load_vectors(next(folder.glob(f"{each}.*"))) for each in ("EN", "IT")]
    english, italian = "one two three four five seven apple", "uno due tre quattro cinque sette mela"
    pairs = dict(zip(english.split(), italian.split(), strict=True))
    known = [(a, b) for a, b in pairs.items() if a in models[0].index and b in models[1].index]
    assert len(known) >= 5
    asked = dictionary(a=known)
    rows = np.array([(models[0].index[a], models[1].index[b]) for a, b in known])
    turned = (
        models[0].matrix
        @ orthogonal_procrustes(
            *(definitions.unit(each.matrix[rows[:, side]]) for side, each in enumerate(models))
        )[0]
    )
    found = translate(*models, asked, align="procrustes", train=asked)
    for method, csls in RANKS.items():
        expected = definitions.muse_accuracy(rows, turned, models[1].matrix, csls)
        assert [found[f"Translation(method={method})@{k}"].value for k in (1, 5, 10)] == expected


def test_the_command_gives_what_the_function_gives(world, tmp_path, monkeypatch, evaluator):
    monkeypatch.chdir(tmp_path)
    source, target, _, pairs = world
    for letter, matrix in (("s", source), ("t", target)):
        rows = (" ".join([f"{letter}{n}", *map(str, row)]) for n, row in enumerate(matrix.tolist()))
        (tmp_path / f"{letter}.vec").write_text(f"{len(matrix)} 20\n" + "\n".join(rows) + "\n")
    half = len(pairs) // 2
    for name, some in (("train", pairs[:half]), ("test", pairs[half:])):
        (tmp_path / f"la-te.{name}.txt").write_text("".join(f"s{a} t{b}\n" for a, b in some))
    asked = ("translate", "s.vec", "t.vec", "-d", "la-te.test.txt", "--train", "la-te.train.txt")
    ran = evaluator(*asked, "--align", "procrustes", "--json")
    assert ran.code == 0
    content = json.loads(ran.out)
    assert (content["format"], content["version"]) == ("translation", 3)
    found = translate("s.vec", "t.vec", "la-te.test.txt", align="procrustes", train="la-te.train.txt")
    assert {each["measure"]: each["value"] for each in content["results"][0]["scores"]} == {
        score.measure: score.value for score in found
    }
    assert [each.measure for each in found] == list(TRANSLATION_MEASURES)
    assert len(found.frame()) == 2 * len(found)
    (tmp_path / "t.json").write_text(ran.out)
    assert evaluator("report", "t.json", "--output", "t.html").code == 0
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "Translation(method=CSLS)@10" in page
    assert "evaluator translate s.vec t.vec" in page
    ran = evaluator(*asked)
    assert "s.vec to t.vec on la-te.test.txt (la-te)\n" in ran.out
    assert "\n400 words, 20 dimensions" in ran.out
    text = (tmp_path / "la-te.test.txt").read_text()
    for name, separator in (
        ("pairs.txt", " "),
        ("pairs.tsv", "\t"),
        ("pairs.csv", ","),
    ):  # whatever stands between
        (tmp_path / name).write_text(text.replace(" ", separator))
        other = evaluator("translate", "s.vec", "t.vec", "-d", name, *asked[5:])
        assert other.out.partition("\n")[2] == ran.out.partition("\n")[2]
    ran = evaluator("translate", "s.vec", "t.vec", "-d", "s.vec")
    assert (ran.code, "holds vectors, not a test set" in ran.err) == (2, True)
