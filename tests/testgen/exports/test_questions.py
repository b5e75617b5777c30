"""Odd-one-out questions: what each promises, and what can be guessed."""

from __future__ import annotations

import random

import pytest

from testgen.exports.questions import Question, QuestionMaker, guessed
from tests.testgen.exports.made import parsed, section

RANDOM = random.Random(7)
WORDS = ["".join(RANDOM.choices("abcdefghij", k=RANDOM.randint(4, 8))) for _ in range(90)]
BIRDS, FISH, RIVERS = WORDS[:30], WORDS[30:60], WORDS[60:]


def languages(*categories):
    """The same categories in three languages; each item but the first few is named in all."""
    fewer = [{**each, "items": each["items"][5:]} for each in categories]
    return [parsed("la", categories), parsed("grc", categories), parsed("eo", fewer)]


def made(test_sets, k=3, most=100, seed=0):
    return list(QuestionMaker(test_sets, most, seed).questions(test_sets[0], k))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_one_word_is_from_another_category_of_the_same_topic(k):
    test_sets = languages(
        section("bird", BIRDS), section("fish", FISH), section("river", RIVERS, topic="geography")
    )
    maker = QuestionMaker(test_sets, 100, 0)
    questions = list(maker.questions(test_sets[0], k))
    assert {each.category for each in questions} == {"bird", "fish"}
    for each in questions:
        own, other = (BIRDS, FISH) if each.category == "bird" else (FISH, BIRDS)
        odd = each.options[each.answer]
        assert len(set(each.options)) == k + 1
        assert [word for word in each.options if word not in own] == [odd]
        assert odd in other
        assert each.odd_category == {"bird": "fish", "fish": "bird"}[each.category]
        assert each.items[each.answer] == f"Q{each.odd_category}-{odd}"
        # Some word that it may have replaced: as notable, and at most a fifth longer or shorter.
        assert any(
            abs(len(word) - len(odd)) <= max(1, 0.2 * max(len(word), len(odd)))
            and maker.notability[f"Q{each.category}-{word}"] == maker.notability[each.items[each.answer]]
            for word in own
        )
    assert len({each.id for each in questions}) == len(questions) > 40
    assert len({each.answer for each in questions}) == k + 1


def test_the_seed_decides():
    test_sets = languages(section("bird", BIRDS), section("fish", FISH))
    assert made(test_sets) == made(test_sets)
    assert made(test_sets) != made(test_sets, seed=1)
    assert len(made(test_sets, most=7)) == 14


def test_words_of_two_categories_are_never_odd():
    shared = [*BIRDS[:20], *FISH[20:]]
    test_sets = [parsed("la", [section("bird", BIRDS), section("fish", shared)])]
    odd = {each.options[each.answer] for each in made(test_sets)}
    assert odd
    assert not odd & set(BIRDS[:20])
    alias = [parsed("la", [section("bird", [*BIRDS[1:], f"x,{FISH[0]}"]), section("fish", FISH)])]
    assert FISH[0] not in {each.options[each.answer] for each in made(alias)}


@pytest.mark.parametrize("change", [str.upper, str.title, lambda word: f"{word[:2]} {word[3:]}"])
def test_form_gives_nothing_away(change):
    """Where all fish begin with a capital, or have a space, no bird is like them."""
    fish = [change(word) for word in FISH]
    assert made([parsed("la", [section("bird", BIRDS), section("fish", fish)])]) == []


def test_categories_with_a_common_item_in_any_language_have_no_questions_about_each_other():
    def same_items(value):
        return {
            **value,
            "items": [{**each, "id": each["id"].replace("fish", "bird")} for each in value["items"]],
        }

    birds = section("bird", BIRDS)
    apart = parsed("la", [birds, section("fish", FISH)])
    overlapping = parsed("grc", [section("bird", FISH[:1]), same_items(section("fish", FISH[:1]))])
    assert made([apart])
    assert made([apart, overlapping]) == []


def test_all_words_of_a_question_are_of_one_language():
    """Where another language stands in, it would give the odd word away."""
    own = [section("bird", BIRDS), section("fish", FISH)]
    (test_set,) = test_sets = [
        parsed(
            "non",
            [*own, section("river", RIVERS[:15], named_in="is"), section("lake", RIVERS[15:], named_in="is")],
        )
    ]
    maker = QuestionMaker(test_sets, 100, 0)
    asked = {(each.named_in, each.category, each.odd_category) for each in made(test_sets)}
    assert asked == {
        ("non", "bird", "fish"),
        ("non", "fish", "bird"),
        ("is", "river", "lake"),
        ("is", "lake", "river"),
    }
    near = {(row[2], row[3]) for row in maker.neighbours(test_set)}
    assert near == {("non", "bird"), ("non", "fish"), ("is", "river"), ("is", "lake")}


def test_classes_within_categories_are_categories_too():
    top = section("bird", [*BIRDS, *FISH], level=0)
    one, other = (
        {**section("bird", words, level=1, within="bird"), "name": f"bird/{name}"}
        for name, words in (("Q1", BIRDS), ("Q2", FISH))
    )
    assert {(each.category, each.odd_category) for each in made([parsed("la", [top, one, other])])} == {
        ("bird/Q1", "bird/Q2"),
        ("bird/Q2", "bird/Q1"),
    }


def test_rare_words_give_nothing_away():
    """Half of the birds and nearly all of the fish have names in one language alone."""
    test_sets = [
        parsed("la", [section("bird", BIRDS), section("fish", FISH)]),
        parsed("grc", [section("bird", BIRDS[:15]), section("fish", FISH[:5])]),
    ]
    maker = QuestionMaker(test_sets, 100, 0)
    questions = [
        each for k in range(50) for each in QuestionMaker(test_sets, 100, k).questions(test_sets[0], 3)
    ]
    assert guessed(questions, maker.notability) == pytest.approx(0.25, abs=0.03)


def question(options, answer):
    items = tuple(f"Q{number}" for number in range(len(options)))
    return Question("", "la", "la", "c", "", len(options) - 1, tuple(options), answer, items, "d")


@pytest.mark.parametrize(
    ("options", "answer", "notability", "share"),
    [
        (["a", "b", "c", "dddd"], 3, (5, 5, 5, 5), 1),
        (["a", "b", "c", "dddd"], 0, (5, 5, 5, 5), 0),
        (["a", "b", "c", "d"], 1, (5, 5, 5, 5), 0.25),
        (["a", "b", "cc", "dd"], 1, (5, 9, 5, 5), 1),
        (["a", "b", "ccc", "d"], 0, (9, 5, 5, 5), 0.5),
    ],
)
def test_the_baseline_picks_what_is_most_unlike_the_others(options, answer, notability, share):
    known = {f"Q{number}": number_of for number, number_of in enumerate(notability)}
    assert guessed([question(options, answer)], known) == share
