"""Learning curves: nested subsets, interrupted runs, and onsets."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from evaluator import curve, score
from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import Category, Item
from evaluator.errors import CorpusError, MeasureError, StudyError
from evaluator.execution.machine import Machine
from evaluator.results.base import signed_line, to_json
from evaluator.results.score import Score
from evaluator.results.scores import COLUMNS
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves import CurveOptions, parse_size, run
from evaluator.studies.curves.points import CurveSetup, Point, PointTask, curve_test_sets, run_point
from evaluator.studies.curves.run import DEFINITIONS, ONE_SEED, first_lasting, notes_on, onsets, ratio
from evaluator.studies.curves.subsets import doubling_sizes, temporary_subset, write_subset
from evaluator.studies.trainers import train
from evaluator.text.corpus import Corpus
from evaluator.text.prepared_corpus import PreparedCorpus
from tests.conftest import NO_GENSIM

pytest.importorskip("gensim", reason=NO_GENSIM)

TOPICS = {topic: [f"{topic}{n}" for n in range(6)] for topic in ("sea", "sky", "ice", "oak")}
SMALL = Hyperparameters(architecture="skip-gram", dimension=16, epochs=20, min_count=3, learning_rate=0.05)
OPTIONS = CurveOptions(64, 2048, parameters=SMALL)


def corpus_text(lines=1200, seed=0):
    """Each line is about one topic, in capitals now and then, so that case matters."""
    draw = random.Random(seed)
    text = []
    for _ in range(lines):
        words = draw.choices(draw.choice(list(TOPICS.values())), k=draw.randint(3, 9))
        text.append(" ".join(word.title() if draw.random() < 0.2 else word for word in words))
    return "\n".join(text) + "\n"


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(corpus_text(), encoding="utf-8")
    return Corpus((path,), "en", "fold")


@pytest.fixture
def analogies(tmp_path):
    """Two relations whose columns are topics."""
    path = tmp_path / "questions.txt"
    lines = []
    for first, second in (("sea", "sky"), ("ice", "oak")):
        lines.append(f": {first}-{second}")
        pairs = [f"{a.title()} {b}" for a, b in zip(TOPICS[first], TOPICS[second], strict=True)]
        lines += [f"{one} {other}" for one, other in pairwise(pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_testset(path, "auto", "en")


@pytest.fixture
def categories(tmp_path):
    path = tmp_path / "topics.txt"
    text = "".join(f": {topic}\n" + "".join(f"{word}\n" for word in words) for topic, words in TOPICS.items())
    path.write_text(text, encoding="utf-8")
    return read_testset(path, "auto", "en")


@pytest.mark.parametrize(("text", "size"), [("2^10", 1024), ("1000", 1000), (" 2^0 ", 1), ("all", None)])
def test_sizes_are_read(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-4", "2^", "2^x", "3^4", "1e6", "1,000", "2^999", "every"])
def test_other_sizes_are_refused(text):
    with pytest.raises(StudyError, match="above 0"):
        parse_size(text)


def test_sizes_double_and_end_where_asked():
    assert doubling_sizes(64, 256, 1000) == [64, 128, 256]
    assert doubling_sizes(64, 300, 1000) == [64, 128, 256, 300]
    assert doubling_sizes(64, None, 1000) == [64, 128, 256, 512, 1000]
    assert doubling_sizes(64, 64, 64) == [64]


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (2000, None, "has 1,000 tokens, fewer than 2,000"),
        (10, 1001, "has 1,000 tokens, fewer than 1,001"),
        (20, 10, "smallest subset, 20 tokens, is above the largest, 10"),
    ],
)
def test_sizes_that_cannot_be_are_refused(first, last, message):
    with pytest.raises(StudyError, match=message):
        doubling_sizes(first, last, 1000)


def test_subsets_have_exact_sizes_and_larger_ones_begin_with_smaller_ones(corpus, tmp_path):
    whole = corpus.write_sentences(tmp_path / "sentences.txt")
    lines = whole.path.read_text(encoding="utf-8").splitlines()
    before: list[str] = []
    for size in doubling_sizes(5, None, whole.tokens):
        subset = write_subset(whole.path, 3, size, tmp_path / "subset.txt")
        read = subset.read(subset.path)
        assert subset.tokens == read.tokens == size
        assert (subset.counts, subset.number) == (read.counts, read.number)
        words = subset.path.read_text(encoding="utf-8").split()
        assert words[: len(before)] == before
        *full, cut = subset.path.read_text(encoding="utf-8").splitlines()
        assert set(full) <= set(lines)
        assert any(line.startswith(cut) for line in lines)
        before = words
    assert subset.counts == whole.counts
    assert sorted([*full, cut]) == sorted(lines)


def test_subsets_of_so_many_different_words_begin_with_smaller_ones_and_end_with_all(corpus, tmp_path):
    whole = corpus.write_sentences(tmp_path / "sentences.txt")
    before: list[str] = []
    for size in doubling_sizes(3, None, len(whole.counts), "types"):
        subset = write_subset(whole.path, 3, size, tmp_path / "subset.txt", "types")
        words = subset.path.read_text(encoding="utf-8").split()
        assert len(set(words)) == len(subset.counts) == size
        assert words[: len(before)] == before
        before = words
    assert subset.counts == whole.counts  # the words after the last new one, too


def test_each_seed_has_its_own_order(corpus, tmp_path):
    whole = corpus.write_sentences(tmp_path / "sentences.txt")
    paths = [tmp_path / name for name in "abc"]
    for seed, path in zip((1, 2, 1), paths, strict=True):
        write_subset(whole.path, seed, 200, path)
    one, other, again = (path.read_bytes() for path in paths)
    assert one == again != other
    assert one != b"".join(whole.path.read_bytes().splitlines(keepends=True)[: one.count(b"\n")])


def test_categories_are_made_of_both_columns(analogies):
    tests = curve_test_sets(None, analogies)
    made = {category.name: category.words for category in tests.categories.categories}
    assert list(made) == ["sea-sky, first", "sea-sky, second", "ice-oak, first", "ice-oak, second"]
    assert made["sea-sky, first"] == tuple(word.title() for word in TOPICS["sea"])
    assert made["sea-sky, second"] == tuple(TOPICS["sky"])
    assert tests.origin["ice-oak, second"] == "ice-oak"
    assert tests.categories.sha256 == tests.analogies.sha256 == analogies.sha256


def test_what_is_given_is_what_is_used(analogies, categories):
    both = curve_test_sets(categories, analogies)
    assert (both.categories.categories, both.origin) == (categories.categories, {})
    assert both.analogies.sections == analogies.sections
    alone = curve_test_sets(categories, None)
    assert alone.categories.categories == categories.categories
    assert alone.analogies.sections == ()
    assert curve_test_sets(analogies, None) == curve_test_sets(None, analogies)
    together = replace(categories, analogies=analogies.analogies)
    assert curve_test_sets(together, None).analogies.sections == analogies.sections


def test_nothing_to_score_is_refused(analogies, categories):
    with pytest.raises(StudyError, match=r"test set.*analogies"):
        curve_test_sets(None, None)
    with pytest.raises(StudyError, match=r"topics\.txt: .*analogies"):
        curve_test_sets(None, categories)
    with pytest.raises(StudyError, match=r"other: .*categories"):
        curve_test_sets(replace(analogies, name="other"), analogies)
    with pytest.raises(StudyError, match=r"categories.*analogies"):
        curve_test_sets(replace(categories, categories=()), None)


def slowly_first_lasting(sizes, reached):
    """As it is defined: the first size at which it holds, and at all larger ones."""
    return next(
        (size for size in sizes if all(r for s, r in zip(sizes, reached, strict=True) if s >= size)), None
    )


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_onset_is_the_first_size_that_lasts(reached):
    sizes = [2**n for n in range(len(reached))]
    assert first_lasting(sizes, reached) == slowly_first_lasting(sizes, reached)


def level(value, low, chance, baseline):
    return Score(measure="m", value=value, low=low, high=1.0, chance=chance, baseline=baseline, signature="m")


def onsets_of(rows):
    """Of value, low, chance and baseline by size."""
    return onsets([2**n for n in range(len(rows))], [level(*row) for row in rows])


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=6))
def test_onsets_are_what_their_definitions_say(rows):
    curve = [level(*row) for row in rows]
    end = curve[-1]
    holds = {
        "above chance": lambda e: e.low > e.chance,
        "above baseline": lambda e: e.low > e.chance and e.low > e.baseline,
        "tenth above chance": lambda e: (
            end.low > end.chance and e.value - e.chance >= 0.1 * (end.value - end.chance)
        ),
        "tenth of score": lambda e: end.low > end.chance and e.value >= 0.1 * end.value,
    }
    assert holds.keys() == DEFINITIONS.keys()
    sizes = [2**n for n in range(len(curve))]
    slow = {name: slowly_first_lasting(sizes, [hold(e) for e in curve]) for name, hold in holds.items()}
    assert onsets_of(rows) == slow


def test_a_score_that_falls_to_chance_again_had_no_onset():
    rising = [(0.3, 0.2, 0.1, 0), (0.2, 0.05, 0.1, 0), (0.5, 0.4, 0.1, 0.45), (0.9, 0.8, 0.1, 0.45)]
    assert onsets_of(rising)["above chance"] == 4
    assert onsets_of(rising)["above baseline"] == 8
    assert onsets_of([*rising, (0.1, 0.0, 0.1, 0)])["above chance"] is None


def test_ratio_of_onsets():
    assert str(ratio("d", "A", "T", {"A": 2**15, "T": 2**10})) == "32"


@pytest.mark.parametrize("found", [{"A": None, "T": 2**10}, {"A": 2**15, "T": None}, dict.fromkeys("AT")])
def test_there_is_no_ratio_of_an_onset_that_was_not_reached(found):
    missing = ratio("d", "A", "T", found)
    assert (missing.value, str(missing)) == (None, "–")


def test_what_is_not_scored_has_no_onset():
    later = level(0.5, 0.4, 0.1, 0.2)
    assert set(onsets([1, 2], [None, later]).values()) == {2}
    assert set(onsets([1, 2], [later, None]).values()) == {None}


def point_lines(folder):
    """The lines of the file of points in the order of size and seed: that of several processes varies."""
    head, *points = (folder / "points.jsonl").read_text(encoding="utf-8").splitlines()
    return [head, *sorted(points, key=lambda line: (json.loads(line)["size"], json.loads(line)["seed"]))]


def points_in(folder):
    """The models that a curve has trained, by size and seed."""
    return [msgspec.convert(json.loads(line), Point) for line in point_lines(folder)[1:]]


def test_measures_learn(corpus, analogies, tmp_path):
    plan = replace(OPTIONS, seeds=2, seeds_up_to=256)
    result = curve(corpus, str(tmp_path / "out"), None, analogies, plan)
    assert [each.size for each in result.sizes] == [64, 128, 256, 512, 1024, 2048]
    points = points_in(tmp_path / "out")
    made = [(point.size, point.seed) for point in points]
    assert made[:7] == [*((size, seed) for size in (64, 128, 256) for seed in (0, 1)), (512, 0)]
    for measure in ("Topk@3", "OddOneOut@3"):
        first, *_, last = result.curve(measure)
        assert last.value > 0.8
        assert first.value == pytest.approx(np.mean(first.seeds))
        assert (len(first.seeds), last.seeds) == (2, ()), "seeds are those of several training runs"
        assert result.onsets[measure]["above chance"] <= 2048
        for point in points:
            scores = point.scores.get("categories")
            if scores is not None:
                assert scores.keys == {"size": point.size, "seed": point.seed}
                values = [each.value for each in scores[measure].subscores]
                assert scores[measure].value == pytest.approx(np.mean(values))
    assert set(result.made_of.values()) == {"sea-sky", "ice-oak"}
    for scores in result.results[-2:]:
        assert scores.keys == {"size": 2048}
        for each in (each for measured in scores.measured for each in measured.subscores):
            assert 0 <= each.low <= each.value <= each.high <= 1
            assert each.chance is not None
    assert {each.over for each in result.ratios} == {"Topk@3", "OddOneOut@3"}
    assert not list((tmp_path / "out").glob("subset*"))
    frame = result.frame()
    of_all = (frame["part"] == "all") & (frame["words"] != "known")
    measured = frame[of_all & frame["measure"].isin(result.measures)]
    scored = [result.score(measure, each.size) for measure in result.measures for each in result.sizes]
    assert len(measured) == sum(each is not None for each in scored)
    unscored = [reason for point in points for reason in point.reasons]
    assert len(result.failures) == len(unscored)
    assert set(frame["size"]) == {size for size, _ in made}
    assert list(frame.columns) == [*COLUMNS, "size"]


def test_a_curve_of_one_size_is_a_score(corpus, categories, tmp_path):
    """With one seed, value and interval are those of `score`, and so is the interval of each category."""
    result = curve(corpus, tmp_path / "out", categories, None, replace(OPTIONS, first=2048))
    (scores,) = result.results
    sentences = corpus.write_sentences(tmp_path / "sentences.txt")
    subset = write_subset(sentences.path, 0, 2048, tmp_path / "subset.txt")
    settings = Settings(case="fold")
    expected = score(train(subset, SMALL, 0), categories, ["Topk@3", "OddOneOut@3"], settings)
    for one in scores:
        other = expected[one.measure]
        for name in ("value", "low", "high", "chance", "baseline", "n", "known"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-6), name
        for own, their in zip(one.subscores, other.subscores, strict=True):
            assert (own.low, own.high) == pytest.approx((their.low, their.high))


def test_an_onset_where_seeds_become_one_is_noted():
    of_size = {
        size: [Point(size, seed, 9, {}, {}, None) for seed in range(seeds)]
        for size, seeds in ((256, 2), (512, 1), (1024, 1))
    }
    found = {name: dict.fromkeys(DEFINITIONS, at) for name, at in (("Topk@3", 512), ("OddOneOut@3", 1024))}
    assert [note.partition(" tokens")[0] for note in notes_on(of_size, found)] == [
        "Topk@3: above chance at 512",
        "Topk@3: above baseline at 512",
    ]


def test_the_number_of_processes_changes_nothing(corpus, categories, tmp_path, two_workers):
    plan = replace(OPTIONS, last=256)
    one, two = (
        curve(corpus, tmp_path / f"{n}", categories, None, plan, Machine(n)) for n in (1, two_workers)
    )
    assert one == two
    assert point_lines(tmp_path / "1") == point_lines(tmp_path / "2")
    assert one.measures == ("Topk@3", "OddOneOut@3")
    assert one.ratios == ()


def test_an_interrupted_run_is_resumed(corpus, analogies, tmp_path, monkeypatch):
    plan = replace(OPTIONS, last=512, seeds=2)
    made = []

    def noted(task):
        made.append((task.size, task.seed))
        if len(made) == 4:
            raise KeyboardInterrupt
        return run_point(task)

    monkeypatch.setattr(run._Curve, "run", staticmethod(noted))
    with pytest.raises(KeyboardInterrupt):
        curve(corpus, tmp_path / "out", None, analogies, plan)
    assert made == [(64, 0), (64, 1), (128, 0), (128, 1)]
    shares = []
    result = curve(corpus, tmp_path / "out", None, analogies, plan, Machine(progress=shares.append))
    assert made[4:] == [(128, 1), (256, 0), (256, 1), (512, 0), (512, 1)]
    assert shares[0] == pytest.approx((64 + 64 + 128) / (2 * (64 + 128 + 256 + 512)))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    at_once = curve(corpus, tmp_path / "other", None, analogies, plan)
    assert result == at_once
    assert point_lines(tmp_path / "out") == point_lines(tmp_path / "other")
    made.clear()
    curve(corpus, tmp_path / "out", None, analogies, replace(plan, last=1024))
    assert made == [(1024, 0), (1024, 1)]


def test_a_curve_of_other_versions_is_refused(corpus, analogies, tmp_path, monkeypatch):
    plan = replace(OPTIONS, last=64)
    curve(corpus, tmp_path, None, analogies, plan)
    monkeypatch.setattr("evaluator.studies.resumable.versions", lambda: {"numpy": "0.0.0"})
    with pytest.raises(StudyError, match=r"numpy 0\.0\.0"):
        curve(corpus, tmp_path, None, analogies, plan)


def test_a_folder_of_another_curve_is_refused(corpus, analogies, categories, tmp_path):
    folder, plan = tmp_path / "out", replace(OPTIONS, last=64)
    curve(corpus, folder, categories, analogies, plan)
    other = replace(plan, parameters=replace(SMALL, dimension=8))
    with pytest.raises(StudyError, match="other settings"):
        curve(corpus, folder, categories, analogies, other)
    with pytest.raises(StudyError, match="categories was"):
        curve(corpus, folder, None, analogies, plan)
    with FileLock(folder / ".lock"), pytest.raises(StudyError, match="another process"):
        curve(corpus, folder, categories, analogies, plan)
    curve(corpus, folder, categories, analogies, replace(plan, seeds=2))


def test_what_cannot_be_trained_or_scored_has_no_score(corpus, analogies, tmp_path):
    plan = replace(OPTIONS, first=1, last=32)
    result = curve(corpus, tmp_path / "out", None, analogies, plan)
    points = points_in(tmp_path / "out")
    assert points[0].vocabulary == 0
    assert "no word occurs 3 times" in result.notes[0]
    assert result.notes[0].startswith("1 tokens: 1 of 1 models could not be trained: no word")
    assert result.curve("Analogy@1") == [None] * 6
    assert [line.partition(":")[0] for line in result.failed] == ["Analogy@1"]
    assert result.onsets["Analogy@1"] == dict.fromkeys(DEFINITIONS)
    first, *others = points
    assert (first.scores, first.reasons["OddOneOut@3"]) == ({}, first.reason)
    values = [each.scores["categories"]["OddOneOut@3"].value for each in others if each.scores]
    assert 0 in values  # too few words are known
    to_json(result)


def test_unknown_words_are_misses_and_categories_without_any_are_zeros(corpus, categories, tmp_path):
    unknown = Category("unknown", "unknown", tuple(Item(f"q{n}", (f"qqq{n}",)) for n in range(4)))
    more = replace(categories, categories=(*categories.categories, unknown))
    plan = replace(OPTIONS, first=2048, last=2048)
    half = curve(corpus, tmp_path / "more", more, None, plan).curve("OddOneOut@3")[0]
    whole = curve(corpus, tmp_path / "whole", categories, None, plan).curve("OddOneOut@3")[0]
    assert half.value == pytest.approx(whole.value * 4 / 5)
    assert half.chance == pytest.approx(whole.chance * 4 / 5) == 0.2
    assert half.baseline == pytest.approx(whole.baseline * 4 / 5)


def test_that_nothing_was_scored_is_noted(corpus, categories, tmp_path):
    unknown = Category("unknown", "unknown", tuple(Item(f"q{n}", (f"qqq{n}",)) for n in range(4)))
    plan = replace(OPTIONS, first=2048, last=2048)
    found = curve(corpus, tmp_path / "out", replace(categories, categories=(unknown,)), None, plan)
    assert all("nothing was scored, not even at 2,048 tokens: " in line for line in found.failed)
    assert [line.partition(":")[0] for line in found.failed] == ["Topk@3", "OddOneOut@3"]
    assert "no word is known" in found.failed[0]
    assert found.curve("Topk@3") == [None]


def test_a_seed_that_could_not_be_scored_counts_as_0_beside_one_that_could(corpus, categories, tmp_path):
    plan = replace(OPTIONS, first=512, last=512, seeds=2)
    curve(corpus, tmp_path / "out", categories, None, plan)
    path = tmp_path / "out" / "points.jsonl"
    head, first, second = point_lines(tmp_path / "out")
    lost = json.loads(second) | {"scores": {}, "reasons": dict.fromkeys(plan.measures, "no word is known")}
    del lost["sha256"]
    path.write_bytes("\n".join([head, first, ""]).encode() + signed_line(lost))
    found = curve(corpus, tmp_path / "out", categories, None, plan).curve("Topk@3")[0]
    value = points_in(tmp_path / "out")[0].scores["categories"]["Topk@3"].value
    assert (found.value, found.seeds) == (pytest.approx(value / 2), (value, 0))


def test_one_seed_is_said_in_one_line(corpus, categories, tmp_path):
    plan = replace(OPTIONS, first=512, last=1024)
    one = curve(corpus, tmp_path / "out", categories, None, plan)
    assert [note for note in one.notes if "seed" in note] == [f"one seed at each size: {ONE_SEED}"]
    two = curve(corpus, tmp_path / "out", categories, None, replace(plan, seeds=2))
    assert not [note for note in two.notes if "seed" in note]


def test_text_that_is_tokenized_already(corpus, categories, tmp_path):
    plan = replace(OPTIONS, first=64, last=64)
    folder = tmp_path / "out"
    split = replace(corpus, tokens="white-space")
    assert curve(split, folder, categories, None, plan).settings["tokens"] == "white-space"
    with pytest.raises(StudyError, match="tokens was white-space, is letter-runs"):
        curve(corpus, folder, categories, None, plan)


def write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("precious\n", encoding="utf-8")
    return path


def test_what_a_killed_run_left_is_taken_away_and_nothing_else(corpus, categories, tmp_path):
    folder = tmp_path / "out"
    for name in ("subset.txt", ".17.subset.txt", "lock"):
        write(folder / ".part.subset-abc" / name)
    others = ("subset-latin/thesis.txt", ".part.subset-x/thesis.txt", ".part.subset-x/subset.txt")
    kept = [write(folder / name) for name in (*others, ".part.subset-y/my-subset.txt")]
    kept.append(write(tmp_path / "mine" / "subset.txt"))
    (folder / ".part.subset-link").symlink_to(tmp_path / "mine")
    curve(corpus, folder, categories, None, replace(OPTIONS, last=64))
    assert not (folder / ".part.subset-abc").exists()
    assert all(path.exists() for path in kept)


def test_what_is_in_use_stays(tmp_path):
    with temporary_subset(tmp_path) as path:
        write(path)
        os.utime(path.parent, (0, 0))  # a model may be trained for days
        left = write(tmp_path / ".part.subset-left" / "subset.txt").parent
        just = write(tmp_path / ".part.subset-just" / "subset.txt").parent
        os.utime(left, (0, 0))
        with temporary_subset(tmp_path):
            assert path.exists()
            assert not left.exists()
            assert just.exists()
    assert list(tmp_path.iterdir()) == [just]


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="there is no folder that nobody may write to")
def test_subsets_are_elsewhere_where_a_folder_may_only_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_subset(Path("/sys/kernel")) as path:
        assert path.parent.parent == tmp_path


@pytest.fixture
def elsewhere(corpus, categories, tmp_path, monkeypatch):
    """A task as a worker gets it that sees the corpus, but not the folder of the curve."""
    for name in ("cache", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    prepared = PreparedCorpus.of(corpus, tmp_path / "nowhere")
    settings = replace(OPTIONS.settings, case="fold")
    options = CurveOptions(parameters=SMALL, measures=("Topk@3", "OddOneOut@3"), settings=settings)
    setup = CurveSetup(prepared, curve_test_sets(categories, None), options, Machine(threads=1))
    return PointTask(256, 0, setup)


def test_a_worker_that_does_not_see_the_folder_prepares_the_corpus_itself(
    elsewhere, corpus, categories, tmp_path
):
    made = curve(corpus, tmp_path / "out", categories, None, replace(OPTIONS, first=256, last=256))
    assert made.sizes[0].size == 256
    assert [run_point(elsewhere)] == points_in(tmp_path / "out")
    (sentences,) = (tmp_path / "cache").rglob("sentences.txt")
    assert sentences.read_bytes() == (tmp_path / "out" / "sentences.txt").read_bytes()
    assert not (tmp_path / "nowhere").exists()
    assert not list((tmp_path / "temporary").iterdir())


def test_a_worker_whose_cache_is_cleared_prepares_the_corpus_again(elsewhere, tmp_path):
    point = run_point(elsewhere)
    shutil.rmtree(tmp_path / "cache")
    assert run_point(elsewhere) == point


def test_nothing_stays_on_such_a_worker_of_what_cannot_be_trained(elsewhere, tmp_path):
    rare = replace(elsewhere.setup.options, parameters=replace(SMALL, min_count=10_000))
    point = run_point(replace(elsewhere, setup=replace(elsewhere.setup, options=rare)))
    assert "no word occurs 10000 times" in point.reason
    assert not list((tmp_path / "temporary").iterdir())


def test_a_worker_that_sees_another_corpus_or_none_is_refused(elsewhere, tmp_path):
    (tmp_path / "corpus.txt").write_text(corpus_text(seed=1), encoding="utf-8")
    with pytest.raises(CorpusError, match=r"corpus\.txt: .*all workers"):
        run_point(elsewhere)
    (tmp_path / "corpus.txt").unlink()
    with pytest.raises(CorpusError, match=r"corpus\.txt: .*No such file.*all workers"):
        run_point(elsewhere)


def test_a_folder_of_another_curve_under_the_same_name_is_not_that_of_the_curve(elsewhere, tmp_path):
    """As where each machine has a /scratch of its own."""
    other = tmp_path / "other.txt"
    other.write_text(corpus_text(seed=1), encoding="utf-8")
    stranger = elsewhere.setup.corpus.folder
    stranger.mkdir()
    PreparedCorpus.of(Corpus((other,), "en", "fold"), stranger).prepare(lemmas=False)
    found = elsewhere.setup.corpus.sentences(lemmas=False)
    assert found.path.parent != stranger
    assert found.counts == elsewhere.setup.corpus.corpus.counts()


def test_the_rest_is_there_when_a_process_died(corpus, categories, tmp_path, monkeypatch):
    def two_die(machine, function, tasks, died):
        for task in tasks:
            yield task, died(task, "it died") if task.size == 64 else function(task)

    monkeypatch.setattr(Machine, "run_each", two_die)
    found = curve(corpus, tmp_path / "out", categories, None, replace(OPTIONS, last=128))
    assert [each.size for each in found.sizes] == [128]
    assert [line.partition(";")[0] for line in found.failed] == ["64 tokens, seed 0: it died"]
    with pytest.raises(StudyError, match="64 tokens, seed 0"):
        curve(corpus, tmp_path / "nothing", categories, None, replace(OPTIONS, last=64))
    _, line = point_lines(tmp_path / "out")
    assert json.loads(line)["size"] == 128


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"first": 0}, StudyError, "first is 0"),
        ({"seeds": 0}, StudyError, "seeds is 0"),
        ({"measures": ()}, StudyError, "no measures"),
        ({"measures": ("Top@3",)}, MeasureError, "unknown measure 'Top'"),
        ({"settings": Settings(oov="skip")}, StudyError, "a curve needs 'wrong'"),
        ({"settings": Settings(seed=2**32 - 1), "seeds": 2}, StudyError, "seeds must be below 2"),
    ],
    ids=["first", "seeds", "no measures", "measure", "oov", "seed"],
)
def test_plans_that_make_no_sense_are_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        CurveOptions(**wrong)


def test_measures_must_find_something(corpus, categories, tmp_path):
    with pytest.raises(StudyError, match="Analogy@1"):
        curve(corpus, tmp_path / "out", categories, None, replace(OPTIONS, measures=("Analogy@1",)))
    with pytest.raises(StudyError, match=r"Similarity: .*categories.*analogies"):
        curve(corpus, tmp_path / "out", categories, None, replace(OPTIONS, measures=("Similarity",)))


@pytest.fixture
def command(tmp_path, monkeypatch, evaluator, corpus, analogies):
    """The command line on the small corpus."""
    monkeypatch.chdir(tmp_path)

    def call(*options, analogies=True):
        asked = ["--analogies", "questions.txt"] if analogies else []
        sizes = ["--only", "dimension=16", "--only", "min_count=3", "--epochs", "10", "--output", "out"]
        return evaluator("curve", "corpus.txt", *asked, *sizes, *options)

    return call


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("window=5,10", "window=5,10: give one value; `evaluator tune` tries several"),
        ("dimension", "--only dimension: give a name and values"),
        ("size=5", "size: no such hyper-parameter; choose from model, architecture, dimension, window"),
        ("window=wide", "window: 'wide' is not a value of it"),
        ("window=0", "window is 0"),
        ("lemmas=yes", "lemmas: a curve is of the corpus as it is"),
    ],
)
def test_hyperparameters_that_are_none_are_refused(command, tmp_path, only, said):
    assert said in command("--test", "topics.txt", "--only", only)[1]
    assert not (tmp_path / "out").exists()


def test_command(command, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.results.figures.FORMATS", ("svg",))
    out, said, code = command("--from", "2^6", "--to", "1000", "--seeds", "2", "--seeds-up-to", "2^7")
    assert code == 0
    lines = said.splitlines()
    assert len(lines) == 7
    assert lines[0].startswith("evaluator:   3% 64 tokens, seed 0: Topk@3 0.")
    assert out.startswith("Learning curve: corpus.txt, ")
    assert "scored on questions.txt." in out
    rows = [line.split() for line in out.splitlines()]
    seeds = {"64": "2", "128": "2", "256": "1", "512": "1", "1,000": "1"}
    assert {row[0]: row[1] for row in rows if row and row[0] in seeds} == seeds
    for name in DEFINITIONS:
        assert sum(line.startswith(f"{name} ") for line in out.splitlines()) == 2
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"curve.svg", "categories.svg", "curve.json", "curve.csv"} <= written
    before = json.loads((tmp_path / "out" / "curve.json").read_bytes())
    out, said, code = command(
        "--from", "64", "--to", "1000", "--seeds", "2", "--seeds-up-to", "128", "--json", "--no-figure"
    )
    content = json.loads(out)
    assert (content["format"], content["version"]) == ("curve", 3)
    assert content == json.loads((tmp_path / "out" / "curve.json").read_text(encoding="utf-8"))
    assert [each["size"] for each in content["sizes"]] == [64, 128, 256, 512, 1000]
    spelled = {name: before[name] for name in ("arguments", "sha256")}  # sizes are in another way
    assert content | spelled == before


def test_command_says_what_has_nothing_to_score(command, categories):
    _, said, code = command(
        *("--test", "topics.txt", "--from", "64", "--to", "64", "--no-figure", "-m", "Topk@2"),
        *("-m", "Analogy@1"),
        analogies=False,
    )
    assert code == 1
    assert said.endswith("evaluator: Analogy@1: the test sets have nothing for it\n")


def test_command_with_categories(command, tmp_path, categories):
    (tmp_path / "out").mkdir()
    out, said, code = command(
        "--test", "topics.txt", "--from", "64", "--to", "128", "--no-figure", "-m", "Topk@2", analogies=False
    )
    assert (said.count("\n"), code) == (2, 0)
    assert "scored on topics.txt." in out
    assert "ratio" not in out
    assert not list((tmp_path / "out").glob("*.svg"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "2^30"], "tokens, fewer than 1,073,741,824; ask for smaller sizes"),
        (["--from", "all"], "--from all: give the smallest size"),
        (["--from", "2^x"], "size '2^x': give a number of tokens above 0"),
        (["--from", "512", "--to", "64"], "the smallest subset, 512 tokens, is above the largest, 64"),
        (["--seeds", "0"], "seeds is 0; it must be 1 or more"),
    ],
    ids=["too large", "from all", "no size", "backwards", "no seeds"],
)
def test_command_refuses(command, options, message):
    out, said, code = command("--no-figure", *options)
    assert (out, code) == ("", 2)
    assert said.startswith("evaluator: ")
    assert message in said
