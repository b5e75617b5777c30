"""The table: what stands in one column, and in which order."""

from __future__ import annotations

from typing import get_args

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from evaluator import settings as evaluators
from evaluator.settings import Settings
from testgen.serve.results.files import parse
from testgen.serve.results.leaderboard import Leaderboard, Selection
from testgen.serve.results.wording import absence_in_words, setting_in_words
from tests.testgen.serve.results.examples import comparison, record, score, scores

OTHER = "f" * 64
CHOICES = {
    "oov": evaluators.OOV,
    "norm": evaluators.Norm,
    "case": evaluators.Case,
    "multiword": evaluators.Multiword,
    "levels": evaluators.Levels,
    "small_categories": evaluators.SmallCategories,
}


def board(*files):
    found = [each for number, content in enumerate(files) for each in parse(content, f"{number}.json")]
    return Leaderboard(found, {})


def test_only_the_same_test_set_measure_and_settings_stand_in_one_column():
    found = board(
        scores(record("a.vec"), record("b.vec", scores=[score(value=0.9)])),
        scores(record("c.vec", digest=OTHER)),
        scores(record("d.vec", scores=[score(settings="norm:none|oov:wrong")])),
        scores(record("e.vec", scores=[score("OddOneOut@3")])),
    )
    assert sorted(found.models_in.values()) == [1, 1, 1, 2]
    table = found.table(Selection("Topk@3"))
    assert [found.models_in[each.id] for each in table.columns] == [2, 1, 1]
    notes = {found.note(each) for each in table.columns}
    assert notes == {
        "test set 01234567",
        "test set ffffffff",
        "test set 01234567, vectors of their own length",
    }


def test_a_setting_that_is_missing_is_said():
    found = board(
        scores(
            *(record(name, scores=[score(settings="oov:wrong|profile:latin")]) for name in "ab"), record("c")
        )
    )
    notes = {name: found.note(found.columns[next(iter(row))]) for name, row in found.rows.items()}
    assert notes == {"a": "", "b": "", "c": "vectors of length 1, no spelling profile"}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("oov:skip", "unknown words are left out"),
        ("vocabulary:30000", "the 30,000 most frequent words"),
        ("vocabulary:all", "the whole vocabulary"),
        ("asked-only:{language}.vec", "only the words that {language}.vec knows"),
        ("new-setting:{a}", "new-setting {a}"),
        ("{}:x", "{} x"),
    ],
)
def test_settings_are_told_in_words(setting, words):
    assert setting_in_words(setting) == words
    assert absence_in_words("{}") == "no {}"


def test_every_value_of_every_setting_has_words():
    """A new one of the evaluator is told in words as well."""
    values = [(each, value) for each, choices in CHOICES.items() for value in get_args(choices)]
    for name, value in values:
        signature = Settings(**{name: value}).signature
        for setting in (f"{key}:{told}" for key, told in signature.items() if told == value):
            assert setting_in_words(setting) != setting.replace(":", " ")


def test_single_categories_do_not_decide_what_is_usual():
    found = board(scores(record("a.vec")), comparison().replace(b"null", b"0.2"))
    assert {found.note(each) for each in found.columns.values() if not each.of} == {""}


def test_models_that_differ_in_the_language_are_one_row():
    found = board(
        scores(record("cc.la.300.vec"), record("cc.de.300.vec", "de", digest=OTHER), record("la.vec"))
    )
    assert found.rows.keys() == {"cc.{language}.300.vec", "la.vec"}
    assert len(found.rows["cc.{language}.300.vec"]) == 2


def test_a_score_that_comes_twice_is_shown_once_and_with_its_interval():
    found = board(scores(record()), scores(record(scores=[score(low=0.3, high=0.5)])))
    ((_, row),) = found.table(Selection()).rows
    assert [each.low for each in row.values()] == [0.3]


def test_models_of_one_name_with_different_scores_are_told_apart_by_their_files():
    found = board(scores(record()), scores(record(scores=[score(value=0.7)])))
    assert found.rows.keys() == {"a.vec (0.json)", "a.vec (1.json)"}


def test_rows_are_sorted_by_any_column():
    found = board(
        scores(
            *(
                record(name, scores=[score(value=value)])
                for name, value in [("A", 0.2), ("b", 0.5), ("c", 0.1)]
            )
        ),
        scores(record("d", "de", digest=OTHER)),
    )
    latin = next(each.id for each in found.columns.values() if each.language == "la")

    def names(sort):
        return [name for name, _ in found.table(Selection(sort=sort)).rows]

    assert names("") == names(latin) == names("nothing") == ["b", "A", "c", "d"], "unscored models come last"
    assert names(f"-{latin}") == ["c", "A", "b", "d"]
    assert names("model") == ["A", "b", "c", "d"]
    assert names("-model") == ["d", "c", "b", "A"]


def test_the_table_is_narrowed():
    combined = {"value": 0.2}
    found = board(
        scores(record("a.vec", combined=combined), record("b.vec"), record("c.vec", "de", digest=OTHER))
    )
    assert found.measures == ["Combined", "Topk@3"]
    assert found.languages == ["de", "la"]
    assert [name for name, _ in found.table(Selection("Topk@3", language="la")).rows] == ["a.vec", "b.vec"]
    assert [name for name, _ in found.table(Selection(model="B.V")).rows] == ["b.vec"]
    assert found.table(Selection(language="xx")).rows == []
