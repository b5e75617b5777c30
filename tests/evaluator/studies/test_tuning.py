"""Tuning: samples, halves, interrupted searches, and a number that is not too good."""

# ruff: noqa: PD011 (outcomes have values; there is no table here)

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock
from msgspec import structs

from evaluator import (
    Category,
    Corpus,
    CorpusError,
    Item,
    MeasureError,
    OutputError,
    Settings,
    StudyError,
    TestSet,
    TestSetError,
    TrainingError,
    load_vectors,
    score,
)
from evaluator.datasets.reading import read_testset
from evaluator.datasets.testset import RelatedWords, merge
from evaluator.errors import ExtraError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import versions
from evaluator.measures.keywordrank import KeywordRank
from evaluator.reports.page import Notes, Text
from evaluator.reports.sections.tuning import tuning_section
from evaluator.results.base import to_json
from evaluator.results.scores import COLUMNS
from evaluator.results.tuning import CHOICE, Trial
from evaluator.settings import Hyperparameters
from evaluator.statistics.holdout import TestSetHalf, split_in_halves
from evaluator.statistics.scores import combined
from evaluator.studies.tuning import PAPER, Space, Tuning, tune
from evaluator.studies.tuning.search import ONE_SEED
from evaluator.studies.tuning.space import SAMPLERS
from evaluator.studies.tuning.trial import normalized
from tests.conftest import NO_GENSIM, REPOSITORY
from tests.evaluator.small_studies import TOPICS, topic_lines

pytest.importorskip("gensim", reason=NO_GENSIM)

SPACE = Space(dimension=(4, 8), window=(2, 4), learning_rate=(0.001, 0.1), min_count=(2, 3), lemmas=(False,))
SIX = Tuning(trials=5, space=SPACE)


def on(result, trial, view):
    """The scores of a model that was trained again."""
    keys = {"trial": trial, "view": view}
    return next(each for each in result.results if each.keys == keys)


def differences(result):
    return {each.measure: each for each in result.differences}


def test_set(topics=TOPICS):  # noqa: PT028 - no test
    return TestSet(
        "en",
        "topics.json",
        "0" * 64,
        tuple(
            Category(name, name, tuple(Item(f"Q-{word}", (word,)) for word in words))
            for name, words in topics.items()
        ),
    )


test_set.__test__ = False


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(topic_lines()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(text):
    return Corpus((text,), "en")


@pytest.fixture(scope="module")
def six(corpus, tmp_path_factory):
    """What a search of six trials finds, and its folder."""
    folder = tmp_path_factory.mktemp("six")
    return tune(corpus, test_set(), folder, SIX), folder


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return Corpus((path,), "en")


def same(one, other):
    pd.testing.assert_frame_equal(one.frame(), other.frame())
    for result in (one, other):
        assert result.best == one.best
    assert other.results == one.results
    return True


# The space


def test_the_space_of_the_paper():
    choices = PAPER.choices()
    assert [len(choices[name]) for name in ("dimension", "window", "learning_rate", "min_count")] == [
        *(31, 9, 3, 9)
    ]
    assert np.prod([len(values) for values in choices.values()]) == 31 * 9 * 3 * 9 * 2 * 2 * 2


def test_fewer_samples_are_the_first_of_more():
    many = PAPER.samples(50, 7)
    assert PAPER.samples(20, 7) == many[:20]
    assert PAPER.samples(20, 8) != many[:20]
    assert len(set(many)) > 45


def test_all_values_are_equally_likely():
    samples = PAPER.samples(3000, 0)
    for name, values in PAPER.choices().items():
        found = [getattr(sample, name) for sample in samples]
        assert set(found) == set(values)
        expected = len(samples) / len(values)
        assert all(abs(found.count(value) - expected) < 5 * expected**0.5 for value in values)


def test_every_corpus_is_tried_with_the_same_samples(six, tmp_path):
    other = tune(write(tmp_path / "other", "\n".join(topic_lines(5))), test_set(), tmp_path / "study", SIX)
    assert [each.parameters for each in other.trials] == [each.parameters for each in six[0].trials]
    assert [each.parameters for each in other.trials] == [Hyperparameters(), *SPACE.samples(5, 0)]


def test_a_space_is_narrowed():
    found = PAPER.narrowed(
        {"dimension": "50, 100", "model": "fasttext", "lemmas": "no", "learning_rate": "1e-2"}
    )
    assert (found.dimension, found.model, found.lemmas) == ((50, 100), ("fasttext",), (False,))
    assert found.learning_rate == (0.01,)
    assert found.window == PAPER.window


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("size", "3", "size: no such hyper-parameter; choose from model, architecture, dimension"),
        ("dimension", "ten", "dimension: 'ten' is not a value of it"),
        ("lemmas", "perhaps", "lemmas: 'perhaps' is not a value of it"),
        ("window", "", "window: '' is not a value of it"),
        ("window", "0", "window is 0; it must be 1 or more"),
        ("model", "glove", "model is 'glove'; choose from"),
    ],
)
def test_values_that_do_not_exist_are_named(name, text, message):
    with pytest.raises((StudyError, TrainingError), match=message):
        PAPER.narrowed({name: text})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sampler": "grid"}, "sampler is 'grid'; choose from random, tpe"),
        ({"trials": 0}, "trials is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**32}, "seed is 4294967296; it must be 0 or more, and below"),
        ({"seeds": 0}, "seeds is 0"),
        ({"measures": ()}, "no measures given"),
        ({"measures": ("Topk@3", "Analogy@1")}, "Analogy@1: models are chosen by measures of categories"),
    ],
)
def test_searches_that_make_no_sense_are_refused(given, message):
    with pytest.raises(StudyError, match=message):
        Tuning(**given)


def test_measures_are_looked_at_before_any_work():
    with pytest.raises(MeasureError):
        Tuning(measures=("Topk@0", "OddOneOut@3"))


# What a search finds


def test_the_best_is_found_and_judged_by_the_other_half(six):
    result, _ = six
    best, default = result.trials[result.best], result.trials[result.default]
    assert [each.number for each in result.trials] == list(range(6))
    assert default.number == 0
    assert best.rank == max(each.rank for each in result.trials)
    assert best.values["Combined"] > default.values["Combined"] + 0.2
    assert result.reported_on == "report"
    assert set(differences(result)) == {"Topk@3", "OddOneOut@3", "Combined"}
    assert result.found
    assert all(each.verdict for trial in result.trials for each in trial.scores or ())
    (judged,) = [
        block.items
        for block in tuning_section(result).walk()
        if isinstance(block, Notes) and block.title.startswith("Verdicts")
    ]
    by_topk = on(result, result.best, "report")["Topk@3"]
    assert "; ".join((f"best, Topk@3: {by_topk.verdict}", *by_topk.paired_tests)) in judged
    levels = "chance, frequency and spelling by "
    assert result.conclusion.startswith(f"The best of the search, trial {best.number}, is above {levels}")
    tests = [found.tested for found in result.differences]
    assert all(found.low > 0 and found.p < 0.05 for found in tests)
    assert result.categories == {"choice": 3, "report": 3, "whole": 3}
    assert (result.left_out, result.notes, result.failed) == ({}, (ONE_SEED,), ())


def test_the_model_that_is_kept_is_the_one_in_the_table(six):
    """Scores of the file are the numbers reported, and those of the half that chooses are the table's."""
    result, folder = six
    (path,) = [path for path in folder.iterdir() if path.name.startswith("model.")]
    found = score(load_vectors(path), test_set(), ["Topk@3", "OddOneOut@3"])
    whole = on(result, result.best, "whole")
    for each in found.measured:
        assert each.value == pytest.approx(whole[each.measure].value, abs=1e-6)
    for trial in (result.best, result.default):
        chosen, values = on(result, trial, CHOICE), result.trials[trial].values
        assert chosen["Topk@3"].value == pytest.approx(values["Topk@3"])
        sampled = values["OddOneOut(samples=1000)@3"]
        assert chosen["OddOneOut@3"].value == pytest.approx(sampled, abs=0.05)


def test_the_table_has_the_best_first(six):
    result, frame = six[0], six[0].frame()
    ranking = frame[(frame["measure"] == result.ranked_by) & (frame["part"] == "all")]
    assert list(ranking["value"][:6]) == sorted(ranking["value"][:6], reverse=True)
    assert set(ranking["view"][:6]) == {"choice"}
    assert frame["trial"].iloc[0] == result.best
    again = ranking[6:]
    assert list(again["trial"]) == [result.best] * 3 + [0] * 3
    assert list(again["view"]) == ["choice", "report", "whole"] * 2
    assert list(frame.columns)[: len(COLUMNS)] == list(COLUMNS)
    assert set(frame["dimension"]) <= {4, 8, 100}
    assert set(frame["kind"]) <= {"word2vec", "fasttext"}


def test_the_sentences_stay_in_the_folder(six):
    names = {path.name for path in six[1].iterdir()}
    assert {"sentences.txt", "sentences.sha256", "trials.jsonl"} <= names
    assert not [name for name in names if name.endswith(".lock") and name != ".lock"]


def test_on_the_whole_test_set_there_is_no_other_half(corpus, tmp_path):
    result = tune(corpus, test_set(), str(tmp_path), replace(SIX, trials=1, halves=False))
    assert result.reported_on == "whole"
    assert result.categories == {"choice": 3, "whole": 3}
    assert on(result, result.best, "whole").scores == on(result, result.best, CHOICE).scores
    record = result
    assert (record.found, record.told) == (False, {})
    assert record.conclusion.startswith("Without a held-out half, nothing says how good the best is; trial ")


def test_lemmas_are_trained_on_lemmas(tmp_path):
    pytest.importorskip("simplemma")
    animals, buildings = ["cats", "dogs", "horses", "birds", "cows", "pigs"], ["houses", "towers", "bridges"]
    generator = np.random.default_rng(0)
    topics = [animals, [*buildings, "churches", "castles", "walls"]]
    text = "\n".join(" ".join(generator.choice(topics[i % 2], 8)) for i in range(60))
    space = replace(SPACE, lemmas=(True,), model=("word2vec",))
    given = test_set({"animal": topics[0], "building": topics[1]})
    result = tune(write(tmp_path / "text", text), given, tmp_path / "study", Tuning(trials=1, space=space))
    assert [each.parameters.lemmas for each in result.trials] == [False, True]
    written = (tmp_path / "study" / "sentences-lemmas.txt").read_text(encoding="utf-8").split()
    assert {"cat", "house"} <= set(written)
    assert not {"cats", "houses"} & set(written)
    assert result.trials[1].values["Topk@3"] > 0


def test_without_a_dictionary_there_are_no_lemmas(text, tmp_path):
    pytest.importorskip("simplemma")
    corpus = Corpus((text,), "akk")
    both = Tuning(trials=1, space=replace(SPACE, lemmas=(False, True)))
    result = tune(corpus, test_set(), tmp_path / "both", both)
    assert {each.parameters.lemmas for each in result.trials} == {False}
    assert result.notes[0].startswith("no lemmas: simplemma")
    with pytest.raises(CorpusError, match="'akk'"):
        tune(corpus, test_set(), tmp_path / "lemmas", replace(both, space=replace(SPACE, lemmas=(True,))))
    assert not (tmp_path / "lemmas").exists()


def test_tpe_learns_from_earlier_trials():
    """It tries a dimension more often where that is good than where the other one is; nothing is trained."""
    pytest.importorskip("optuna")

    def tried(good):
        finished = []
        for number, each in SAMPLERS["tpe"](SPACE, 30, 0, Hyperparameters()).untried(finished):
            value = float(each.dimension == good)
            finished.append(SimpleNamespace(number=number, parameters=each, value=value))
        return [each.parameters.dimension for each in finished]

    assert tried(8).count(8) > 1.5 * tried(4).count(8)


@pytest.mark.slow
def test_tpe_tries_what_is_in_the_space(corpus, tmp_path):
    given = Tuning(trials=14, space=SPACE, sampler="tpe")
    result = tune(corpus, test_set(), tmp_path, given)
    assert [each.number for each in result.trials] == list(range(15))
    assert result.trials[0].parameters == Hyperparameters()
    assert {each.parameters for each in result.trials[1:]} != set(SPACE.samples(14, 0))
    tried = [asdict(each.parameters) for each in result.trials[1:]]
    assert all(each[name] in values for each in tried for name, values in SPACE.choices().items())


# Resuming


class Interrupted(Exception):  # noqa: N818
    """What stands for the user's Ctrl-C."""


def interrupting(after):
    """A progress that ends the search at its so many-eth call."""
    calls = []

    def progress(share):
        calls.append(share)
        if len(calls) == after:
            raise Interrupted

    return progress


@pytest.mark.parametrize(
    ("workers", "after"),
    [
        pytest.param(1, (3, 2), id="alone"),
        pytest.param(2, (4,), id="two workers", marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_search_is_resumed(six, corpus, tmp_path, workers, after):
    corpus.counts()  # its cached normalizer cannot be sent to other processes
    for number in after:
        with pytest.raises(Interrupted):
            tune(corpus, test_set(), tmp_path, SIX, Machine(workers, progress=interrupting(number)))
    shares = []
    result = tune(corpus, test_set(), tmp_path, SIX, Machine(progress=shares.append))
    assert shares[0] == pytest.approx(3 / 6)
    assert shares[-1] == 1
    same(six[0], result)


def test_a_finished_search_trains_no_trial_again(six, corpus, monkeypatch):
    monkeypatch.setattr("evaluator.studies.tuning.search.run_trial", None)
    same(six[0], tune(corpus, test_set(), six[1], SIX))


@pytest.mark.slow
def test_fewer_trials_are_the_first_of_more(six, corpus, tmp_path):
    fewer = tune(corpus, test_set(), tmp_path, replace(SIX, trials=2))
    assert len(fewer.trials) == 3
    same(six[0], tune(corpus, test_set(), tmp_path, SIX))
    same(fewer, tune(corpus, test_set(), tmp_path, replace(SIX, trials=2)))
    # One model is kept, and not that of the search before.
    assert len([path for path in tmp_path.iterdir() if path.name.startswith("model.")]) == 1


PROGRAM = """
import sys
from pathlib import Path
from tests.evaluator.studies import test_tuning as t
if __name__ == "__main__":
    t.tune(t.Corpus((Path(sys.argv[1]),), "en"), t.test_set(), Path(sys.argv[2]), t.SIX)
"""


@pytest.mark.slow
def test_a_killed_search_is_resumed(six, text, corpus, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, text, tmp_path], cwd=REPOSITORY)
    trials = tmp_path / "trials.jsonl"
    for _ in range(3000):
        if trials.exists() and trials.read_bytes().count(b"\n") > 1:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    same(six[0], tune(corpus, test_set(), tmp_path, SIX))


def test_tpe_is_resumed_with_what_it_has_learnt(corpus, tmp_path):
    given = Tuning(trials=3, space=SPACE, sampler="tpe")
    with pytest.raises(Interrupted):
        tune(corpus, test_set(), tmp_path, given, Machine(progress=interrupting(3)))
    before = (tmp_path / "trials.jsonl").read_bytes()
    result = tune(corpus, test_set(), tmp_path, given)
    assert [each.number for each in result.trials] == [0, 1, 2, 3]
    assert (tmp_path / "trials.jsonl").read_bytes().startswith(before)
    assert len({each.parameters for each in result.trials}) == 4


def test_tpe_needs_optuna(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.studies.tuning.space.find_spec", lambda _: None)
    with pytest.raises(ExtraError, match=r"pip install 'testgen-evaluator\[tune\]'"):
        tune(corpus, test_set(), tmp_path / "study", replace(SIX, sampler="tpe"))
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed was 0, is 1"),
        ({"epochs": 6}, "epochs was 5, is 6"),
        ({"measures": ("Topk@3",)}, r"measures was \['Topk@3', 'OddOneOut@3'\], is \['Topk@3'\]"),
        ({"halves": False}, "halves was True, is False"),
        ({"settings": Settings(oov="skip")}, "oov was wrong, is skip"),
        ({"space": replace(SPACE, window=(2,))}, r"window was \[2, 4\], is \[2\]"),
    ],
    ids=["seed", "epochs", "measures", "halves", "settings", "space"],
)
def test_a_study_of_other_settings_is_refused_with_what_changed(six, corpus, change, message):
    with pytest.raises(StudyError, match=rf"\({message}.*another output"):
        tune(corpus, test_set(), six[1], replace(SIX, **change))


def test_a_study_of_other_versions_is_refused(six, corpus, tmp_path, monkeypatch):
    folder = tmp_path / "study"
    shutil.copytree(six[1], folder)
    monkeypatch.setattr("evaluator.studies.resumable.versions", lambda: {**versions(), "gensim": "0.0.0"})
    with pytest.raises(StudyError, match=r"gensim 0\.0\.0"):
        tune(corpus, test_set(), folder, SIX)


def test_a_study_of_another_corpus_or_test_set_is_refused(six, tmp_path, corpus, text):
    with pytest.raises(StudyError, match=r"settings \(corpus was "):
        tune(write(tmp_path / "text", "\n".join(topic_lines(9))), test_set(), six[1], SIX)
    with pytest.raises(StudyError, match="test set was 0000"):
        tune(corpus, replace(test_set(), sha256="1" * 64), six[1], SIX)
    folded = Corpus((text,), "en", "fold")
    with pytest.raises(StudyError, match=r"corpus was .*; case was exact, is fold"):
        tune(folded, test_set(), six[1], SIX)


def test_a_folder_that_cannot_be_written_to_is_refused_at_once(corpus, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError):
        tune(corpus, test_set(), tmp_path / "file" / "study", SIX)


def test_one_process_at_a_time(corpus, tmp_path):
    with FileLock(tmp_path / ".lock"), pytest.raises(StudyError, match="another process"):
        tune(corpus, test_set(), tmp_path, SIX)


# Corpora and test sets that do not fit


def test_a_corpus_is_not_written_over(tmp_path):
    """The sentences have a file of their own in the folder, of a name that a corpus may have too."""
    given = write(tmp_path / "sentences.txt", "\n".join(topic_lines()))
    before = given.paths[0].read_bytes()
    with pytest.raises(OutputError, match=r"overwrite.*another output"):
        tune(given, test_set(), tmp_path, SIX)
    assert given.paths[0].read_bytes() == before


def test_a_test_set_without_categories_says_so(corpus, tmp_path):
    with pytest.raises(StudyError, match="no categories"):
        tune(corpus, test_set({}), tmp_path, SIX)


def test_test_sets_in_another_script_say_so(corpus, tmp_path):
    given = test_set({"देश": ["भारत", "नेपाल", "भूटान"]})
    message = r"occurs in text\.txt; the corpus is in Latin script, the test set in Devanagari"
    with pytest.raises(StudyError, match=message):
        tune(corpus, given, tmp_path, SIX)


def test_test_sets_of_another_language_say_so(corpus, tmp_path):
    with pytest.raises(StudyError, match="language"):
        tune(corpus, test_set({"a": ["rex", "urbs", "via"]}), tmp_path, SIX)


def test_words_that_are_all_too_rare_say_so(tmp_path):
    rare = write(tmp_path / "text", " ".join(word for words in TOPICS.values() for word in words))
    message = r"nothing can be measured with text: .*\b3 words.*\b2 times.*about 300,000 tokens, lemmas"
    with pytest.raises(StudyError, match=message):
        tune(rare, test_set(), tmp_path / "study", SIX)


def test_too_few_words_for_halves_can_be_had_whole(corpus, tmp_path):
    """In the same folder: nothing has been tried there yet."""
    given = test_set({name: words[:5] for name, words in TOPICS.items()})
    with pytest.raises(StudyError, match=r"\b6 words.*--whole"):
        tune(corpus, given, tmp_path, replace(SIX, trials=1))
    result = tune(corpus, given, tmp_path, replace(SIX, trials=1, halves=False))
    assert result.categories == {"choice": 3, "whole": 3}


def test_categories_that_cannot_be_halved_are_left_out_and_named(corpus, tmp_path):
    given = test_set({**TOPICS, "small": TOPICS["topic0"][:5], "else": ["rex", "urbs"]})
    result = tune(corpus, given, tmp_path, replace(SIX, trials=1))
    assert result.left_out.keys() == {"small", "else"}
    assert result.categories == {"choice": 3, "report": 3, "whole": 4}


def test_a_trial_that_fails_is_a_result(tmp_path):
    given = write(tmp_path / "text", "\n".join(topic_lines(number=12)))  # each word occurs about twice
    space = replace(SPACE, min_count=(1, 50))
    result = tune(given, test_set(), tmp_path / "study", Tuning(trials=6, space=space, seed=1))
    failed = [each for each in result.trials if each.parameters.min_count == 50]
    assert {each.reason for each in failed} == {"no word occurs 50 times; lower the min count"}
    assert result.trials[result.best].reason is None
    said = f"{len(failed)} trials failed, for example {failed[0].number}: no word"
    assert any(note.startswith(said) for note in result.notes)
    assert result.frame()["reason"].notna().sum() == len(failed)
    assert json.loads(to_json(result))["trials"][failed[0].number]["reason"]


def test_that_all_trials_fail_is_an_error(tmp_path):
    given = write(tmp_path / "text", "\n".join(topic_lines(number=12)))
    space = replace(SPACE, learning_rate=(1.0,), min_count=(1,))
    many = Tuning(trials=1, space=space)
    tune(given, test_set(), tmp_path / "one", many)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evaluator.studies.trainers.train", failing)
        with pytest.raises(StudyError, match="out of luck"):
            tune(given, test_set(), tmp_path / "two", many)


def failing(*arguments, **more):
    raise TrainingError("out of luck")


# A category that one model knows and another does not


def rare_world(tmp_path):
    """Words that the default hyper-parameters, which want 5 occurrences, leave out."""
    return write(tmp_path / "text", "\n".join([*topic_lines(number=9), "und " * 40]))


def test_a_default_that_knows_no_category_has_no_score(tmp_path):
    space = replace(SPACE, min_count=(1,), model=("word2vec",), learning_rate=(0.1,))
    result = tune(rare_world(tmp_path), test_set(), tmp_path / "study", Tuning(trials=2, space=space))
    assert result.trials[0].value is None
    assert "no word is known" in result.trials[0].reason
    assert {"trial": 0, "view": CHOICE} not in [each.keys for each in result.results]
    assert result.failed == ()
    assert any(note.startswith("default: ") and "no word is known" in note for note in result.notes)
    assert result.best > 0
    frame = result.frame().set_index("trial")
    assert any("no word is known" in reason for reason in frame.loc[0, "reason"].dropna())
    to_json(result)


def test_a_best_model_that_knows_nothing_of_the_other_half_says_so(six):
    result, _ = six
    keys = {"trial": result.best, "view": "report"}
    others = [each for each in result.results if each.keys != keys]
    record = structs.replace(result, results=tuple(others), found=False)
    assert not record.found
    assert record.conclusion.startswith("No model was found: the best of the search, trial ")
    to_json(record)


def test_the_model_that_knows_less_is_not_favoured_by_it(tmp_path):
    """The default scores a category that the best lacks words of: the difference says so."""
    text = [*topic_lines(number=60), *(" ".join(f"r{i}" for i in range(8)) for _ in range(5))]
    rare = [f"r{i}" for i in range(8)]
    space = replace(SPACE, min_count=(1, 6), model=("word2vec",), learning_rate=(0.1,))
    seed = next(s for s in range(9) if space.samples(1, s)[0].min_count == 6)
    result = tune(
        write(tmp_path / "text", "\n".join(text)),
        test_set({**TOPICS, "rare": rare}),
        tmp_path / "study",
        Tuning(trials=1, space=space, seed=seed),
    )
    assert result.best == 1
    for name, found in differences(result).items():
        own, default = (on(result, trial, "report")[name].value for trial in (result.best, result.default))
        assert found.value == pytest.approx(own - default)
        assert found.subscores == 4


@pytest.mark.slow
def test_the_other_half_is_not_flattered(tmp_path):
    """Where there is nothing to learn, the best is better by chance, and on the half that chooses only."""
    chosen, judged, held, winners = [], [], 0, 0
    # Without subwords, as the names of words say which topic they are of.
    space = replace(SPACE, model=("word2vec",), dimension=(2, 3, 4), window=(2, 3, 4, 5))
    for seed in range(10):
        corpus = write(tmp_path / f"text{seed}", "\n".join(topic_lines(seed, 60, mixed=True)))
        tuning = Tuning(trials=8, space=space, seed=seed)
        result = tune(corpus, test_set(), tmp_path / str(seed), tuning)
        for view, into in (("choice", chosen), ("report", judged)):
            best, default = (
                on(result, each, view)["Combined"].value for each in (result.best, result.default)
            )
            into.append(best - default)
        alone = result.best == result.default  # there is no difference then
        held += alone or differences(result)["Combined"].tested.p >= 0.05
        winners += result.found
    assert min(chosen) >= 0
    assert np.mean(chosen) > 3 * np.std(chosen) / 10**0.5
    assert abs(np.mean(judged)) < 3 * np.std(judged) / 10**0.5
    assert held >= 7
    assert winners <= 1


# Measures, seeds and words


def test_a_search_ranks_by_the_first_measure(corpus, tmp_path):
    measures = ("OddOneOut(out=matched)@3", "Topk@2")
    result = tune(corpus, test_set(), tmp_path / "both", replace(SIX, trials=2, measures=measures))
    assert result.ranked_by == measures[0]
    assert [each.value for each in result.trials] == [each.values[measures[0]] for each in result.trials]
    alone = tune(corpus, test_set(), tmp_path / "one", replace(SIX, trials=2, measures=measures[:1]))
    assert alone.ranked_by == measures[0]
    values = [each.values for each in alone.trials]
    assert [set(each) for each in values] == [{measures[0]}] * 3
    assert [each.value for each in alone.trials] == [each[measures[0]] for each in values]
    assert [each.measure for each in on(alone, alone.best, "report")] == [measures[0]]
    assert set(differences(alone)) <= {measures[0]}
    to_json(alone)


def test_seeds_widen_intervals_and_tests(six, corpus, tmp_path):
    one, _ = six
    three = tune(corpus, test_set(), tmp_path, replace(SIX, seeds=3))
    assert ONE_SEED not in three.notes
    assert three.seeds == 3
    for trial in (three.best, three.default):
        for view in ("report", "whole"):
            mean = on(three, trial, view)
            assert mean.runs == 3
            for each in mean.measured:
                first = on(one, trial, view)[each.measure]
                assert each.seeds[0] == pytest.approx(first.value)
                assert each.value == pytest.approx(np.mean(each.seeds))
                assert each.high - each.low != pytest.approx(first.high - first.low) or each.value == 1
                assert each.over_baseline.value == pytest.approx(each.value - each.baseline)
                assert each.verdict
    best, default = (on(three, trial, "report")["Topk@3"].value for trial in (three.best, three.default))
    assert differences(three)["Topk@3"].value == pytest.approx(best - default)
    # The file that is kept is of the first seed.
    (path,) = [path for path in tmp_path.iterdir() if path.name.startswith("model.")]
    (old,) = [path for path in six[1].iterdir() if path.name.startswith("model.")]
    assert path.read_bytes() == old.read_bytes()


def test_words_that_not_all_models_know_are_not_asked_where_these_are_left_out(tmp_path):
    """With `oov=skip`, a model could gain by knowing less."""
    text = [*topic_lines(number=60), *["r0 r1 r2"] * 4]
    given = test_set({**TOPICS, "rare": ["r0", "r1", "r2", *TOPICS["topic0"][:8]]})
    skipping = replace(SIX, trials=3, settings=Settings(oov="skip"))
    result = tune(write(tmp_path / "text", "\n".join(text)), given, tmp_path / "study", skipping)
    for view in ("choice", "report"):
        subscores = [each for score in on(result, result.best, view) for each in score.subscores]
        assert subscores
        assert not any(each.oov for each in subscores)


def test_the_line_of_a_trial(corpus, tmp_path):
    lines = []
    tune(corpus, test_set(), tmp_path, replace(SIX, trials=2), machine=Machine(log=lines.append))
    assert re.fullmatch(r"trial 0, word2vec cbow, .*: Topk@3 \d\.\d{4} \(\d+ s\)", lines[0])
    assert len(lines) == 3 + 2
    assert lines[3].endswith("trained again, seed 0")


# Several test sets


def test_test_sets_are_merged():
    first = test_set({"a": ["rex", "via"], "b": ["urbs"]})
    second = replace(test_set({"a": ["via", "lex"], "c": ["nox"]}), name="more.json")
    found = merge([first, second])
    assert [(c.name, c.words) for c in found.categories] == [
        ("a", ("rex", "via", "lex")),
        ("b", ("urbs",)),
        ("c", ("nox",)),
    ]
    assert found.name == "topics.json + more.json"
    assert found.sha256 not in (first.sha256, merge([second, replace(first, sha256="1" * 64)]).sha256)
    assert merge([first]) is first


def test_items_of_the_same_id_are_one_with_the_words_of_both():
    def one(*words):
        return TestSet("en", "t", "0" * 64, (Category("a", "a", (Item("Q1", words),)),))

    (category,) = merge([one("rex", "roi"), one("king", "rex")]).categories
    assert category.items == (Item("Q1", ("rex", "roi", "king")),)


def test_a_merged_test_set_says_what_its_files_were_taken_for(tmp_path):
    for name, ending, line in (("a", "csv", "category,word"), ("b", "csv", "Category,Word")):
        rows = "".join(f"{kind},{name}{kind}{n}\n" for kind in ("x", "y") for n in range(4))
        (tmp_path / f"{name}.{ending}").write_text(f"{line}\n{rows}", encoding="utf-8")
    (tmp_path / "c.txt").write_text(": x\nrex\n: z\nvia\nurbs\n", encoding="utf-8")
    every = [read_testset(tmp_path / each) for each in ("a.csv", "b.csv", "c.txt")]
    found = merge(every).reading
    assert found.format == "categories-csv + categories"
    assert found.columns == {"category": "category + Category", "word": "word + Word"}
    assert merge(every[2:] * 2).reading == every[2].reading
    assert merge([replace(each, reading=None) for each in every]).reading is None


def test_test_sets_of_two_languages_are_not_merged():
    other = replace(test_set(), language="la", name="la.json")
    with pytest.raises(TestSetError, match=r"la.json is of the language 'la' and topics.json of 'en'"):
        merge([test_set(), other])
    with pytest.raises(TestSetError):
        merge([test_set(), replace(test_set(), named_in="la")])


# The command line


@pytest.fixture
def run(text, tmp_path, monkeypatch, evaluator):
    """Runs `evaluator tune` on the corpus of topics; gives stdout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_bytes(text.read_bytes())
    (tmp_path / "topics.txt").write_text(
        "".join(f":{name}\n{' '.join(words)}\n" for name, words in TOPICS.items()), encoding="utf-8"
    )
    small = ["dimension=4,8", "window=2,4", "min-count=2,3", "lemmas=no", "learning_rate=0.001,0.1"]

    def run_(*arguments, code=0, err=re.compile("^(evaluator: [ 0-9]{3}% trial .*\n)*$")):
        given = {each.partition("=")[0] for each in arguments}
        kept = [each for each in small if each.partition("=")[0] not in given]
        only = [argument for each in kept for argument in ("--only", each)]
        command = ["tune", "text.txt", "--test", "topics.txt", "--output", "study", "--trials", "5", *only]
        ended = evaluator(*command, *arguments)
        assert ended.code == code, ended.err
        assert err.search(ended.err), ended.err
        return ended.out

    return run_


def test_the_command_line(run, six, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.results.figures.FORMATS", ("svg",))
    out = run()
    assert out.startswith("Tuning: text.txt on topics.txt (und)\n")
    assert "On the held-out half of each category, by which no model was chosen: the number" in out
    number = r"(?:< )?\d\.\d{4}"
    assert re.search(rf"^Combined +\+0\.\d{{4}}  .* {number}  +\d+ words *$", out, re.MULTILINE)
    assert out.endswith("All trials, figure and model: study\n")
    names = {path.name for path in (tmp_path / "study").iterdir()}
    (model,) = [name for name in names if name.startswith("model.")]
    assert names - {".lock"} == {
        *("tuning.json", "trials.csv", "tuning.svg", model),
        *("sentences.txt", "sentences.sha256", "trials.jsonl"),
    }
    read = json.loads((tmp_path / "study" / "tuning.json").read_text(encoding="utf-8"))
    assert (read["format"], read["version"], read["reported_on"]) == ("tuning", 5, "report")
    before = (tmp_path / "study" / "tuning.svg").read_bytes()
    assert run() == out
    assert (tmp_path / "study" / "tuning.svg").read_bytes() == before
    table = pd.read_csv(tmp_path / "study" / "trials.csv")
    assert len(read["trials"]) == table["trial"].nunique() == 6
    assert table["trial"][0] == read["best"]


def test_the_command_line_gives_json_and_the_same_again(run, tmp_path):
    first = run("--json", "--no-figure")
    assert not (tmp_path / "study" / "tuning.svg").exists()
    read = json.loads(first)
    assert first == (tmp_path / "study" / "tuning.json").read_text(encoding="utf-8")
    assert run("--json", "--no-figure") == first
    (best,) = (each for each in read["results"] if each["keys"] == {"trial": read["best"], "view": "report"})
    assert all(each["low"] <= each["high"] for each in best["scores"])
    by_measure = {each["measure"]: each["value"] for each in best["scores"]}
    topk, odd, both = (by_measure[name] for name in ("Topk@3", "OddOneOut@3", "Combined"))
    assert both == pytest.approx(combined(topk, odd))


@pytest.mark.slow
def test_the_command_line_resumes_a_search_without_a_finished_trial(run, tmp_path):
    run("--no-figure")
    for path in (tmp_path / "study").iterdir():
        if not path.name.startswith("sentences."):
            path.unlink()
    run("--no-figure")


def test_the_command_line_says_that_the_whole_flatters(run):
    out = run("--whole", "--category", "topic0", "--category", "topic1", "--no-figure")
    assert "Categories that this corpus can be scored on: 2 in the half that models are chosen by" in out
    assert "On the same test set that the model was chosen by, so the scores are too high." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "dimension"], "--only dimension: give a name and values"),
        (["--only", "size=3"], "size: no such hyper-parameter"),
        (["--category", "nothing"], "has no category 'nothing'; it has topic0, topic1, topic2"),
        (["--measure", "OddOneOut@1"], "k must be 2 or more"),
    ],
    ids=["only", "name", "category", "measure"],
)
def test_the_command_line_names_what_is_wrong_before_any_work(run, tmp_path, arguments, message):
    assert run(*arguments, code=2, err=re.compile(rf"^evaluator: .*{re.escape(message)}")) == ""
    assert not (tmp_path / "study").exists()


def test_of_equal_trials_the_first_is_the_best():
    scores = score({"a": [1, 0], "b": [0, 1], "c": [1, 1]}, test_set({"c": ["a", "b", "c"]}), "Topk@1")
    equal = [Trial(n, Hyperparameters(), 9, (0.0, 0.0), 1.0, scores) for n in (3, 1, 2)]
    assert max(equal, key=lambda each: each.rank).number == 1


def test_no_older_model_stays_beside_the_best(corpus, tmp_path):
    """The best of fewer trials may have had another form."""
    for name in ("model.vec", "model.bin"):
        (tmp_path / name).write_text("of fewer trials", encoding="utf-8")
    tune(corpus, test_set(), tmp_path, Tuning(trials=1, space=replace(SPACE, model=("word2vec",))))
    (left,) = tmp_path.glob("model.*")
    assert len(load_vectors(left))


def test_words_of_the_other_half_are_lemmas_too():
    """Else `cats` of the other half would stay in the vocabulary of lemmas as `cat`, a wrong neighbour."""
    half = TestSetHalf(test_set({"animal": ["dogs", "birds"]}), frozenset({"cats", "dog"}))
    found = normalized(half, lambda word: word.removesuffix("s"))
    assert [word for category in found.test_set.categories for word in category.words] == ["dog", "bird"]
    assert found.excluded == {"cat"}  # a word of this half is not left out


def test_a_language_that_lends_its_names_does_not_lend_its_lemmas(run, tmp_path):
    """Icelandic names stand in for Old Norse ones; Old Norse texts are not Icelandic."""
    pytest.importorskip("simplemma")
    categories = [
        {
            "name": name,
            "title": name,
            "items": [
                {"id": f"Q{n}", "words": [word]} for n, word in enumerate(words, start=100 * number + 1)
            ],
        }
        for number, (name, words) in enumerate(TOPICS.items())
    ]
    content = {
        "format": "testset",
        "version": 1,
        "language": "non",
        "named_in": "is",
        "categories": categories,
    }
    (tmp_path / "topics.txt").write_text(json.dumps(content), encoding="utf-8")
    run("--only", "lemmas=no,yes", "--no-figure", "--trials", "3")
    found = json.loads((tmp_path / "study" / "tuning.json").read_text(encoding="utf-8"))
    assert {trial["parameters"]["lemmas"] for trial in found["trials"]} == {False}
    assert "non" in found["notes"][0]


# Related words


def with_groups(topics=TOPICS):
    """A test set whose topics have groups of related words, too: each two words that follow each other."""
    items = [
        Item(f"{name} {number}", tuple(words[number : number + 2]))
        for name, words in topics.items()
        for number in range(len(words) - 1)
    ]
    family = RelatedWords("keywords", "Keywords", (*items, Item("rare", ("xyzzy", "plugh"))))
    return replace(test_set(topics), groups=(family,))


def test_trials_are_ranked_by_related_words_where_there_are_enough(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(KeywordRank, "least_choosing", 8)
    lines = []
    result = tune(
        corpus, with_groups(), tmp_path / "study", replace(SIX, trials=2), Machine(log=lines.append)
    )
    assert result.ranked_by == "KeywordRank"
    assert lines[0] == "trials are ranked by KeywordRank"
    head = json.loads((tmp_path / "study" / "trials.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert head["measures"] == ["KeywordRank", "Topk@3", "OddOneOut@3"]
    words = {word for own in TOPICS.values() for word in own}
    assert result.keywords["whole"] == len(words)
    assert result.keywords["choice"] + result.keywords["report"] == len(words)
    for trial in result.trials:
        assert trial.value == trial.values["KeywordRank"]
    asked = on(result, result.best, "whole")["KeywordRank"]
    assert (asked.answered, asked.subscores[0].oov) == (len(words), 0)
    said = "; ".join(block.text for block in tuning_section(result).walk() if isinstance(block, Text))
    assert f"Related words that all models of the search know: {result.keywords['choice']}" in said


def test_trials_are_ranked_by_categories_where_there_are_too_few_related_words(corpus, tmp_path):
    lines = []
    search = replace(SIX, trials=1)
    result = tune(corpus, with_groups(), tmp_path / "study", search, Machine(log=lines.append))
    known = result.keywords["choice"]
    few = f"too few related words ({known} of 400) to choose by"
    assert result.ranked_by == "Topk@3"
    assert lines[0] == f"trials are ranked by Topk@3: {few}"
    assert few in result.notes
    with pytest.raises(StudyError, match=re.escape(f"topics.json: {few}; name another measure first")):
        tune(corpus, with_groups(), tmp_path / "named", replace(search, measures=("KeywordRank",)))


def test_a_related_word_is_in_the_half_of_its_category():
    halves = split_in_halves(with_groups())
    for half, other in (halves, halves[::-1]):
        (family,) = half.test_set.groups
        own = {word for category in half.test_set.categories for word in category.words}
        assert own <= {*family.words}
        assert not {*family.words} & other.excluded - half.excluded - own
        assert not {*family.words} & {*other.test_set.groups[0].words}
